/** The size limit that copies share with the store. */

import { bytesBelow, leastBytesOfCopy } from '../../copy/sizes.ts';
import type { Ports } from '../../io/ports.ts';
import { SavepointError } from '../../model/errors.ts';
import type { CopyId, WorkspaceId } from '../../model/ids.ts';
import type { DiskPath } from '../../model/names.ts';
import { storeBytes } from '../maintenance.ts';
import type { WriteContext } from '../write-context.ts';
import { copiesOf, sizeOf } from './copy-list.ts';

const MB = 1024 * 1024;

/** Copies count towards the size limit of the store, but no checkpoint is dropped for them: the new ones are, by the caller. */
export function assertCopiesFit({ context, workspace }: WriteContext, made: ReadonlySet<CopyId>): void {
  const limit = context.effectiveSettings(workspace.root).retention.maxStoreBytes;
  if (limit === null) return;
  const { ports, id, timeline } = workspace;
  const bytes = storeBytes(workspace, 'all') + copiedBytes(ports, context.places.home, id, made);
  if (bytes <= limit) return;
  throw new SavepointError(
    'STORE_FULL',
    `With what is new, the store and its copies have ${Math.ceil(bytes / MB)} MB. The limit is ${Math.floor(limit / MB)} MB.`,
    { bytes, limit, pinned: timeline.pinned().size },
    { hint: 'Remove copies (`savepoint copies`, `savepoint fork clean`), or raise `max_store_mb`.' },
  );
}

/** What the copies of a workspace take. @param made those just made: nothing was written in them since */
function copiedBytes(ports: Ports, home: DiskPath, workspace: WorkspaceId, made: ReadonlySet<CopyId>): number {
  const records = copiesOf(ports, home, workspace).map(({ record }) => record);
  const own = records.map((one) => (made.has(one.id) ? leastBytesOfCopy(ports.fs, one) : (sizeOf(ports, one) ?? 0)));
  return own.reduce((sum, bytes) => sum + bytes, 0) + bytesBelow(records);
}
