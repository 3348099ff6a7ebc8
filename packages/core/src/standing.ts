/** What a process that stays keeps of workspaces from one call to the next, whoever opens them. */

import type { Fs } from './io/fs.ts';
import type { Ports } from './io/ports.ts';
import type { DiskPath } from './model/names.ts';
import { type OpenStore, openStore } from './store/layout.ts';
import { assertPrivate, type WorkspaceRecord } from './store/records.ts';
import { StoryCache } from './timeline/story-cache.ts';
import { type Evident, withEvidence } from './workspace/evidence.ts';
import type { ScanMemory } from './workspace/scan-memory.ts';
import type { StatCache } from './workspace/stat-cache.ts';
import { WatchedMemory } from './workspace/watched-memory.ts';

/** Of one machine: whoever shares it has the same ports. */
export class Standing {
  readonly stories = new StoryCache();
  readonly #stores = new Map<DiskPath, OpenStore>();
  readonly #memories = new Map<string, WatchedMemory>();
  readonly #found = new Map<string, Evident<unknown>>();

  /** Stays open: another process's turn is noticed. @throws SavepointError STORE_UNSAFE */
  storeOf(ports: Ports, { storePath }: WorkspaceRecord): OpenStore {
    assertPrivate(ports, storePath);
    let store = this.#stores.get(storePath);
    if (store === undefined) {
      store = openStore(ports, storePath);
      this.#stores.set(storePath, store);
    }
    return store;
  }

  has(store: OpenStore): boolean {
    return this.#stores.get(store.layout.path) === store;
  }

  memoryOf(ports: Ports, { id, path }: WorkspaceRecord, saved: StatCache): ScanMemory {
    if (ports.changes === undefined) return saved;
    const key = `${id} ${path}`;
    let memory = this.#memories.get(key);
    if (memory === undefined) {
      memory = new WatchedMemory(ports, path, ports.changes, saved);
      this.#memories.set(key, memory);
    }
    return memory;
  }

  /** What `find` found earlier, as long as all that it looked at is as it was. */
  still<Value>(ports: Ports, key: string, find: (fs: Fs) => Value): Value {
    const known = this.#found.get(key);
    if (known?.evidence.holds() === true) return known.value as Value;
    const found = withEvidence(ports, find);
    this.#found.set(key, found);
    return found.value;
  }

  /** Ends the watching; what is opened with it afterwards begins anew. Not while a call is under way. */
  close(): void {
    for (const memory of this.#memories.values()) memory.close();
    for (const { objects } of this.#stores.values()) objects.close();
    this.#memories.clear();
    this.#stores.clear();
    this.#found.clear();
  }
}
