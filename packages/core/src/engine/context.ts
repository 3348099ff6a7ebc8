/** The context of one call: the folder, its workspace and its settings, each looked up once. */

import type { EffectiveSettings } from '../config/effective.ts';
import type { Settings } from '../config/settings.ts';
import { showName } from '../content/show-name.ts';
import type { Fork } from '../fork/fork.ts';
import { forkAround, homeInFork } from '../fork/fork-records.ts';
import { kindOf } from '../io/fs.ts';
import type { LoadOwnEntries } from '../io/own-entries.ts';
import type { Places, Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import type { WorkspaceId } from '../model/ids.ts';
import { type DiskPath, isInside, nameToJson } from '../model/names.ts';
import { sameFolder } from '../store/folder-identity.ts';
import { storesIn } from '../store/home.ts';
import { type OpenStore, openStore } from '../store/layout.ts';
import { assertNoLink, assertPrivate } from '../store/private-folders.ts';
import { type IndexedRecord, readOldIndex, readRecordIndex } from '../store/record-index.ts';
import {
  type FoundRecord,
  findRecord,
  listRecords,
  readRecord,
  type UnusableStore,
  type WorkspaceRecord,
} from '../store/records.ts';
import { newWorkspaceFolder, resolveFolder, rootRefused } from './folders.ts';
import type { KnownHome } from './known-home.ts';
import type { SettingsReader } from './settings.ts';
import type { WorkspaceCache } from './workspace-cache.ts';
import { possibleStores } from './workspaces/unusable-stores.ts';

export interface ContextOptions {
  readonly ports: Ports;
  readonly places: Places;
  /** The folder that the caller works in. */
  readonly dir: DiskPath;
  /** The folder itself is the workspace, even if it is inside a repository. */
  readonly here: boolean;
  /** The user's home folder may be a workspace. */
  readonly allowHome: boolean;
  readonly settings: SettingsReader;
  readonly cache: WorkspaceCache;
  readonly knownHome: KnownHome;
  /** Whether stores stay open in the cache after the call. */
  readonly keepsStores: boolean;
  /** Entries that Savepoint keeps in files of the user. */
  readonly ownEntries: LoadOwnEntries | null;
}

export class Context {
  readonly ports: Ports;
  /** `home` is a real path. In a fork it is the fork's own, so that its timeline is not that of the workspace. */
  readonly places: Places;
  /** The fork that contains the folder; null if there is none. */
  readonly fork: Fork | null;
  /** Real path of the folder, as far as it exists. */
  readonly folder: DiskPath;
  readonly here: boolean;
  readonly allowHome: boolean;
  readonly cache: WorkspaceCache;
  readonly ownEntries: LoadOwnEntries | null;
  readonly #options: ContextOptions;
  readonly #settingsHome: DiskPath;
  readonly #settings = new Map<DiskPath, Settings>();
  readonly #effective = new Map<DiskPath, EffectiveSettings>();
  #found: FoundRecord | null | undefined;
  #stores: readonly IndexedRecord[] | null = null;
  #needsIndex = false;
  #unusable: readonly UnusableStore[] = [];

  constructor(options: ContextOptions) {
    const { ports, places, dir, here, allowHome, cache } = options;
    assertNoLink(ports, places.home);
    options.knownHome.check(ports, places.home);
    const home = resolveFolder(ports, places.home);
    this.ports = ports;
    this.folder = resolveFolder(ports, dir);
    this.fork = forkAround(ports, home, this.folder);
    this.places = { ...places, home: this.fork === null ? home : homeInFork(this.fork) };
    this.#settingsHome = home;
    this.here = here;
    this.allowHome = allowHome;
    this.cache = cache;
    this.ownEntries = options.ownEntries;
    this.#options = options;
  }

  /** Returns a context for another folder, which is the workspace itself. */
  at(dir: DiskPath): Context {
    return new Context({ ...this.#options, dir, here: true });
  }

  /**
   * Finds the workspace of the folder. Null if there is none.
   * @throws SavepointError ROOT_REFUSED if the path is not a folder; the error of an unreadable store that might belong
   *   to it
   */
  find(): FoundRecord | null {
    if (this.#found === undefined) this.#found = this.#lookUp();
    return this.#found;
  }

  /** Reads all records again, because another process may have created or moved a workspace. */
  findAgain(): FoundRecord | null {
    this.#found = this.#searchAll();
    return this.#found;
  }

  /** Called if this call changed the record. */
  setRecord(record: WorkspaceRecord): void {
    this.#found = { kind: 'path', record, isRecreated: false };
    this.#stores = null;
  }

  /** Whether all records had to be read to find the workspace because the index was unusable. */
  get needsIndex(): boolean {
    return this.#needsIndex;
  }

  /** Stores without a usable record that may belong to the folder, as far as all records had to be read. */
  get unusable(): readonly UnusableStore[] {
    return this.#unusable;
  }

  /** The workspace's folder, even if there is no store yet. */
  root(): DiskPath {
    const found = this.find();
    return found === null ? newWorkspaceFolder(this) : pathOf(found);
  }

  /** Returns the settings from the configuration files, valid or not. */
  settings(root: DiskPath): Settings {
    let settings = this.#settings.get(root);
    if (settings === undefined) {
      settings = this.#options.settings.read({ home: this.#settingsHome, root });
      this.#settings.set(root, settings);
    }
    return settings;
  }

  /** Returns the settings in effect for the workspace of that folder. @throws SavepointError BAD_CONFIG */
  effectiveSettings(root: DiskPath): EffectiveSettings {
    let effective = this.#effective.get(root);
    if (effective === undefined) {
      effective = this.#options.settings.effectiveSettings(this.settings(root));
      this.#effective.set(root, effective);
    }
    return effective;
  }

  /** All stores, by folder. */
  stores(): readonly IndexedRecord[] {
    this.find();
    this.#stores ??= listRecords(this.ports, this.places.home).records;
    return this.#stores;
  }

  /** The other stores whose folders are inside this one, or around it. */
  overlapping(id: WorkspaceId, root: DiskPath): readonly IndexedRecord[] {
    return this.stores().filter((one) => one.id !== id && (isInside(one.path, root) || isInside(root, one.path)));
  }

  storeOf(record: WorkspaceRecord): OpenStore {
    return this.#options.keepsStores ? this.cache.storeOf(this.ports, record) : openStore(this.ports, record.storePath);
  }

  /** Called at the end of a call. */
  releaseStore(store: OpenStore): void {
    if (!this.#options.keepsStores) store.objects.close();
  }

  /** @returns the error for calls that need checkpoints if there are none */
  noWorkspace(): SavepointError {
    const { ports, folder } = this;
    const stat = ports.fs.lstat(folder);
    const exists = stat !== null && kindOf(stat) === 'folder';
    const message = exists
      ? this.fork === null
        ? 'This folder has no checkpoints yet.'
        : `This is fork ${this.fork.name} of ${showName(this.fork.copy.root)}. It has no checkpoints of its own yet.`
      : `${showName(folder)} does not exist and has no checkpoints.`;
    const [unusable] = this.#unusable;
    const hint =
      unusable !== undefined
        ? `${unusable.error.message} If that store belongs to this folder, run \`savepoint repair\` here.`
        : exists
          ? undefined
          : '`savepoint workspaces` lists the folders that have checkpoints.';
    const data = { folder: nameToJson(folder), exists };
    return new SavepointError('NO_WORKSPACE', message, data, hint === undefined ? {} : { hint });
  }

  #lookUp(): FoundRecord | null {
    const { ports, places, folder } = this;
    const stat = ports.fs.lstat(folder);
    if (stat !== null && kindOf(stat) !== 'folder') throw rootRefused(folder, 'not-a-folder', 'is not a folder');
    const stores = readRecordIndex(ports, places.home);
    const found = stores === null ? null : this.#confirm(findRecord(ports, stores, folder));
    if (found === null || !this.#isAcceptable(found)) return this.#searchAll();
    assertPrivate(ports, places.home);
    assertPrivate(ports, storesIn(places.home));
    this.#stores = stores;
    return found;
  }

  /** Checks an index entry against the store's own record, which is authoritative. */
  #confirm(found: FoundRecord<IndexedRecord> | null): FoundRecord | null {
    if (found === null) return null;
    const { id, path, identity, storePath } = found.record;
    const record = readRecord(this.ports, storePath);
    if (record === null || record.id !== id || record.path !== path) return null;
    const isSame = identity === null ? record.identity === null : sameFolder(record.identity, identity);
    return isSame ? { ...found, record } : null;
  }

  #searchAll(): FoundRecord | null {
    const { ports, places, folder } = this;
    const { records, problems, unusable } = listRecords(ports, places.home);
    this.#stores = records;
    this.#needsIndex = problems.length === 0;
    this.#unusable = possibleStores(ports, places.home, folder, unusable);
    const found = findRecord(ports, records, folder);
    const fits = found !== null && this.#isAcceptable(found) ? found : null;
    if (fits === null && unusable.length > 0) this.#assertNotHere(unusable);
    return fits;
  }

  /** @throws the error of an unusable store, if it is known to belong to this folder */
  #assertNotHere(unusable: readonly UnusableStore[]): void {
    const errors = new Map(unusable.map(({ id, error }) => [id, error]));
    const old = readOldIndex(this.ports, this.places.home).filter(({ id }) => errors.has(id));
    const found = findRecord(this.ports, old, this.folder);
    if (found === null || !this.#isAcceptable(found)) return;
    throw errors.get(found.record.id);
  }

  #isAcceptable(found: FoundRecord<IndexedRecord>): boolean {
    return !this.here || pathOf(found) === this.folder;
  }
}

export function pathOf(found: FoundRecord<IndexedRecord>): DiskPath {
  return found.kind === 'moved' ? found.to : found.record.path;
}
