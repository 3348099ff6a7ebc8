/** Calls that work in copies of the workspace. */

import { type ApplyRequest, applyOperation } from '../../copy/apply-copy.ts';
import type { CopyRecord } from '../../copy/copy.ts';
import { type CopyDifference, diffCopy, writeCopyPatch } from '../../copy/diff-copy.ts';
import { endProcesses, waitForProcesses } from '../../copy/end-processes.ts';
import { nextTurnMark } from '../../copy/turn-mark.ts';
import { listForks } from '../../fork/fork-records.ts';
import { isGone } from '../../fork/open-fork.ts';
import { givenDiskPath, givenPaths } from '../../io/given-path.ts';
import type { Pace } from '../../io/pace.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Actor } from '../../model/checkpoint.ts';
import type { Snapshot } from '../../model/entries.ts';
import type { CallId, SessionId, WorkspaceId } from '../../model/ids.ts';
import type { JsonName } from '../../model/names.ts';
import type { PlanNews } from '../../model/plan.ts';
import type { Operation, OperationResult, Preview } from '../../operation/operation.ts';
import { isDamage } from '../../store/objects/damage.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { makeFile } from '../../transaction/new-file.ts';
import { assertPathAllowed } from '../allowed-path.ts';
import { type ConflictOptions, conflictChoicesIn } from '../conflict-options.ts';
import { type CleanedCopies, cleanCopies, type KnownCopies, knownCopies, withCommits } from '../copies/copy-list.ts';
import { dropGoneForks } from '../copies/forks.ts';
import { recordPromptsOf } from '../copies/record-prompts.ts';
import {
  type CopyOptions,
  makeWorkspaceCopy,
  type RebasedCopy,
  type RebaseOptions,
  rebaseIn,
  rebaseWorkspaceCopy,
  reopenWorkspaceCopy,
  type WorkspaceCopy,
} from '../copies/workspace-copy.ts';
import type { Engine } from '../engine.ts';
import { resolveFolder } from '../folders.ts';
import { makeRoom } from '../maintenance.ts';
import { type OperationOptions, preview, runAndAnnounce } from '../operate.ts';
import type { FollowPlansOptions } from '../plans/follow-plans.ts';
import { askedBy, servedCallInfo } from '../served-call.ts';
import { assertByPersonAnywhere } from '../shell-call.ts';
import type { WriteOperationContext } from '../write-context.ts';

export interface ApplyOptions extends OperationOptions, ConflictOptions {
  /** Only these paths and everything below them. Empty: everything. */
  readonly paths?: readonly JsonName[];
  /** What was done in the copy, in one line. */
  readonly description: string;
  /** Who worked in the copy. Default: the caller. */
  readonly author?: { readonly actor: Actor; readonly session?: string; readonly call?: string };
  /** `merge` for forks. Default `apply`. */
  readonly trigger?: 'apply' | 'merge';
}

export interface CopyPatchOptions extends CallOptions {
  /** Only these paths and everything below them. Empty: everything. */
  readonly paths?: readonly JsonName[];
}

export interface CopyDiffOptions extends CopyPatchOptions {
  /** Also returns a patch, as `diff` does. Default false. */
  readonly patch?: boolean;
}

