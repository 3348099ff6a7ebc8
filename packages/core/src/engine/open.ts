/** Opens a workspace, or creates it if there is none. */

import { kindOf } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import { SavepointError } from '../model/errors.ts';
import type { WorkspaceId } from '../model/ids.ts';
import type { DiskPath } from '../model/names.ts';
import { identityOf } from '../store/folder-identity.ts';
import { storePathIn } from '../store/home.ts';
import { createStore, layoutOf, type OpenStore } from '../store/layout.ts';
import type { LockOptions } from '../store/lock.ts';
import { type FoundRecord, type WorkspaceRecord, writeRecord } from '../store/records.ts';
import { writeRetentionMarker } from '../store/state/retention-marker.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { Timeline } from '../timeline/record/timeline.ts';
import { StatCache } from '../workspace/scan/stat-cache.ts';
import { type Context, pathOf } from './context.ts';
import { basesOfCopies } from './copies/copy-list.ts';
import { assertMayBeWorkspace, newWorkspaceFolder, rootRefused } from './folders.ts';
import { withHomeLock } from './home-lock.ts';

/** Opens the store of a found workspace for reading, without changes. */
export function openWorkspace(context: Context, found: FoundRecord): Workspace {
  return workspaceOf(context, { ...found.record, path: pathOf(found) });
}

/** Reads the store of the workspace without the lock. @returns null if there is no store yet */
export function readIfFound<T>(context: Context, look: (workspace: Workspace) => T): T | null {
  const found = context.find();
  if (found === null) return null;
  const workspace = openWorkspace(context, found);
  try {
    return look(workspace);
  } finally {
    context.releaseStore(workspace.store);
  }
}

export function workspaceOf(context: Context, record: WorkspaceRecord): Workspace {
  const { ports, places, cache } = context;
  const store = context.storeOf(record);
  // Lazy, so that calls that read no files of the workspace work even if a configuration file is invalid.
  const effective = () => context.effectiveSettings(record.path);
  return {
    ports,
    id: record.id,
    root: record.path,
    store,
    timeline: new Timeline(store.objects, store.refs, cache.records, record.id),
    get rules() {
      return effective().rules;
    },
    get recordIndex() {
      return effective().recordIndex;
    },
    get gitAttributes() {
      return effective().adopt ? (places.gitAttributes?.() ?? null) : null;
    },
    get maxStoreBytes() {
      return effective().retention.maxStoreBytes;
    },
    globalIgnore: places.globalIgnore,
    memory: cache.memoryOf(ports, record, places.globalIgnore, new StatCache(ports, store.layout)),
    searchPath: places.searchPath ?? '',
    ownEntries: context.ownEntries,
    lastNumber: record.lastNumber,
    overlapping: () => {
      const others = context.overlapping(record.id, record.path);
      return others.map(({ path, storePath }) => ({ root: path, layout: layoutOf(storePath) }));
    },
    basesOfCopies: () => basesOfCopies(ports, context.places.home, record.id),
  };
}

/**
 * Returns the workspace of the folder, with its record up to date. Creates it if there is none. If several processes do
 * that at the same time, one creates the store and the others find it.
 */
export async function ensureWorkspace(context: Context, pace: Pace, wait: LockOptions): Promise<Workspace> {
  const found = context.find();
  if (found !== null && !needsRecordUpdate(context, found)) {
    assertMayBeWorkspace(context, pathOf(found));
    if (context.needsIndex) await writeMissingIndex(context, pace, wait);
    return openWorkspace(context, found);
  }
  const made = await withHomeLock(context, pace, wait, () => {
    const again = context.findAgain();
    return again === null ? makeWorkspace(context) : updateRecord(context, again);
  });
  context.setRecord(made);
  return workspaceOf(context, made);
}

/** Makes a store, which belongs to its folder once the record is written. @param identity null: it is not known yet */
export function makeStore(
  { ports, places }: Pick<Context, 'ports' | 'places'>,
  path: DiskPath,
  identity: WorkspaceRecord['identity'],
): { readonly store: OpenStore; readonly record: WorkspaceRecord } {
  const id = ports.random.hex(16) as WorkspaceId;
  const storePath = storePathIn(places.home, id);
  const store = createStore(ports, storePath);
  writeRetentionMarker(ports, store.layout);
  return { store, record: { id, path, identity, lastNumber: 0, created: ports.clock.now(), storePath } };
}

/** Writes the index if it was missing or out of date. If another process holds the lock, leaves it for later. */
async function writeMissingIndex(context: Context, pace: Pace, wait: LockOptions): Promise<void> {
  try {
    await withHomeLock(context, pace, { ...wait, waitMs: 0 }, () => undefined);
  } catch (error) {
    if (!(error instanceof SavepointError && error.code === 'LOCKED')) throw error;
  }
}

/** The folder was moved or recreated since the record was written. */
function needsRecordUpdate(context: Context, found: FoundRecord): boolean {
  return found.kind === 'moved' || (found.isRecreated && context.ports.fs.lstat(found.record.path) !== null);
}

function updateRecord(context: Context, found: FoundRecord): WorkspaceRecord {
  const path = pathOf(found);
  assertMayBeWorkspace(context, path);
  const stat = context.ports.fs.lstat(path);
  const record = { ...found.record, path, identity: stat === null ? found.record.identity : identityOf(stat) };
  if (needsRecordUpdate(context, found)) writeRecord(context.ports, record);
  return record;
}

function makeWorkspace(context: Context): WorkspaceRecord {
  const { ports } = context;
  const path = newWorkspaceFolder(context);
  assertMayBeWorkspace(context, path);
  const stat = ports.fs.lstat(path);
  if (stat === null || kindOf(stat) !== 'folder') throw rootRefused(path, 'not-a-folder', 'is not a folder');
  const { record } = makeStore(context, path, identityOf(stat));
  writeRecord(ports, record);
  return record;
}
