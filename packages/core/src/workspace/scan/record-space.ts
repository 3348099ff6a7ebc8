/** Memory for the records of scanned folders. Buffers and views of their own would take more than most records. */

/** Several records, and views of them in place. */
export interface RecordSpace {
  readonly data: Buffer;
  readonly words: Uint32Array;
  readonly numbers: Float64Array;
}

/** A single record that is still in use keeps its whole space in memory, so spaces are small. */
const SPACE_BYTES = 8 * 1024;

/** The space that is being filled, and where it is free. */
let filling: RecordSpace | null = null;
let free = 0;

/** Returns zeros for a record. @param length a multiple of 8 */
export function allocateRecord(length: number): { readonly space: RecordSpace; readonly start: number } {
  if (length > SPACE_BYTES / 2) return { space: spaceOf(Buffer.from(new ArrayBuffer(length))), start: 0 };
  if (filling === null || free + length > SPACE_BYTES) {
    filling = spaceOf(Buffer.from(new ArrayBuffer(SPACE_BYTES)));
    free = 0;
  }
  const start = free;
  free += length;
  return { space: filling, start };
}

export function spaceOf(data: Buffer): RecordSpace {
  // Numbers are read in place, which requires alignment.
  const aligned = data.byteOffset % 8 === 0 ? data : Buffer.from(new Uint8Array(data).buffer);
  const { buffer, byteOffset, length } = aligned;
  return {
    data: aligned,
    words: new Uint32Array(buffer, byteOffset, Math.floor(length / 4)),
    numbers: new Float64Array(buffer, byteOffset, Math.floor(length / 8)),
  };
}
