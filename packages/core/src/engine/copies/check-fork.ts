/** Runs the checks of a project on the state of a fork, and compares them with those on what the fork started from. */

import { type FoundChecks, findChecks } from '../../check/find/find-checks.ts';
import { filesOfFolder } from '../../check/find/project-files.ts';
import { keepForkChecks } from '../../fork/check-results.ts';
import type { Fork } from '../../fork/fork.ts';
import { baseOf, type ForkBase } from '../../fork/fork-base.ts';
import { proposedBy } from '../../fork/merge-fork.ts';
import { lookAtFork } from '../../fork/open-fork.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { type Snapshot, sameSnapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Context } from '../context.ts';
import type { Engine } from '../engine.ts';
import type { WriteOperationContext } from '../write-context.ts';
import { captureBefore } from './capture-before.ts';
import { type CheckedState, type CheckOptions, type CheckReport, checkCopy, copyOptions } from './check-state.ts';
import { findFork } from './forks.ts';
import { makeCopyOfState, type StateToCopy } from './workspace-copy.ts';

/** The results are kept with the fork. @throws SavepointError UNKNOWN_FORK, and what `checkState` throws */
export async function checkFork(engine: Engine, name: string, options: CheckOptions): Promise<CheckReport> {
  if (options.at !== undefined) {
    throw new SavepointError('USAGE', '`at` cannot be used with `fork`.', { argument: 'at' });
  }
  const named = options.base;
  const given = named === undefined ? null : await engine.read((workspace) => engine.resolve(workspace, named));
  const made = await makeCopyOfState(engine, copyOptions(options), (operating) =>
    stateOfFork(engine, operating, name, options),
  );
  try {
    const { fork, start, checkpoint, roots, state } = made.found;
    const compared = given ?? checkpoint;
    const against: CheckedState = { snapshot: given?.snapshot ?? start, roots, checkpoint: compared };
    const of = { copy: made.copy, notes: made.notes, state: { snapshot: state, roots, checkpoint: null } };
    const { found: _, results, ...ran } = await checkCopy(engine, options, of, against);
    const checks = ran.checks.map((one) => ({
      name: one.name,
      comparison: one.comparison,
      outcome: one.outcome,
      why: one.why,
      new: one.new.length,
    }));
    // Compared with something else, they would not say what the fork changed.
    if (given === null) keepForkChecks(engine.ports, fork, { time: engine.ports.clock.now(), state, checks });
    const baseReason = given !== null ? 'given' : compared === null ? null : 'fork';
    return { checkpoint: null, base: compared, baseReason, ...ran };
  } finally {
    await made.copy.drop();
  }
}

/** The checks as the fork defines them. Nothing runs. */
export function checksOfFork(
  engine: Engine,
  context: Context,
  workspace: Workspace,
  name: string,
): Promise<FoundChecks> {
  const { ports, root, timeline } = workspace;
  const roots = timeline.latest()?.roots.map(({ path }) => path) ?? [];
  return lookAtFork(workspace, findFork(engine, context, workspace, name), async ({ files }) =>
    findChecks(filesOfFolder(ports.fs, files), { projectFile: context.settings(root).values.project_file, roots }),
  );
}

/** What a merge would bring, as a state. */
interface FoundFork extends StateToCopy, Pick<CheckedState, 'roots'> {
  readonly fork: Fork;
  /** What its changes are relative to. */
  readonly start: Snapshot;
  /** The checkpoint with that state; null: none has it. */
  readonly checkpoint: Checkpoint | null;
}

async function stateOfFork(
  engine: Engine,
  operating: WriteOperationContext,
  name: string,
  options: CheckOptions,
): Promise<FoundFork> {
  const { context, workspace, pace } = operating;
  const fork = findFork(engine, context, workspace, name);
  const now = await captureBefore(engine, operating, options);
  const base = baseOf(workspace, fork);
  const batch = workspace.store.objects.batch();
  try {
    const state = await lookAtFork(workspace, fork, (copy) =>
      proposedBy(workspace, { copy, base: base.snapshot, paths: [] }, batch, pace),
    );
    await batch.finish();
    const roots = now.roots.map(({ path }) => path);
    const checkpoint = checkpointOf(engine, workspace, fork, base);
    return { fork, now, base: now, start: base.snapshot, checkpoint, roots, state };
  } finally {
    batch.abandon();
  }
}

/** Where it left the workspace, unless that was dropped from the timeline, or something was merged since. */
function checkpointOf(engine: Engine, workspace: Workspace, fork: Fork, base: ForkBase): Checkpoint | null {
  if (base.merged !== null) return null;
  try {
    const checkpoint = engine.resolve(workspace, fork.checkpoint);
    return sameSnapshot(checkpoint.snapshot, base.snapshot) ? checkpoint : null;
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'UNKNOWN_CHECKPOINT') return null;
    throw error;
  }
}
