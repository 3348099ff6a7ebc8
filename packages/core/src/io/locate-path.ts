/**
 * Resolves paths that users and agents give: on the command line, in an edit, in an agent's event, in a tool's input.
 * All of them use this module, so that one path always names the same file. Callers decode the bytes of a path (an
 * argument, JSON). Paths meant to be outside a workspace, such as that of a bundle, are not resolved here.
 */

import { showName } from '../content/show-name.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, type JsonName, nameFromJson, onDisk, type TreePath, textFromBytes } from '../model/names.ts';
import { type Fs, isFsError, kindOf } from './fs.ts';
import type { Ports } from './ports.ts';
import { checkTreePath } from './safe-path.ts';

/** The workspace and folder that a path is resolved against. */
export interface PathContext {
  /** The workspace folder, with its links resolved. */
  readonly root: DiskPath;
  /** The folder that relative paths start from, as named by the caller. */
  readonly dir: DiskPath;
  /** The same folder relative to the workspace, with its links resolved; null if it is outside. */
  readonly folder: TreePath | null;
  readonly platform: Ports['platform'];
  readonly fs: Pick<Fs, 'lstat' | 'realpath'>;
}

/**
 * - `unclear`: the path is malformed, or its meaning is ambiguous
 * - `outside`: it is outside the workspace
 * - `name`: it is inside the workspace, but no checkpoint can contain that name
 */
export type PathProblem = 'unclear' | 'outside' | 'name';

export type LocatedPath =
  | { readonly kind: 'inside'; readonly path: TreePath }
  | { readonly kind: 'refused'; readonly problem: PathProblem; readonly why: string };

/** The file that a write to a path changes. */
export type WriteTarget =
  | { readonly kind: 'inside'; readonly path: TreePath }
  | { readonly kind: 'outside' }
  /** A link in the path, or at its end, cannot be resolved. */
  | { readonly kind: 'dangling'; readonly link: TreePath; readonly code: string }
  /** A parent is a file, not a folder. */
  | { readonly kind: 'no-folder' }
  | { readonly kind: 'no-workspace' };

/** The paths that a call declares to write. */
export interface DeclaredPaths {
  /** The given paths and the targets of their links, if they are inside the workspace. */
  readonly paths: readonly TreePath[];
  readonly refused: readonly { readonly given: JsonName; readonly problem: PathProblem; readonly why: string }[];
}

const UPS = /^(?:\.{1,2}(?:\/+|$))+/;
/** Also limits the work for one path. */
const MAX_PATH_LENGTH = 4_096;

/**
 * Converts a path to one relative to the workspace. Its own links are not followed, because checkpoints record names.
 *
 * - `..` at the start goes up from the caller's folder, whose own links are resolved. Further inside, it is resolved if it
 *   leaves a folder; after a link, or a name that is not there, its meaning is not sure, so it is refused.
 * - If the text of an absolute path is not below the workspace, the links of its parent folders are resolved.
 * - Drives, and backslashes as separators, are recognized only on Windows.
 */
export function locatePath(standpoint: PathContext, given: JsonName): LocatedPath {
  const { platform } = standpoint;
  const path = withoutInnerUps(standpoint, withForwardSlashes(nameFromJson(given), platform));
  const unclear = unclearReason(given, path, isAbsolute(path, platform));
  if (unclear !== null) return { kind: 'refused', problem: 'unclear', why: unclear };
  const inside = isAbsolute(path, platform) ? fromAbsolute(standpoint, path) : fromRelative(standpoint, path);
  if (inside === null) return { kind: 'refused', problem: 'outside', why: 'is outside the workspace' };
  const components = inside.split('/').filter((component) => component !== '' && component !== '.');
  const tree = components.join('/');
  const refusal = checkTreePath(tree, platform);
  if (refusal !== null) return { kind: 'refused', problem: 'name', why: `has a name that ${refusal.why}` };
  return { kind: 'inside', path: tree as TreePath };
}

/**
 * As `locatePath`, but throws if the path is refused.
 * @throws SavepointError PATH_REFUSED
 */
