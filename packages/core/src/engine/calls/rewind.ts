/** Calls that go back: restore, rollback, undo and redo, each with its preview. */

import { readEntireFile } from '../../io/durable-write.ts';
import { FsError } from '../../io/fs.ts';
import { givenPath, givenPaths } from '../../io/given-path.ts';
import type { Pace } from '../../io/pace.ts';
import type { Checkpoint, Grade } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import { checkpointId } from '../../model/ids.ts';
import type { JsonName } from '../../model/names.ts';
import { ChangeSetDraft } from '../../operation/change-set.ts';
import type { Operation, OperationResult, Preview } from '../../operation/operation.ts';
import type { RestoreOutcome } from '../../operation/restore-outcome.ts';
import type { AffectedAuthors } from '../../rewind/affected-authors.ts';
import {
  type RestoreMode,
  type RestoreRequest,
  redoOperation,
  restoreOperation,
  undoOperation,
} from '../../rewind/operations.ts';
import { type RollbackPreview, rollbackOperation } from '../../rewind/rollback.ts';
import { rollbackLinesOperation } from '../../rewind/rollback-lines.ts';
import type { Selection } from '../../rewind/selection.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { resolveAuthors } from '../../timeline/query/select-authors.ts';
import { type ConflictOptions, conflictChoicesIn } from '../conflict-options.ts';
import type { Engine } from '../engine.ts';
import type { OperationEvent } from '../events.ts';
import { makeRoom, RESERVE_BYTES } from '../maintenance.ts';
import { type OperationOptions, preview, runAndAnnounce } from '../operate.ts';
import { withCommitsThatStay } from '../plans/commits-that-stay.ts';
import { shellAuthorOf } from '../shell-call.ts';
import {
  type ConversationPreview,
  conversationRefused,
  isConversationWanted,
  planConversation,
  type RestoredConversation,
  rewindPlanned,
} from './restore-conversation.ts';

/** Which part of a checkpoint is restored, and how; see `restore`. */
export interface RestoreOptions extends OperationOptions, ConflictOptions {
  /** Only these paths and everything below them. Empty: the whole workspace. */
  readonly paths?: readonly JsonName[];
  readonly mode?: RestoreMode;
  /** Only this root (a repository, or the plain workspace folder), without the roots inside it. Excludes `paths`. */
  readonly root?: JsonName;
  /**
   * Proceed even if a root was not captured, or cannot be captured now. Such roots are left untouched and listed in the
   * result. Default false.
   */
  readonly allowPartial?: boolean;
  /** Also restore the branch, HEAD and index of each root. Default false: `.git` stays unchanged. */
  readonly git?: boolean;
  /**
   * Also take the conversation of the agent back to the place of the checkpoint: before its prompt, or after its call.
   * `only`: the files stay. If the conversation cannot go back, the files still do, and the result has the reason; with
   * `only`, that is CONVERSATION_REFUSED. Default false.
   */
  readonly conversation?: boolean | 'only';
  /**
   * The session whose conversation goes back; a unique beginning of its id is enough. Default: the checkpoint's own, or
   * else the only one that was active since.
   */
  readonly session?: string;
}

/** How a rollback handles changes by others; see `rollback`. */
export interface RollbackOptions extends OperationOptions, ConflictOptions {
  /**
   * How well the author of a change must be known. Default `sure`: changes that are only likely by the chosen authors
   * (made while one of their calls ran), and changes that may be by others (`open`), are left alone and listed. A change
   * that is chosen by its id may always be likely.
   */
  readonly least?: Grade;
  /** Proceed even if an open call may write the same files. Default false. */
  readonly force?: boolean;
}

/** Options of `undo` and `redo`. */
export type UndoOptions = OperationOptions & ConflictOptions;

