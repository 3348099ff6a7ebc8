/** Makes copies of a workspace for the calls that work in them. */

import type { CopyAccess, CopyPurpose, CopyRung, DependencyPolicy, PlanInCopy } from '../../copy/copy.ts';
import { type MadeCopy, makeCopy, reopenCopy } from '../../copy/open-copy.ts';
import { planInCopy } from '../../copy/plan-in-copy.ts';
import { type CopyProposal, readProposal, writeProposal } from '../../copy/proposal-record.ts';
import { type Rebased, rebaseCopy } from '../../copy/rebase-copy.ts';
import { readCopyRecord, writeCopyRecord } from '../../copy/records.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import type { CopyId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import type { Engine } from '../engine.ts';
import { makeRoom } from '../maintenance.ts';
import type { WriteContext, WriteOperationContext } from '../write-context.ts';
import { captureBefore } from './capture-before.ts';
import { assertCopiesFit } from './copy-limit.ts';
import { passTrustOn } from './trusted-checks.ts';

export interface CopyOptions extends CallOptions {
  readonly purpose: CopyPurpose;
  /** The name of a checkpoint whose state the copy gets. Default: the folder as it is now. */
  readonly at?: string;
  /** The id of a plan that can be revised: the copy also has everything that it proposes. Not together with `at` or `access`. */
  readonly plan?: string;
  readonly name?: string;
  readonly rungs?: readonly CopyRung[];
  /** What a copy that is a folder gets of dependency folders. Default: from the settings, else `auto`. */
  readonly dependencies?: DependencyPolicy;
  readonly isLong?: boolean;
  /** What commands may do, enforced by the system. Not together with `at`. Default: everything. */
  readonly access?: CopyAccess;
  /** Kept with the copy, so that its changes can also be applied later. */
  readonly proposal?: CopyProposal;
}

/** A copy with the checkpoints that it is compared with. */
export interface WorkspaceCopy extends MadeCopy {
  /** What the copy contained at first: its changes are relative to this. */
  readonly base: Checkpoint;
  /** Null if none was given. */
  readonly proposal: CopyProposal | null;
}

/** What a copy is to contain. */
export interface StateToCopy {
  /** The workspace as it is now: the checkpoint that was just taken. */
  readonly now: Checkpoint;
  /** The checkpoint that the copy's changes are relative to. */
  readonly base: Checkpoint;
  /** All of its objects are in the store. */
  readonly state: Snapshot;
  /** The revision of a plan that is part of the state. */
  readonly plan?: PlanInCopy;
}

/** Captures the workspace as it is now, then makes a copy of it or of a checkpoint. */
export async function makeWorkspaceCopy(engine: Engine, options: CopyOptions): Promise<WorkspaceCopy> {
  const { at } = options;
  if (options.access !== undefined && at !== undefined) {
    throw new SavepointError('USAGE', '`access` cannot be used with `at`.', { argument: 'access' });
  }
  return makeCopyOfState(engine, options, async (operating) => {
    const now = await captureBefore(engine, operating, options);
    const base = at === undefined ? now : engine.resolve(operating.workspace, at);
    return { now, base, state: base.snapshot };
  });
}

/** @param find is called with the lock held, and stores the state if the store does not have it */
export async function makeCopyOfState<Found extends StateToCopy>(
  engine: Engine,
  options: Omit<CopyOptions, 'at'>,
  find: (operating: WriteOperationContext) => Promise<Found>,
): Promise<WorkspaceCopy & { readonly found: Found }> {
  return engine.operate(
    options,
    async (operating) => {
      const { context, workspace, pace } = operating;
      await makeRoom(operating, 'all');
      const found = await find(operating);
      const { now, base, state, plan } = found;
      const made = await makeCopy(
        {
          workspace,
          home: context.places.home,
          purpose: options.purpose,
          now,
          base,
          state,
          name: options.name ?? null,
          dependencies: options.dependencies ?? context.effectiveSettings(workspace.root).copyDependencies,
          ...(options.rungs === undefined ? {} : { rungs: options.rungs }),
          ...(options.isLong === undefined ? {} : { isLong: options.isLong }),
          ...(options.access === undefined ? {} : { access: options.access }),
          ...(plan === undefined ? {} : { plan }),
        },
        pace,
      );
      const { proposal = null } = options;
      try {
        assertCopiesFit(operating, new Set([made.copy.record.id]));
        passTrustOn(workspace, made.copy.record.place);
        if (proposal !== null) writeProposal(workspace.ports, made.copy.record.place, proposal);
      } catch (error) {
        await made.copy.drop();
        throw error;
      }
      return { ...made, base, proposal, found };
    },
    'existing-or-new',
  );
}

