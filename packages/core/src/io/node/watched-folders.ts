import { type DiskPath, diskParent } from '../../model/names.ts';

/** Which watch of the system stands for which folders. Two paths may have one watch: a folder can be mounted twice. */
export class WatchedFolders {
  readonly #watchOf = new Map<DiskPath, number>();
  readonly #pathsOf = new Map<number, DiskPath[]>();
  /** Every watched folder stands below its parent, and that one below its own, whether they are watched or not. */
  readonly #children = new Map<DiskPath, Set<DiskPath>>();

  get size(): number {
    return this.#watchOf.size;
  }

  has(path: DiskPath): boolean {
    return this.#watchOf.has(path);
  }

  /** Undefined for a watch that is not known. */
  pathsOf(watch: number): readonly DiskPath[] | undefined {
    return this.#pathsOf.get(watch);
  }

  /** @returns the watch that the path had before and that no other path has, if there is one: it is of no use any more */
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

  /** @returns the path itself, if it is watched, and all watched paths below it, those at the top first */
  within(path: DiskPath): readonly DiskPath[] {
    const found: DiskPath[] = [];
    const open = [path];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (this.#watchOf.has(next)) found.push(next);
      for (const child of this.#children.get(next) ?? []) open.push(child);
    }
    return found;
  }

  /** @returns its watch, if no other path has it: it is of no use any more */
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
