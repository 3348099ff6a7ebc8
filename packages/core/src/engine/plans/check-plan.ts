/** The dry run of a plan: what it would make of the workspace is made real in a copy, and checked there. */

import { affectedChecks } from '../../check/affected.ts';
import type { Check } from '../../check/check.ts';
import type { FoundChecks } from '../../check/find/find-checks.ts';
import { filesOfSnapshot, filesWith } from '../../check/find/project-files.ts';
import { showName } from '../../content/show-name.ts';
import { someOf } from '../../content/some-of.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { TreePath } from '../../model/names.ts';
import type { PlanCheckResult } from '../../model/plan.ts';
import { proposeOperation } from '../../operation/propose.ts';
import { applyPlanOperation } from '../../plan/apply-plan.ts';
import { withResults } from '../../plan/checked.ts';
import { selectionOf } from '../../plan/selection.ts';
import { NO_CHOICES } from '../../rewind/conflict-choices.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import { readTrust } from '../../store/state/trust.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { differences } from '../../timeline/diff/snapshot-diff.ts';
import { findingsBetween } from '../calls/findings.ts';
import type { Context } from '../context.ts';
import { captureBefore } from '../copies/capture-before.ts';
import {
  type CheckOptions,
  checkCopy,
  copyOptions,
  type RunCheckResult,
  type StateChecks,
} from '../copies/check-state.ts';
import { assertTrusted, filesAsTheyAre, findIn, selectedChecks } from '../copies/find-checks.ts';
import { makeCopyOfState, type StateToCopy } from '../copies/workspace-copy.ts';
import type { Engine } from '../engine.ts';
import { assertOutsideAllowed } from '../guard/outside-sandbox.ts';
import { callerOf } from '../served-call.ts';
import type { WriteOperationContext } from '../write-context.ts';
import { leftOf } from './applications.ts';
import { analysisOf } from './plan-analysis.ts';
import { assertOpen, type PlanView, progressOf } from './plan-view.ts';
import { updatePlan } from './propose.ts';
import { findPlan } from './stored-plans.ts';

export interface PlanCheckOptions
  extends CallOptions,
    Pick<CheckOptions, 'only' | 'timeoutMs' | 'maxMemory' | 'rungs' | 'dependencies' | 'onOutput'> {
  /** Whether an agent asks whose program runs its commands in a sandbox, outside of which the checks run. Default false. */
  readonly sandboxed?: boolean;
}

export interface PlanCheckReport extends Pick<StateChecks, 'checks' | 'notRun' | 'notes' | 'notIsolated'> {
  readonly plan: PlanView;
  /** The folder that the plan was applied to in the copy, and that its checks are compared with. */
  readonly base: Checkpoint;
  /** What changed in the folder while the checks ran. If they ran again for that, what changed after. */
  readonly moved: readonly TreePath[];
}

/**
 * If the folder changes while the checks run, those that it may affect run once more, on the folder as it is then.
 * @throws SavepointError UNKNOWN_PLAN, CONFLICT if the plan does not merge with the folder, and what `check` throws
 */
export async function checkPlan(engine: Engine, id: string, given: PlanCheckOptions): Promise<PlanCheckReport> {
  const { sandboxed = false, ...options } = given;
  if (sandboxed) await assertOutsideAllowed(engine, 'plan check');
  await engine.read(async (workspace, context) => {
    const plan = findPlan(workspace, id);
    await assertOpen(workspace, plan, engine.pace(options), 'checked');
    const { checks } = await checksOfPlan(engine, context, workspace, id);
    const trusted = readTrust(engine.ports, workspace.store.layout);
    assertTrusted(selectedChecks(checks, options.only), trusted, plan.id);
  });
  const first = await checkOnce(engine, id, options, null);
  if (first.report.moved.length === 0) return first.report;
  const { report } = await checkOnce(engine, id, options, first);
  return report;
}

/** The checks of the folder as the plan would change it. Nothing runs. */
export async function checksOfPlan(
  engine: Engine,
  context: Context,
  workspace: Workspace,
  id: string,
): Promise<FoundChecks> {
  const { root, store } = workspace;
  const objects = new OverlayBatch(store.objects);
  const plan = findPlan(workspace, id);
  const { selected } = await selectionOf(objects, plan, engine.pace({}));
  const changed = new Set([...differences(objects, plan.before, selected)].map(({ path }) => path));
  const now = await filesAsTheyAre(engine, workspace);
  const files = filesWith(now.files, filesOfSnapshot(objects, selected), changed);
  return findIn(context, root, files, now.roots);
}

/** The results in a form that is kept. @param base the number of the checkpoint that they are compared with */
export function resultsOf(checks: readonly RunCheckResult[], base: number): readonly PlanCheckResult[] {
  return checks.map(({ name, comparison, outcome, why, new: added }) => ({
    name,
    comparison,
    outcome,
    why: why === null ? null : why.slice(0, MAX_TEXT),
    base,
    failures: added.slice(0, MAX_FAILURES).map(({ shown }) => shown.slice(0, MAX_TEXT)),
    failed: added.length,
  }));
}

const MAX_FAILURES = 200;
const MAX_TEXT = 2_000;
const NAMED_PATHS = 5;

/** What the workspace would be with the plan. */
interface PlanInFolder extends StateToCopy {
  /** Of exactly what is checked. */
  readonly fingerprint: string;
}

/** One run of the checks. */
interface PlanChecking {
  readonly report: PlanCheckReport;
  readonly fingerprint: string;
  /** The checks that ran, or whose results are still good. */
  readonly checks: readonly Check[];
}

