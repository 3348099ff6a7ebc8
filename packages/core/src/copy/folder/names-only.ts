/** Makes a folder that has the names of a snapshot, and none of its contents. */

import type { Fs } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import type { Snapshot } from '../../model/entries.ts';
import { type DiskPath, onDisk, WORKSPACE_ITSELF } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { differences } from '../../timeline/diff/snapshot-diff.ts';

export interface NamesOnlyRequest {
  readonly fs: Fs;
  readonly objects: ObjectReader;
  readonly snapshot: Snapshot;
  /** Must not exist. Its parent folder must be private. */
  readonly files: DiskPath;
}

/** Files and links become empty files without permissions. */
export async function makeNamesOnly({ fs, objects, snapshot, files }: NamesOnlyRequest, pace: Pace): Promise<void> {
  fs.makeFolder(files, 0o700);
  for (const { path, after } of differences(objects, null, snapshot)) {
    if (pace.isDue()) await pace.yieldNow();
    if (after.entry === null || path === WORKSPACE_ITSELF) continue;
    const at = onDisk(files, path);
    if (after.entry.kind === 'folder') fs.makeFolder(at, 0o700);
    else fs.close(fs.openNew(at, 0o000));
  }
}
