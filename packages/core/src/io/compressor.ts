/** How a piece is compressed; what node:zlib calls so. */
export interface CompressionSettings {
  readonly level: number;
  readonly windowBits: number;
  readonly memLevel: number;
  readonly chunkSize: number;
}

/** Compresses on other cores than the engine's own. */
export interface Compressor {
  /** That are worthwhile to have under way at the same time; beyond that who asks is better off doing it. */
  readonly maxBytesInFlight: number;
  /**
   * One zlib stream for each piece, in their order.
   * @param bytes the pieces, one after the other; must not change before the promise is settled
   * @param lengths of the pieces
   * @returns the streams, one after the other, with their lengths. Rejects where it cannot: nothing is lost by that.
   */
  compress(
    bytes: SharedArrayBuffer,
    lengths: readonly number[],
    settings: readonly CompressionSettings[],
  ): Promise<{ readonly bytes: Uint8Array; readonly lengths: readonly number[] }>;
}
