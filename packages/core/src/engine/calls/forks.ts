/** Calls for the forks of the workspace. */

import { showName } from '../../content/show-name.ts';
import { bytesOfCopy } from '../../copy/sizes.ts';
import { type ForkChecks, readForkChecks } from '../../fork/check-results.ts';
import { commitsOfFork, commitsText } from '../../fork/commits-of-fork.ts';
import type { ForkConflict } from '../../fork/compare-forks.ts';
import type { Fork } from '../../fork/fork.ts';
import { baseOf, type ForkBase } from '../../fork/fork-base.ts';
import { listForks } from '../../fork/fork-records.ts';
import { type ForkFolder, giveFolder } from '../../fork/give-folder.ts';
import { proposedBy } from '../../fork/merge-fork.ts';
import { assertThere, folderOf, isGone, lookAtFork } from '../../fork/open-fork.ts';
import {
  type ForkCommand,
  type ForkOutput,
  type ForkRun,
  outputOf,
  runningIn,
  runsOf,
  startRun,
} from '../../fork/runs.ts';
import { isFsError } from '../../io/fs.ts';
import { givenPaths } from '../../io/given-path.ts';
import type { Pace } from '../../io/pace.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { type Snapshot, sameSnapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import type { CheckpointId, PlanId } from '../../model/ids.ts';
import type { DiskPath, JsonName, TreePath } from '../../model/names.ts';
import type { OperationResult, Preview } from '../../operation/operation.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { compare, type SnapshotComparison } from '../../timeline/diff/compare.ts';
import { type CreatedFork, type CreateForkOptions, createForks } from '../copies/create-forks.ts';
import { type DiffForksOptions, diffForks } from '../copies/diff-forks.ts';
import { conflictsIn } from '../copies/fork-conflicts.ts';
import { assertIdle, assertNoCommits, assertNothingLost } from '../copies/fork-drop-refusals.ts';
import { dropFork, dropGoneForks, droppedForks, findFork, removeDebris } from '../copies/forks.ts';
import {
  type CheckedMergeOptions,
  type MergeChecks,
  type MergeContext,
  mergeFork,
  mergeIn,
  previewMerge,
} from '../copies/merge-fork.ts';
import type { Engine } from '../engine.ts';
import { preview } from '../operate.ts';
import { assertByPerson } from '../shell-call.ts';

/** A fork as it is now. */
export interface ForkView {
  readonly name: string;
  /** The id of its copy. */
  readonly id: string;
  /** Its folder; null for an overlay, which has none until `openFork`. */
  readonly folder: DiskPath | null;
  readonly rung: string;
  /** The checkpoint that it left the workspace at. */
  readonly checkpoint: CheckpointId;
  /** The same, if it has exactly the state that the changes are compared with; null after a merge, or with a plan. */
  readonly base: CheckpointId | null;
  /** Milliseconds since 1970. */
  readonly created: number;
  readonly branch: string | null;
  /** The plan that it started with; null: it started without one. */
  readonly plan: PlanId | null;
  /** The first of its ports. */
  readonly port: number;
  /** `unchanged`: nothing was done in it. `merged`: everything is merged. `changed`: there is something to merge. */
  readonly state: 'unchanged' | 'merged' | 'changed';
  /** What a merge would bring: the difference to where it left the workspace, or to the last merge. */
  readonly difference: SnapshotComparison;
  /** What changed in it and was not captured, such as files over the size limit. No merge brings it, and it is not kept. */
  readonly uncaptured: readonly TreePath[];
  /** Newest first. */
  readonly runs: readonly ForkRun[];
  /** What the command that was asked for has printed; null: none was asked for. */
  readonly printed: ForkOutput | null;
  /** How its checks went last; null: they did not run. */
  readonly checks: ForkChecksView | null;
  readonly bytes: number;
}

export interface ForkChecksView extends Omit<ForkChecks, 'state'> {
  /** Whether the fork still is as it was then. */
  readonly isCurrent: boolean;
}

export interface DroppedForkView {
  /** What `createForks` takes as `from`. */
  readonly from: string;
  readonly name: string;
  /** When it was dropped, in milliseconds since 1970. */
  readonly time: number;
}

export interface ForkList {
  readonly forks: readonly ForkView[];
  readonly dropped: readonly DroppedForkView[];
  /** Forks whose record cannot be read, for display. */
  readonly problems: readonly string[];
}

/** Forks side by side. */
export interface ForkComparison {
  readonly forks: readonly (ForkView & {
    /** What does not merge with the workspace as it is. */
    readonly conflicts: readonly ForkConflict[];
  })[];
  /** Each two of them, in the order of the names. */
  readonly pairs: readonly {
    readonly forks: readonly [string, string];
    /** Paths that both change. */
    readonly common: readonly TreePath[];
    /** What does not merge only because the other fork was merged before. */
    readonly conflicts: readonly ForkConflict[];
  }[];
  /** Forks that were left out, for display. */
  readonly problems: readonly string[];
}

