import type { DiskPath, Name } from '../model/names.ts';

/** Tells what changed in watched folders. Whatever it cannot vouch for it calls lost; then only a scan tells. */
export interface ChangeSource {
  /** Null: nothing here can be trusted. */
  watch(): FolderWatch | null;
}

export interface FolderWatch {
  /**
   * From now on changes directly in this folder are told. To be called before the folder is listed.
   * @returns false where it cannot be watched: a limit, a file system that does not report, nothing there
   */
  add(folder: DiskPath): boolean;
  /** Also of all watched folders below it. */
  forget(folder: DiskPath): void;
  /** What changed since the last call: complete for everything that had happened when it was called. */
  take(): Changes;
  close(): void;
}

export type Changes =
  | { readonly lost: true; readonly why: string }
  | {
      readonly lost: false;
      /** Watched folders with the names in them at which something changed. */
      readonly names: ReadonlyMap<DiskPath, ReadonlySet<Name>>;
      /** Watched folders that are themselves gone, moved, or whose own mode changed. */
      readonly folders: ReadonlySet<DiskPath>;
    };
