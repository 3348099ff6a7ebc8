/** Finds the files of a folder tree that have several names in it. */

import type { ListedStat } from '../../io/fs.ts';
import type { TreePath } from '../../model/names.ts';

export class HardLinks {
  readonly #first = new Map<string, TreePath>();
  /** The inodes of files that have been copied, of those that may have more names. */
  readonly #copied = new Map<TreePath, number>();
  readonly #seconds: { readonly path: TreePath; readonly first: TreePath; readonly ino: number }[] = [];

  /** Whether it is a file that was found before. If it is not, the caller copies it. */
  isAgain(path: TreePath, { dev, ino, nlink, ctimeMs }: ListedStat): boolean {
    if (nlink < 2) return false;
    // With the time of its last change, so that a file with the number of a removed one is not taken for the same.
    const key = `${dev}:${ino}:${ctimeMs}`;
    const first = this.#first.get(key);
    if (first === undefined) this.#first.set(key, path);
    else this.#seconds.push({ path, first, ino });
    return first !== undefined;
  }

  /** @param ino of what was found at the path when it was copied */
  markCopied(path: TreePath, { nlink }: Pick<ListedStat, 'nlink'>, ino: number): void {
    if (nlink > 1) this.#copied.set(path, ino);
  }

  /** The names of files that were found before. `first` is null if something else was copied from there. */
  seconds(): readonly { readonly path: TreePath; readonly first: TreePath | null }[] {
    return this.#seconds.map(({ path, first, ino }) => ({
      path,
      first: this.#copied.get(first) === ino ? first : null,
    }));
  }
}
