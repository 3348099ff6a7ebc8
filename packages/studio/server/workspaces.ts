/** The workspaces that this server shows. Each is opened when it is first asked for, and stays open. */
import { type DiskPath, nameFromJson, open, SavepointError, WorkspaceCache } from '@savepoint/core';
import { VERBS } from '@savepoint/core/frontend';
import { SerialQueue } from '@savepoint/core/tools';
import { type Bundles, isBundleId } from './bundles.ts';
import type { OpenWorkspace, WorkspaceOptions } from './open-workspace.ts';
import type { WireError, WorkspaceRow } from './wire.ts';

export interface WorkspaceList {
  readonly workspaces: readonly WorkspaceRow[];
  /** Stores that cannot be read. */
  readonly problems: readonly WireError[];
  /** The id of the bundle with which the server was started, or of the workspace of its folder; null if it has no store. */
  readonly first: string | null;
}

/** The id of the folder in which the server was started, for as long as it has no store. */
export const HERE = 'here';

export class Workspaces {
  readonly #options: WorkspaceOptions;
  readonly #cache = new WorkspaceCache();
  readonly #open = new Map<DiskPath, OpenWorkspace>();
  readonly #folder: DiskPath;
  readonly #bundles: Bundles;
  readonly #firstBundle: string | null;

  /** By id, as they were last listed. */
  #folders: ReadonlyMap<string, DiskPath> = new Map();

  /**
   * @param folder in which the server was started
   * @param firstBundle the id of the bundle that is shown first; null: there is none
   */
  constructor(folder: DiskPath, options: WorkspaceOptions, bundles: Bundles, firstBundle: string | null) {
    this.#folder = folder;
    this.#options = options;
    this.#bundles = bundles;
    this.#firstBundle = firstBundle;
  }

  async list(): Promise<WorkspaceList> {
    const { savepoint } = this.#at(this.#folder);
    const { workspaces, problems } = await VERBS.workspaces.handle(savepoint, {}, {});
    const root = await savepoint.place({ orNew: true }).then(({ root }) => root, nullIfRefused);
    this.#folders = new Map(workspaces.map(({ id, path }) => [id, nameFromJson(path) as DiskPath]));
    const bundles = this.#bundles.rows();
    const first = bundles.find(({ id }) => id === this.#firstBundle);
    return {
      workspaces: [
        ...workspaces.map(({ id, path, created, present }) => ({ id, path, created, present, isBundle: false })),
        ...bundles,
      ],
      problems,
      first: first?.id ?? [...this.#folders].find(([, path]) => path === root)?.[0] ?? null,
    };
  }

  /** @returns null if there is no such workspace */
  async find(id: string): Promise<OpenWorkspace | null> {
    if (id === HERE) return this.#at(this.#folder);
    const bundle = this.#bundles.find(id);
    if (bundle !== null || isBundleId(id)) return bundle;
    // Listing takes longer, because it measures the stores.
    if (!this.#isThere(id)) await this.list();
    const path = this.#folders.get(id);
    return path === undefined ? null : this.#at(path);
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

  #isThere(id: string): boolean {
    const path = this.#folders.get(id);
    if (path === undefined) return false;
    try {
      return this.#options.ports.fs.lstat(path) !== null;
    } catch {
      // Why it cannot be read is the answer to what is asked of it.
      return true;
    }
  }

  #at(dir: DiskPath): OpenWorkspace {
    const known = this.#open.get(dir);
    if (known !== undefined) return known;
    const here = dir === this.#folder && this.#options.here === true;
    const savepoint = open({ ...this.#options, dir, here, watch: this.#cache });
    const opened = { savepoint, changes: new SerialQueue(), isBundle: false };
    this.#open.set(dir, opened);
    return opened;
  }
}

/** A home folder cannot be a workspace. The others can be shown from there. */
function nullIfRefused(error: unknown): null {
  if (error instanceof SavepointError) return null;
  throw error;
}
