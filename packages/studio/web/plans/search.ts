/** How a plan is shown, as the address of its page says. */
import { searchTexts } from '../data/search-texts.ts';
import { type ReviewSearch, reviewSearch } from '../review/search.ts';

export interface PlanSearch extends ReviewSearch {
  /** The file to begin with. */
  readonly file?: string;
  readonly sides?: 'two';
}

export function planSearch(given: Readonly<Record<string, unknown>>): PlanSearch {
  return {
    ...reviewSearch(given),
    ...searchTexts(given, ['file']),
    ...(given['sides'] === 'two' ? { sides: 'two' as const } : {}),
  };
}
