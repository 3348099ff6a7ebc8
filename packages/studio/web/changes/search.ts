/** Which changes are shown, as the address of the view says. */
import { searchTexts } from '../data/search-texts.ts';
import { type ReviewSearch, reviewSearch } from '../review/search.ts';

export interface ChangesSearch extends ReviewSearch {
  /** The state before; absent: the last checkpoint. */
  readonly from?: string;
  /** The state after; absent: the files as they are now. */
  readonly to?: string;
  /** The session whose turn it is. */
  readonly session?: string;
  /** A single change: every step of a file that several calls changed. */
  readonly change?: string;
  /** The file to begin with. */
  readonly file?: string;
  /** The only file that is shown. */
  readonly only?: string;
  /** Whether findings are shown. */
  readonly review?: 'on';
  readonly sides?: 'two';
  /** Whether changes of white space are shown as such. */
  readonly space?: 'hidden';
}

const TEXTS = ['from', 'to', 'session', 'change', 'file', 'only'] as const;

export function changesSearch(given: Readonly<Record<string, unknown>>): ChangesSearch {
  return {
    ...reviewSearch(given),
    ...searchTexts(given, TEXTS),
    ...(given['review'] === 'on' ? { review: 'on' as const } : {}),
    ...(given['sides'] === 'two' ? { sides: 'two' as const } : {}),
    ...(given['space'] === 'hidden' ? { space: 'hidden' as const } : {}),
  };
}
