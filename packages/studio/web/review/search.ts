/** How a review is shown, as the address of its page says. Undefined removes a field from the address. */
import { searchTexts } from '../data/search-texts.ts';

export interface ReviewSearch {
  /** Absent: the lines. */
  readonly view?: 'findings' | 'picture' | undefined;
  /** The line to begin with, in the file that is shown. */
  readonly line?: number | undefined;
  readonly side?: 'before' | undefined;
  /** A file that is not part of the change, in place of the view. */
  readonly outside?: string | undefined;
}

export const NO_REVIEW: ReviewSearch = { view: undefined, line: undefined, side: undefined, outside: undefined };

export function reviewSearch(given: Readonly<Record<string, unknown>>): ReviewSearch {
  const { view, side } = given;
  const line = Number(given['line']);
  return {
    ...searchTexts(given, ['outside']),
    ...(view === 'findings' || view === 'picture' ? { view } : {}),
    ...(side === 'before' ? { side } : {}),
    ...(Number.isSafeInteger(line) && line > 0 ? { line } : {}),
  };
}
