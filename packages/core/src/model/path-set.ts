import { baseName, type Name, parentPath, type TreePath } from './names.ts';

/** A set of paths, each of which includes everything below it. It can also be asked about folders above them. */
export class PathSet {
  readonly #paths: ReadonlySet<TreePath>;
  readonly #ancestors = new Set<TreePath>();
  /** Filled on first use. */
  #names: Map<TreePath, Set<Name>> | null = null;

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

  /** Returns the names in the folder that the set contains, or contains something below. */
  namesIn(folder: TreePath): Iterable<Name> {
    if (this.#names === null) {
      this.#names = new Map();
      for (const path of [...this.#paths, ...this.#ancestors]) {
        if (path === '') continue;
        const names = this.#names.get(parentPath(path)) ?? new Set();
        this.#names.set(parentPath(path), names.add(baseName(path)));
      }
    }
    return this.#names.get(folder) ?? [];
  }

  /** Returns true if the folder, or something below it, is in the set. */
  hasAtOrBelow(folder: TreePath): boolean {
    return this.#paths.has(folder) || this.#ancestors.has(folder);
  }

  /** Returns true if the path, or a folder above it, is in the set. */
  covers(path: TreePath): boolean {
    if (this.#paths.size === 0) return false;
    for (let at = path; at !== ''; at = parentPath(at)) if (this.#paths.has(at)) return true;
    return false;
  }

  /** Returns true if the set covers the folder, or contains something below it. */
  overlaps(folder: TreePath): boolean {
    return this.#ancestors.has(folder) || this.covers(folder);
  }
}
