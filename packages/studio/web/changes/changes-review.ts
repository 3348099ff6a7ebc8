/** The review of the difference that is shown: what `diff --review` says. */
import { useMemo } from 'react';
import type { Output } from '../api/call.ts';
import { type FindingsByLine, findingsByLine } from '../diff/line-findings.ts';
import { findingsAtLines } from '../review/findings.ts';
import type { KnownFindings } from '../review/review.tsx';
import { type ReportState, useReport } from '../review/use-report.ts';

type Diff = Pick<Output<'diff'>, 'from' | 'to' | 'changes'>;

export interface ChangesReview {
  readonly state: ReportState;
  readonly known: KnownFindings | null;
  readonly byLine: FindingsByLine;
  /** What tells both states from others. */
  readonly of: string;
}

/** @param isWanted a person has asked for it */
export function useChangesReview(diff: Diff | undefined, isWanted: boolean): ChangesReview {
  const from = diff?.from?.id;
  const to = diff?.to?.id;
  // The folder has no number, so its changed contents name it.
  const of = useMemo(
    () => (to !== undefined ? to : JSON.stringify(diff?.changes.map(({ path, after }) => [path, after]) ?? null)),
    [to, diff?.changes],
  );
  const state = useReport({
    input: { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) },
    of,
    startsByItself: true,
    isEnabled: isWanted && from !== undefined,
  });
  const { report } = state;
  const known = useMemo(() => (report === null || !isWanted ? null : { ...report, about: '' }), [report, isWanted]);
  const byLine = useMemo(() => findingsByLine(findingsAtLines(known?.findings ?? [])), [known]);
  return { state, known, byLine, of };
}
