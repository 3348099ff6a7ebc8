import type { DiskPath, Name } from '../model/names.ts';

/**
 * Reports changes in folders, as a port. If a source may have missed changes, it reports them as lost, and only a scan
 * can find them. docs/decisions/0026-what-changed-since.md lists what no source sees, and what detects that instead.
 */
export interface ChangeSource {
  /** Returns null if no reliable source is available. */
  watch(): FolderWatch | null;
}

/**
 * Watches folders one by one. `poll` reports folders as changed names or in `folders`. If such a folder is new or was
 * replaced, the caller must add it again, with all folders below it.
 */
export interface FolderWatch {
  /**
   * Starts to report changes directly in this folder. Call it before listing the folder, and for a parent before its
   * children. If the path is already watched, the folder that is now at the path is watched.
   *
   * @param folder a plain path, not one through a handle
   * @returns false if it cannot be watched: a limit is reached, its file system does not report changes, it is a link,
   *   or it does not exist
   */
  add(folder: DiskPath): boolean;
  /** Stops watching a folder and all watched folders below it. Drops changes in them that were not polled yet. */
  remove(folder: DiskPath): void;
  /**
   * Returns the changes since the last call: all that happened before this call, and maybe more. After `lost`, no
   * folder is watched: add every folder again, then list it.
   */
  poll(): FolderChanges;
  /** Stops watching. After this, `poll` only reports `lost`. */
  close(): void;
}

/** The changes in the watched folders. */
export type FolderChanges =
  | {
      readonly lost: true;
      /** The reason, for users who wonder about full scans. */
      readonly why: string;
    }
  | {
      readonly lost: false;
      /** For each watched folder, the names in it that changed: the entry, its content or its mode. */
      readonly names: ReadonlyMap<DiskPath, ReadonlySet<Name>>;
      /**
       * Watched folders that were removed, moved or replaced (by themselves or with an unwatched parent), or whose own
       * mode or times changed. In the first three cases, they and all folders below are no longer watched. The source
       * does not report which case it is.
       */
      readonly folders: ReadonlySet<DiskPath>;
    };
