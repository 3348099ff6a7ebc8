/**
 * Bundles in a folder: of this machine, or one that several share. A key is a file. Conditions hold against every process
 * that comes through here: `absent` by the name itself, `same` under a lock beside the file.
 */

import { createHash } from 'node:crypto';
import { showName } from '../../content/show-name.ts';
import { durableCreate, durableWrite, folderOf, isTemporaryName, readWhole } from '../../io/durable-write.ts';
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
/** Who has written nothing for so long is dead. */
const DEAD_LOCK_MS = 60_000;
const LOCK = '.lock';
const MOST_TRIES = 100;
const BETWEEN_TRIES_MS = 50;

export class BundleFolder implements BundleStore {
  readonly place: string;
  readonly #fs: Fs;

  /** @param folder absolute; made when something is put there */
  constructor(
    private readonly ports: Pick<Ports, 'fs' | 'clock'>,
    private readonly folder: DiskPath,
  ) {
    this.place = showName(folder);
    this.#fs = ports.fs;
  }

  async list(prefix: string): Promise<readonly StoredItem[]> {
    return this.#told(() => [...this.#below('')].filter(({ key }) => key.startsWith(prefix)));
  }

  async get(key: BundleKey, mostBytes: number): Promise<StoredBytes | null> {
    return this.#told(() => this.#read(key, mostBytes));
  }

  async put(key: BundleKey, bytes: Uint8Array, condition: PutCondition, signal?: AbortSignal): Promise<string | null> {
    const path = this.#pathOf(key);
    this.#told(() => makeFolders(this.#fs, folderOf(path), FOLDER_MODE));
    if (condition.when === 'absent') return this.#told(() => (this.#create(path, bytes) ? tagOf(bytes) : null));
    const release = await this.#lock(path, signal);
    try {
      return this.#told(() => {
        if (condition.when === 'same' && this.#read(key, Number.POSITIVE_INFINITY)?.tag !== condition.tag) return null;
        durableWrite(this.#fs, path, bytes, FILE_MODE);
        return tagOf(bytes);
      });
    } finally {
      release();
    }
  }

  async remove(key: BundleKey): Promise<void> {
    this.#told(() => this.#unlink(this.#pathOf(key)));
  }

  #read(key: BundleKey, mostBytes: number): StoredBytes | null {
    try {
      const bytes = readWhole(this.#fs, this.#pathOf(key), Math.min(mostBytes, Number.MAX_SAFE_INTEGER));
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

  *#below(folder: string): Generator<StoredItem> {
    const disk = folder === '' ? this.folder : diskChild(this.folder, folder);
    const stat = this.#fs.lstat(disk);
    if (stat === null || kindOf(stat) !== 'folder') return;
    for (const name of this.#fs.list(disk).sort()) {
      const key = folder === '' ? name : `${folder}/${name}`;
      const inner = this.#fs.lstat(diskChild(disk, name));
      if (inner === null || name.endsWith(LOCK) || isTemporaryName(name) || !isBundleKey(key)) continue;
      if (kindOf(inner) === 'folder') yield* this.#below(key);
      else if (kindOf(inner) === 'file') yield { key, size: inner.size };
    }
  }

  /** @returns what gives it back */
  async #lock(path: DiskPath, signal: AbortSignal | undefined): Promise<() => void> {
    const lock = `${path}${LOCK}` as DiskPath;
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      if (signal?.aborted === true) throw new SavepointError('CANCELLED', 'Cancelled before anything was changed.');
      const isOurs = this.#told(() => {
        if (this.#create(lock, new Uint8Array(0))) return true;
        const stat = this.#fs.lstat(lock);
        if (stat !== null && Math.abs(this.ports.clock.now() - stat.mtimeMs) > DEAD_LOCK_MS) this.#unlink(lock);
        return false;
      });
      if (isOurs) return () => this.#told(() => this.#unlink(lock));
      await this.ports.clock.sleep(BETWEEN_TRIES_MS);
    }
    throw this.#failed(`Another process is writing ${showName(path)}`, 'EBUSY');
  }

  #unlink(path: DiskPath): void {
    try {
      this.#fs.unlink(path);
    } catch (error) {
      if (!isFsError(error, 'ENOENT', 'ENOTDIR')) throw error;
    }
  }

  #pathOf(key: BundleKey): DiskPath {
    if (!isBundleKey(key)) throw this.#failed(`Not a key: ${JSON.stringify(key)}`, 'EINVAL');
    return diskChild(this.folder, key);
  }

  #told<T>(act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
      throw this.#failed(`${showName(error.path)} cannot be used (${error.code} at ${error.operation})`, error.code);
    }
  }

  #failed(message: string, code: string): SavepointError {
    const data = { place: this.place, path: nameToJson(this.folder), status: code };
    return new SavepointError('BUNDLE_STORE', `${message}.`, data);
  }
}

function tagOf(bytes: Uint8Array): string {
  return createHash('sha1').update(bytes).digest('hex');
}
