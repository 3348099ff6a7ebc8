import { type JsonName, SavepointError } from '@savepoint/core';
import { nameOfArgument } from './argument-path.ts';

export interface LinesOfFile {
  readonly path: JsonName;
  readonly first: number;
  readonly last?: number;
}

/** `src/a.ts:12` or `src/a.ts:12-15`. @throws SavepointError USAGE */
export function linesOfArgument(text: string, argument: string): LinesOfFile {
  const [, path = '', first = '', last] = /^(.+):([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?$/s.exec(text) ?? [];
  if (path === '') {
    throw new SavepointError(
      'USAGE',
      `${JSON.stringify(text)} names no lines of a file.`,
      { argument },
      { hint: 'Write the file, a colon, and a line or a range: src/a.ts:12 or src/a.ts:12-15.' },
    );
  }
  return { path: nameOfArgument(path), first: Number(first), ...(last === undefined ? {} : { last: Number(last) }) };
}
