import type { ChangeSource, FolderChanges, FolderWatch } from '../../../src/io/changes.ts';
import type { DiskPath } from '../../../src/model/names.ts';

/**
 * A change source that watches only a limited number of folders, like a system whose limit is reached. It counts what
 * happens.
 */
export class LimitedChanges implements ChangeSource {
  /** Folders that were not watched because of the limit. */
  refused = 0;
  /** Number of losses by reason. */
  readonly losses = new Map<string, number>();
  #latest: LimitedWatch | null = null;

  constructor(
    private readonly source: ChangeSource,
    private readonly most: number,
    /** Folders that cannot be watched at all. */
    private readonly never: (folder: DiskPath) => boolean = () => false,
  ) {}

  watch(): FolderWatch | null {
    const watch = this.source.watch();
    const isBeyond = (folder: DiskPath, watched: number): boolean => watched >= this.most || this.never(folder);
    this.#latest = watch === null ? null : new LimitedWatch(watch, isBeyond, this);
    return this.#latest;
  }

  /** Number of folders that the newest watch watches. */
  get watched(): number {
    return this.#latest?.folders.size ?? 0;
  }
}

class LimitedWatch implements FolderWatch {
  readonly folders = new Set<DiskPath>();

  constructor(
    private readonly watch: FolderWatch,
    private readonly isBeyond: (folder: DiskPath, watched: number) => boolean,
    private readonly counts: LimitedChanges,
  ) {}

  add(folder: DiskPath): boolean {
    const isRefused = !this.folders.has(folder) && this.isBeyond(folder, this.folders.size);
    if (isRefused) this.counts.refused += 1;
    const isWatched = !isRefused && this.watch.add(folder);
    if (isWatched) this.folders.add(folder);
    else this.folders.delete(folder);
    return isWatched;
  }

  remove(folder: DiskPath): void {
    this.watch.remove(folder);
    for (const path of [...this.folders]) if (isAtOrBelow(path, folder)) this.folders.delete(path);
  }

  poll(): FolderChanges {
    const changes = this.watch.poll();
    if (changes.lost) {
      this.counts.losses.set(changes.why, (this.counts.losses.get(changes.why) ?? 0) + 1);
      this.folders.clear();
    } else {
      // They may still be watched if only their modes changed, but that is not reported. Remove them, so that the count
      // is right.
      for (const folder of changes.folders) this.remove(folder);
    }
    return changes;
  }

  close(): void {
    this.watch.close();
  }
}

function isAtOrBelow(path: DiskPath, folder: DiskPath): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
