/** What an analysis of code cannot say, as one line of text. */

import { showText } from './show-name.ts';

export interface UnsaidToShow {
  readonly reason: string;
  readonly language: string | null;
  /** How many files it is about. */
  readonly files: number;
  /** Of a type checker. */
  readonly message?: string | null;
}

const NAMED = 5;

/** @param names of the first of these files, safe to print @returns text that is safe to print */
export function unsaidText(
  { reason, language, files, message = null }: UnsaidToShow,
  names: readonly string[],
): string {
  if (message !== null) return typesUnsaid(message);
  const shown = names.slice(0, NAMED);
  const rest = files > shown.length ? [`${files - shown.length} more`] : [];
  const list = shown.length === 0 ? '' : ` (${[...shown, ...rest].join(', ')})`;
  const of = `${files} ${files === 1 ? 'file' : 'files'}${list}`;
  switch (reason) {
    case 'no-language':
      return `Not analysed: ${of} in no language that is understood.`;
    case 'no-parser':
      return `Not analysed: ${of}, as the parser of ${language} is not installed.`;
    case 'unreadable':
      return `Not analysed: ${of} of ${language}, which are too large or cannot be read.`;
    case 'not-measured':
      return `Findings in ${language} are not proven, as their accuracy is not measured.`;
    case 'too-many':
      return `Nothing was analysed: the workspace has too many source files (${files}).`;
    default:
      return `Not said (${reason}): ${of}.`;
  }
}

/** What a type checker could not say. Safe to print. */
export function typesUnsaid(message: string): string {
  return `Type errors: ${showText(message)}`;
}
