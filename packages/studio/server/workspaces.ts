/** The workspaces that this server shows. Each is opened when it is first asked for, and stays open. */
import { type DiskPath, type OpenOptions, open, type Savepoint, WorkspaceCache } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { SerialQueue } from '@savepoint/core/tools';
import type { WireError, WorkspaceRow } from './wire.ts';

/** Everything that opening a workspace needs, except its folder. `here` is about the folder of the server only. */
export type WorkspaceOptions = Omit<OpenOptions, 'dir' | 'watch'>;

export interface OpenWorkspace {
  readonly savepoint: Savepoint;
  /** Changes of one workspace are made one after the other. Reads do not wait. */
  readonly changes: SerialQueue;
}

/** The id of the folder in which the server was started, for as long as it has no store. */
export const HERE = 'here';

export class Workspaces {
  readonly #options: WorkspaceOptions;
  readonly #cache = new WorkspaceCache();
  readonly #open = new Map<DiskPath, OpenWorkspace>();
  readonly #folder: DiskPath;

  /** @param folder in which the server was started */
  constructor(folder: DiskPath, options: WorkspaceOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  async list(): Promise<{ readonly workspaces: readonly WorkspaceRow[]; readonly problems: readonly WireError[] }> {
    const { workspaces, problems } = await VERBS.workspaces.handle(this.#at(this.#folder).savepoint, {}, {});
    const rows = workspaces.map(({ id, path, created, present }) => ({ id, path, created, present }));
    return { workspaces: rows, problems };
  }

  /** @returns null if there is no such workspace, or its folder is gone */
  async find(id: string): Promise<OpenWorkspace | null> {
    if (id === HERE) return this.#at(this.#folder);
    const { records } = await this.#at(this.#folder).savepoint.workspaces();
    const record = records.find((one) => one.id === id && one.present);
    return record === undefined ? null : this.#at(record.path);
  }

  /** @returns the id of the workspace of the folder in which the server was started; null if it has no store */
  async first(): Promise<string | null> {
    const here = this.#at(this.#folder).savepoint;
    const [place, { records }] = await Promise.all([here.place({ orNew: true }), here.workspaces()]);
    return records.find(({ path }) => path === place.root)?.id ?? null;
  }

  /** Waits for background work, and closes everything. Must not be called during a call. */
  async close(): Promise<void> {
    for (const { changes, savepoint } of this.#open.values()) {
      await changes.drained();
      await savepoint.idle();
      savepoint.close();
    }
    this.#open.clear();
    this.#cache.close();
  }

  #at(dir: DiskPath): OpenWorkspace {
    const known = this.#open.get(dir);
    if (known !== undefined) return known;
    const here = dir === this.#folder && this.#options.here === true;
    const savepoint = open({ ...this.#options, dir, here, watch: this.#cache });
    const opened = { savepoint, changes: new SerialQueue() };
    this.#open.set(dir, opened);
    return opened;
  }
}
