/** What is replayed, and which step is shown, as the address of the view says. */
import { searchTexts } from '../data/search-texts.ts';

export interface ReplaySearch {
  /** Only the turns of this session; absent: everything. */
  readonly session?: string;
  /** Only what came after this checkpoint. */
  readonly from?: string;
  /** Only what came up to this checkpoint. */
  readonly to?: string;
  /** The step that is shown: a checkpoint in it; absent: the first. */
  readonly at?: string;
  readonly sides?: 'two';
}

export function replaySearch(given: Readonly<Record<string, unknown>>): ReplaySearch {
  const sides = given['sides'] === 'two' ? { sides: 'two' as const } : {};
  return { ...searchTexts(given, ['session', 'from', 'to', 'at']), ...sides };
}
