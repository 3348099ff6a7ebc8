/** Calls that edit many files at once. */

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
  /** What it is for; without it the checkpoint says what happened. */
  readonly message?: string;
}

/** What `edit` did, file by file. */
export interface EditResult extends OperationResult {
  readonly files: readonly PreparedFile[];
}

export interface EditCalls {
  /**
   * What an edit of many files would do, file by file. Changes nothing, needs no checkpoint, and waits for nobody.
   * @returns the files as they would be, or everything that is wrong with the request
   */
  previewEdit(requests: readonly FileRequest[], options?: CallOptions): Promise<PreparedEdits>;
  /**
   * Edits many files, all or none. It can be undone.
   * @throws SavepointError EDITS_REFUSED with everything that is wrong, CONFLICT when a file changes meanwhile, and what
   *   `checkpoint` and `restore` throw
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
    // The lock may have been long in coming. Contents are compared with what the operation captures; names are looked at here.
    const isAsSeen = root === workspace.root && leadWhereTheyLed(engine.ports, root, requests, seen);
    const request = { files: isAsSeen ? seen : await again(), again };
    const telling = { actor: engine.actor, description: options.message ?? null };
    const operation = editOperation(request, telling, context.effectiveSettings(workspace.root).backups);
    const asked = { ...options, force: requests.some(({ force }) => force) };
    const result = await runAndAnnounce(engine, operating, 'edit:completed', operation, asked);
    return { ...result, files: operation.files() };
  };
  return engine.mapErrors(async () => {
    const context = engine.context();
    assertMayEdit(engine, context, requests);
    // First without a lock and a capture: most of what is wrong is found here, and then nothing has happened at all.
    const root = context.root();
    const seen = await prepare(root, engine.pace(options));
    return engine.operate(options, (operating) => locked(operating, root, seen), 'existing-or-new');
  });
}

/** A person says with each file that it is to be edited even if it is frozen. */
function assertMayEdit({ actor }: Engine, context: Context, requests: readonly FileRequest[]): void {
  const isForced = ({ force }: FileRequest): boolean => force && actor.kind === 'user';
  assertNotFrozen(
    frozenPathsIn(context),
    requests.flatMap((request) => (isForced(request) ? [] : [request.path])),
  );
}
