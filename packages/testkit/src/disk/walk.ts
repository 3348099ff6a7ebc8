import type { DiskPath } from '@savepoint/core';
import type { FsError } from '@savepoint/core/ports';
import type { Ino, Inode, InodeEntry, Inodes } from './inodes.ts';

const MAX_NAME_LENGTH = 255;
const MAX_PATH_LENGTH = 4095;
const MAX_LINKS = 40;
const HANDLE = /^\/proc\/self\/fd\/(\d+)(?=\/|$)/;

/** The result of a path lookup by Linux rules. */
export interface WalkResult {
  /** The folder that contains the last component. */
  readonly parent: Ino;
  /** The last component. Null if the path ends in `/`, `.`, `..` or a handle, and so refers to a folder itself. */
  readonly name: string | null;
  readonly entry: InodeEntry | null;
  /** The inode at the path; null if none exists. */
  readonly inode: Inode | null;
  /** The path with its links resolved, up to and including the last component. */
  readonly resolved: string;
}

export interface WalkContext {
  readonly inodes: Inodes;
  readonly root: Ino;
  readonly key: (name: string) => string;
  /** Returns the folder that a handle refers to, or undefined. */
  readonly handle: (fd: number) => Ino | undefined;
  readonly fail: (code: string, path: DiskPath) => FsError;
}

interface WalkStep {
  readonly ino: Ino;
  readonly name: string;
}

/**
 * Looks a path up, following links in all components but the last.
 *
 * @param followLast also follow a link in the last component, like realpath
 */
export function walk(context: WalkContext, path: DiskPath, followLast = false): WalkResult {
  const { inodes, fail } = context;
  if (path === '') throw fail('ENOENT', path);
  if (path.includes('\0')) throw fail('EINVAL', path);
  if (path.length > MAX_PATH_LENGTH) throw fail('ENAMETOOLONG', path);
  if (!path.startsWith('/')) throw fail('ENOENT', path);
  const [steps, rest] = startOf(context, path);
  let todo = componentsOf(rest);
  let links = 0;
  for (let at = 0; ; at++) {
    const component = todo[at];
    const top = steps.at(-1)!;
    const here = inodes.get(top.ino);
    if (component === undefined) {
      return { parent: top.ino, name: null, entry: null, inode: here, resolved: pathOf(steps) };
    }
    if (here.kind !== 'folder') throw fail('ENOTDIR', path);
    const last = at === todo.length - 1;
    if (component === '.') continue;
    if (component === '..') {
      goUp(context, steps);
      continue;
    }
    if (component.length > MAX_NAME_LENGTH) throw fail('ENAMETOOLONG', path);
    const entry = here.entries.get(context.key(component)) ?? null;
    if (entry === null) {
      if (!last) throw fail('ENOENT', path);
      return { parent: top.ino, name: component, entry, inode: null, resolved: pathOf(steps, component) };
    }
    const inode = inodes.get(entry.ino);
    if (inode.kind === 'link' && (!last || followLast)) {
      if (++links > MAX_LINKS) throw fail('ELOOP', path);
      if (inode.target.startsWith('/')) steps.splice(0, steps.length, { ino: context.root, name: '' });
      todo = [...componentsOf(inode.target), ...todo.slice(at + 1)];
      at = -1;
      continue;
    }
    if (last) {
      return { parent: top.ino, name: component, entry, inode, resolved: pathOf(steps, entry.name) };
    }
    steps.push({ ino: entry.ino, name: entry.name });
  }
}

/** A trailing slash means the folder itself, as if the path ended in `.`. */
function componentsOf(path: string): string[] {
  const components = path.split('/').filter((component) => component !== '');
  if (path.endsWith('/') && components.length > 0) components.push('.');
  return components;
}

function startOf(context: WalkContext, path: DiskPath): [WalkStep[], string] {
  const match = HANDLE.exec(path);
  if (match === null) return [[{ ino: context.root, name: '' }], path];
  const ino = context.handle(Number(match[1]));
  if (ino === undefined) throw context.fail('ENOENT', path);
  return [[{ ino, name: pathOfFolder(context, ino) }], path.slice(match[0].length)];
}

function goUp(context: WalkContext, steps: WalkStep[]): void {
  if (steps.length > 1) {
    steps.pop();
    return;
  }
  const [{ ino }] = steps as [WalkStep];
  if (ino === context.root) return;
  const parent = parentOf(context, ino)?.parent ?? context.root;
  steps[0] = { ino: parent, name: pathOfFolder(context, parent) };
}

function pathOf(steps: readonly WalkStep[], name: string | null = null): string {
  const folder = steps.map((step) => step.name).join('/');
  return name === null ? folder || '/' : `${folder}/${name}`;
}

/** The path of a folder as a prefix for further components: `''` for the root, otherwise an absolute path. */
function pathOfFolder(context: WalkContext, ino: Ino): string {
  let path = '';
  for (let at = ino; at !== context.root; ) {
    const found = parentOf(context, at);
    if (found === null) return `(removed)${path}`;
    path = `/${found.name}${path}`;
    at = found.parent;
  }
  return path;
}

function parentOf(context: WalkContext, ino: Ino): { readonly parent: Ino; readonly name: string } | null {
  for (const folder of context.inodes.folders()) {
    for (const entry of folder.entries.values()) if (entry.ino === ino) return { parent: folder.ino, name: entry.name };
  }
  return null;
}