export interface ForkDiffOptions extends CallOptions {
  readonly paths?: readonly JsonName[];
  readonly patch?: boolean;
  /** The number of a command: the end of what it has printed is returned as well. */
  readonly output?: number;
}

export interface CleanedForks {
  /** Forks that were merged or unchanged, by name. */
  readonly dropped: readonly string[];
  /** Ids of what processes that died left. */
  readonly debris: readonly string[];
  readonly notes: readonly string[];
}

export interface ForkCalls {
  /**
   * Captures the folder, then makes named copies of it or of a checkpoint, to work in: all of them or none.
   * @throws SavepointError USAGE, UNKNOWN_CHECKPOINT, UNKNOWN_FORK, GIT_REFUSED, and what `checkpoint` throws
   */
  createForks(names: readonly string[], options?: CreateForkOptions): Promise<readonly CreatedFork[]>;
  /** Lists the forks of the workspace, oldest first. */
  forks(options?: CallOptions): Promise<ForkList>;
  /** @throws SavepointError UNKNOWN_FORK, USAGE if there is no command with the number `output` */
  fork(name: string, options?: ForkDiffOptions): Promise<ForkView>;
  /**
   * Compares the files of a fork with those of another fork, or of the workspace. Ignored files are left out, unless their
   * paths are named.
   * @param other null: the folder of the workspace as it is
   * @throws SavepointError UNKNOWN_FORK, USAGE for the same fork twice
   */
  diffForks(name: string, other: string | null, options?: DiffForksOptions): Promise<SnapshotComparison>;
  /**
   * Compares the changes of forks: their sizes, the paths in common, and what would not merge. Nothing is changed.
   * @param names none: all forks
   * @throws SavepointError UNKNOWN_FORK, USAGE unless there are two or more different ones
   */
  compareForks(names: readonly string[], options?: CallOptions): Promise<ForkComparison>;
  /**
   * Returns the folder of a fork. An overlay gets one first, with everything that was done in it.
   * @throws SavepointError UNKNOWN_FORK, USAGE if a command runs in the overlay, IO, NO_SPACE
   */
  openFork(name: string, options?: CallOptions): Promise<ForkFolder>;
  /** Starts a command in a fork, in the background. */
  runInFork(name: string, command: ForkCommand, options?: CallOptions): Promise<ForkRun>;
  /** Returns what `mergeFork` would do. With `check`, the checks run, and failures are an error as for `mergeFork`. */
  previewMerge(name: string, options?: CheckedMergeOptions): Promise<Preview & MergeChecks>;
  /**
   * Changes the workspace as the fork was changed since it left it, or since its last merge: all or nothing. What changed in
   * the workspace meanwhile stays, and is merged where both changed a file. It can be undone.
   * With `check`, it runs checks on the merged state first, and merges only if they find no new failures.
   * @throws SavepointError UNKNOWN_FORK, CONFLICT, CHECKS_FAILED, and what `restore` and `check` throw
   */
  mergeFork(name: string, options?: CheckedMergeOptions): Promise<OperationResult & MergeChecks>;
  /**
   * Removes a fork. Its last state is kept in the store and can be restored with `createForks`.
   * @throws SavepointError NEEDS_CONFIRMATION if something is not merged or a command runs, unless `force`
   */
  dropFork(name: string, options?: CallOptions & { readonly force?: boolean }): Promise<readonly string[]>;
  /** Drops the forks with nothing left to merge and no running command, and removes what dead processes left. */
  cleanForks(options?: CallOptions): Promise<CleanedForks>;
  /** Returns the fork that contains the folder; null if there is none. */
  currentFork(): Promise<{ readonly name: string; readonly root: DiskPath; readonly checkpoint: CheckpointId } | null>;
}

