import type { ChangeSource, FolderWatch } from '../../../src/io/changes.ts';
import type { DiskPath } from '../../../src/model/names.ts';

/** A change source that lets the test act at a certain point of a scan, as another process might. */
export class InterruptedChanges implements ChangeSource {
  /** Number of times that changes were asked for. */
  polls = 0;
  #folder: string | null = null;
  #act: () => void = () => {};

  constructor(private readonly source: ChangeSource) {}

  /** Acts once, when the scan has begun to watch this folder and has not listed it yet. */
  onceWatched(folder: string, act: () => void): void {
    this.#folder = folder;
    this.#act = act;
  }

  watch(): FolderWatch | null {
    const watch = this.source.watch();
    if (watch === null) return null;
    return {
      add: (folder) => {
        const isWatched = watch.add(folder);
        this.#interrupt(folder);
        return isWatched;
      },
      remove: (folder) => watch.remove(folder),
      poll: () => {
        this.polls += 1;
        return watch.poll();
      },
      close: () => watch.close(),
    };
  }

  #interrupt(folder: DiskPath): void {
    if (folder !== this.#folder) return;
    this.#folder = null;
    this.#act();
  }
}