export interface RewindCalls {
  /** Returns what `restore` would do, path by path. Changes nothing and does not wait for the lock. */
  previewRestore(
    name: string,
    options?: RestoreOptions,
  ): Promise<
    Preview & {
      readonly target: Checkpoint;
      readonly parties: AffectedAuthors | null;
      /** Null if no conversation was to go back. */
      readonly conversation: ConversationPreview | null;
    }
  >;
  /**
   * Makes the workspace, or chosen paths, equal to a checkpoint, all or nothing. It can be undone. If both an agent and
   * another author changed them since, it is a conflict unless `mode` says whose changes to revert.
   *
   * With `conversation`, the conversation goes back after the files. It continues as another session, which
   * `conversation.continue` of the result names; the original is not changed. If it fails, the files stay restored, and
   * `conversationRewound` and `error` of the result say so.
   * @throws SavepointError CONFLICT, PATH_REFUSED, GIT_REFUSED, NAME_COLLISION, NO_SPACE, IO, LOCKED: nothing changed;
   *   PENDING; for `conversation`: USAGE, UNKNOWN_SESSION, CONVERSATION_REFUSED
   */
  restore(
    name: string,
    options?: RestoreOptions,
  ): Promise<
    OperationResult &
      RestoreOutcome & {
        readonly target: Checkpoint;
        /** Null if no conversation was to go back. */
        readonly conversation: RestoredConversation | null;
      }
  >;
  /** Returns what `rollback` would do, path by path, and the open calls that would block it. Changes nothing. */
  previewRollback(
    selection: Selection,
    options?: RollbackOptions,
  ): Promise<Preview & { readonly details: RollbackPreview }>;
  /**
   * Reverts chosen changes and keeps later changes by others. All or nothing, unless `skipConflicts` or `prefer` say
   * otherwise. It can be undone.
   * @param selection a change must match all given criteria; unless they name changes or an author, only changes by
   *   agents match
   * @throws SavepointError UNKNOWN_CHANGE, UNKNOWN_AGENT, UNKNOWN_SESSION, UNKNOWN_CALL, AMBIGUOUS_ID, CALL_OPEN, CONFLICT with the three sides of each path that does not merge,
   *   and what `restore` throws
   */
  rollback(
    selection: Selection,
    options?: RollbackOptions,
  ): Promise<OperationResult & RestoreOutcome & { readonly details: RollbackPreview }>;
  previewUndo(options?: UndoOptions): Promise<Preview>;
  /** Reverts the newest operation that is in effect, and keeps what changed since. */
  undo(options?: UndoOptions): Promise<OperationResult & RestoreOutcome>;
  previewRedo(options?: UndoOptions): Promise<Preview>;
  /** Reverts the newest undo, unless an operation came after it. */
  redo(options?: UndoOptions): Promise<OperationResult & RestoreOutcome>;
}

/** An operation that fails throws. Only `Session.rollbackTo` goes back in a conversation. */
const FILES_RESTORED: RestoreOutcome = { restored: true, conversationRewound: false, error: null };
/** The maximum size of an ignore file. */
const RULE_BYTES = 1024 * 1024;

export function rewindCalls(engine: Engine): RewindCalls {
  return {
    previewRestore: (name, options = {}) =>
      engine.read(async (workspace) => {
        const target = engine.resolve(workspace, name);
        const conversation = isConversationWanted(options)
          ? await planConversation(engine, workspace, target, options.session)
          : null;
        if (options.conversation === 'only') {
          return {
            ...(await previewOfNothing(engine, workspace, target, options)),
            target,
            parties: null,
            conversation,
          };
        }
        const { operation, affectedAuthors } = restoreFiles(engine, workspace, target, options, engine.pace(options));
        const seen = await preview(engine, workspace, operation, options);
        return { ...seen, target, parties: affectedAuthors(), conversation };
      }),
    restore: (name, options = {}) =>
      isConversationWanted(options)
        ? restoreWithConversation(engine, name, options)
        : restoreOnlyFiles(engine, name, options),
    previewRollback: (selection, options = {}) =>
      engine.read(async (workspace) => {
        const { operation, preview: details } = rollbackIn(engine, workspace, selection, {
          ...options,
          force: true,
        });
        return { ...(await preview(engine, workspace, operation, options)), details: details() };
      }),
    rollback: (selection, options = {}) =>
      engine.operate(options, async (operating) => {
        await makeRoom(operating, 'all', RESERVE_BYTES);
        const { operation, preview: details } = rollbackIn(engine, operating.workspace, selection, options);
        return {
          ...(await runAndAnnounce(engine, operating, 'rollback:completed', operation, options)),
          ...FILES_RESTORED,
          details: details(),
        };
      }),
    previewUndo: (options = {}) => previewInverse(engine, undoOperation, options),
    undo: (options = {}) => invert(engine, 'undo:completed', undoOperation, options),
    previewRedo: (options = {}) => previewInverse(engine, redoOperation, options),
    redo: (options = {}) => invert(engine, 'redo:completed', redoOperation, options),
  };
}