export function forkCalls(engine: Engine): ForkCalls {
  return {
    createForks: (names, options = {}) => createForks(engine, names, options),
    forks: (options = {}) =>
      engine.read(async (workspace, context) => {
        const found = listForks(engine.ports, context.places.home, workspace.id);
        const views: ForkView[] = [];
        const problems = found.problems.map(({ message }) => message);
        for (const fork of found.forks) {
          try {
            views.push(await viewOf(engine, workspace, fork, engine.pace(options), {}));
          } catch (error) {
            if (!(error instanceof SavepointError) || error.code === 'CANCELLED') throw error;
            problems.push(isGone(engine.ports, fork) ? goneText(fork) : `${fork.name}: ${error.message}`);
          }
        }
        const dropped = droppedForks(workspace).map(({ from, state: { name, time } }) => ({ from, name, time }));
        return { forks: views, dropped, problems };
      }),
    fork: (name, options = {}) =>
      engine.read((workspace, context) =>
        viewOf(engine, workspace, findFork(engine, context, workspace, name), engine.pace(options), options),
      ),
    diffForks: (name, other, options = {}) =>
      engine.read((workspace, context) => {
        const find = (one: string): Fork => findFork(engine, context, workspace, one);
        const merging = { engine, context, workspace, pace: engine.pace(options) };
        return diffForks(merging, find(name), other === null ? null : find(other), options);
      }),
    compareForks: (names, options = {}) =>
      engine.read((workspace, context) =>
        compareForks({ engine, context, workspace, pace: engine.pace(options) }, names),
      ),
    openFork: async (name, options = {}) => {
      const found = await engine.read(async (workspace, context) =>
        folderIn(engine, findFork(engine, context, workspace, name)),
      );
      if (found !== null) return { folder: found, notes: [] };
      return engine.operate(options, async ({ context, workspace, pace }) => {
        const fork = findFork(engine, context, workspace, name);
        const folder = folderOf(fork);
        return folder === null ? giveFolder(workspace, context.places.home, fork, pace) : { folder, notes: [] };
      });
    },
    runInFork: (name, command, options = {}) =>
      engine.operate(options, ({ context, workspace }) =>
        startRun(workspace, findFork(engine, context, workspace, name), command),
      ),
    previewMerge: (name, options = {}) => engine.mapErrors(() => previewMerge(engine, name, options)),
    mergeFork: (name, options = {}) => engine.mapErrors(() => mergeFork(engine, name, options)),
    dropFork: (name, options = {}) =>
      engine.operate(options, async (operating) => {
        const { context, workspace, pace } = operating;
        const fork = findFork(engine, context, workspace, name);
        if (options.force === true) assertByPerson(engine, workspace, 'forkDrop');
        else if (isGone(engine.ports, fork)) assertIdle(fork, runningIn(engine.ports, fork));
        else {
          const view = await knownView({ engine, context, workspace, pace }, fork);
          assertNothingLost(view, runningIn(engine.ports, fork));
          await assertNoCommits(workspace, fork, pace);
        }
        return dropFork(engine, operating, fork, options.force === true);
      }),
    cleanForks: (options = {}) =>
      engine.operate(options, async (operating) => {
        const { context, workspace, pace } = operating;
        const debris = await removeDebris(engine, operating);
        const gone = await dropGoneForks(engine, operating);
        const dropped = gone.dropped.map(({ name }) => name);
        const notes = [...gone.notes];
        for (const fork of listForks(engine.ports, context.places.home, workspace.id).forks) {
          const why = await unlessRefused(() => whyKept({ engine, context, workspace, pace }, fork));
          if (why === BUSY) continue;
          if (why !== null) {
            notes.push(`${fork.name} is kept: ${why}`);
            continue;
          }
          notes.push(...(await dropFork(engine, operating, fork)));
          dropped.push(fork.name);
        }
        return { dropped, debris, notes };
      }),
    currentFork: () =>
      engine.mapErrors(() => {
        const { fork } = engine.context();
        return fork === null ? null : { name: fork.name, root: fork.copy.root, checkpoint: fork.checkpoint };
      }),
  };
}

/** @returns null for an overlay */
function folderIn({ ports }: Engine, fork: Fork): DiskPath | null {
  assertThere(ports, fork);
  return folderOf(fork);
}

function goneText({ name }: Fork): string {
  return `${name}: its folder is not there. \`savepoint fork drop ${name}\` removes it, and keeps the last state that was recorded`;
}

async function viewOf(
  engine: Engine,
  workspace: Workspace,
  fork: Fork,
  pace: Pace,
  { paths = [], patch = false, output }: ForkDiffOptions,
): Promise<ForkView> {
  const { ports } = engine;
  const base = baseOf(workspace, fork);
  const objects = new OverlayBatch(workspace.store.objects);
  const wanted = givenPaths(workspace, paths);
  const proposed = (only: readonly TreePath[]): Promise<Snapshot> =>
    lookAtFork(workspace, fork, (copy) =>
      proposedBy(workspace, { copy, base: base.snapshot, paths: only }, objects, pace),
    );
  const after = await proposed(wanted);
  const difference = await compare(
    objects,
    { before: base.snapshot, after, paths: wanted, patch, uncaptured: false },
    pace,
  );
  const all = await compare(objects, { before: base.snapshot, after, patch: false, uncaptured: true }, pace);
  const { copy, name, checkpoint, branch, port, plan } = fork;
  return {
    name,
    id: copy.id,
    folder: folderOf(fork),
    rung: copy.rung,
    checkpoint,
    base: hasState(workspace, checkpoint, base.snapshot) ? checkpoint : null,
    created: copy.created,
    branch,
    plan,
    port,
    state: stateOf(base, difference),
    difference,
    uncaptured: all.changes.flatMap(({ path, uncapturedAfter }) => (uncapturedAfter === undefined ? [] : [path])),
    runs: runsOf(ports, fork),
    printed: output === undefined ? null : outputOf(ports, fork, output),
    checks: checksView(ports, fork, wanted.length === 0 ? after : await proposed([])),
    bytes: sizeOf(engine, copy),
  };
}

