/** Calls for the store: damage, recovery, clean-up, and purging contents. */

import { givenDiskPath, givenPaths } from '../../io/given-path.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { SavepointError } from '../../model/errors.ts';
import type { CopyId } from '../../model/ids.ts';
import type { DiskPath, JsonName, TreePath } from '../../model/names.ts';
import type { PurgePreview, PurgeResult } from '../../purge/purge.ts';
import { endDoubtfulCalls } from '../../timeline/capture/active-calls.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import {
  type CleanUpPreview,
  type CleanUpResult,
  dropCheckpoints,
  previewCleanUp,
} from '../../timeline/retention/clean-up.ts';
import { assertDroppable, type DropPlan, planDrop } from '../../timeline/retention/drop-chosen.ts';
import { type RetentionOptions, withRetentionOptions } from '../../timeline/retention/retention.ts';
import type { Verification } from '../../timeline/retention/verify.ts';
import type { Recovery } from '../../transaction/recover.ts';
import { type IdleWork, replaceLinks, replaceLinksAtIdle } from '../adopted-objects.ts';
import type { Context } from '../context.ts';
import { copiesOf } from '../copies/copy-list.ts';
import type { Engine } from '../engine.ts';
import { applyRetention, dropUnusedBackups, dropUnusedSessions, storeBytes, tidyUp } from '../maintenance.ts';
import { workspaceOf } from '../open.ts';
import { overlappingFolders } from '../overlap.ts';
import { dropExpiredPlans } from '../plans/expire.ts';
import { closeReviews } from '../plans/stored-plans.ts';
import { assertNothingPending, recoverOverlapping } from '../recovery.ts';
import type { Adoption, OtherStore } from '../repair/adopt.ts';
import type { Repair, RepairOptions } from '../repair/repair.ts';
import { acceptRetention } from '../retention-in-effect.ts';
import { assertByPerson, assertByPersonAnywhere } from '../shell-call.ts';
import { findFileDamage } from '../store-files.ts';
import type { WriteContext } from '../write-context.ts';
import { pathExists } from './workspaces.ts';

/** What a purge does not remove. */
export interface PurgeRemainder {
  /** Purged paths that still exist in the workspace. The next capture stores them again. */
  readonly stillThere: readonly TreePath[];
  /** Folders of workspaces around this one or inside it, which have their own stores. */
  readonly otherWorkspaces: readonly DiskPath[];
  /** Copies of the workspace, forks among them: their files and their own stores may have the content. */
  readonly copies: readonly CopyId[];
}

/** What a repair did, and what can be restored afterwards. */
export interface RepairResult extends Repair {
  readonly checkpoints: number;
  /** Number of checkpoints that can be fully restored. */
  readonly valid: number;
  /** Stores without usable records that may be those of this folder, which keeps the one that it has. */
  readonly otherStores: readonly OtherStore[];
}

/** Options of `drop`. */
export interface DropOptions extends CallOptions {
  /** Drop pinned checkpoints as well, with their pins. Default false. */
  readonly pinned?: boolean;
}

