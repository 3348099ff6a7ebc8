/** The folder of a store for damaged parts: `damaged/<k>/`, one for each repair. Nothing in it is used or deleted. */

import { containingFolder, syncFolder } from '../io/durable-write.ts';
import type { Fs } from '../io/fs.ts';
import { listIfExists } from '../io/if-exists.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import { makeFolders } from './private-folders.ts';

export interface MovedAside {
  readonly file: DiskPath;
  readonly to: DiskPath;
}

export class AsideFolder {
  readonly moved: MovedAside[] = [];
  #folder: DiskPath | null = null;

  constructor(
    private readonly fs: Fs,
    private readonly store: DiskPath,
  ) {}

  /** Moves a file or folder. Durable on return. */
  move(file: DiskPath): void {
    this.fs.rename(file, this.#placeFor(file));
    syncFolder(this.fs, this.#folder as DiskPath);
    syncFolder(this.fs, containingFolder(file));
  }

  /**
   * Keeps a damaged file under another name before it is replaced, so that its own name is never missing.
   * @returns false if that is impossible, as for a folder
   */
  keep(file: DiskPath): boolean {
    const to = this.#placeFor(file);
    try {
      this.fs.hardLink(file, to);
    } catch {
      this.moved.pop();
      return false;
    }
    syncFolder(this.fs, this.#folder as DiskPath);
    return true;
  }

  #placeFor(file: DiskPath): DiskPath {
    this.#folder ??= this.#newFolder();
    const to = diskChild(this.#folder, file.slice(this.store.length + 1).replaceAll('/', '+'));
    this.moved.push({ file, to });
    return to;
  }

  #newFolder(): DiskPath {
    const all = diskChild(this.store, 'damaged');
    const numbers = listIfExists(this.fs, all).map(Number).filter(Number.isSafeInteger);
    const folder = diskChild(all, String(Math.max(0, ...numbers) + 1));
    makeFolders(this.fs, folder, 0o700);
    return folder;
  }
}

/** Whether a repair moved the file aside as a pack or a loose object: what is in it can only be known in part. */
export function holdsObjectsAside(store: DiskPath, file: DiskPath): boolean {
  return file.startsWith(`${store}/damaged/`) && file.includes('/objects.git+objects+');
}

/** Returns the files, relative to the store, that repairs moved aside. */
export function filesAside(fs: Fs, store: DiskPath): ReadonlySet<string> {
  const all = diskChild(store, 'damaged');
  const folders = listIfExists(fs, all).map((name) => diskChild(all, name));
  return new Set(folders.flatMap((folder) => listIfExists(fs, folder).map((name) => name.replaceAll('+', '/'))));
}
