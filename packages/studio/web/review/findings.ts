/** What an analysis of the code found, in the form that the views of plans and changes share. */
import type { Output } from '../api/call.ts';
import { nameKey, shownText } from '../data/names.ts';
import type { PlacedFinding } from '../diff/line-findings.ts';

export type Report = Output<'findings'>;
export type Finding = Report['findings'][number];
export type FindingClass = Finding['class'];

export type Counts = Readonly<Record<FindingClass, number>>;

export function countsOf(findings: readonly Finding[]): Counts {
  const counts = { breaks: 0, follows: 0, 'may-be-affected': 0 };
  for (const one of findings) counts[one.class] += 1;
  return counts;
}

/** Findings at their lines. Line 0: it is about the whole file. */
export function findingsAtLines(findings: readonly Finding[]): readonly PlacedFinding[] {
  return findings.map(({ class: kind, path, line, message }) => ({
    file: nameKey(path),
    line: line ?? 0,
    kind,
    text: shownText(message),
  }));
}
