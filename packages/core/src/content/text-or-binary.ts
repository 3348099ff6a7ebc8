/** The number of bytes that git checks for a NUL. */
const BINARY_CHECK_BYTES = 8000;

/** Longer contents are not treated as text: comparing their lines would cost more than it is worth. */
export const TEXT_MAX_BYTES = 8 * 1024 * 1024;

/** Applies git's rule: a content is binary if there is a NUL in its first 8000 bytes. */
export function isBinary(content: Buffer): boolean {
  return content.subarray(0, BINARY_CHECK_BYTES).includes(0);
}

/**
 * Classifies a content.
 * @param maxBytes the maximum length of a text, in bytes
 */
export function textOrBinary(content: Buffer, maxBytes: number = TEXT_MAX_BYTES): 'text' | 'binary' | 'too-long' {
  if (isBinary(content)) return 'binary';
  return content.length > maxBytes ? 'too-long' : 'text';
}
