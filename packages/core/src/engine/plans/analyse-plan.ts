/** Analyses the code of what a plan would make of the folder, and keeps what is found with the plan. */

import type { Check } from '../../check/check.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { TreePath } from '../../model/names.ts';
import { differingPaths } from '../../timeline/diff/snapshot-diff.ts';
import { findingsBetween } from '../calls/findings.ts';
import type { AnalysedStates, CodeReport } from '../code/analysis.ts';
import type { TypeCheckOptions, TypePlace } from '../code/type-errors.ts';
import type { RunCheckResult } from '../copies/check-state.ts';
import type { StateToCopy } from '../copies/workspace-copy.ts';
import type { Engine } from '../engine.ts';
import { callerOf } from '../served-call.ts';
import { analysisOf } from './plan-analysis.ts';
import type { PlanView } from './plan-view.ts';
import { updatePlan } from './propose.ts';

/** What the workspace would be with the plan. */
export interface PlanInFolder extends StateToCopy {
  /** Of exactly what is checked. */
  readonly fingerprint: string;
}

/** A plan whose findings are kept. */
export interface AnalysedPlan {
  readonly plan: PlanView;
  readonly found: PlanInFolder;
  readonly report: CodeReport;
  readonly analysed: AnalysedStates;
  readonly changed: readonly TreePath[];
}

/**
 * Says what the plan breaks. What the code itself says is kept first, then type errors as they are found, so that others can
 * read them meanwhile.
 * @param where type checkers run: a copy, or the folder
 */
export async function analysePlan(
  engine: Engine,
  id: string,
  options: TypeCheckOptions,
  found: PlanInFolder,
  where: Omit<TypePlace, 'roots'>,
): Promise<AnalysedPlan> {
  const { base, state } = found;
  let keeping = Promise.resolve();
  const analysis = await engine.read(async (workspace, context) => {
    const states = { objects: workspace.store.objects, base: base.snapshot, proposed: state };
    const analysed = await findingsBetween(engine, workspace, states, options);
    await keepReport(engine, id, options, found, analysed.report);
    const { withTypeErrors } = await import('../code/type-errors.ts');
    const place = { ...where, roots: base.roots };
    const onPart = (part: CodeReport): void => {
      keeping = keeping.then(async () => void (await keepReport(engine, id, options, found, part)));
      // It is awaited below. Until then, a failure is not unhandled.
      keeping.catch(() => undefined);
    };
    try {
      const given = { ...options, onPart };
      const report = await withTypeErrors(engine, [workspace, context], analysed, { ...states, ...place }, given);
      const changed = differingPaths(states.objects, states.base, state);
      return { report, analysed, changed };
    } finally {
      await keeping;
    }
  });
  return { ...analysis, found, plan: await keepReport(engine, id, options, found, analysis.report) };
}

/** Adds what type checkers said that ran as checks. @param checks all checks that were found */
export async function keepWithPython(
  engine: Engine,
  id: string,
  options: CallOptions,
  { found, report, analysed, changed }: AnalysedPlan,
  ran: { readonly checks: readonly Check[]; readonly results: readonly RunCheckResult[] },
): Promise<void> {
  const { withPython } = await import('../code/type-errors.ts');
  const more = withPython(report, analysed, changed, ran);
  if (more.findings.length === report.findings.length && more.unsaid.length === report.unsaid.length) return;
  await keepReport(engine, id, options, found, more);
}

function keepReport(
  engine: Engine,
  id: string,
  options: CallOptions,
  { base, fingerprint }: PlanInFolder,
  report: CodeReport,
): Promise<PlanView> {
  return updatePlan(engine, id, options, (plan, { workspace }) => {
    const time = workspace.ports.clock.now();
    const by = callerOf(engine, workspace, options);
    return { ...plan, analysis: analysisOf(report, { by, time, fingerprint, base: base.number }) };
  });
}