/** A checkpoint that was dropped, or that cannot be read, has no known state. */
function hasState({ timeline }: Workspace, id: CheckpointId, snapshot: Snapshot): boolean {
  const found = timeline.reader().find(id);
  return found !== undefined && sameSnapshot(found.snapshot, snapshot);
}

function checksView(ports: Engine['ports'], fork: Fork, now: Snapshot): ForkChecksView | null {
  const kept = readForkChecks(ports, fork);
  if (kept === null) return null;
  const { time, state, checks } = kept;
  return { time, checks, isCurrent: sameSnapshot(state, now) };
}

async function compareForks(merging: MergeContext, names: readonly string[]): Promise<ForkComparison> {
  const { engine, context, workspace, pace } = merging;
  const { ports } = engine;
  const all = listForks(ports, context.places.home, workspace.id).forks;
  const forks =
    names.length === 0
      ? all.filter((fork) => !isGone(ports, fork))
      : names.map((name) => findFork(engine, context, workspace, name));
  const problems = all.filter((fork) => names.length === 0 && isGone(ports, fork)).map(goneText);
  if (forks.length < 2 || new Set(names).size < names.length) {
    const have = names.length === 0 ? ` This workspace has ${forks.length === 0 ? 'none' : 'one'}.` : '';
    throw new SavepointError('USAGE', `A comparison needs two or more different forks.${have}`, { argument: 'names' });
  }
  const views: ForkView[] = [];
  for (const fork of forks) views.push(await viewOf(engine, workspace, fork, pace, {}));
  const { alone, together } = await conflictsIn(merging, forks);
  return {
    forks: views.map((view, index) => ({ ...view, conflicts: alone[index]! })),
    pairs: together.map(({ forks: pair, conflicts }) => ({ forks: pair, common: commonPaths(views, pair), conflicts })),
    problems,
  };
}

function commonPaths(views: readonly ForkView[], [first, second]: readonly [string, string]): readonly TreePath[] {
  const pathsOf = (name: string): readonly TreePath[] =>
    views.find((view) => view.name === name)!.difference.changes.map(({ path }) => path);
  const others = new Set(pathsOf(second));
  return pathsOf(first).filter((path) => others.has(path));
}

/** The fork is in use, or has changes that are not merged: it is kept without a note. */
const BUSY = '';

/** @returns null if nothing would be lost with the fork; {@link BUSY}; or why it is kept, for display */
async function whyKept(merging: MergeContext, fork: Fork): Promise<string | null> {
  const { state, runs, uncaptured } = await knownView(merging, fork);
  if (state !== 'merged' || runs.some((run) => run.state === 'running')) return BUSY;
  const [first] = uncaptured;
  if (first !== undefined) return `it has what was not captured, for example ${showName(first)}`;
  const commits = commitsText(await commitsOfFork(merging.workspace, fork, merging.pace));
  return commits === null ? null : `it has ${commits}`;
}

/** One fork that cannot be read does not stop the others. */
async function unlessRefused(find: () => Promise<string | null>): Promise<string | null> {
  try {
    return await find();
  } catch (error) {
    if (error instanceof SavepointError && error.code !== 'CANCELLED') return error.message;
    throw error;
  }
}

/** A fork whose changes the workspace has already, by whatever way, counts as merged. */
async function knownView(merging: MergeContext, fork: Fork): Promise<ForkView> {
  const { engine, workspace, pace } = merging;
  const view = await viewOf(engine, workspace, fork, pace, {});
  if (view.state !== 'changed') return view;
  const { plan } = await preview(engine, workspace, mergeIn(merging, fork.name, {}), {});
  const left = [plan.paths, plan.kept, plan.conflicts, plan.refused, plan.toCapture];
  return left.every((list) => list.length === 0) ? { ...view, state: 'merged' } : view;
}

function stateOf({ merged }: ForkBase, { changes }: SnapshotComparison): ForkView['state'] {
  if (changes.length > 0) return 'changed';
  return merged === null ? 'unchanged' : 'merged';
}

/** Commands in the fork may remove folders while they are measured. */
function sizeOf({ ports }: Engine, copy: Fork['copy']): number {
  try {
    return bytesOfCopy(ports.fs, copy);
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return 0;
    throw error;
  }
}
