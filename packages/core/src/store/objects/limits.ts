/** Limits of the object store, in bytes unless stated otherwise. */

const MIB = 1024 * 1024;

/** Bytes at which a pack is full. Our packs of several objects exceed it by at most one entry. */
export const PACK_BYTES = 64 * MIB;

/** Larger blobs are compressed and verified piece by piece, and get their own pack. */
export const STREAM_BYTES = 16 * MIB;

/** Larger stored entries are copied from file to file, not through memory. */
export const ENTRY_BYTES = 32 * MIB;

/** Unit of reading and compressing when streaming. */
export const PIECE_BYTES = MIB;

/** Maximum size that `read` returns and that a delta may produce. Larger sizes are treated as malicious. */
export const MAX_READ_BYTES = 2048 * MIB;

/** The longest delta chain that git creates. */
export const DELTA_DEPTH = 4095;

/** Maximum compression ratio of deflate; a header that claims more is wrong. */
const DEFLATE_RATIO = 1032;

/** Returns whether `compressed` bytes of deflate can produce `size` bytes. */
export function canInflateTo(size: number, compressed: number): boolean {
  return size <= (compressed + 1) * DEFLATE_RATIO;
}
