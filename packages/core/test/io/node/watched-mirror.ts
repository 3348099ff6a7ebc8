import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { FolderWatch } from '../../../src/io/changes.ts';
import type { DiskPath } from '../../../src/model/names.ts';

/** The observed state of each entry below a folder, by path. Names have one byte per character. */
export type Tree = ReadonlyMap<string, string>;

/**
 * Returns everything about an entry that a change must affect. For a folder, leaves out what follows from its entries.
 */
function seenOf(path: string): { readonly seen: string; readonly folder: boolean } | null {
  const bytes = Buffer.from(path, 'latin1');
  try {
    const stat = lstatSync(bytes);
    const own = `${stat.ino} ${stat.mode.toString(8)}`;
    if (stat.isDirectory()) return { seen: own, folder: true };
    const target = stat.isSymbolicLink() ? readlinkSync(bytes) : '';
    return { seen: `${own} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${target}`, folder: false };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (['ENOENT', 'ENOTDIR'].includes(code)) return null;
    // Another process replaced a link between `lstat` and `readlink`.
    if (code === 'EINVAL') return seenOf(path);
    throw error;
  }
}

function list(path: string): readonly string[] {
  try {
    return readdirSync(Buffer.from(path, 'latin1'), 'latin1');
  } catch {
    return [];
  }
}

/** Reads the current tree with an independent walk. */
export function treeNow(root: string): Tree {
  const tree = new Map<string, string>();
  const open = [root];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const found = seenOf(path);
    if (found === null) continue;
    tree.set(path, found.seen);
    if (found.folder) for (const name of list(path)) open.push(`${path}/${name}`);
  }
  return tree;
}

/** A mirror of a tree that reads only what a watch reports, like a scan that trusts the watch. */
export class WatchedMirror {
  readonly tree = new Map<string, string>();
  /** Number of full scans because the watch lost events. */
  losses = 0;
  readonly #watch: FolderWatch;
  readonly #root: string;
  readonly #folders = new Map<string, Set<string>>();

  constructor(watch: FolderWatch, root: string) {
    this.#watch = watch;
    this.#root = root;
    this.#look(root);
  }

  update(): void {
    const changes = this.#watch.poll();
    if (changes.lost) {
      this.losses++;
      this.#drop(this.#root);
      this.#look(this.#root);
      return;
    }
    for (const folder of changes.folders) {
      this.#drop(folder);
      this.#look(folder);
    }
    for (const [folder, names] of changes.names) {
      for (const name of names) this.#lookAtName(folder, name);
    }
  }

  /** If the folder is still the same, its own watch reports its changes. */
  #lookAtName(folder: string, name: string): void {
    const path = `${folder}/${name}`;
    const found = seenOf(path);
    const known = this.tree.get(path);
    const sameFolder =
      found?.folder === true && this.#folders.has(path) && known?.split(' ')[0] === found.seen.split(' ')[0];
    if (sameFolder) this.tree.set(path, found.seen);
    else {
      this.#drop(path);
      this.#look(path);
    }
  }

  #look(path: string): void {
    const parent = path.slice(0, path.lastIndexOf('/'));
    if (path !== this.#root && !this.#folders.has(parent)) return;
    const found = seenOf(path);
    if (found === null) return;
    this.#folders.get(parent)?.add(path);
    this.tree.set(path, found.seen);
    if (!found.folder) return;
    // If it has just disappeared, its parent's watch reports it.
    if (!this.#watch.add(path as DiskPath)) return;
    this.#folders.set(path, new Set());
    for (const name of list(path)) this.#look(`${path}/${name}`);
  }

  #drop(path: string): void {
    for (const child of this.#folders.get(path) ?? []) this.#drop(child);
    this.#folders.delete(path);
    this.tree.delete(path);
    this.#folders.get(path.slice(0, path.lastIndexOf('/')))?.delete(path);
  }
}

/** Describes the differences between two trees for people. */
export function differences(mirror: Tree, now: Tree): readonly string[] {
  return [...new Set([...mirror.keys(), ...now.keys()])]
    .filter((path) => mirror.get(path) !== now.get(path))
    .map((path) => `${path}: mirror ${mirror.get(path) ?? 'nothing'}, disk ${now.get(path) ?? 'nothing'}`);
}

/** The value of a kernel parameter. */
export function setting(path: string): number {
  return Number(readFileSync(path, 'latin1'));
}
