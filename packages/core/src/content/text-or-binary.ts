/** How much of a content git looks at, in bytes. */
const BINARY_CHECK_BYTES = 8000;

/** What is longer is not read as text: lines of it would cost more than they tell. In bytes. */
export const TEXT_MAX_BYTES = 8 * 1024 * 1024;

/** git's rule: a NUL in the first 8000 bytes. */
export function isBinary(content: Buffer): boolean {
  return content.subarray(0, BINARY_CHECK_BYTES).includes(0);
}

/**
 * What a content may be treated as.
 * @param maxBytes the longest content that counts as text, in bytes
 */
export function textOrBinary(content: Buffer, maxBytes: number = TEXT_MAX_BYTES): 'text' | 'binary' | 'too-long' {
  if (isBinary(content)) return 'binary';
  return content.length > maxBytes ? 'too-long' : 'text';
}
