/** Bounds of the object store, in bytes where nothing else is said. */

const MIB = 1024 * 1024;

/** What a batch keeps in memory before it writes a pack out; no pack of ours with several objects is larger. */
export const PACK_BYTES = 64 * MIB;

/** Blobs above this are compressed and checked piece by piece, and get a pack of their own. */
export const STREAM_BYTES = 16 * MIB;

/** Stored entries above this are copied from file to file, not through memory. */
export const ENTRY_BYTES = 32 * MIB;

/** What is read or compressed at a time when streaming. */
export const PIECE_BYTES = MIB;

/** The most that `read` returns, and that a delta may describe: larger ones are taken for hostile. */
export const MAX_READ_BYTES = 2048 * MIB;

/** The longest chain of deltas that git makes. */
export const DELTA_DEPTH = 4095;

/** Deflate makes nothing smaller than by this factor; a header that claims more is wrong. */
const DEFLATE_RATIO = 1032;

/** Whether `size` bytes can come out of `compressed` bytes of deflate. */
export function canInflateTo(size: number, compressed: number): boolean {
  return size <= (compressed + 1) * DEFLATE_RATIO;
}