/** @param options.session the session that goes back in its conversation, and its new position */
export function restoreIn(
  engine: Engine,
  workspace: Workspace,
  target: Checkpoint,
  options: Omit<RestoreOptions, 'session'> & Pick<RestoreRequest, 'session'>,
  pace: Pace,
): ReturnType<typeof restoreOperation> {
  const { paths = [], mode = null, root = null, allowPartial = false, git = false, session } = options;
  const request = {
    target,
    scope: givenPaths(workspace, paths),
    mode,
    root: root === null ? null : givenPath(workspace, root),
    allowPartial,
    git,
    actor: engine.actor,
    ...(session === undefined ? {} : { session }),
    global: readGlobalIgnore(workspace),
    choices: conflictChoicesIn(workspace, options),
  };
  return restoreOperation(workspace, request, pace);
}

type RestoreResult = Awaited<ReturnType<RewindCalls['restore']>>;

function restoreOnlyFiles(engine: Engine, name: string, options: RestoreOptions): Promise<RestoreResult> {
  return engine.operate(options, async (operating) => {
    const { workspace, pace } = operating;
    const target = engine.resolve(workspace, name);
    await makeRoom(operating, 'all', RESERVE_BYTES);
    const { operation } = restoreFiles(engine, workspace, target, options, pace);
    const result = await runAndAnnounce(engine, operating, 'restore:completed', operation, options);
    return { ...result, ...FILES_RESTORED, target, conversation: null };
  });
}

/** The conversation goes back last, because the files can fail as a whole, and then nothing has happened. */
async function restoreWithConversation(engine: Engine, name: string, options: RestoreOptions): Promise<RestoreResult> {
  const { id, planned } = await engine.read(async (workspace) => {
    const target = engine.resolve(workspace, name);
    return { id: target.id, planned: await planConversation(engine, workspace, target, options.session) };
  });
  const isOnly = options.conversation === 'only';
  if (isOnly && !planned.plan.isPossible) throw conversationRefused(planned);
  // Other processes add checkpoints, so the name may mean another one now.
  const restored = await (isOnly ? restoreNothing(engine, id, options) : restoreOnlyFiles(engine, id, options));
  const done = await rewindPlanned(engine, planned, isOnly);
  return { ...restored, conversationRewound: done.error === null, ...done };
}

function restoreNothing(engine: Engine, name: string, options: RestoreOptions): Promise<RestoreResult> {
  return engine.read(async (workspace) => {
    const target = engine.resolve(workspace, name);
    const seen = await previewOfNothing(engine, workspace, target, options);
    const before = workspace.timeline.latest() ?? target;
    const nothing = { before, beforeIsNew: false, checkpoint: null, kept: [], backups: [] };
    return { ...seen, ...nothing, ...FILES_RESTORED, restored: false, target, conversation: null };
  });
}

/** What a restore does to the files if only the conversation goes back. */
function previewOfNothing(
  engine: Engine,
  workspace: Workspace,
  target: Checkpoint,
  options: RestoreOptions,
): Promise<Preview> {
  const { operation } = restoreFiles(engine, workspace, target, options, engine.pace(options));
  const plan = async () => new ChangeSetDraft().finish();
  return preview(engine, workspace, { ...operation, plan }, options);
}

