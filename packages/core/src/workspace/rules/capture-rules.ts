/** Decides what a snapshot skips because of its size or the kind of folder (docs/guarantees.md, "what is captured"). */

import type { Fs, Stat } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import { checkName, IGNORED_BY_HFS } from '../../io/safe-path.ts';
import type { CaptureRules } from '../../model/checkpoint.ts';
import type { Skip } from '../../model/entries.ts';
import {
  baseName,
  bytesFromText,
  type DiskPath,
  GIT_FOLDER,
  type Name,
  parentPath,
  type TreePath,
  textFromBytes,
} from '../../model/names.ts';
import { PathSet } from '../../model/path-set.ts';
import { dependencyFolder, hasCacheMark } from './built-in-folders.ts';

/** The plain folders that the option `roots` makes roots. */
export function chosenRoots({ roots }: CaptureRules): PathSet {
  if (roots === undefined || roots.length === 0) return PathSet.EMPTY;
  return new PathSet(
    roots.map((path) => bytesFromText(path.replace(/\/+$/, '')) as TreePath).filter((path) => path !== ''),
  );
}

export function refusedNameSkip(name: Name, platform: Ports['platform']): Skip | null {
  if (name === GIT_FOLDER) return { reason: 'repository' };
  return checkName(name, platform) === null ? null : { reason: 'name' };
}

/** `.gitmodules`, and the names that NTFS and HFS+ take for it. */
const GIT_MODULES = /^(?:\.gitmodules|gitmod~[1-4])[. ]*(?::|$)/i;

/** Git refuses a tree in which `.gitmodules` is a link: `git fsck` fails, and so does a clone. */
export function refusedLinkSkip(name: Name): Skip | null {
  const text = (textFromBytes(name) ?? name).replace(IGNORED_BY_HFS, '');
  return GIT_MODULES.test(text) ? { reason: 'name' } : null;
}

/** @param ignored an ignore rule covers the file, and its repository does not track it */
export function sizeSkip(
  name: Name,
  { size, mtimeMs }: Pick<Stat, 'size' | 'mtimeMs'>,
  ignored: boolean,
  rules: CaptureRules,
): Skip | null {
  const isIgnored = ignored && size > rules.maxIgnoredBytes && !name.startsWith('.env');
  if (size <= rules.maxFileBytes && !isIgnored) return null;
  return { reason: size > rules.maxFileBytes ? 'too-large' : 'ignored', size, modified: Math.floor(mtimeMs) };
}

/** @param names the names in the folder. Null if it was not listed: only its name and the rules then count */
export function dependencySkip(
  fs: Fs,
  path: TreePath,
  disk: DiskPath,
  names: readonly Name[] | null,
  ignored: boolean,
): Skip | null {
  if (path === '') return null;
  const above = parentPath(path);
  const parent = above === '' ? undefined : baseName(above);
  const hasMark = names !== null && hasCacheMark(fs, disk, names);
  const folder = dependencyFolder(baseName(path), { ignored, hasMark, parent });
  if (folder === null) return null;
  return { reason: folder === 'always' ? 'dependency-folder' : 'ignored' };
}
