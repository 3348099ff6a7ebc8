import type { DiskPath } from '@savepoint/core';
import type { ChangeSource, FolderChanges, FolderWatch, Name } from '@savepoint/core/ports';

/**
 * A change source that the test controls. Each watch has its own folders, and each change is reported to all watches.
 */
export class ScriptedChanges implements ChangeSource {
  /** Folders that cannot be watched. */
  readonly refused = new Set<DiskPath>();
  readonly #watches = new Set<ScriptedWatch>();

  watch(): FolderWatch {
    const watch = new ScriptedWatch(this.refused, () => this.#watches.delete(watch));
    this.#watches.add(watch);
    return watch;
  }

  /** All folders that are being watched. */
  get watched(): ReadonlySet<DiskPath> {
    return new Set([...this.#watches].flatMap((watch) => [...watch.folders]));
  }

  /** Reports changes at these names. */
  change(folder: DiskPath, ...names: readonly string[]): void {
    for (const watch of this.#watches) watch.change(folder, names);
  }

  /** Reports that the folder itself was removed, moved or replaced. */
  replace(folder: DiskPath): void {
    for (const watch of this.#watches) watch.replace(folder);
  }

  lose(why: string): void {
    for (const watch of this.#watches) watch.lose(why);
  }
}

class ScriptedWatch implements FolderWatch {
  readonly folders = new Set<DiskPath>();
  readonly #refused: ReadonlySet<DiskPath>;
  readonly #atClose: () => void;
  #names = new Map<DiskPath, Set<Name>>();
  #changedFolders = new Set<DiskPath>();
  #lost: string | null = null;
  #closed = false;

  constructor(refused: ReadonlySet<DiskPath>, atClose: () => void) {
    this.#refused = refused;
    this.#atClose = atClose;
  }

  add(folder: DiskPath): boolean {
    if (this.#closed || this.#lost !== null || this.#refused.has(folder)) return false;
    this.folders.add(folder);
    return true;
  }

  remove(folder: DiskPath): void {
    for (const path of [...this.folders]) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue;
      this.folders.delete(path);
      this.#names.delete(path);
      this.#changedFolders.delete(path);
    }
  }

  poll(): FolderChanges {
    if (this.#closed) return { lost: true, why: 'the watch was closed' };
    const why = this.#lost;
    const changes = { lost: false, names: this.#names, folders: this.#changedFolders } as const;
    this.#lost = null;
    this.#names = new Map();
    this.#changedFolders = new Set();
    return why === null ? changes : { lost: true, why };
  }

  close(): void {
    this.#closed = true;
    this.#atClose();
  }

  change(folder: DiskPath, names: readonly string[]): void {
    if (!this.folders.has(folder)) return;
    const known = this.#names.get(folder) ?? new Set();
    for (const name of names) known.add(name as Name);
    this.#names.set(folder, known);
  }

  replace(folder: DiskPath): void {
    const wasWatched = this.folders.has(folder);
    this.remove(folder);
    if (wasWatched) this.#changedFolders.add(folder);
  }

  lose(why: string): void {
    this.#lost = why;
    this.folders.clear();
  }
}
