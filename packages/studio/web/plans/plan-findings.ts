/** What is known of the findings of a plan: from its check if that counts, and otherwise from its code alone. */
import { useMemo } from 'react';
import { nameKey } from '../data/names.ts';
import { clockText } from '../data/times.ts';
import { type FindingsByLine, findingsByLine } from '../diff/line-findings.ts';
import { findingsAtLines } from '../review/findings.ts';
import type { KnownFindings } from '../review/review.tsx';
import { type ReportState, useReport } from '../review/use-report.ts';
import { isOpen, plannedByFile, type ShownPlan } from './decisions.ts';
import { failuresAtLines } from './failures.ts';
import { lineInProposal } from './line-in-proposal.ts';

export interface PlanFindings {
  readonly state: ReportState;
  readonly known: KnownFindings | null;
  /** In the proposed files, together with failures of checks. */
  readonly byLine: FindingsByLine;
}

export function usePlanFindings(plan: ShownPlan): PlanFindings {
  const { id, fingerprint } = plan;
  // The code of a plan that can still be decided about is read by itself: its answer is part of the decision.
  const state = useReport({ input: { plan: id }, of: fingerprint, startsByItself: isOpen(plan) });
  const { report } = state;
  const known = useMemo(() => knownOf(plan, report), [plan, report]);
  const byLine = useMemo(() => {
    const planned = plannedByFile(plan);
    const shown = (known?.findings ?? []).map((one) => {
      const change = planned.get(nameKey(one.path));
      return one.line === null || change === undefined ? one : { ...one, line: lineInProposal(change, one.line) };
    });
    return findingsByLine([...failuresAtLines(plan), ...findingsAtLines(shown)]);
  }, [plan, known]);
  return { state, known, byLine };
}

function knownOf({ analysis, findings, base }: ShownPlan, report: ReportState['report']): KnownFindings | null {
  if (analysis?.current === true) {
    const { omitted, unsaid, time } = analysis;
    const on = analysis.base === base ? '' : `, on the files of ${analysis.base}, where lines may be elsewhere`;
    return { findings, omitted, unsaid, about: `From the check at ${clockText(time)}${on}. They count for this plan.` };
  }
  if (report === null) return null;
  const since = analysis === null ? '' : ' Its check was of something else that does not count any more.';
  return {
    ...report,
    about: `From its code alone, against the files of ${base}. “Check” compares it with the files as they are now.${since}`,
  };
}
