/** The filters of the timeline, as its address has them. */
import type { Grade } from '../data/authors.ts';
import { searchTexts } from '../data/search-texts.ts';

export interface TimelineSearch {
  readonly agent?: string;
  readonly session?: string;
  /** A path: only work on it or below it. */
  readonly file?: string;
  readonly grade?: Grade;
  readonly text?: string;
  /** The turn that is open. */
  readonly open?: string;
}

const GRADES: readonly Grade[] = ['sure', 'likely', 'open'];
const TEXTS = ['agent', 'session', 'file', 'text', 'open'] as const;

export function timelineSearch(given: Readonly<Record<string, unknown>>): TimelineSearch {
  const grade = GRADES.find((one) => one === given['grade']);
  return { ...searchTexts(given, TEXTS), ...(grade === undefined ? {} : { grade }) };
}
