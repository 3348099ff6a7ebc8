/** The attributes that git would apply to files of a repository: its own, and those of the user. */

import { Attributes } from '../git/attributes.ts';
import type { GitState } from '../git/repository.ts';
import type { Fs } from '../io/fs.ts';
import type { Places } from '../io/ports.ts';
import {
  type DiskPath,
  diskChild,
  foldersAbove,
  joinPaths,
  onDisk,
  type TreePath,
  WORKSPACE_ITSELF,
} from '../model/names.ts';

export interface AttributePlaces {
  /** The folder of the repository. */
  readonly folder: DiskPath;
  /** Attribute files of the user, for all repositories. */
  readonly user: readonly DiskPath[];
}

/** @param paths relative to the repository */
export function attributesOf(
  fs: Fs,
  { commonDir, config }: GitState,
  { folder, user }: AttributePlaces,
  paths: readonly TreePath[],
): Attributes {
  const attributes = new Attributes();
  for (const file of [...user, diskChild(commonDir, 'info/attributes')]) attributes.add(fs, file, WORKSPACE_ITSELF);
  if (config.has('core.attributesfile')) attributes.addUnknown();
  const folders = new Set<TreePath>([WORKSPACE_ITSELF]);
  for (const path of paths) for (const at of foldersAbove(path)) folders.add(at);
  for (const at of folders) attributes.add(fs, onDisk(folder, joinPaths(at, '.gitattributes' as TreePath)), at);
  return attributes;
}

/** @returns null: they cannot be known */
export function userAttributes({ gitAttributes }: Places, platform: string): readonly DiskPath[] | null {
  const found = gitAttributes === undefined ? [] : gitAttributes();
  // On Windows, no configuration is read.
  return found === null && platform === 'win32' ? [] : found;
}
