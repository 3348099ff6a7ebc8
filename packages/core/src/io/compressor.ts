/** The compression options of a piece, named as in node:zlib. */
export interface CompressionSettings {
  readonly level: number;
  readonly windowBits: number;
  readonly memLevel: number;
  readonly chunkSize: number;
}

/** Compresses on other cores than that of the engine. */
export interface Compressor {
  /** Number of bytes in flight up to which this is worthwhile. Beyond it, compressing in the caller is faster. */
  readonly maxBytesInFlight: number;
  /**
   * Compresses each piece to its own zlib stream, in order.
   * @param bytes the pieces, concatenated; must not change until the promise resolves or rejects
   * @param lengths lengths of the pieces, in bytes
   * @returns the concatenated streams and their lengths. If it rejects, no data is lost: the caller can compress it.
   */
  compress(
    bytes: SharedArrayBuffer,
    lengths: readonly number[],
    settings: readonly CompressionSettings[],
  ): Promise<{ readonly bytes: Uint8Array; readonly lengths: readonly number[] }>;
}
