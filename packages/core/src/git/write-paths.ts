/**
 * Finds links on the paths that git writes when it moves a branch. git follows such links, so a repository from elsewhere
 * could make a move write to files outside it.
 */

import { type Fs, kindOf } from '../io/fs.ts';
import { type DiskPath, diskChild, type TreePath } from '../model/names.ts';
import type { GitState } from './repository.ts';

/**
 * @param root the workspace's folder
 * @param path the repository's folder, relative to the workspace
 * @param refs full names of the refs that would move
 * @returns the first link found; null if there is none
 */
export function findLinkOnWritePath(
  fs: Fs,
  { root, path }: { readonly root: DiskPath; readonly path: TreePath },
  { gitDir, commonDir }: GitState,
  refs: readonly string[],
): DiskPath | null {
  const places: readonly (readonly [DiskPath, string])[] = [
    [root, path],
    [gitDir, 'index'],
    [gitDir, 'logs/HEAD'],
    [commonDir, 'packed-refs'],
    [commonDir, 'objects'],
    ...refs.flatMap((ref) => [[commonDir, ref] as const, [commonDir, `logs/${ref}`] as const]),
  ];
  for (const [folder, name] of places) {
    const link = findLink(fs, folder, name);
    if (link !== null) return link;
  }
  return null;
}

/**
 * Whether git could store these objects without following a link. Loose objects lie in folders of two hex digits.
 * @param packs whether it also writes packs
 */
export function findLinkOfObjects(
  fs: Fs,
  { commonDir }: GitState,
  ids: readonly string[],
  packs: boolean,
): DiskPath | null {
  const folders = new Set(ids.map((id) => `objects/${id.slice(0, 2)}`));
  if (packs) folders.add('objects/pack');
  for (const name of folders) {
    const link = findLink(fs, commonDir, name);
    if (link !== null) return link;
  }
  return null;
}

function findLink(fs: Fs, folder: DiskPath, name: string): DiskPath | null {
  let at = folder;
  for (const part of name.split('/').filter((one) => one !== '')) {
    at = diskChild(at, part);
    const stat = fs.lstat(at);
    if (stat === null) return null;
    if (kindOf(stat) === 'link') return at;
  }
  return null;
}
