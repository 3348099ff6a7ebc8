import { type DiskPath, diskParent } from '../../model/names.ts';

/** Maps watches of the system to folders. Two paths may share a watch, because a folder can be mounted twice. */
export class WatchedFolders {
  readonly #watchOf = new Map<DiskPath, number>();
  readonly #pathsOf = new Map<number, DiskPath[]>();
  /** Links every watched folder to its parent, and that to its own parent, whether or not they are watched. */
  readonly #children = new Map<DiskPath, Set<DiskPath>>();

  get size(): number {
    return this.#watchOf.size;
  }

  has(path: DiskPath): boolean {
    return this.#watchOf.has(path);
  }

  /** Returns undefined for an unknown watch. */
  pathsOf(watch: number): readonly DiskPath[] | undefined {
    return this.#pathsOf.get(watch);
  }

  /** @returns the previous watch of the path if no other path uses it, so that it can be removed; otherwise null */
  add(path: DiskPath, watch: number): number | null {
    const before = this.#watchOf.get(path);
    if (before === watch) return null;
    const unusedWatch = before === undefined ? null : this.#removePath(path, before);
    this.#watchOf.set(path, watch);
    const paths = this.#pathsOf.get(watch);
    if (paths === undefined) this.#pathsOf.set(watch, [path]);
    else paths.push(path);
    this.#linkToParents(path);
    return unusedWatch;
  }

  /** @returns the path, if it is watched, and all watched paths below it; parents come before their children */
  within(path: DiskPath): readonly DiskPath[] {
    const found: DiskPath[] = [];
    const open = [path];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (this.#watchOf.has(next)) found.push(next);
      for (const child of this.#children.get(next) ?? []) open.push(child);
    }
    return found;
  }

  /** @returns the watch of the path if no other path uses it, so that it can be removed; otherwise null */
  remove(path: DiskPath): number | null {
    const watch = this.#watchOf.get(path);
    if (watch === undefined) return null;
    this.#watchOf.delete(path);
    this.#unlinkFromParents(path);
    return this.#removePath(path, watch);
  }

  clear(): void {
    this.#watchOf.clear();
    this.#pathsOf.clear();
    this.#children.clear();
  }

  #removePath(path: DiskPath, watch: number): number | null {
    const rest = (this.#pathsOf.get(watch) ?? []).filter((other) => other !== path);
    if (rest.length > 0) {
      this.#pathsOf.set(watch, rest);
      return null;
    }
    this.#pathsOf.delete(watch);
    return watch;
  }

  #linkToParents(path: DiskPath): void {
    for (let child = path; ; ) {
      const parent = diskParent(child);
      if (parent === null) return;
      const siblings = this.#children.get(parent);
      if (siblings !== undefined) {
        siblings.add(child);
        return;
      }
      this.#children.set(parent, new Set([child]));
      child = parent;
    }
  }

  #unlinkFromParents(path: DiskPath): void {
    for (let child = path; !this.#watchOf.has(child) && !this.#children.has(child); ) {
      const parent = diskParent(child);
      const siblings = parent === null ? undefined : this.#children.get(parent);
      if (parent === null || siblings === undefined) return;
      siblings.delete(child);
      if (siblings.size > 0) return;
      this.#children.delete(parent);
      child = parent;
    }
  }
}