export function treePathOf(standpoint: PathContext, given: JsonName): TreePath {
  const located = locatePath(standpoint, given);
  if (located.kind === 'inside') return located.path;
  const shown = JSON.stringify(textFromBytes(nameFromJson(given)) ?? given);
  const { why, problem } = located;
  const message =
    problem === 'outside'
      ? `The path ${shown} ${why}.`
      : `The path ${showName(nameFromJson(given))} cannot be used: it ${why}.`;
  const hint = 'Nothing was changed. Use a path inside the workspace.';
  throw new SavepointError('PATH_REFUSED', message, { path: given, why }, problem === 'outside' ? { hint } : {});
}

/**
 * Returns the file that a write to the path changes.
 * @param last whether a link at the end is followed, too. Removal, or replacement by rename, affects the link itself.
 * @throws FsError
 */
export function followLinks(
  { fs, root }: Pick<PathContext, 'fs' | 'root'>,
  path: TreePath,
  last: 'followed' | 'itself',
): WriteTarget {
  const disk = onDisk(root, path);
  const stat = path === '' ? null : fs.lstat(disk);
  if (last === 'followed' && stat !== null && kindOf(stat) === 'link') return resolveLink(fs, root, path, '');
  const components = path.split('/');
  for (let count = components.length - 1; count >= 0; count--) {
    const above = components.slice(0, count).join('/') as TreePath;
    const rest = components.slice(count).join('/');
    const folder = fs.lstat(onDisk(root, above));
    if (folder === null && count === 0) return { kind: 'no-workspace' };
    if (folder === null) continue;
    return above === '' && kindOf(folder) === 'folder'
      ? { kind: 'inside', path: rest as TreePath }
      : resolveLink(fs, root, above, rest);
  }
  return { kind: 'no-workspace' };
}

/** Resolves the paths that a tool call names in its input to the paths that it writes. */
export function declaredPaths(standpoint: PathContext, given: readonly JsonName[]): DeclaredPaths {
  const paths = new Set<TreePath>();
  const refused: DeclaredPaths['refused'][number][] = [];
  for (const one of given) {
    const located = locatePath(standpoint, one);
    if (located.kind === 'refused') {
      refused.push({ given: one, problem: located.problem, why: located.why });
      continue;
    }
    const inside = writtenPaths(standpoint, located.path);
    for (const path of inside) paths.add(path);
    if (inside.length === 0) refused.push({ given: one, problem: 'outside', why: 'goes outside the workspace' });
  }
  return { paths: [...paths], refused };
}

/** Returns the context for another current folder in the same workspace. */
export function pathContextIn(standpoint: PathContext, dir: DiskPath): PathContext {
  const { fs, root, platform } = standpoint;
  const folder = pathBelow(
    root,
    withForwardSlashes(resolveExisting(fs, withForwardSlashes(dir, platform)), platform),
    platform,
  );
  return { ...standpoint, dir, folder: folder as TreePath | null };
}

/** A write through a link changes the link's target. A tool that replaces the file replaces the link. */
function writtenPaths(standpoint: PathContext, path: TreePath): readonly TreePath[] {
  if (path === '') return [path];
  try {
    const ends = (['itself', 'followed'] as const).map((last) => followLinks(standpoint, path, last));
    const inside = ends.flatMap((end) => (end.kind === 'inside' ? [end.path] : []));
    // If the link's target is not known yet, the given path is the best approximation.
    return inside.length === 0 && ends.every(({ kind }) => kind !== 'outside') ? [path] : inside;
  } catch (error) {
    if (!isFsError(error)) throw error;
    return [path];
  }
}

/** @returns the path as it is if a `..` in it cannot be resolved */
function withoutInnerUps({ dir, platform, fs }: PathContext, path: string): string {
  if (!path.includes('/..') || path.includes('\0') || path.length > MAX_PATH_LENGTH) return path;
  const isWhole = isAbsolute(path, platform);
  const ups = isWhole ? '' : (UPS.exec(path)?.[0] ?? '');
  const start = isWhole ? '' : `${withForwardSlashes(dir, platform)}/${ups}`;
  const kept: string[] = [];
  for (const component of path.slice(ups.length).split('/')) {
    if (component !== '..') kept.push(component);
    else if (!isFolder(fs, `${start}${kept.join('/')}`) || /^\.?$/.test(kept.pop() ?? '')) return path;
  }
  return `${ups}${kept.join('/')}` || '.';
}

function isFolder(fs: PathContext['fs'], path: string): boolean {
  try {
    const stat = fs.lstat(path as DiskPath);
    return stat !== null && kindOf(stat) === 'folder';
  } catch (error) {
    if (!isFsError(error)) throw error;
    return false;
  }
}

