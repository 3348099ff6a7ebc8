/** Makes copies of a workspace for the calls that work in them. */

import type { CopyPurpose, CopyRung } from '../copy/copy.ts';
import { type MadeCopy, makeCopy } from '../copy/open-copy.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import { capture } from '../timeline/capture/capture.ts';
import { checkpointInfo } from '../timeline/capture/compose.ts';
import { copiedBytes } from './copy-list.ts';
import type { Engine } from './engine.ts';
import { makeRoom, storeBytes } from './maintenance.ts';
import { servedCallInfo } from './served-call.ts';
import type { WriteContext } from './write-context.ts';

const MB = 1024 * 1024;

export interface CopyOptions extends CallOptions {
  readonly purpose: CopyPurpose;
  /** The name of a checkpoint whose state the copy gets. Default: the folder as it is now. */
  readonly at?: string;
  readonly name?: string;
  readonly rungs?: readonly CopyRung[];
  readonly isLong?: boolean;
}

/** A copy with the checkpoints that it is compared with. */
export interface WorkspaceCopy extends MadeCopy {
  /** What the copy contained at first: its changes are relative to this. */
  readonly base: Checkpoint;
}

/** Captures the workspace as it is now, then makes a copy of it or of a checkpoint. */
export async function makeWorkspaceCopy(engine: Engine, options: CopyOptions): Promise<WorkspaceCopy> {
  return engine.operate(
    options,
    async (operating) => {
      const { context, workspace, lock, pace } = operating;
      await makeRoom(operating, 'all');
      const info = { ...checkpointInfo('before', engine.actor), ...servedCallInfo(engine, workspace, options) };
      const { checkpoint: now } = await capture(workspace, lock, pace, info, { always: false });
      const target = options.at === undefined ? now : engine.resolve(workspace, options.at);
      const made = await makeCopy(
        {
          workspace,
          home: context.places.home,
          purpose: options.purpose,
          now,
          base: target,
          state: target.snapshot,
          name: options.name ?? null,
          ...(options.rungs === undefined ? {} : { rungs: options.rungs }),
          ...(options.isLong === undefined ? {} : { isLong: options.isLong }),
        },
        pace,
      );
      await assertWithinLimit(operating, made);
      return { ...made, base: target };
    },
    'existing-or-new',
  );
}

/** Copies count towards the size limit of the store, but no checkpoint is dropped for them: the new copy is. */
async function assertWithinLimit({ context, workspace }: WriteContext, { copy }: MadeCopy): Promise<void> {
  const limit = context.effectiveSettings(workspace.root).retention.maxStoreBytes;
  if (limit === null) return;
  const { ports, id, timeline } = workspace;
  const bytes = storeBytes(workspace, 'all') + copiedBytes(ports, context.places.home, id);
  if (bytes <= limit) return;
  await copy.drop();
  throw new SavepointError(
    'STORE_FULL',
    `With this copy, the store and its copies have ${Math.ceil(bytes / MB)} MB. The limit is ${Math.floor(limit / MB)} MB.`,
    { bytes, limit, pinned: timeline.pinned().size },
    { hint: 'Remove copies (`savepoint copies`), or raise `max_store_mb`.' },
  );
}
