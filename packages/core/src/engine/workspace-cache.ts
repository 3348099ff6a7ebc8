/** What a process keeps of workspaces between calls: open stores, checkpoint records, and the memory of scans. */

import type { Ports } from '../io/ports.ts';
import type { WatcherQuestion } from '../io/watcher.ts';
import type { DiskPath } from '../model/names.ts';
import { type OpenStore, openStore } from '../store/layout.ts';
import { assertPrivate } from '../store/private-folders.ts';
import type { WorkspaceRecord } from '../store/records.ts';
import { RecordCache } from '../timeline/record/record-cache.ts';
import { AskedMemory } from '../workspace/scan/asked-memory.ts';
import type { ScanMemory } from '../workspace/scan/scan-memory.ts';
import type { StatCache } from '../workspace/scan/stat-cache.ts';
import { textOfUnchanged } from '../workspace/scan/unchanged-folder.ts';
import { WatchedMemory } from '../workspace/scan/watched-memory.ts';

export interface WorkspaceCacheOptions {
  /** Watch the folders of workspaces where the platform reports changes reliably. Default true. */
  readonly watch?: boolean;
  /** Checkpoint records, shared with other caches. */
  readonly records?: RecordCache;
}

/** For one machine: all engines that share it have the same ports. */
export class WorkspaceCache {
  readonly records: RecordCache;
  readonly #isWatching: boolean;
  readonly #stores = new Map<DiskPath, OpenStore>();
  readonly #memories = new Map<string, WatchedMemory>();

  constructor({ watch = true, records = new RecordCache() }: WorkspaceCacheOptions = {}) {
    this.records = records;
    this.#isWatching = watch;
  }

  /**
   * Returns a store that stays open. It detects that another process has held the lock. @throws SavepointError
   * STORE_UNSAFE
   */
  storeOf(ports: Ports, { storePath }: WorkspaceRecord): OpenStore {
    const known = this.#stores.get(storePath);
    if (known !== undefined) {
      assertPrivate(ports, storePath);
      return known;
    }
    const store = openStore(ports, storePath);
    this.#stores.set(storePath, store);
    return store;
  }

  memoryOf(
    ports: Ports,
    { id, path }: Pick<WorkspaceRecord, 'id' | 'path'>,
    globalIgnore: DiskPath | null,
    saved: StatCache,
  ): ScanMemory {
    if (ports.changes === undefined || !this.#isWatching) {
      const { watcher } = ports;
      return watcher === undefined ? saved : new AskedMemory(ports, watcher, { id, root: path, globalIgnore }, saved);
    }
    const key = `${id} ${path}`;
    let memory = this.#memories.get(key);
    if (memory === undefined) {
      memory = new WatchedMemory(ports, path, ports.changes, saved);
      this.#memories.set(key, memory);
    }
    return memory;
  }

  /**
   * Answers the question of another process. The global ignore file must be that of the engines that share this cache.
   * @returns null if changes may be unknown
   */
  answer({ id, root, dependencies }: WatcherQuestion): string | null {
    const folders = this.#memories.get(`${id} ${root}`)?.unchangedFolders(dependencies) ?? null;
    return folders === null ? null : textOfUnchanged(folders);
  }

  /** Stops watching and closes the stores. Later calls open them again. Must not be called during a call. */
  close(): void {
    for (const memory of this.#memories.values()) memory.close();
    for (const { objects } of this.#stores.values()) objects.close();
    this.#memories.clear();
    this.#stores.clear();
  }
}