export interface CopyCalls {
  /** Returns the copies of all workspaces in the home folder, regardless of the opened folder. */
  copies(): Promise<KnownCopies>;
  /**
   * Removes the copies whose process died, with the processes that it left in them, and what interrupted creations left. Forks whose folder is
   * there, and what is in use, stay. So do copies that may hold work, such as kept ones.
   * @param options.all also those of this workspace that may hold work
   * @param options.everywhere with `all`: those of all workspaces
   * @throws SavepointError NEEDS_CONFIRMATION for `all` in the shell of an agent
   */
  cleanCopies(
    options?: CallOptions & { readonly all?: boolean; readonly everywhere?: boolean },
  ): Promise<CleanedCopies>;
  /**
   * Captures the folder, then makes a copy of it, or of a checkpoint, in which commands can run. The caller drops it.
   * @throws SavepointError UNKNOWN_CHECKPOINT, IO, NO_SPACE, and what `checkpoint` throws; with `plan`, UNKNOWN_PLAN, USAGE
   *   if it cannot be revised, and CONFLICT if it does not merge with the folder
   */
  openCopy(options: CopyOptions): Promise<WorkspaceCopy>;
  /**
   * Opens a copy of this workspace again that was kept, or whose process died.
   * @throws SavepointError BAD_ID, USAGE if another process uses it, UNKNOWN_CHECKPOINT, IO, STORE_DAMAGED
   */
  reopenCopy(id: string, options?: CallOptions): Promise<WorkspaceCopy>;
  /**
   * Ends the programs that run in a copy, so that its files stay as they are. Of a copy that is a folder, none are known.
   * @param options.mayFinish whether a program, by its command line, gets a few seconds to end by itself first
   * @returns the command lines of those that were ended. They may contain anything.
   */
  endCopyPrograms(
    copy: WorkspaceCopy,
    options?: CallOptions & { readonly mayFinish?: (command: readonly string[]) => boolean },
  ): Promise<readonly (readonly string[])[]>;
  /**
   * Returns what was changed in a copy since its base.
   * @throws SavepointError IO, STORE_DAMAGED, CANCELLED
   */
  diffCopy(copy: WorkspaceCopy, options?: CopyDiffOptions): Promise<CopyDifference>;
  /**
   * Saves what was changed in a copy as a patch, which `git apply` takes. It has all contents, also binary ones.
   * @param file absolute; its parent folder exists
   * @throws SavepointError CONFLICT if the file exists, PATH_REFUSED in a `.git` or in the store, and what `diffCopy` throws
   */
  saveCopyPatch(copy: WorkspaceCopy, file: JsonName, options?: CopyPatchOptions): Promise<CopyDifference>;
  /** Returns what `applyCopy` would do. Changes nothing and does not wait for the lock. */
  previewApply(copy: WorkspaceCopy, options: ApplyOptions): Promise<Preview>;
  /**
   * Changes the workspace as the copy was changed, all or nothing. What changed in the workspace meanwhile stays, and is
   * merged where both changed a file. It can be undone.
   * @throws SavepointError CONFLICT, and what `restore` throws
   */
  applyCopy(copy: WorkspaceCopy, options: ApplyOptions): Promise<OperationResult>;
  /**
   * Captures the workspace, and brings what changed there since the copy's base into the copy. What was changed in the copy
   * and not applied stays, merged. The changes of the copy are then relative to that checkpoint. The programs in the copy
   * should be at rest: if they write meanwhile (`busy`), or both changed the same lines (`conflict`), nothing is done.
   * @throws SavepointError IO, NO_SPACE, STORE_DAMAGED, CANCELLED, and what `checkpoint` throws
   */
  rebaseCopy(copy: WorkspaceCopy, options?: RebaseOptions): Promise<RebasedCopy>;
  /**
   * As `applyCopy`, and then as `rebaseCopy`, for a program that goes on: what it writes after the changes were looked at
   * is not applied, and is what the copy has changed afterwards.
   */
  applyTurn(copy: WorkspaceCopy, options: ApplyOptions): Promise<OperationResult & { readonly rebased: RebasedCopy }>;
  /**
   * Waits until an agent with hooks ends a turn in the copy, or `signal` aborts.
   * @param mark what an earlier call returned, null at first: returns at once if a turn has ended since
   * @returns identifies the end of the last turn; null if none has ended
   */
  nextTurn(copy: WorkspaceCopy, mark: string | null, options?: CallOptions): Promise<string | null>;
  /**
   * Passes on what people decide about plans, and their comments, to the agent in the copy, whose hooks report it at its
   * next prompt, until `signal` aborts.
   * @returns what was not reported to it about plans, such as without hooks
   */
  followPlans(copy: WorkspaceCopy, options: FollowPlansOptions): Promise<readonly PlanNews[]>;
}