/** @throws SavepointError BAD_ID, USAGE if another process uses it or it is a fork, UNKNOWN_CHECKPOINT, STORE_DAMAGED */
export async function reopenWorkspaceCopy(engine: Engine, id: string, options: CallOptions): Promise<WorkspaceCopy> {
  return engine.operate(options, async ({ context, workspace }) => {
    const { ports } = workspace;
    const record = readCopyRecord(ports, context.places.home, id as CopyId);
    if (record === null || record.workspace !== workspace.id) {
      const what = record === null ? 'There is no copy' : 'This folder has no copy';
      const hint = 'Run `savepoint copies` to list the copies.';
      throw new SavepointError('BAD_ID', `${what} ${JSON.stringify(id)}.`, { given: id }, { hint });
    }
    if (record.purpose === 'fork') {
      // Dropped as a copy, its last state would not be kept, and its worktrees would stay.
      const message = `The copy ${id} is the fork ${record.name ?? ''}.`;
      throw new SavepointError('USAGE', message, { argument: id }, { hint: 'Use `savepoint fork merge` or `drop`.' });
    }
    const { owner } = record;
    if (owner !== null && owner.pid !== ports.processes.self().pid && ports.processes.state(owner) !== 'dead') {
      const hint = 'Wait for that process, or end it.';
      const message = `The copy ${id} is in use by process ${owner.pid}.`;
      throw new SavepointError('USAGE', message, { argument: id }, { hint });
    }
    const base = engine.resolve(workspace, record.base);
    const proposal = readProposal(ports, record.place);
    const copy = await reopenCopy(workspace, context.places.home, record, base);
    return { copy, notes: [], base, proposal };
  });
}

export interface RebaseOptions extends CallOptions {
  /** Also gives up what was changed in the copy. Default false. */
  readonly discard?: boolean;
}

export interface RebasedCopy {
  /** The copy with its new base, or the given one. */
  readonly copy: WorkspaceCopy;
  readonly outcome: Rebased['outcome'];
  readonly paths: readonly TreePath[];
}

/** Captures the workspace, brings what changed there into the copy, and makes that checkpoint its base. */
export async function rebaseWorkspaceCopy(
  engine: Engine,
  made: WorkspaceCopy,
  options: RebaseOptions,
): Promise<RebasedCopy> {
  return engine.operate(options, (operating) => rebaseIn(engine, operating, made, made.base.snapshot, options));
}

/** @param from the state that what the copy has and the workspace has not is relative to */
export async function rebaseIn(
  engine: Engine,
  operating: WriteContext,
  made: WorkspaceCopy,
  from: Snapshot,
  options: RebaseOptions,
): Promise<RebasedCopy> {
  const { workspace, pace } = operating;
  const { copy } = made;
  const now = await captureBefore(engine, operating, options);
  const rebased = await rebaseCopy(workspace, { copy, base: from, now, discard: options.discard === true }, pace);
  if (rebased.outcome !== 'moved') return { copy: made, ...rebased };
  const plan = planInCopy(workspace.ports, copy.record.place);
  const record = { ...copy.record, base: now.id, plan };
  writeCopyRecord(workspace.ports, record);
  return { copy: { ...made, copy: { ...copy, record }, base: now }, ...rebased };
}
