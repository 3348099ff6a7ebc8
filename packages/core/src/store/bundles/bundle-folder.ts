/**
 * Stores bundles in a folder, local or shared by several machines. Each key is a file. Conditions hold against every
 * process that uses this class: `absent` through exclusive creation of the file, `same` through a lock file next to it.
 */

import { createHash } from 'node:crypto';
import { showName } from '../../content/show-name.ts';
import {
  containingFolder,
  durableCreate,
  durableWrite,
  isTemporaryName,
  readEntireFile,
} from '../../io/durable-write.ts';
import { type Fs, FsError, isFsError, kindOf } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import { SavepointError } from '../../model/errors.ts';
import { type DiskPath, diskChild, nameToJson } from '../../model/names.ts';
import { makeFolders } from '../private-folders.ts';
import {
  type BundleKey,
  type BundleStore,
  isBundleKey,
  type PutCondition,
  type StoredBytes,
  type StoredItem,
} from './bundle-store.ts';

const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** An older lock was left by a process that died. */
const STALE_LOCK_MS = 60_000;
const LOCK = '.lock';
const MAX_TRIES = 100;
const RETRY_MS = 50;

export class BundleFolder implements BundleStore {
  readonly place: string;
  readonly #fs: Fs;

  /** @param folder absolute path; created by the first `put` */
  constructor(
    private readonly ports: Pick<Ports, 'fs' | 'clock'>,
    private readonly folder: DiskPath,
  ) {
    this.place = showName(folder);
    this.#fs = ports.fs;
  }

  async list(prefix: string): Promise<readonly StoredItem[]> {
    return this.#withStoreErrors(() => [...this.#walk('')].filter(({ key }) => key.startsWith(prefix)));
  }

  async get(key: BundleKey, maxBytes: number): Promise<StoredBytes | null> {
    return this.#withStoreErrors(() => this.#read(key, maxBytes));
  }

  async put(key: BundleKey, bytes: Uint8Array, condition: PutCondition, signal?: AbortSignal): Promise<string | null> {
    const path = this.#pathOf(key);
    this.#withStoreErrors(() => makeFolders(this.#fs, containingFolder(path), FOLDER_MODE));
    if (condition.when === 'absent')
      return this.#withStoreErrors(() => (this.#create(path, bytes) ? tagOf(bytes) : null));
    const release = await this.#lock(path, signal);
    try {
      return this.#withStoreErrors(() => {
        if (condition.when === 'same' && this.#read(key, Number.POSITIVE_INFINITY)?.tag !== condition.tag) return null;
        durableWrite(this.#fs, path, bytes, FILE_MODE);
        return tagOf(bytes);
      });
    } finally {
      release();
    }
  }

  async remove(key: BundleKey): Promise<void> {
    this.#withStoreErrors(() => this.#unlink(this.#pathOf(key)));
  }

  #read(key: BundleKey, maxBytes: number): StoredBytes | null {
    try {
      const bytes = readEntireFile(this.#fs, this.#pathOf(key), Math.min(maxBytes, Number.MAX_SAFE_INTEGER));
      return { bytes, tag: tagOf(bytes) };
    } catch (error) {
      if (isFsError(error, 'ENOENT', 'ENOTDIR')) return null;
      throw error;
    }
  }

  #create(path: DiskPath, bytes: Uint8Array): boolean {
    try {
      durableCreate(this.#fs, path, bytes, FILE_MODE);
      return true;
    } catch (error) {
      if (isFsError(error, 'EEXIST')) return false;
      throw error;
    }
  }

  *#walk(folder: string): Generator<StoredItem> {
    const disk = folder === '' ? this.folder : diskChild(this.folder, folder);
    const stat = this.#fs.lstat(disk);
    if (stat === null || kindOf(stat) !== 'folder') return;
    for (const name of this.#fs.list(disk).sort()) {
      const key = folder === '' ? name : `${folder}/${name}`;
      const inner = this.#fs.lstat(diskChild(disk, name));
      if (inner === null || name.endsWith(LOCK) || isTemporaryName(name) || !isBundleKey(key)) continue;
      if (kindOf(inner) === 'folder') yield* this.#walk(key);
      else if (kindOf(inner) === 'file') yield { key, size: inner.size };
    }
  }

  /** @returns a function that releases the lock */
  async #lock(path: DiskPath, signal: AbortSignal | undefined): Promise<() => void> {
    const lock = `${path}${LOCK}` as DiskPath;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      if (signal?.aborted === true) throw new SavepointError('CANCELLED', 'Cancelled before anything was changed.');
      const isOurs = this.#withStoreErrors(() => {
        if (this.#create(lock, new Uint8Array(0))) return true;
        const stat = this.#fs.lstat(lock);
        if (stat !== null && Math.abs(this.ports.clock.now() - stat.mtimeMs) > STALE_LOCK_MS) this.#unlink(lock);
        return false;
      });
      if (isOurs) return () => this.#withStoreErrors(() => this.#unlink(lock));
      await this.ports.clock.sleep(RETRY_MS);
    }
    throw this.#storeError(`Another process is writing ${showName(path)}`, 'EBUSY');
  }

  #unlink(path: DiskPath): void {
    try {
      this.#fs.unlink(path);
    } catch (error) {
      if (!isFsError(error, 'ENOENT', 'ENOTDIR')) throw error;
    }
  }

  #pathOf(key: BundleKey): DiskPath {
    if (!isBundleKey(key)) throw this.#storeError(`Not a key: ${JSON.stringify(key)}`, 'EINVAL');
    return diskChild(this.folder, key);
  }

  #withStoreErrors<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
      throw this.#storeError(
        `${showName(error.path)} cannot be used (${error.code} at ${error.operation})`,
        error.code,
      );
    }
  }

  #storeError(message: string, code: string): SavepointError {
    const data = { place: this.place, path: nameToJson(this.folder), status: code };
    return new SavepointError('BUNDLE_STORE', `${message}.`, data);
  }
}

function tagOf(bytes: Uint8Array): string {
  return createHash('sha1').update(bytes).digest('hex');
}
