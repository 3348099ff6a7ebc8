/** Adler-32, the checksum at the end of a zlib stream. */
export const ADLER_START = 1;

const MODULUS = 65_521;
/** The number of bytes that keeps the second sum below 2^31, where arithmetic is fast. */
const RUN = 3800;

/** @param before the checksum of the preceding bytes */
export function adler32(bytes: Uint8Array, before: number): number {
  let first = before & 0xffff;
  let second = before >>> 16;
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(at + RUN, bytes.length);
    for (; at < end; at++) {
      first += bytes[at]!;
      second += first;
    }
    first %= MODULUS;
    second %= MODULUS;
  }
  return ((second << 16) | first) >>> 0;
}
