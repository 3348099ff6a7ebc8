/**
 * Removes packs whose objects are dead, or also in other packs. Invariants (R…):
 *
 * R1 Objects that are still wanted are durable in other packs before the removal begins.
 * R2 The pack is renamed, and the folder fsynced, before its index is removed. So a pack with a normal name but no
 *    index never comes from a removal: it lost its index, and is not touched.
 * R3 The renamed pack is removed last, after another fsync of the folder. While the index may still exist, the renamed
 *    pack shows that this index is a leftover (debris.ts finishes the removal).
 * R4 Files that git derived from its packs are removed before the packs.
 */

import { syncFolder } from '../../../io/durable-write.ts';
import type { Fs } from '../../../io/fs.ts';
import { removeIfExists } from '../../../io/if-exists.ts';
import { type DiskPath, diskChild, withSuffix } from '../../../model/names.ts';
import type { ObjectFiles } from '../object-files.ts';
import type { PackFile } from './pack-file.ts';
import { COMPANION_EXTENSIONS, indexPathOf, removalName, stemOf } from './pack-names.ts';

const OF_ALL_PACKS = /^multi-pack-index/;

/** Removes the packs. On return, no reader finds them any more; readers that have one open may continue. */
export function removePacks(files: ObjectFiles, packs: readonly PackFile[]): void {
  if (packs.length === 0) return;
  const { fs } = files;
  const { folder } = files.packs;
  removeDerived(files); // R4
  for (const { path } of packs) {
    files.handles.close(path);
    fs.rename(path, removalPath(path));
  }
  syncFolder(fs, folder); // R2
  for (const { path } of packs) removeCompanions(fs, stemOf(path));
  syncFolder(fs, folder); // R3
  for (const { path } of packs) fs.unlink(removalPath(path));
}

/** Removes all files that belong to a pack, its index first. */
export function removeCompanions(fs: Fs, stem: DiskPath): void {
  removeIfExists(fs, indexPathOf(withSuffix(stem, '.pack')));
  for (const extension of COMPANION_EXTENSIONS) removeIfExists(fs, withSuffix(stem, `.${extension}`));
}

function removalPath(path: DiskPath): DiskPath {
  const cut = path.lastIndexOf('/') + 1;
  return `${path.slice(0, cut)}${removalName(path.slice(cut))}` as DiskPath;
}

/** git recreates these files; Savepoint uses none of them. */
function removeDerived({ fs, folder, packs }: ObjectFiles): void {
  for (const name of fs.list(packs.folder).sort()) {
    if (OF_ALL_PACKS.test(name)) fs.unlink(diskChild(packs.folder, name));
  }
  const graphs = diskChild(folder, 'objects/info/commit-graphs');
  removeIfExists(fs, diskChild(folder, 'objects/info/commit-graph'));
  if (fs.lstat(graphs) === null) return;
  // The chain file first: without it, git ignores the others.
  removeIfExists(fs, diskChild(graphs, 'commit-graph-chain'));
  for (const name of fs.list(graphs).sort()) removeIfExists(fs, diskChild(graphs, name));
}
