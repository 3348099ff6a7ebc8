/**
 * Taking packs away whose objects are elsewhere, or dead. Invariants (R…):
 *
 * R1 The objects that are still wanted are durable in other packs before this begins.
 * R2 The pack is renamed aside, and the folder fsynced, before its index goes. A pack under its own name without an
 *    index is therefore never the work of a removal: it is one that lost its index, and is not touched.
 * R3 The pack that was set aside goes last, after the folder was fsynced again: as long as its index may still be
 *    there, the file set aside says that this index is left over (debris.ts finishes the removal).
 * R4 What git derived from its packs goes before them.
 */

import { syncFolder } from '../../../io/durable-write.ts';
import type { Fs } from '../../../io/fs.ts';
import { removeIfExists } from '../../../io/if-exists.ts';
import { type DiskPath, diskChild, withSuffix } from '../../../model/names.ts';
import type { ObjectFiles } from '../object-files.ts';
import type { PackFile } from './pack-file.ts';
import { COMPANION_EXTENSIONS, indexPathOf, removalName, stemOf } from './pack-names.ts';

const OF_ALL_PACKS = /^multi-pack-index/;

/** Removes the packs. They are gone for every reader when this returns; readers that had one open may go on. */
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

/** Everything that stands beside a pack, its index first. */
export function removeCompanions(fs: Fs, stem: DiskPath): void {
  removeIfExists(fs, indexPathOf(withSuffix(stem, '.pack')));
  for (const extension of COMPANION_EXTENSIONS) removeIfExists(fs, withSuffix(stem, `.${extension}`));
}

function removalPath(path: DiskPath): DiskPath {
  const cut = path.lastIndexOf('/') + 1;
  return `${path.slice(0, cut)}${removalName(path.slice(cut))}` as DiskPath;
}

/** git makes these anew; Savepoint uses none of them. */
function removeDerived({ fs, folder, packs }: ObjectFiles): void {
  for (const name of fs.list(packs.folder).sort()) {
    if (OF_ALL_PACKS.test(name)) fs.unlink(diskChild(packs.folder, name));
  }
  const graphs = diskChild(folder, 'objects/info/commit-graphs');
  removeIfExists(fs, diskChild(folder, 'objects/info/commit-graph'));
  if (fs.lstat(graphs) === null) return;
  // The chain file first: without it the others say nothing.
  removeIfExists(fs, diskChild(graphs, 'commit-graph-chain'));
  for (const name of fs.list(graphs).sort()) removeIfExists(fs, diskChild(graphs, name));
}
