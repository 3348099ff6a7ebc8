/** Plain copies of the files that an operation replaces or removes, and errors that name them. */

import { diskState, matchesEntry } from '../io/disk-state.ts';
import { type Fs, FsError } from '../io/fs.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Entry } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, diskChild, nameToJson } from '../model/names.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { type BackupLocation, saveBackups, saveBackupsBeside } from '../transaction/backups.ts';
import type { BackupFile } from '../transaction/late-writes.ts';
import type { ChangeSet } from './change-set.ts';

export async function saveOperationBackups(
  { ports, store, root }: Workspace,
  before: Checkpoint,
  plan: ChangeSet,
  place: BackupLocation,
  objects: ObjectReader,
): Promise<readonly BackupFile[]> {
  const name = `${before.id}-${ports.random.hex(4)}`;
  const input = { ports, layout: store.layout, root, objects, name, transitions: plan.paths };
  return place === 'store' ? saveBackups(input) : saveBackupsBeside(input);
}

/** Lists the state of each path in a PENDING error, so that a user can repair the files with the backups alone. */
export function withBackupPaths(
  error: unknown,
  { ports, root }: Workspace,
  plan: ChangeSet,
  backups: readonly BackupFile[],
): unknown {
  if (!(error instanceof SavepointError) || error.code !== 'PENDING' || backups.length === 0) return error;
  const copies = new Map(backups.map(({ path, backup }) => [path, nameToJson(backup)]));
  const paths = plan.paths.map(({ path, from }) => {
    const backup = copies.get(path);
    const state = stateOf(ports.fs, diskChild(root, path), from);
    return { path: nameToJson(path), state, ...(backup === undefined ? {} : { backup }) };
  });
  return new SavepointError(
    error.code,
    error.message,
    { ...error.data, paths },
    { hint: error.hint, cause: error.cause },
  );
}

function stateOf(fs: Fs, disk: DiskPath, from: Entry | null): 'restored' | 'not restored' | 'not known' {
  try {
    return matchesEntry(diskState(fs, disk), from) ? 'restored' : 'not restored';
  } catch (error) {
    if (error instanceof FsError) return 'not known';
    throw error;
  }
}