export interface StoreCalls {
  /** Checks the store for damage. @param options.deep reads and hashes every byte of the store */
  verify(options?: CallOptions & { readonly deep?: boolean }): Promise<Verification>;
  /**
   * Recovers the transactions of dead processes.
   * @param options.decision for transactions that need one: finish or roll back
   * @returns also the transactions that wait for a missing root
   * @throws SavepointError PENDING if a transaction needs a decision
   */
  recover(options?: CallOptions & { readonly decision?: 'forward' | 'back' }): Promise<Recovery>;
  /**
   * Moves damaged parts of the store aside, and takes what they lack from wherever it still exists: the workspace, its
   * repositories, backups, bundles. Deletes nothing.
   * @param options.from absolute paths of bundles to look into
   * @param options.dryRun only look
   * @param options.adopt id of a store without a usable record, or a unique beginning of it: a person knows that it is
   *   that of this folder. Default: such a store is adopted only if it is proven to be that of this folder
   * @throws SavepointError NO_WORKSPACE, also if it is unknown which store without a usable record is that of this folder
   */
  repair(
    options?: CallOptions & {
      readonly from?: readonly JsonName[];
      readonly dryRun?: boolean;
      readonly adopt?: string;
    },
  ): Promise<RepairResult>;
  /** Returns what `gc` would drop. Changes nothing. */
  previewGc(options?: CallOptions & { readonly retention?: RetentionOptions }): Promise<CleanUpPreview>;
  /** Drops old checkpoints according to the retention policy and frees the space that only they needed. */
  gc(options?: CallOptions & { readonly retention?: RetentionOptions }): Promise<CleanUpResult>;
  /** Returns what `drop` would drop, and the checkpoints that it would refuse. Changes nothing. */
  previewDrop(names: readonly string[], options?: DropOptions): Promise<DropPlan>;
  /**
   * Drops these checkpoints, all or none, and frees the space that only they needed. Later checkpoints keep their record
   * of changes, with the content before them. The changes of the checkpoint after a dropped one cannot be rolled back any
   * more. It cannot be undone.
   * @throws SavepointError CHECKPOINT_NEEDED, UNKNOWN_CHECKPOINT, STORE_DAMAGED, LOCKED, PENDING, NEEDS_CONFIRMATION in
   *   the shell of an agent
   */
  drop(names: readonly string[], options?: DropOptions): Promise<CleanUpResult>;
  /**
   * Applies retention if due, and merges packs if there are many. The end of a session does this automatically.
   * @returns null if retention was not due, if there is no store, or while an operation is pending
   */
  tidyUp(options?: CallOptions): Promise<CleanUpResult | null>;
  /**
   * For a process that stays open and is idle: replaces packs that a first checkpoint linked from repositories by what is
   * needed of them, in short slices, and verifies it. The end of a session does this automatically.
   * @returns `busy` if it is left for later, because another process works in the store, or an operation is pending
   */
  replaceLinks(options?: CallOptions): Promise<IdleWork>;
  /** Returns what `purge` would remove. Changes nothing. */
  previewPurge(paths: readonly JsonName[], options?: CallOptions): Promise<PurgePreview & PurgeRemainder>;
  /**
   * Removes all contents that were ever at or below these paths from everything in the store, and proves it. The files
   * themselves stay unchanged, and the next capture stores what they contain then. It cannot be undone.
   * @throws SavepointError PURGE_INCOMPLETE, PATH_REFUSED for the whole workspace, LOCKED, PENDING, STORE_DAMAGED, IO
   */
  purge(paths: readonly JsonName[], options?: CallOptions): Promise<PurgeResult & PurgeRemainder>;
}

export function storeCalls(engine: Engine): StoreCalls {
  return {
    verify: async (options = {}) => {
      const { verifyStore } = await import('../../timeline/retention/verify.ts');
      return engine.read(async (workspace, _, found) => {
        const checked = await verifyStore(workspace, options.deep ?? false, engine.pace(options));
        const verification = { ...checked, damage: [...checked.damage, ...findFileDamage(workspace, found)] };
        // Makes the next capture read every file again. It stores damaged contents again if the files are intact.
        if (verification.damage.length > 0) workspace.memory.forget();
        return verification;
      });
    },
    recover: (options = {}) =>
      engine.write(options, 'existing', async (writing) => {
        if (options.decision !== undefined) assertByPerson(engine, writing.workspace, 'recover');
        return recoverOverlapping(engine.events, writing, options.decision ?? null);
      }),
    repair: async ({ from: given = [], dryRun = false, adopt, ...options } = {}) => {
      const from = given.map((file) => givenDiskPath(engine.ports, file));
      const { repairStore } = await import('../repair/repair.ts');
      const { adoptStore, otherStores } = await import('../repair/adopt.ts');
      const adoption = await engine.mapErrors(() => {
        if (adopt !== undefined) assertByPersonAnywhere(engine, 'repair');
        return adoptStore(engine.context(), adopt ?? null, engine.pace(options), dryRun ? null : engine.wait);
      });
      const check = async (workspace: Workspace) => {
        const { verifyStore } = await import('../../timeline/retention/verify.ts');
        const { checkpoints, valid } = await verifyStore(workspace, false, engine.pace(options));
        return { checkpoints, valid, otherStores: otherStores(engine.context(), workspace.id) };
      };
      const repairOptions = { from, dryRun, adoption, wait: engine.wait };
      if (dryRun && adoption !== null) return engine.mapErrors(() => lookAt(engine, adoption, repairOptions, check));
      if (dryRun) {
        return engine.read(async (workspace, _, found) => ({
          ...(await repairStore(workspace, found, repairOptions, engine.pace(options))),
          ...(await check(workspace)),
        }));
      }
      return engine.write(options, 'existing', async (writing) => {
        const { context, workspace, pace } = writing;
        const found = context.find();
        if (found === null) throw context.noWorkspace();
        const isRecovered = (await recoverIfPossible(engine, writing)) === null;
        const repaired = await repairStore(workspace, found, repairOptions, pace);
        // Recovery may have lacked what the repair found.
        const pending = isRecovered ? null : await recoverIfPossible(engine, writing);
        if (pending !== null) engine.events.emit('warning', { message: pending.message });
        return { ...repaired, ...(await check(workspace)) };
      });
    },
    previewGc: (options = {}) =>
      engine.read(async (workspace, context) => {
        const policy = withRetentionOptions(
          context.effectiveSettings(workspace.root).retention,
          options.retention ?? {},
        );
        return previewCleanUp(workspace, policy, storeBytes(workspace, 'all'));
      }),
    gc: async (options = {}) => {
      await replaceLinks(engine, options, engine.pace(options));
      return engine.operate(options, async (operating) => {
        const { context, workspace } = assertNothingPending(operating);
        // Only a person knows that no agent works any more.
        assertByPerson(engine, workspace, 'gc');
        endDoubtfulCalls(workspace);
        dropExpiredPlans(workspace, context);
        const { retention } = context.effectiveSettings(workspace.root);
        const done = await applyRetention(operating, withRetentionOptions(retention, options.retention ?? {}));
        acceptRetention(workspace);
        return done;
      });
    },
    previewDrop: (names, options = {}) => engine.read((workspace) => dropPlan(engine, workspace, names, options)),
    drop: async (names, options = {}) => {
      await replaceLinks(engine, options, engine.pace(options));
      return engine.operate(options, async (operating) => {
        const { workspace, lock, pace } = assertNothingPending(operating);
        assertByPerson(engine, workspace, 'drop');
        const plan = dropPlan(engine, workspace, names, options);
        assertDroppable(plan);
        const numbers = plan.chosen.map(({ number }) => number);
        const done = await dropCheckpoints(workspace, lock, numbers, pace);
        dropUnusedBackups(workspace);
        dropUnusedSessions(workspace);
        return done;
      });
    },
    tidyUp: (options = {}) => tidyUp(engine, options, engine.pace(options)),
    replaceLinks: (options = {}) => replaceLinksAtIdle(engine, options),
    previewPurge: async (given, options = {}) => {
      const { previewPurge } = await import('../../purge/purge.ts');
      return engine.read(async (workspace, context) => {
        const paths = assertPurgeable(givenPaths(workspace, given));
        const purgePreview = await previewPurge(workspace, paths, engine.pace(options));
        return { ...purgePreview, ...purgeRemainder(context, workspace, paths) };
      });
    },
    purge: async (given, options = {}) => {
      const { purge } = await import('../../purge/purge.ts');
      // Afterwards no content is in a file that the store shares with a repository.
      await replaceLinks(engine, options, engine.pace(options));
      return engine.operate(options, async (operating) => {
        const { context, workspace, lock, pace } = assertNothingPending(operating);
        assertByPerson(engine, workspace, 'purge');
        const paths = assertPurgeable(givenPaths(workspace, given));
        await closeReviews(workspace);
        const purged = await purge(workspace, lock, paths, pace);
        return { ...purged, ...purgeRemainder(context, workspace, paths) };
      });
    },
  };
}

