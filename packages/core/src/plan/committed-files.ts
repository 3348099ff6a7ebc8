/** The files of a commit, by path. */

import type { GitObjects } from '../git/objects.ts';
import type { ObjectId } from '../model/ids.ts';
import { childPath, pathComponents, type TreePath } from '../model/names.ts';

export interface CommittedFile {
  readonly mode: number;
  readonly id: ObjectId;
}

export class CommittedFiles {
  readonly #folders = new Map<string, ReadonlyMap<string, CommittedFile>>();

  constructor(
    private readonly objects: GitObjects,
    /** The id of the tree. */
    private readonly tree: ObjectId,
  ) {}

  /** @returns null if there is none, or a folder */
  file(path: TreePath): CommittedFile | null {
    const found = this.#at(path);
    return found?.mode === FOLDER ? null : found;
  }

  /** The files below a path, if that is a folder. */
  *below(path: TreePath): Iterable<TreePath> {
    const found = this.#at(path);
    if (found?.mode !== FOLDER) return;
    for (const { name, mode } of this.objects.tree(found.id)) {
      const child = childPath(path, name);
      if (mode === FOLDER) yield* this.below(child);
      else yield child;
    }
  }

  #at(path: TreePath): CommittedFile | null {
    let at: CommittedFile | null = { mode: FOLDER, id: this.tree };
    for (const name of pathComponents(path)) {
      if (at === null || at.mode !== FOLDER) return null;
      at = this.#folder(at.id).get(name) ?? null;
    }
    return at;
  }

  #folder(id: string): ReadonlyMap<string, CommittedFile> {
    const found = this.#folders.get(id) ?? new Map(this.objects.tree(id).map((entry) => [entry.name, entry] as const));
    this.#folders.set(id, found);
    return found;
  }
}

const FOLDER = 0o40000;
