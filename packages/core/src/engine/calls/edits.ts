/** Calls that edit several files in one operation. */

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
import { runAndAnnounce } from '../operate.ts';
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
  previewEdit(requests: readonly FileRequest[], options?: CallOptions): Promise<PreparedEdits>;
  /**
   * Edits many files, all or none. It can be undone.
   * @throws SavepointError EDITS_REFUSED with all problems, CONFLICT if a file changes meanwhile, and what `checkpoint`
   *   and `restore` throw
   */
  edit(requests: readonly FileRequest[], options?: EditOptions): Promise<EditResult>;
}

export function editCalls(engine: Engine): EditCalls {
  return {
    previewEdit: (requests, options = {}) =>
      engine.mapErrors(async () => {
        const { prepareEdits } = await import('../../edit/prepare-edits.ts');
        const context = engine.context();
        assertMayEdit(engine, context, requests);
        return prepareEdits(engine.ports, context.root(), requests, engine.pace(options));
      }),
    edit: (requests, options = {}) => engine.once((once) => edit(once, requests, options)),
  };
}

async function edit(engine: Engine, requests: readonly FileRequest[], options: EditOptions): Promise<EditResult> {
  const [{ editOperation }, { editsRefusedError: editsRefused }, { targetsUnchanged: leadWhereTheyLed, prepareEdits }] =
    await Promise.all([
      import('../../edit/edit-operation.ts'),
      import('../../edit/edits-refused.ts'),
      import('../../edit/prepare-edits.ts'),
    ]);
  const prepare = async (root: DiskPath, pace: Pace): Promise<readonly PreparedFile[]> => {
    const prepared = await prepareEdits(engine.ports, root, requests, pace);
    if (!prepared.ok) throw editsRefused(prepared.problems, requests.length);
    return prepared.files;
  };
  const locked = async (
    operating: WriteOperationContext,
    root: DiskPath,
    seen: readonly PreparedFile[],
  ): Promise<EditResult> => {
    const { context, workspace, pace } = operating;
    await makeRoom(operating, 'all');
    const again = (): Promise<readonly PreparedFile[]> => prepare(workspace.root, pace);
    // Waiting for the lock may have taken long. The operation compares contents with its capture; names are checked
    // here.
    const isAsSeen = root === workspace.root && leadWhereTheyLed(engine.ports, root, requests, seen);
    const request = { files: isAsSeen ? seen : await again(), again };
    const info = { actor: engine.actor, description: options.message ?? null };
    const operation = editOperation(request, info, context.effectiveSettings(workspace.root).backups);
    const asked = { ...options, force: requests.some(({ force }) => force) };
    const result = await runAndAnnounce(engine, operating, 'edit:completed', operation, asked);
    return { ...result, files: operation.files() };
  };
  return engine.mapErrors(async () => {
    const context = engine.context();
    assertMayEdit(engine, context, requests);
    // First prepared without the lock and a capture. Most problems are found here, before anything has happened.
    const root = context.root();
    const seen = await prepare(root, engine.pace(options));
    return engine.operate(options, (operating) => locked(operating, root, seen), 'existing-or-new');
  });
}

/** A user can force the edit of a frozen file, for each file separately. */
function assertMayEdit({ actor }: Engine, context: Context, requests: readonly FileRequest[]): void {
  const isForced = ({ force }: FileRequest): boolean => force && actor.kind === 'user';
  assertNotFrozen(
    frozenPathsIn(context),
    requests.flatMap((request) => (isForced(request) ? [] : [request.path])),
  );
}
