import type { DiskPath, Name } from '../model/names.ts';

/**
 * Tells what changed in folders, as a port. Whatever a source cannot vouch for it calls lost; then only a scan tells.
 * What no source here sees, and who looks for it instead, stands in docs/decisions/0026-what-changed-since.md.
 */
export interface ChangeSource {
  /** Null where nothing trustworthy is to be had. */
  watch(): FolderWatch | null;
}

/**
 * Folders that are watched one by one. A folder that is told as a changed name or in `folders`, and that was not there
 * or was another one before, has to be added anew, with all below it.
 */
export interface FolderWatch {
  /**
   * From now on changes directly in this folder are told. Call it before the folder is listed, a parent before what is
   * in it. Again for a path that is watched: it holds for what is there now.
   *
   * @param folder a plain path, not one through a handle
   * @returns false if it cannot be watched: a limit is reached, its file system does not report, it is a link or not there
   */
  add(folder: DiskPath): boolean;
  /** Of all watched folders below it, too; what had changed in them is not told any more. */
  remove(folder: DiskPath): void;
  /**
   * What changed since the last call: all that had happened when it was called, and maybe more. After `lost` nothing is
   * watched: add every folder again, then list it.
   */
  poll(): FolderChanges;
  /** Nothing is told any more but `lost`. */
  close(): void;
}

/** What changed in the folders that are watched. */
export type FolderChanges =
  | {
      readonly lost: true;
      /** For a person who wonders about scans. */
      readonly why: string;
    }
  | {
      readonly lost: false;
      /** Watched folders with the names in them at which something changed: the entry, its content, its mode. */
      readonly names: ReadonlyMap<DiskPath, ReadonlySet<Name>>;
      /**
       * Watched folders that are gone, were moved or replaced, by themselves or with one above them that is not watched;
       * or whose own mode or times changed. In the first three cases they and all below them are not watched any more;
       * nobody says which case it is.
       */
      readonly folders: ReadonlySet<DiskPath>;
    };
