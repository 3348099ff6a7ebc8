/** The filters of the timeline, as its address has them. */
import type { Grade } from '../data/authors.ts';

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
  const texts = TEXTS.flatMap((name) => {
    const value = given[name];
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  });
  const grade = GRADES.find((one) => one === given['grade']);
  return { ...Object.fromEntries(texts), ...(grade === undefined ? {} : { grade }) };
}