/** Recovers before the store changes. A repair removes nothing that a pending operation needs. @returns why it is pending */
async function recoverIfPossible(engine: Engine, writing: WriteContext): Promise<SavepointError | null> {
  try {
    return (await recoverOverlapping(engine.events, writing, null)).waiting[0]?.error ?? null;
  } catch (error) {
    if (error instanceof SavepointError && (error.code === 'PENDING' || error.code === 'STORE_DAMAGED')) return error;
    throw error;
  }
}

/** A dry run in a folder that the store does not know. */
async function lookAt(
  engine: Engine,
  { record }: Adoption,
  options: RepairOptions,
  check: (workspace: Workspace) => Promise<Pick<RepairResult, 'checkpoints' | 'valid' | 'otherStores'>>,
): Promise<RepairResult> {
  const { repairStore } = await import('../repair/repair.ts');
  const context = engine.context();
  const workspace = workspaceOf(context, record);
  try {
    const found = { kind: 'path', record, isRecreated: false } as const;
    return { ...(await repairStore(workspace, found, options, engine.pace({}))), ...(await check(workspace)) };
  } finally {
    context.releaseStore(workspace.store);
  }
}

function dropPlan(engine: Engine, workspace: Workspace, names: readonly string[], { pinned }: DropOptions): DropPlan {
  const numbers = new Set(names.map((name) => engine.resolve(workspace, name).number));
  return planDrop(workspace, numbers, pinned ?? false);
}

function purgeRemainder(context: Context, workspace: Workspace, paths: readonly TreePath[]): PurgeRemainder {
  return {
    stillThere: paths.filter((path) => pathExists(workspace.ports, `${workspace.root}/${path}` as DiskPath)),
    otherWorkspaces: overlappingFolders(context, workspace),
    copies: copiesOf(workspace.ports, context.places.home, workspace.id).map(({ record }) => record.id),
  };
}

function assertPurgeable(paths: readonly TreePath[]): readonly TreePath[] {
  if (!paths.includes('' as TreePath)) return paths;
  throw new SavepointError(
    'PATH_REFUSED',
    'The entire workspace cannot be purged.',
    { path: '', why: 'is the entire workspace' },
    { hint: 'To remove everything, delete the store with `savepoint workspaces delete`.' },
  );
}
