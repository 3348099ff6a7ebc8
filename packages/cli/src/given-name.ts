/** Paths on the command line: as they are, or the way that Savepoint prints odd ones: in quotes, with escapes. */
import { bytesFromText, type JsonName, nameToJson, SavepointError, showName } from '@savepoint/core';

const OCTAL = '[0-3][0-7]{2}|[0-7]{1,2}(?![0-7])';
const ESCAPE = new RegExp(`\\\\(?:(${OCTAL})|(.))`, 'gsu');
const QUOTED = new RegExp(`^(?:[^"\\\\]|\\\\(?:${OCTAL}|[abtnvfr"\\\\]))*$`, 'u');
const SHORT: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  t: '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  '"': '"',
  '\\': '\\',
};

/**
 * @param argument as node decoded it; bytes that are no UTF-8 are lost in it, and only the quoted form can name them
 * @returns one character per byte
 * @throws SavepointError USAGE
 */
export function bytesOfArgument(argument: string): string {
  if (argument.startsWith('"')) return bytesOfQuoted(argument);
  if (argument.includes('\ufffd')) {
    throw new SavepointError(
      'USAGE',
      `The path ${showName(bytesFromText(argument))} is no valid UTF-8.`,
      { argument },
      { hint: 'Give it the way that Savepoint prints it: in double quotes, bytes in octal, as in \'"caf\\351.txt"\'.' },
    );
  }
  return bytesFromText(argument);
}

export function nameOfArgument(argument: string): JsonName {
  return nameToJson(bytesOfArgument(argument));
}

function bytesOfQuoted(argument: string): string {
  const inner = argument.slice(1, -1);
  const whole = argument.length >= 2 && argument.endsWith('"');
  if (!whole || !QUOTED.test(inner)) {
    throw new SavepointError(
      'USAGE',
      `The path ${showName(bytesFromText(argument))} begins with a quote and is no quoted name.`,
      { argument },
      { hint: 'Inside quotes, write " as \\" and \\ as \\\\, and bytes as three octal digits, as in "\\"odd\\".txt".' },
    );
  }
  return bytesFromText(inner).replace(ESCAPE, (_, octal: string | undefined, letter: string | undefined) =>
    octal === undefined ? (SHORT[letter ?? ''] ?? '') : String.fromCharCode(Number.parseInt(octal, 8)),
  );
}
