/**
 * Adopts a store of which neither the workspace record nor its copy can be used, so that it is unknown which folder
 * it belongs to. Nothing is guessed: the folder proves itself, or a person names the store.
 */

import { showName, showText } from '../../content/show-name.ts';
import { isFsError, kindOf } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import { SavepointError } from '../../model/errors.ts';
import type { WorkspaceId } from '../../model/ids.ts';
import { childPath, type DiskPath, diskChild, diskParent, nameToJson, onDisk } from '../../model/names.ts';
import { AsideFolder, type MovedAside } from '../../store/aside.ts';
import { type FolderIdentity, identityOf, sameFolder, stillSameFolder } from '../../store/folder-identity.ts';
import { storePathIn } from '../../store/home.ts';
import { layoutOf, openStore } from '../../store/layout.ts';
import type { LockOptions } from '../../store/lock.ts';
import { isDamage, unlessDamaged } from '../../store/objects/damage.ts';
import { type IndexedRecord, readOldIndex } from '../../store/record-index.ts';
import { listRecords, type UnusableStore, type WorkspaceRecord, writeRecord } from '../../store/records.ts';
import { Timeline } from '../../timeline/record/timeline.ts';
import { StatCache } from '../../workspace/scan/stat-cache.ts';
import type { Context } from '../context.ts';
import { assertMayBeWorkspace, newWorkspaceFolder, rootRefused } from '../folders.ts';
import { withHomeLock } from '../home-lock.ts';
import { hasItsFolder, possibleStores } from '../workspaces/unusable-stores.ts';

export interface Adoption {
  readonly record: WorkspaceRecord;
  /** Why the store is this folder's, for display. */
  readonly why: string;
  /** Empty if it was only looked for. */
  readonly movedAside: readonly MovedAside[];
}

/** A store without a usable record that a folder did not adopt, because it has a store. */
export interface OtherStore {
  readonly id: WorkspaceId;
  /** What it has, for display. */
  readonly content: string;
  /** Why the store is the folder's, for display. Null if it is unknown which folder's it is. */
  readonly proof: string | null;
}

/** What a record has that nothing else in the store has. */
export const LOST_WITH_RECORD =
  'the workspace record: which numbers the checkpoints had that clean-ups dropped last. They may be used again';

/**
 * Returns null if the folder has a usable store, or if no store is unusable.
 * @param chosen the id of the store, or a unique beginning of it; null: only a folder that proves itself
 * @param wait null: only look
 * @throws SavepointError NO_WORKSPACE if no store is proven or chosen, AMBIGUOUS_ID, ROOT_REFUSED if the folder has a
 *   store already
 */
export async function adoptStore(
  context: Context,
  chosen: string | null,
  pace: Pace,
  wait: LockOptions | null,
): Promise<Adoption | null> {
  const own = unlessDamaged(undefined, () => context.find());
  if (own !== null) {
    if (chosen === null || own.record.id === chosen) return null;
    throw alreadyHasStore(context, own.record.id);
  }
  const damaged = (): readonly WorkspaceId[] => damagedStores(context).map(({ id }) => id);
  if (chosen === null && damaged().length === 0) return null;
  if (wait === null) return { ...findAdoptable(context, damaged(), chosen), movedAside: [] };
  return withHomeLock(context, pace, wait, () => {
    const found = findAdoptable(context, damaged(), chosen);
    const aside = new AsideFolder(context.ports.fs, found.record.storePath);
    for (const name of ['workspace.json', 'workspace.copy.json']) {
      const file = diskChild(found.record.storePath, name);
      if (context.ports.fs.lstat(file) !== null && !aside.keep(file)) aside.move(file);
    }
    writeRecord(context.ports, found.record);
    return { ...found, movedAside: aside.moved };
  });
}

/**
 * Returns the stores without usable records that may be those of a folder which has a store, and keeps it.
 * @param own the folder's store
 */
export function otherStores(context: Context, own: WorkspaceId): readonly OtherStore[] {
  const { ports, places, folder } = context;
  const others = damagedStores(context).filter(({ id }) => id !== own);
  return possibleStores(ports, places.home, folder, others).map(({ id }) => ({
    id,
    content: contentOf(context, id),
    proof: proofOf(context, id)?.why ?? null,
  }));
}

/** Those of newer versions are not among them. */
function damagedStores({ ports, places }: Context): readonly UnusableStore[] {
  return listRecords(ports, places.home).unusable.filter(({ error }) => isDamage(error));
}

/** @param ids the stores whose records are damaged */
function findAdoptable(
  context: Context,
  ids: readonly WorkspaceId[],
  chosen: string | null,
): Omit<Adoption, 'movedAside'> {
  if (chosen !== null) {
    const fits = ids.filter((id) => chosen !== '' && id.startsWith(chosen));
    const [id] = fits;
    if (fits.length > 1) {
      const message = `The workspace id ${showText(chosen)} is ambiguous.`;
      throw new SavepointError('AMBIGUOUS_ID', message, { given: chosen, candidates: fits });
    }
    if (id === undefined)
      throw unproven(context, ids, `No store without a usable record is called ${showText(chosen)}.`);
    return { record: recordFor(context, id, newWorkspaceFolder(context)), why: 'you chose it' };
  }
  const proven = ids.flatMap((id) => proofOf(context, id) ?? []);
  const [only] = proven;
  if (proven.length !== 1 || only === undefined) {
    const what = proven.length === 0 ? 'No store' : 'More than one store';
    throw unproven(context, ids, `${what} without a usable record is proven to be that of this folder.`);
  }
  return { record: recordFor(context, only.id, only.folder), why: only.why };
}

