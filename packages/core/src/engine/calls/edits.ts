/** Calls that edit several files in one operation. */

import type { EditOperation } from '../../edit/edit-operation.ts';
import type { FileEdits } from '../../edit/file-edits.ts';
import type { PreparedEdits, PreparedFile } from '../../edit/prepare-edits.ts';
import type { FileRequest } from '../../edit/targets.ts';
import type { Pace } from '../../io/pace.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { DiskPath } from '../../model/names.ts';
import type { OperationResult } from '../../operation/operation.ts';
import { assertNotFrozen } from '../../store/state/frozen.ts';
import type { Context } from '../context.ts';
import type { Engine } from '../engine.ts';
import { frozenPathsIn } from '../frozen.ts';
import { makeRoom } from '../maintenance.ts';
import { readIfFound } from '../open.ts';
import { runAndAnnounce } from '../operate.ts';
import { shellCallOf } from '../shell-call.ts';
import type { WriteOperationContext } from '../write-context.ts';

/** Options of `edit`. */
export interface EditOptions extends CallOptions {
  /** The purpose of the edit. Default: the checkpoint lists the changes. */
  readonly message?: string;
}

/** The result of `edit`, file by file. */
export interface EditResult extends OperationResult {
  readonly files: readonly PreparedFile[];
}

export interface EditCalls {
  /**
   * Returns what an edit of many files would do, file by file. Changes nothing, needs no checkpoint, and does not wait
   * for the lock.
   * @returns the files after the edit, or all problems of the request
   */
  previewEdit(files: readonly FileEdits[], options?: CallOptions): Promise<PreparedEdits>;
  /**
   * Edits many files, all or none. It can be undone.
   * @throws SavepointError EDITS_REFUSED with all problems, CONFLICT if a file changes meanwhile, and what `checkpoint`
   *   and `restore` throw
   */
  edit(files: readonly FileEdits[], options?: EditOptions): Promise<EditResult>;
}

export function editCalls(engine: Engine): EditCalls {
  return {
    previewEdit: (given, options = {}) =>
      engine.mapErrors(async () => {
        const { prepareEdits } = await import('../../edit/prepare-edits.ts');
        const context = engine.context();
        const requests = await requestsOf(engine, given);
        assertMayEdit(engine, context, requests);
        return prepareEdits(engine.ports, context.root(), requests, engine.pace(options));
      }),
    edit: (files, options = {}) =>
      engine.once((once) => once.mapErrors(async () => edit(once, await requestsOf(once, files), options))),
  };
}

/**
 * Returns the operation that edits the files.
 * @param files as prepared before; absent: they are prepared now
 * @throws SavepointError EDITS_REFUSED
 */
export async function editOperationIn(
  engine: Engine,
  { context, workspace, pace }: WriteOperationContext,
  requests: readonly FileRequest[],
  { message = null }: { readonly message?: string | null },
  files?: readonly PreparedFile[],
): Promise<EditOperation> {
  const { editOperation } = await import('../../edit/edit-operation.ts');
  const prepareAgain = (): Promise<readonly PreparedFile[]> => prepare(engine, workspace.root, requests, pace);
  const info = { actor: engine.actor, description: message, umask: engine.ports.umask() };
  const request = { files: files ?? (await prepareAgain()), prepareAgain };
  return editOperation(request, info, context.effectiveSettings(workspace.root).backups);
}

/** The files as edits would leave them. @throws SavepointError EDITS_REFUSED with all problems, PATH_REFUSED, USAGE */
export async function filesAfterEdits(
  engine: Engine,
  files: readonly FileEdits[],
  pace: Pace,
): Promise<readonly PreparedFile[]> {
  const context = engine.context();
  const requests = await requestsOf(engine, files);
  assertMayEdit(engine, context, requests);
  return prepare(engine, context.root(), requests, pace);
}

/** @throws SavepointError PATH_REFUSED, USAGE */
export async function requestsOf(engine: Engine, files: readonly FileEdits[]): Promise<readonly FileRequest[]> {
  const { fileRequestOf } = await import('../../edit/file-edits.ts');
  const place = { root: engine.context().root(), ports: engine.ports };
  return files.map((file) => fileRequestOf(place, file));
}

/**
 * Rejects edits of frozen paths. A user can force them, for each file separately.
 * @throws SavepointError
 */
export function assertMayEdit(engine: Engine, context: Context, requests: readonly FileRequest[]): void {
  const isByPerson =
    engine.actor.kind === 'user' &&
    (readIfFound(context, (workspace) => shellCallOf(engine, workspace) === null) ?? true);
  const isForced = ({ force }: FileRequest): boolean => force && isByPerson;
  assertNotFrozen(
    frozenPathsIn(context),
    requests.flatMap((request) => (isForced(request) ? [] : [request.path])),
  );
}

async function edit(engine: Engine, requests: readonly FileRequest[], options: EditOptions): Promise<EditResult> {
  const { targetsUnchanged } = await import('../../edit/prepare-edits.ts');
  const applyUnderLock = async (
    operating: WriteOperationContext,
    root: DiskPath,
    files: readonly PreparedFile[],
  ): Promise<EditResult> => {
    const { workspace } = operating;
    await makeRoom(operating, 'all');
    // The files may have changed while this call waited for the lock. The operation itself notices other contents, but
    // not that a path now leads elsewhere.
    const isCurrent = root === workspace.root && targetsUnchanged(engine.ports, root, requests, files);
    const operation = await editOperationIn(engine, operating, requests, options, isCurrent ? files : undefined);
    const force = requests.some((each) => each.force);
    const result = await runAndAnnounce(engine, operating, 'edit:completed', operation, { ...options, force });
    return { ...result, files: operation.files() };
  };
  return engine.mapErrors(async () => {
    const context = engine.context();
    assertMayEdit(engine, context, requests);
    // Most problems are found by preparing the edits now, before the lock is acquired and anything is captured.
    const root = context.root();
    const files = await prepare(engine, root, requests, engine.pace(options));
    return engine.operate(options, (operating) => applyUnderLock(operating, root, files), 'existing-or-new');
  });
}

/** @throws SavepointError EDITS_REFUSED with all problems */
async function prepare(
  engine: Engine,
  root: DiskPath,
  requests: readonly FileRequest[],
  pace: Pace,
): Promise<readonly PreparedFile[]> {
  const [{ editsRefusedError }, { prepareEdits }] = await Promise.all([
    import('../../edit/edits-refused.ts'),
    import('../../edit/prepare-edits.ts'),
  ]);
  const prepared = await prepareEdits(engine.ports, root, requests, pace);
  if (!prepared.ok) throw editsRefusedError(prepared.problems, requests.length);
  return prepared.files;
}
