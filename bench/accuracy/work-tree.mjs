// @ts-check
/** A folder with the code and the configuration of a commit's parent, and then with a part of the commit applied. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export class WorkTree {
  /** What is in the folder: paths with blob ids. @type {ReadonlyMap<string, string>} */
  #files = new Map();

  /**
   * @param {import('./trees.mjs').Trees} trees
   * @param {string} folder a folder that belongs to this object; it has to be empty
   */
  constructor(trees, folder) {
    this.trees = trees;
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** Makes the files those of a commit. @param {string} commit */
  reset(commit) {
    this.#become(this.trees.filesOf(commit));
  }

  /**
   * Takes the changes of a commit over to the files of its parent.
   * @param {string} commit
   * @param {readonly import('./commits.mjs').FileChange[]} changes
   */
  apply(commit, changes) {
    const after = this.trees.filesOf(commit);
    const files = new Map(this.#files);
    for (const { status, from } of changes) if (status === 'deleted' || status === 'renamed') files.delete(from);
    for (const { status, path } of changes) {
      const id = after.get(path);
      if (status !== 'deleted' && id !== undefined) files.set(path, id);
    }
    this.#become(files);
  }

  current() {
    return this.trees.treeOf(this.#files);
  }

  /** @param {ReadonlyMap<string, string>} files */
  #become(files) {
    const { read } = this.trees.treeOf(files);
    for (const path of this.#files.keys()) if (!files.has(path)) rmSync(join(this.folder, path), { force: true });
    for (const [path, id] of files) {
      if (this.#files.get(path) === id) continue;
      const contents = read(path);
      if (contents === null) continue;
      const file = join(this.folder, path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, contents);
    }
    this.#files = files;
  }
}
