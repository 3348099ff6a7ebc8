/** Merges forks into the workspace, on request only if checks of the merged state find no new failures. */

import { isFailing } from '../../check/compare.ts';
import type { Fork } from '../../fork/fork.ts';
import { forkAuthors, type StartOfFork } from '../../fork/fork-authors.ts';
import { baseOf } from '../../fork/fork-base.ts';
import { homeInFork } from '../../fork/fork-records.ts';
import { mergeOperation } from '../../fork/merge-fork.ts';
import { seenIn } from '../../fork/open-fork.ts';
import { givenPaths } from '../../io/given-path.ts';
import type { Pace } from '../../io/pace.ts';
import type { Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { type DiskPath, type JsonName, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import { changedSincePreview, type Operation, type OperationResult, type Preview } from '../../operation/operation.ts';
import { proposeOperation } from '../../operation/propose.ts';
import type { ObjectBatch } from '../../store/objects/object-reader.ts';
import type { Attribution } from '../../timeline/capture/attribution.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { timelinesIn } from '../../timeline/record/timelines-in.ts';
import { type ConflictOptions, conflictChoicesIn } from '../conflict-options.ts';
import type { Context } from '../context.ts';
import type { Engine } from '../engine.ts';
import { makeRoom } from '../maintenance.ts';
import { type OperationOptions, preview, runAndAnnounce } from '../operate.ts';
import { startOf, withApplication } from '../plans/plan-in-fork.ts';
import { askedBy } from '../served-call.ts';
import { type CheckOptions, checkCopy, copyOptions, type RunCheckResult } from './check-state.ts';
import { checksFailed } from './failed-checks.ts';
import { findFork } from './forks.ts';
import { makeCopyOfState } from './workspace-copy.ts';

export interface MergeOptions extends OperationOptions, ConflictOptions {
  /** Only these paths and everything below them. Empty: everything. */
  readonly paths?: readonly JsonName[];
}

export interface CheckedMergeOptions extends MergeOptions, Pick<CheckOptions, 'rungs' | 'onOutput'> {
  /** Names of checks, tools or kinds, to run on the merged state first. Empty: all that are not only run on request. */
  readonly check?: readonly string[];
  /** Why the fork is merged even if the checks find new failures. It is recorded with the checkpoint. */
  readonly override?: string;
}

/** How the checks of a merge went. */
export interface MergeChecks {
  /** Null: none were asked for, or there was nothing to check. */
  readonly checks: readonly RunCheckResult[] | null;
}

export interface MergeContext {
  readonly engine: Engine;
  readonly context: Context;
  readonly workspace: Workspace;
  readonly pace: Pace;
}

/** The merge of a fork as an operation. */
export function mergeIn(
  { engine, context, workspace, pace }: MergeContext,
  name: string,
  options: MergeOptions,
): Operation {
  const fork = findFork(engine, context, workspace, name);
  const { snapshot: base, merged } = baseOf(workspace, fork);
  const by = askedBy(engine, workspace, options);
  const isWhole = (options.paths ?? []).length === 0 && merged === null;
  const merge = mergeOperation(
    workspace,
    {
      fork,
      base,
      actor: engine.actor,
      paths: givenPaths(workspace, options.paths ?? []),
      choices: conflictChoicesIn(workspace, options),
      by,
      authors: async (proposed, objects) =>
        authorsIn(workspace, fork, { base, proposed }, objects, await startOf(workspace, fork, pace)),
    },
    pace,
  );
  return withApplication(workspace, { fork, isWhole, by: by.actor }, merge, pace);
}

/**
 * Returns what `mergeFork` would do. With `check`, the checks run, unless there are conflicts or nothing to merge. The folder
 * is not changed.
 * @throws SavepointError CHECKS_FAILED, as `mergeFork`
 */
export async function previewMerge(
  engine: Engine,
  name: string,
  options: CheckedMergeOptions,
): Promise<Preview & MergeChecks> {
  const seen = await planMerge(engine, name, options);
  if (options.check === undefined || seen.plan.conflicts.length > 0) return { ...seen, checks: null };
  const checked = await passingMerge(engine, name, options, seen);
  if (checked === null) return { ...seen, checks: null };
  const { failed, passed } = checked;
  const results = [
    ...(passed.length === 0 ? [] : [`no new failures in ${passed.join(', ')}`]),
    ...(failed.length === 0 ? [] : [`new failures in ${failed.map((one) => one.name).join(', ')}`]),
  ];
  const note = { path: WORKSPACE_ITSELF, why: `was checked as it would be after the merge: ${results.join('; ')}` };
  const plan = { ...seen.plan, notes: [...(seen.plan.notes ?? []), note] };
  return { ...seen, plan, checks: checked.checks };
}

/** @throws SavepointError CHECKS_FAILED if a check finds new failures, or gives no answer, and there is no `override` */
export async function mergeFork(
  engine: Engine,
  name: string,
  options: CheckedMergeOptions,
): Promise<OperationResult & MergeChecks> {
  const { override } = options;
  const checked = await passingMerge(engine, name, options);
  const failed = checked?.failed ?? [];
  return engine.operate(options, async (operating) => {
    const { context, workspace, pace } = operating;
    await makeRoom(operating, 'all');
    const merge = mergeIn({ engine, context, workspace, pace }, name, options);
    const names = failed.map((one) => one.name).join(', ');
    const described = failed.length === 0 ? merge : withWords(merge, ` despite ${names}: ${override}`);
    const approved = checked === null ? options : { ...options, expected: checked.fingerprint };
    try {
      const done = await runAndAnnounce(engine, operating, 'merge:completed', described, approved);
      return { ...done, checks: checked?.checks ?? null };
    } catch (error) {
      throw checked === null ? error : changedMeanwhile(name, error);
    }
  });
}

function withWords(merge: Operation, words: string): Operation {
  const { info } = merge;
  return {
    ...merge,
    plan: async (current) => {
      const changes = await merge.plan(current);
      return { ...changes, description: `${changes.description ?? info.description}${words}` };
    },
  };
}

function planMerge(engine: Engine, name: string, options: MergeOptions): Promise<Preview> {
  return engine.read((workspace, context) =>
    preview(
      engine,
      workspace,
      mergeIn({ engine, context, workspace, pace: engine.pace(options) }, name, options),
      options,
    ),
  );
}

/**
 * Runs the checks, if that was asked for.
 * @param seen what the merge would do; null: not known yet
 * @throws SavepointError CHECKS_FAILED, USAGE
 */
async function passingMerge(
  engine: Engine,
  name: string,
  options: CheckedMergeOptions,
  seen: Preview | null = null,
): Promise<CheckedMerge | null> {
  const { check, override } = options;
  if (override !== undefined && (check === undefined || override.trim() === '')) {
    const why = check === undefined ? 'needs `check`' : 'needs a reason';
    throw new SavepointError('USAGE', `\`override\` ${why}.`, { argument: 'override' });
  }
  const checked = check === undefined ? null : await checkMerge(engine, name, { ...options, only: check }, seen);
  if (override === undefined && checked !== null && checked.failed.length > 0) {
    throw mergeChecksFailed(name, checked.failed);
  }
  return checked;
}

/** Looks the authors up when they are asked for, all at once. */
function authorsIn(
  { ports, root }: Workspace,
  fork: Fork,
  { base, proposed }: { readonly base: Snapshot; readonly proposed: Snapshot },
  objects: ObjectBatch,
  started: StartOfFork,
): Attribution {
  // What it did as an overlay is recorded under the path of the workspace at that time.
  const paths: ReadonlySet<DiskPath> = new Set([seenIn(fork), fork.copy.root, root]);
  const known = new Map<TreePath, ReturnType<Attribution>>();
  const timelines = timelinesIn(ports, homeInFork(fork), (record) => paths.has(record.path));
  const find = forkAuthors(objects, base, proposed, timelines, started);
  return (path) => {
    const found = known.get(path) ?? find(path);
    known.set(path, found);
    return found;
  };
}

interface CheckedMerge {
  readonly fingerprint: string;
  readonly checks: readonly RunCheckResult[];
  /** Names of checks. */
  readonly passed: readonly string[];
  readonly failed: readonly RunCheckResult[];
}

/** Null: there is nothing to merge. */
async function checkMerge(
  engine: Engine,
  name: string,
  options: CheckedMergeOptions & CheckOptions,
  seen: Preview | null,
): Promise<CheckedMerge | null> {
  const { plan } = seen ?? (await planMerge(engine, name, options));
  const isEmpty = [plan.paths, plan.conflicts, plan.refused, plan.toCapture].every((list) => list.length === 0);
  if (isEmpty) return null;
  const made = await makeCopyOfState(engine, copyOptions(options), async (operating) => {
    const { context, workspace, pace } = operating;
    const merge = mergeIn({ engine, context, workspace, pace }, name, options);
    const { before, proposed, fingerprint } = await proposeOperation(operating, merge, (_, found) => found);
    if (options.expected !== undefined && options.expected !== fingerprint) throw changedSincePreview();
    return { now: before, base: before, state: proposed, fingerprint };
  });
  try {
    const { now, state: snapshot, fingerprint } = made.found;
    const roots = now.roots.map(({ path }) => path);
    const state = { snapshot, roots, checkpoint: null };
    const base = { snapshot: now.snapshot, roots, checkpoint: now };
    const { checks } = await checkCopy(engine, options, { copy: made.copy, notes: made.notes, state }, base);
    if (checks.length === 0) throw mergeChecksFailed(name, []);
    const failed = checks.filter(isFailing);
    const passed = checks.filter((one) => !isFailing(one)).map((one) => one.name);
    return { fingerprint, checks, failed, passed };
  } finally {
    await made.copy.drop();
  }
}

function mergeChecksFailed(fork: string, failed: readonly RunCheckResult[]): SavepointError {
  const why = failed.length === 0 ? 'no checks were found, so nothing was checked.' : 'checks of the merged files fail';
  const results = failed.map(({ name, comparison, outcome, why: reason, new: added }) => ({
    ...{ name, comparison, outcome, why: reason },
    failures: added.map(({ shown }) => shown),
    failed: added.length,
  }));
  return checksFailed({ fork, plan: null }, results, `Fork ${fork} was not merged: ${why}`);
}

/** Another merge than the one that was checked is not carried out. */
function changedMeanwhile(name: string, error: unknown): unknown {
  if (!(error instanceof SavepointError) || error.code !== 'CONFLICT' || error.data.paths.length > 0) return error;
  const message = `Fork ${name} was not merged: files that the merge would change were changed while the checks ran.`;
  return new SavepointError('CONFLICT', message, { paths: [] }, { hint: 'Nothing was changed. Merge it again.' });
}