export function copyCalls(engine: Engine): CopyCalls {
  return {
    copies: () =>
      engine.mapErrors(async () => {
        const here = workspaceHere(engine);
        const known = knownCopies(engine.ports, engine.options.places.home, here);
        const isAny = known.copies.some(({ isHere }) => isHere);
        if (!isAny) return known;
        try {
          return await engine.read((workspace) => withCommits(workspace, known));
        } catch (error) {
          // A damaged store hides the commits of copies, never the copies.
          if (isDamage(error)) return known;
          throw error;
        }
      }),
    cleanCopies: ({ all = false, everywhere = false, ...options } = {}) =>
      engine.mapErrors(async () => {
        if (all) assertByPersonAnywhere(engine, 'copies');
        const own = workspaceHere(engine);
        const mayLose = ({ workspace }: CopyRecord): boolean => all && (everywhere || workspace === own);
        const { home } = engine.options.places;
        const cleaned = await cleanCopies(engine.ports, home, mayLose);
        const isGoneHere =
          own !== null && listForks(engine.ports, home, own).forks.some((one) => isGone(engine.ports, one));
        if (!isGoneHere) return cleaned;
        const { dropped } = await engine.operate(options, (operating) => dropGoneForks(engine, operating));
        return { ...cleaned, removed: [...cleaned.removed, ...dropped.map(({ copy }) => copy.id)] };
      }),
    openCopy: async (options) => {
      if (options.plan === undefined) return makeWorkspaceCopy(engine, options);
      const { makePlanCopy } = await import('../plans/plan-copy.ts');
      return makePlanCopy(engine, options.plan, options);
    },
    reopenCopy: (id, options = {}) => reopenWorkspaceCopy(engine, id, options),
    endCopyPrograms: ({ copy }, { mayFinish, signal } = {}) =>
      engine.mapErrors(async () => {
        const { ports } = engine;
        if (mayFinish !== undefined) {
          const left = () => copy.processes().filter(({ pid }) => mayFinish(ports.processes.startedWith(pid).command));
          await waitForProcesses(ports, left, signal);
        }
        const commands = copy.processes().map(({ pid }) => ports.processes.startedWith(pid).command);
        await endProcesses(ports, () => copy.processes());
        return commands.filter((command) => command.length > 0);
      }),
    diffCopy: (copy, options = {}) =>
      engine.read((workspace) => {
        const { patch = false, paths = [] } = options;
        return diffCopy(workspace, { ...copy, patch, paths: givenPaths(workspace, paths) }, engine.pace(options));
      }),
    saveCopyPatch: (copy, file, options = {}) =>
      engine.read(async (workspace, context) => {
        const { ports } = workspace;
        const path = resolveFolder(ports, givenDiskPath(ports, file));
        assertPathAllowed(context, path);
        const request = { ...copy, patch: false, paths: givenPaths(workspace, options.paths ?? []) };
        return makeFile(ports, path, false, (write) => writeCopyPatch(workspace, request, write, engine.pace(options)));
      }),
    previewApply: (copy, options) =>
      engine.read((workspace) =>
        preview(engine, workspace, applyIn(engine, workspace, copy, options, engine.pace(options)), options),
      ),
    rebaseCopy: (copy, options = {}) => rebaseWorkspaceCopy(engine, copy, options),
    applyTurn: (copy, options) =>
      engine.operate(options, async (operating) => {
        let applied: Snapshot = copy.base.snapshot;
        const onProposed = (proposed: Snapshot): void => {
          applied = proposed;
        };
        const result = await applyNow(engine, operating, copy, { ...options, onProposed });
        // Without a checkpoint, the store has not got that state.
        const from = result.checkpoint === null ? copy.base.snapshot : applied;
        const { signal } = options;
        const rebased = await rebaseIn(engine, operating, copy, from, signal === undefined ? {} : { signal });
        return { ...result, rebased };
      }),
    nextTurn: (copy, mark, { signal } = {}) =>
      engine.mapErrors(() => nextTurnMark(engine.ports, copy.copy.record.place, mark, signal)),
    followPlans: ({ copy }, options) =>
      engine.mapErrors(async () => {
        const { followPlans } = await import('../plans/follow-plans.ts');
        return followPlans(engine, copy, options);
      }),
    applyCopy: (copy, options) => engine.operate(options, (operating) => applyNow(engine, operating, copy, options)),
  };
}

type ApplyNow = ApplyOptions & Pick<ApplyRequest, 'onProposed'>;

/** The operation of `applyCopy`. */
export function applyIn(
  engine: Engine,
  workspace: Workspace,
  { copy, base }: WorkspaceCopy,
  options: ApplyNow,
  pace: Pace,
): Operation {
  const { author = { actor: engine.actor }, trigger = 'apply', description, paths = [] } = options;
  const { session = null, call = null } = author;
  const by = askedBy(engine, workspace, options);
  const isInCall = servedCallInfo(engine, workspace, options).actor !== undefined;
  return applyOperation(
    workspace,
    {
      copy,
      base,
      trigger,
      // Inside a call of an agent, all of it is that call's.
      author: isInCall
        ? by
        : { actor: author.actor, session: session as SessionId | null, call: call as CallId | null },
      by,
      description,
      paths: givenPaths(workspace, paths),
      choices: conflictChoicesIn(workspace, options),
      backups: null,
      ...(options.onProposed === undefined ? {} : { onProposed: options.onProposed }),
    },
    pace,
  );
}

async function applyNow(
  engine: Engine,
  operating: WriteOperationContext,
  copy: WorkspaceCopy,
  options: ApplyNow,
): Promise<OperationResult> {
  const { workspace, pace } = operating;
  await makeRoom(operating, 'all');
  const { session, actor } = options.author ?? {};
  if (copy.copy.record.purpose === 'isolated' && session !== undefined && actor !== undefined) {
    await recordPromptsOf(operating, copy.copy, { actor, session: session as SessionId });
  }
  const event = `${options.trigger ?? 'apply'}:completed` as const;
  return runAndAnnounce(engine, operating, event, applyIn(engine, workspace, copy, options, pace), options);
}

function workspaceHere(engine: Engine): WorkspaceId | null {
  return engine.context().find()?.record.id ?? null;
}
