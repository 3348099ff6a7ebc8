import { parentPath, type TreePath } from './names.ts';

/** Paths that stand for all below them, and that can be asked for what lies above them. */
export class PathSet {
  readonly #paths: ReadonlySet<TreePath>;
  readonly #ancestors = new Set<TreePath>();

  constructor(paths: Iterable<TreePath>) {
    this.#paths = new Set(paths);
    for (const path of this.#paths) {
      for (let at = path; at !== ''; ) {
        at = parentPath(at);
        if (this.#ancestors.has(at)) break;
        this.#ancestors.add(at);
      }
    }
  }

  static readonly EMPTY: PathSet = new PathSet([]);

  get paths(): readonly TreePath[] {
    return [...this.#paths];
  }

  get size(): number {
    return this.#paths.size;
  }

  has(path: TreePath): boolean {
    return this.#paths.has(path);
  }

  /** The folder, or something in it, is in the set. */
  hasAtOrBelow(folder: TreePath): boolean {
    return this.#paths.has(folder) || this.#ancestors.has(folder);
  }

  /** The path, or a folder above it, is in the set. */
  covers(path: TreePath): boolean {
    if (this.#paths.size === 0) return false;
    for (let at = path; at !== ''; at = parentPath(at)) if (this.#paths.has(at)) return true;
    return false;
  }

  /** The set covers the folder or something in it. */
  overlaps(folder: TreePath): boolean {
    return this.#ancestors.has(folder) || this.covers(folder);
  }
}
