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
import { differences, differingPaths } from '../../timeline/diff/snapshot-diff.ts';
import { inFolder } from '../code/in-folder.ts';
import type { Context } from '../context.ts';
import { captureBefore } from '../copies/capture-before.ts';
import {
  type CheckOptions,
  checkCopy,
  copyOptions,
  type RunCheckResult,
  type StateChecks,
} from '../copies/check-state.ts';
import { filesAsTheyAre, findIn, selectedChecks, untrustedNames } from '../copies/find-checks.ts';
import { makeCopyOfState } from '../copies/workspace-copy.ts';
import type { Engine } from '../engine.ts';
import { assertOutsideAllowed } from '../guard/outside-sandbox.ts';
import { callerOf } from '../served-call.ts';
import type { WriteOperationContext } from '../write-context.ts';
import { type AnalysedPlan, analysePlan, keepWithPython, type PlanInFolder } from './analyse-plan.ts';
import { leftOf } from './applications.ts';
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
  /** The checks that no person trusts as they are. If there is one, none ran. */
  readonly untrusted: readonly string[];
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
  const { untrusted, names } = await engine.read(async (workspace, context) => {
    const plan = findPlan(workspace, id);
    await assertOpen(workspace, plan, engine.pace(options), 'checked');
    const { checks } = await checksOfPlan(engine, context, workspace, id);
    const trusted = readTrust(engine.ports, workspace.store.layout);
    const wanted = untrustedNames(selectedChecks(checks, options.only), trusted);
    return { untrusted: wanted, names: checks.map(({ name }) => name) };
  });
  if (untrusted.length > 0) return analyseOnly(engine, id, options, { untrusted, names });
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
  const changed = new Set(differingPaths(objects, plan.before, selected));
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

/** Nothing runs but a type checker that is trusted. Findings are kept all the same. */
async function analyseOnly(
  engine: Engine,
  id: string,
  options: PlanCheckOptions,
  { untrusted, names }: { readonly untrusted: readonly string[]; readonly names: readonly string[] },
): Promise<PlanCheckReport> {
  const { found, root } = await engine.operate(options, async (operating) => ({
    found: await planInFolder(engine, operating, id, options),
    root: operating.workspace.root,
  }));
  const where = { place: inFolder(root), disk: found.base.snapshot };
  const { plan } = await analysePlan(engine, id, options, found, where);
  const note =
    `No check was run, because these are not trusted, or have changed since: ${someOf(untrusted, NAMED_PATHS)}. ` +
    `\`savepoint trust --plan ${plan.plan.id}\` shows what would run, and asks a person to trust it.`;
  return {
    plan,
    base: found.base,
    checks: [],
    notRun: names,
    untrusted,
    notes: [note],
    notIsolated: [],
    moved: [],
  };
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
  let analysed: AnalysedPlan;
  let kept: readonly RunCheckResult[] = [];
  const notes: string[] = [];
  try {
    const where = { place: made.copy, disk: snapshot };
    analysed = await analysePlan(engine, id, options, made.found, where);
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
  await keepWithPython(engine, id, options, analysed, { checks: ran.found, results: checks });
  const names = new Set(checks.map(({ name }) => name));
  let moved: readonly TreePath[] = [];
  const plan = await updatePlan(engine, id, options, async (current, operating) => {
    const { workspace } = operating;
    const after = await captureBefore(engine, operating, options);
    moved = differingPaths(workspace.store.objects, base.snapshot, after.snapshot);
    if (checks.length === 0) return current;
    const time = workspace.ports.clock.now();
    const results = resultsOf(checks, base.number);
    return withResults(current, { by: callerOf(engine, workspace, options), time, fingerprint, results });
  });
  const notRun = ran.notRun.filter((name) => !names.has(name));
  const found = ran.found.filter(({ name }) => names.has(name));
  return {
    report: { plan, base, checks, notRun, untrusted: [], notes: [...notes, ...ran.notes], notIsolated, moved },
    fingerprint,
    checks: found,
  };
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
