/** What a process keeps of workspaces from one call to the next: open stores, checkpoints that were read, what scans remember. */

import type { Ports } from '../io/ports.ts';
import type { DiskPath } from '../model/names.ts';
import { type OpenStore, openStore } from '../store/layout.ts';
import { assertPrivate } from '../store/private-folders.ts';
import type { WorkspaceRecord } from '../store/records.ts';
import { RecordCache } from '../timeline/record/record-cache.ts';
import type { ScanMemory } from '../workspace/scan/scan-memory.ts';
import type { StatCache } from '../workspace/scan/stat-cache.ts';
import { WatchedMemory } from '../workspace/scan/watched-memory.ts';

export interface WorkspaceCacheOptions {
  /** Watch the folders of workspaces where the platform reports changes reliably. Default true. */
  readonly watch?: boolean;
  /** Checkpoints that were read, shared with others. */
  readonly records?: RecordCache;
}

/** Of one machine: all who share it have the same ports. */
export class WorkspaceCache {
  readonly records: RecordCache;
  readonly #isWatching: boolean;
  readonly #stores = new Map<DiskPath, OpenStore>();
  readonly #memories = new Map<string, WatchedMemory>();

  constructor({ watch = true, records: stories = new RecordCache() }: WorkspaceCacheOptions = {}) {
    this.records = stories;
    this.#isWatching = watch;
  }

  /** Stays open: that another process has held the lock is noticed. @throws SavepointError STORE_UNSAFE */
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

  memoryOf(ports: Ports, { id, path }: WorkspaceRecord, saved: StatCache): ScanMemory {
    if (ports.changes === undefined || !this.#isWatching) return saved;
    const key = `${id} ${path}`;
    let memory = this.#memories.get(key);
    if (memory === undefined) {
      memory = new WatchedMemory(ports, path, ports.changes, saved);
      this.#memories.set(key, memory);
    }
    return memory;
  }

  /** Ends the watching and closes the stores; later calls open them again. Not while a call is under way. */
  close(): void {
    for (const memory of this.#memories.values()) memory.close();
    for (const { objects } of this.#stores.values()) objects.close();
    this.#memories.clear();
    this.#stores.clear();
  }
}
