import { parentPath, type TreePath } from '../model/names.ts';

/** Paths that can be asked for themselves and for what lies above them. */
export class PathSet {
  readonly #paths: ReadonlySet<TreePath>;
  readonly #above = new Set<TreePath>();

  constructor(paths: Iterable<TreePath>) {
    this.#paths = new Set(paths);
    for (const path of this.#paths) {
      for (let at = path; at !== ''; ) {
        at = parentPath(at);
        if (this.#above.has(at)) break;
        this.#above.add(at);
      }
    }
  }

  static readonly EMPTY: PathSet = new PathSet([]);

  get size(): number {
    return this.#paths.size;
  }

  has(path: TreePath): boolean {
    return this.#paths.has(path);
  }

  /** The folder is in the set or holds something that is. */
  reaches(folder: TreePath): boolean {
    return this.#above.has(folder) || this.#paths.has(folder);
  }
}
