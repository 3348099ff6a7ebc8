/** The short escapes of C and git inside quotes. Every other escaped byte is three octal digits. */
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

/** Escapes each of the given one-byte characters as in C. */
export function escapeBytes(bytes: string): string {
  return bytes.replace(/[\x00-\xff]/g, (byte) => SHORT[byte] ?? `\\${byte.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

const LETTERS = new Map(Object.entries(SHORT).map(([byte, escaped]) => [escaped.slice(1), byte]));

/** The inverse of {@link escapeBytes} for what is inside quotes. Octal numbers may be shorter if no digit follows. */
export function unescapeBytes(escaped: string): string {
  return escaped.replace(
    /\\(?:([0-3][0-7]{2}|[0-7]{1,2}(?![0-7]))|(.))/gs,
    (_, octal: string | undefined, letter: string) =>
      octal === undefined ? (LETTERS.get(letter) ?? letter) : String.fromCharCode(Number.parseInt(octal, 8)),
  );
}

/** Returns a one-byte string as git prints a name: unchanged, or in quotes if it has anything but plain ASCII. */
export function quoteLikeGit(bytes: string): string {
  const escaped = bytes.replace(/[^\x20-\x7e]|["\\]/g, escapeBytes);
  return escaped === bytes ? bytes : `"${escaped}"`;
}