function unclearReason(given: JsonName, path: string, isWhole: boolean): string | null {
  if (typeof given === 'string' && /\p{Surrogate}/u.test(given)) return 'is not valid text';
  if (path === '') return 'is empty';
  if (path.includes('\0')) return 'has a name that contains a slash or a NUL';
  const inner = isWhole ? path : path.replace(UPS, '');
  if (inner.split('/').includes('..')) return 'goes up with ".."';
  return path.length > MAX_PATH_LENGTH ? 'has a name that is too long' : null;
}

function withForwardSlashes(path: string, platform: PathContext['platform']): string {
  return platform === 'win32' ? path.replaceAll('\\', '/') : path;
}

function isAbsolute(path: string, platform: PathContext['platform']): boolean {
  return path.startsWith('/') || (platform === 'win32' && /^[A-Za-z]:/.test(path));
}

function fromRelative(standpoint: PathContext, path: string): string | null {
  const { dir, folder, platform } = standpoint;
  // Outside the workspace, the meaning of `..` does not depend on links in the workspace.
  const above = (
    folder ?? withForwardSlashes(resolveExisting(standpoint.fs, withForwardSlashes(dir, platform)), platform)
  ).split('/');
  const stack = folder === '' ? [] : above;
  let rest = path;
  for (;;) {
    const up = /^\.\.(?:\/+|$)/.exec(rest);
    const here = up === null ? /^\.(?:\/+|$)/.exec(rest) : null;
    // The first part of an absolute path is the empty one before its first slash: there is nothing above it.
    if (up !== null && !stack.pop()) return null;
    if (up === null && here === null) break;
    rest = rest.slice((up ?? here)?.[0].length);
  }
  const fullPath = [...stack, ...(rest === '' ? [] : [rest])].join('/');
  return folder === null ? fromAbsolute(standpoint, fullPath) : fullPath;
}

function fromAbsolute({ root, folder, dir, platform, fs }: PathContext, path: string): string | null {
  const inRoot = pathBelow(root, path, platform);
  if (inRoot !== null) return inRoot;
  const inDir = folder === null ? null : pathBelow(dir, path, platform);
  if (inDir !== null) return [folder, inDir].filter((part) => part !== '').join('/');
  const cut = path.replace(/\/+$/, '').lastIndexOf('/');
  const parent = withForwardSlashes(resolveExisting(fs, path.slice(0, cut)), platform);
  const inParent = pathBelow(root, `${parent}/${path.slice(cut + 1)}`, platform);
  // The path of the workspace itself may go through a link.
  return (
    inParent ?? pathBelow(root, withForwardSlashes(resolveExisting(fs, path.replace(/\/+$/, '')), platform), platform)
  );
}

function pathBelow(folder: string, path: string, platform: PathContext['platform']): string | null {
  const base = withForwardSlashes(folder, platform).replace(/\/$/, '');
  if (path.replace(/\/+$/, '') === base) return '';
  return path.startsWith(`${base}/`) ? path.slice(base.length + 1).replace(/^\/+/, '') : null;
}

/** Resolves the nearest existing folder above, and appends the parts that do not exist yet. */
function resolveExisting(fs: PathContext['fs'], path: string): string {
  const parts = path.split('/');
  for (let count = parts.length; count > 1; count--) {
    try {
      const real = fs.realpath(parts.slice(0, count).join('/') as DiskPath).replace(/\/$/, '');
      return [real, ...parts.slice(count)].join('/');
    } catch (error) {
      if (!isFsError(error)) throw error;
    }
  }
  return path;
}

function resolveLink(fs: PathContext['fs'], root: DiskPath, link: TreePath, rest: string): WriteTarget {
  let real: DiskPath;
  try {
    real = fs.realpath(onDisk(root, link));
  } catch (error) {
    if (!isFsError(error)) throw error;
    return { kind: 'dangling', link, code: error.code };
  }
  if (rest !== '') {
    const stat = fs.lstat(real);
    if (stat === null || kindOf(stat) !== 'folder') return { kind: 'no-folder' };
  }
  const path = rest === '' ? real : `${real}/${rest}`;
  return path.startsWith(`${root}/`)
    ? { kind: 'inside', path: path.slice(root.length + 1) as TreePath }
    : { kind: 'outside' };
}
