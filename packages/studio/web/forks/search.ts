/** Which forks are compared, as the address of the view says. */
import { searchTexts } from '../data/search-texts.ts';

export interface ForksSearch {
  /** The names of the forks that are compared, with commas; absent: all. */
  readonly names?: string;
  /** Asks for the name of a new fork of this state: a checkpoint, or `now`. */
  readonly from?: string;
}

export function forksSearch(given: Readonly<Record<string, unknown>>): ForksSearch {
  return searchTexts(given, ['names', 'from']);
}

export interface ForkSearch {
  /** What its files are compared with: another fork, or `.` for the workspace. Absent: what it started from. */
  readonly with?: string;
  /** The file to begin with. */
  readonly file?: string;
  readonly sides?: 'two';
}

export function forkSearch(given: Readonly<Record<string, unknown>>): ForkSearch {
  return { ...searchTexts(given, ['file', 'with']), ...(given['sides'] === 'two' ? { sides: 'two' as const } : {}) };
}