function restoreFiles(
  engine: Engine,
  workspace: Workspace,
  target: Checkpoint,
  { session: _session, ...options }: RestoreOptions,
  pace: Pace,
): ReturnType<typeof restoreOperation> {
  return restoreIn(engine, workspace, target, options, pace);
}

function rollbackIn(
  engine: Engine,
  workspace: Workspace,
  { files, root, lines, at, ...selection }: Selection,
  options: RollbackOptions,
): ReturnType<typeof rollbackOperation> {
  const { least = 'sure', force = false } = options;
  const common = {
    actor: engine.actor,
    choices: conflictChoicesIn(workspace, options),
    force,
    inside: shellAuthorOf(engine, workspace)?.call ?? null,
  };
  if (lines !== undefined) {
    const { after, ...others } = { ...selection, files, root };
    assertOnlyLines(others);
    const request = {
      ...common,
      lines: lines.map((one) => ({ ...one, path: givenPath(workspace, one.path) })),
      from: after === undefined ? null : checkpointAt(workspace, after),
      at: at === undefined ? null : engine.resolve(workspace, at),
    };
    return rollbackLinesOperation(workspace, request, engine.pace(options));
  }
  const request = {
    selection: resolveAuthors(workspace, {
      ...selection,
      ...(files === undefined ? {} : { files: givenPaths(workspace, files) }),
      ...(root === undefined ? {} : { root: givenPath(workspace, root) }),
    }),
    ...common,
    least,
  };
  const { operation, ...more } = rollbackOperation(workspace, request, engine.pace(options));
  return { operation: withCommitsThatStay(workspace, operation), ...more };
}

/** @throws SavepointError USAGE */
function assertOnlyLines(others: object): void {
  if (Object.values(others).every((one) => one === undefined)) return;
  const message = 'With lines, nothing else can be selected but `after` and `at`.';
  throw new SavepointError('USAGE', message, { argument: 'lines' });
}

/** @throws SavepointError UNKNOWN_CHECKPOINT */
function checkpointAt({ timeline }: Workspace, after: NonNullable<Selection['after']>): Checkpoint {
  const found =
    'checkpoint' in after
      ? timeline.reader().find(checkpointId(after.checkpoint))
      : [...timeline.reader().upTo(Number.POSITIVE_INFINITY)].find(({ time }) => time <= after.time);
  if (found !== undefined) return found;
  const given = 'checkpoint' in after ? checkpointId(after.checkpoint) : new Date(after.time).toISOString();
  throw new SavepointError('UNKNOWN_CHECKPOINT', `There is no checkpoint at ${given}.`, { given });
}

function previewInverse(engine: Engine, operationOf: typeof undoOperation, options: UndoOptions): Promise<Preview> {
  return engine.read((workspace) =>
    preview(engine, workspace, inverseIn(engine, workspace, operationOf, options, engine.pace(options)), options),
  );
}

function invert(
  engine: Engine,
  event: OperationEvent,
  operationOf: typeof undoOperation,
  options: UndoOptions,
): Promise<OperationResult & RestoreOutcome> {
  return engine.operate(options, async (operating) => {
    const { workspace } = operating;
    await makeRoom(operating, 'all', RESERVE_BYTES);
    const operation = inverseIn(engine, workspace, operationOf, options, operating.pace);
    return { ...(await runAndAnnounce(engine, operating, event, operation, options)), ...FILES_RESTORED };
  });
}

function inverseIn(
  engine: Engine,
  workspace: Workspace,
  operationOf: typeof undoOperation,
  options: UndoOptions,
  pace: Pace,
): Operation {
  const operation = operationOf(workspace, engine.actor, conflictChoicesIn(workspace, options), pace);
  return withCommitsThatStay(workspace, operation);
}

/** Reads the user's global ignore file. */
function readGlobalIgnore({ globalIgnore, ports }: Workspace): Buffer | null {
  if (globalIgnore === null) return null;
  try {
    return readEntireFile(ports.fs, globalIgnore, RULE_BYTES);
  } catch (error) {
    if (error instanceof FsError) return null;
    throw error;
  }
}