interface Proof {
  readonly id: WorkspaceId;
  readonly folder: DiskPath;
  readonly why: string;
}

/** Looks at the folder and at those around it. */
function proofOf(context: Context, id: WorkspaceId): Proof | null {
  const { ports, places, folder } = context;
  const indexed = readOldIndex(ports, places.home).find((row) => row.id === id) ?? null;
  for (let at: DiskPath | null = folder; at !== null; at = context.here ? null : diskParent(at)) {
    const stat = ports.fs.lstat(at);
    if (stat === null || kindOf(stat) !== 'folder') continue;
    const identity = identityOf(stat);
    if (indexed?.path === at && indexed.identity !== null && stillSameFolder(indexed.identity, identity)) {
      return { id, folder: at, why: 'the list of all stores has it with this folder' };
    }
    if (belongsElsewhere(context, indexed, at, identity)) continue;
    if (hasCachedFile(context, id, at)) return { id, folder: at, why: 'its cache knows the files here' };
  }
  return null;
}

/**
 * Whether the list of all stores has the store with another folder, which is still there. A cache proves nothing
 * against that: a file can be in two folders, as a hard link or in a snapshot of the file system.
 */
function belongsElsewhere(
  { ports }: Context,
  indexed: IndexedRecord | null,
  folder: DiskPath,
  identity: FolderIdentity,
): boolean {
  // The folder may have been moved here, or be mounted in two places.
  if (indexed === null || indexed.path === folder || sameFolder(indexed.identity, identity)) return false;
  return hasItsFolder(ports, indexed);
}

/**
 * Whether a file in the folder is the very file that the store has seen, and not a copy: its inode and times are. A file
 * with several names may be in several folders, so it proves nothing.
 */
function hasCachedFile({ ports, places }: Context, id: WorkspaceId, folder: DiskPath): boolean {
  const cache = new StatCache(ports, layoutOf(storePathIn(places.home, id))).load(() => true);
  for (const known of cache?.folders.values() ?? []) {
    for (const [position, name] of known.names().entries()) {
      if (known.at(position, name).stat === null) continue;
      try {
        const stat = ports.fs.lstat(onDisk(folder, childPath(known.path, name)));
        if (stat !== null && stat.nlink === 1 && known.proves(position, stat)) return true;
      } catch (error) {
        if (!isFsError(error)) throw error;
      }
    }
  }
  return false;
}

function recordFor(context: Context, id: WorkspaceId, folder: DiskPath): WorkspaceRecord {
  const { ports, places } = context;
  assertMayBeWorkspace(context, folder);
  const stat = ports.fs.lstat(folder);
  if (stat === null || kindOf(stat) !== 'folder') throw rootRefused(folder, 'not-a-folder', 'is not a folder');
  const storePath = storePathIn(places.home, id);
  const { numbers, oldest } = timelineIn(context, id);
  return {
    id,
    path: folder,
    identity: identityOf(stat),
    lastNumber: Math.max(0, ...numbers),
    created: oldest ?? ports.clock.now(),
    storePath,
  };
}

/** Also counts checkpoints that cannot be read. */
function timelineIn(
  { ports, places }: Context,
  id: WorkspaceId,
): { readonly numbers: readonly number[]; readonly oldest: number | null; readonly newest: string | null } {
  const { objects, refs } = openStore(ports, storePathIn(places.home, id));
  try {
    const timeline = new Timeline(objects, refs, undefined, id);
    const numbers = [...timeline.list().map(({ number }) => number), ...timeline.pinned()];
    const { latest } = timeline.end();
    const [first] = timeline.oldestFirst();
    const newest = latest === null ? null : `${latest.id} of ${new Date(latest.time).toISOString()}`;
    return { numbers, oldest: first?.time ?? null, newest };
  } finally {
    objects.close();
  }
}

function contentOf(context: Context, id: WorkspaceId): string {
  const found = unlessDamaged(undefined, () => timelineIn(context, id));
  if (found === null) return 'it cannot be read';
  const { length } = found.numbers;
  return `${length} checkpoint${length === 1 ? '' : 's'}, newest ${found.newest ?? 'unknown'}`;
}

/** More are not described. */
const MAX_DESCRIBED = 5;

function unproven(context: Context, ids: readonly WorkspaceId[], message: string): SavepointError {
  const described = ids.slice(0, MAX_DESCRIBED).map((id) => `${id} (${contentOf(context, id)})`);
  const hint =
    ids.length === 0
      ? 'All stores have usable records. `savepoint workspaces` lists them.'
      : `Nothing was changed. Stores without usable records: ${described.join(', ')}. If you know that one is that of ` +
        'this folder, run `savepoint repair --adopt ID` here.';
  const data = { folder: nameToJson(context.folder), exists: context.ports.fs.lstat(context.folder) !== null };
  return new SavepointError('NO_WORKSPACE', message, data, { hint });
}

function alreadyHasStore({ folder }: Context, workspace: WorkspaceId): SavepointError {
  return new SavepointError(
    'ROOT_REFUSED',
    `${showName(folder)} already has its own timeline.`,
    { folder: nameToJson(folder), why: 'has-store', workspace },
    {
      hint:
        'Nothing was changed. Two stores cannot share a folder. To use the other one instead, delete this one with ' +
        '`savepoint workspaces delete`, and repair again.',
    },
  );
}