/** @param before what ran before the folder changed */
async function checkOnce(
  engine: Engine,
  id: string,
  options: PlanCheckOptions,
  before: PlanChecking | null,
): Promise<PlanChecking> {
  const made = await makeCopyOfState(engine, copyOptions(options), (operating) =>
    planInFolder(engine, operating, id, options),
  );
  const { state: snapshot, fingerprint, now: base } = made.found;
  const roots = base.roots.map(({ path }) => path);
  let ran: StateChecks;
  let kept: readonly RunCheckResult[] = [];
  const notes: string[] = [];
  try {
    await keepAnalysis(engine, id, options, made.found);
    const state = { snapshot, roots, checkpoint: null };
    const against = { snapshot: base.snapshot, roots, checkpoint: base };
    const of = { copy: made.copy, notes: made.notes, state };
    if (before === null) ran = await checkCopy(engine, options, of, against);
    else {
      const again = await checksToRepeat(engine, id, options, { before, fingerprint, base });
      kept = before.report.checks.filter(({ name }) => again.unaffected.has(name));
      notes.push(again.note);
      const only = { ...options, only: again.names, exactly: true };
      ran = again.names.length === 0 ? nothingRan(before) : await checkCopy(engine, only, of, against);
    }
  } finally {
    await made.copy.drop();
  }
  const { notIsolated } = ran;
  const checks = [...ran.checks, ...kept];
  const names = new Set(checks.map(({ name }) => name));
  let moved: readonly TreePath[] = [];
  const plan = await updatePlan(engine, id, options, async (current, operating) => {
    const { workspace } = operating;
    const after = await captureBefore(engine, operating, options);
    moved = [...differences(workspace.store.objects, base.snapshot, after.snapshot)].map(({ path }) => path);
    if (checks.length === 0) return current;
    const time = workspace.ports.clock.now();
    const results = resultsOf(checks, base.number);
    return withResults(current, { by: callerOf(engine, workspace, options), time, fingerprint, results });
  });
  const notRun = ran.notRun.filter((name) => !names.has(name));
  const found = ran.found.filter(({ name }) => names.has(name));
  return {
    report: { plan, base, checks, notRun, notes: [...notes, ...ran.notes], notIsolated, moved },
    fingerprint,
    checks: found,
  };
}

/** Says what the plan breaks, before the checks run. */
async function keepAnalysis(
  engine: Engine,
  id: string,
  options: CallOptions,
  { base, state, fingerprint }: PlanInFolder,
): Promise<void> {
  const found = await engine.read((workspace) => {
    const states = { objects: workspace.store.objects, base: base.snapshot, proposed: state };
    return findingsBetween(engine, workspace, states, options);
  });
  await updatePlan(engine, id, options, (plan, { workspace }) => {
    const time = workspace.ports.clock.now();
    const by = callerOf(engine, workspace, options);
    return { ...plan, analysis: analysisOf(found, { by, time, fingerprint, base: base.number }) };
  });
}

interface ChecksToRepeat {
  readonly names: readonly string[];
  /** Of the checks whose results stay. */
  readonly unaffected: ReadonlySet<string>;
  readonly note: string;
}

/** What the changes of the folder since may affect. If the plan is another one now, that is everything. */
async function checksToRepeat(
  engine: Engine,
  id: string,
  { only }: PlanCheckOptions,
  now: { readonly before: PlanChecking; readonly fingerprint: string; readonly base: Checkpoint },
): Promise<ChecksToRepeat> {
  return engine.read(async (workspace, context) => {
    const { before, fingerprint, base } = now;
    const { checks: found } = await checksOfPlan(engine, context, workspace, id);
    const wanted = selectedChecks(found, only);
    const changes = differences(workspace.store.objects, before.report.base.snapshot, base.snapshot);
    const changed = [...changes].map(({ path }) => path);
    const affected = fingerprint === before.fingerprint ? affectedChecks(wanted, before.checks, changed) : wanted;
    const unaffected = wanted.filter((check) => !affected.includes(check)).map(({ name }) => name);
    const paths = namesOf(before.report.moved);
    const note =
      unaffected.length === 0
        ? `the folder changed while the checks ran, so they ran again: ${paths}`
        : `the folder changed while the checks ran: ${paths}; not run again, as they do not read that: ${someOf(unaffected, NAMED_PATHS)}`;
    return { names: affected.map(({ name }) => name), unaffected: new Set(unaffected), note };
  });
}

/** No check has to run again. */
function nothingRan({ report: { notRun, notIsolated }, checks }: PlanChecking): StateChecks {
  return { checks: [], notRun, notes: [], notIsolated, found: checks, results: new Map() };
}

async function planInFolder(
  engine: Engine,
  operating: WriteOperationContext,
  id: string,
  options: CallOptions,
): Promise<PlanInFolder> {
  const { workspace, pace } = operating;
  const plan = findPlan(workspace, id);
  const progress = await progressOf(workspace, plan, pace);
  const by = callerOf(engine, workspace, options);
  // What was applied is in the folder already, and may have been changed since.
  const request = { plan, rebase: true, choices: NO_CHOICES, parts: leftOf(plan, progress), by };
  const operation = applyPlanOperation(workspace, request, pace);
  const { before, proposed } = await proposeOperation(operating, operation, (_, found) => found);
  return { now: before, base: before, state: proposed, fingerprint: progress.fingerprint };
}

function namesOf(paths: readonly TreePath[]): string {
  const names = paths.map((path) => (path === '' ? 'the folder itself' : showName(path)));
  return someOf(names, NAMED_PATHS);
}
