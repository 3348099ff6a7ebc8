/** Bytes that belong to nobody's plan: kept as plain files under the store, for a person to copy back with no tool. */

import { durableWrite, readWhole, syncFolder } from '../io/durable-write.ts';
import type { Fs } from '../io/fs.ts';
import { removeTree } from '../io/remove-tree.ts';
import type { TransactionId } from '../model/ids.ts';
import { type DiskPath, lastName, parentPath, type TreePath } from '../model/names.ts';
import type { StoreLayout } from '../store/layout.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import type { Checked } from './apply.ts';
import { diskState, holds } from './disk-state.ts';
import { asideFile, type Site } from './site.ts';
import { isLeaf, onlyMode } from './steps.ts';
import type { Journal, Transition } from './transition.ts';

export interface KeptFile {
  readonly path: TreePath;
  /** Where its bytes are. */
  readonly backup: DiskPath;
}

const KEPT_BYTES = 2 ** 31;
/** Of the name, bytes: what is put before it and behind it must fit, too. */
const LONGEST_PART = 180;

/**
 * Set-aside files that someone wrote to after they were looked at, through a handle that was open: nobody finds those
 * bytes by name any more, so they are copied before the file goes.
 * @param checked what each looked like when it was checked; a file that is not in it is told by its content
 */
export function keepLateWrites(
  fs: Fs,
  layout: StoreLayout,
  journal: Journal,
  site: Site,
  checked: Checked,
): readonly KeptFile[] {
  const kept: KeptFile[] = [];
  for (const [slot, { path, from }] of journal.transitions.entries()) {
    if (!isLeaf(from) || from.kind !== 'file') continue;
    const aside = asideFile(site, slot);
    const stat = fs.lstat(aside);
    if (stat === null) continue;
    if (checked.get(slot) === `${stat.size} ${stat.mtimeMs} ${stat.ino}`) continue;
    if (holds(diskState(fs, aside), from)) continue;
    kept.push({ path, backup: copyAway(fs, layout, journal.transaction, slot, path, aside) });
  }
  return kept;
}

/**
 * Plain copies of the files that a transaction replaces or removes, under their own names. Not flushed one by one: the
 * store has their bytes durably, and these are for a person without a tool.
 * @param name of their folder; nothing of that name is there
 */
export async function saveBackups(
  fs: Fs,
  layout: StoreLayout,
  name: string,
  objects: ObjectReader,
  transitions: readonly Transition[],
): Promise<readonly KeptFile[]> {
  const kept: KeptFile[] = [];
  const made = new Set<string>();
  const folderFor = (path: TreePath): string => {
    const folder = path === '' ? `${layout.backups}/${name}` : `${folderFor(parentPath(path))}/${lastName(path)}`;
    if (!made.has(folder)) fs.makeFolder(folder as DiskPath, 0o700);
    made.add(folder);
    return folder;
  };
  for (const { path, from, to } of transitions) {
    if (from?.kind !== 'file' || onlyMode(from, to)) continue;
    const backup = `${folderFor(parentPath(path))}/${lastName(path)}` as DiskPath;
    const file = fs.openNew(backup, 0o600);
    try {
      let at = 0;
      await objects.copyBlob(from.id, (chunk) => {
        fs.write(file, chunk, at);
        at += chunk.length;
      });
    } finally {
      fs.close(file);
    }
    kept.push({ path, backup });
  }
  return kept;
}

/** Removes the backups of acts that began at a checkpoint which is gone. @param isKept tells by its number */
export function dropBackups(fs: Fs, layout: StoreLayout, isKept: (checkpoint: number) => boolean): void {
  for (const name of fs.list(layout.backups)) {
    const number = /^cp_(\d+)-[0-9a-f]+$/.exec(name)?.[1];
    if (number !== undefined && !isKept(Number(number))) removeTree(fs, `${layout.backups}/${name}` as DiskPath);
  }
}

/** Copies a file of someone else's, of any kind of content, into the transaction's backup folder. */
export function copyAway(
  fs: Fs,
  layout: StoreLayout,
  transaction: TransactionId,
  slot: number,
  path: TreePath,
  from: DiskPath,
): DiskPath {
  const folder = `${layout.backups}/${transaction}` as DiskPath;
  if (fs.lstat(folder) === null) {
    fs.makeFolder(folder, 0o700);
    syncFolder(fs, layout.backups);
  }
  // The slot keeps equal names of different folders apart.
  const backup = `${folder}/${slot}-${lastName(path).slice(0, LONGEST_PART)}` as DiskPath;
  durableWrite(fs, backup, readWhole(fs, from, KEPT_BYTES), 0o600);
  return backup;
}
