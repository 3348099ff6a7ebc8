import { parentPath, type TreePath } from '../model/names.ts';
import type { CodeTree } from './language.ts';

/** The folders of some files, which are listed when they are needed. */
export class Folders {
  #files: ReadonlyMap<TreePath, string> | null;
  readonly #paths = new Set<string>(['']);

  constructor(files: ReadonlyMap<TreePath, string>) {
    this.#files = files;
  }

  has(path: TreePath): boolean {
    if (this.#files !== null) {
      for (const file of this.#files.keys()) this.#add(parentPath(file));
      this.#files = null;
    }
    return this.#paths.has(path);
  }

  #add(folder: TreePath): void {
    for (let at = folder; !this.#paths.has(at); at = parentPath(at)) this.#paths.add(at);
  }
}

/**
 * Makes a tree of the files of a state.
 * @param files all files, with what identifies their contents
 * @param read returns the contents of one of them; null: they cannot be read
 */
export function codeTree(
  files: ReadonlyMap<TreePath, string>,
  read: (path: TreePath) => Uint8Array | null,
  folders: Folders = new Folders(files),
): CodeTree {
  return {
    files,
    hasFolder: (path) => folders.has(path),
    read: (path) => (files.has(path) ? read(path) : null),
  };
}
