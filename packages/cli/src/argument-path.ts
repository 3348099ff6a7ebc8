/** Parses paths on the command line: plain, or quoted with escapes, as Savepoint prints unusual names. */
import { bytesFromText, type JsonName, nameToJson, SavepointError, showName } from '@savepoint/core';
import { unescapeBytes } from '@savepoint/core/text';

const OCTAL = '[0-3][0-7]{2}|[0-7]{1,2}(?![0-7])';
const QUOTED = new RegExp(`^(?:[^"\\\\]|\\\\(?:${OCTAL}|[abtnvfr"\\\\]))*$`, 'u');
/**
 * @param argument as Node decoded it. Bytes that are not UTF-8 are lost; only the quoted form can express them
 * @returns one character per byte
 * @throws SavepointError USAGE
 */
export function bytesOfArgument(argument: string): string {
  if (argument.startsWith('"')) return bytesOfQuoted(argument);
  if (argument.includes('\ufffd')) {
    throw new SavepointError(
      'USAGE',
      `The path ${showName(bytesFromText(argument))} is not valid UTF-8.`,
      { argument },
      { hint: 'Type it as Savepoint prints it: in double quotes, with octal escapes, for example \'"caf\\351.txt"\'.' },
    );
  }
  return bytesFromText(argument);
}

/**
 * Node cannot decode arguments that are not UTF-8, so a command would get a different argument.
 * @throws SavepointError USAGE
 */
export function assertUtf8(word: string): void {
  if (!word.includes('\ufffd')) return;
  throw new SavepointError(
    'USAGE',
    `The argument ${JSON.stringify(word)} is not valid UTF-8 and cannot be passed on.`,
    { argument: word },
  );
}

export function nameOfArgument(argument: string): JsonName {
  return nameToJson(bytesOfArgument(argument));
}

/**
 * Splits `cp_12:src/a.ts` into the name of a checkpoint and a path.
 * @returns null without a path, and for `message:ID` and `before:ID`, whose ids may contain colons
 */
export function splitAtPath(argument: string): { readonly checkpoint: string; readonly path: string } | null {
  if (/^(?:message|before):/.test(argument)) return null;
  const found = /^(@\{[^}]*\}|[^:]+):(.+)$/s.exec(argument);
  return found === null ? null : { checkpoint: found[1]!, path: found[2]! };
}

function bytesOfQuoted(argument: string): string {
  const inner = argument.slice(1, -1);
  const isClosed = argument.length >= 2 && argument.endsWith('"');
  if (!isClosed || !QUOTED.test(inner)) {
    throw new SavepointError(
      'USAGE',
      `The path ${showName(bytesFromText(argument))} starts with a quote but is not a valid quoted name.`,
      { argument },
      { hint: 'In quotes, write " as \\", \\ as \\\\ and bytes as three octal digits, for example "\\"odd\\".txt".' },
    );
  }
  return unescapeBytes(bytesFromText(inner));
}
