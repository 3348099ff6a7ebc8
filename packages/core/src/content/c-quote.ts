/** What C and git write for single bytes inside quotes; every other escaped byte is three octal digits. */
const SHORT: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\',
};

/** The given one-byte characters as escapes of C, each by itself. */
export function escapeBytes(bytes: string): string {
  return bytes.replace(/[\x00-\xff]/g, (byte) => SHORT[byte] ?? `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

/** A name of one-byte characters as git prints it: as it is, or in quotes if it holds anything but plain ASCII. */
export function quoteLikeGit(bytes: string): string {
  const escaped = bytes.replace(/[^\x20-\x7e]|["\\]/g, escapeBytes);
  return escaped === bytes ? bytes : `"${escaped}"`;
}
