/**
 * Verifies, in the background, what the first checkpoint adopted from repositories without reading it.
 *
 * It checks whether the objects are valid. It also checks whether the files that a repository reports as unchanged have
 * the contents that it records. They differ if the index is wrong, or if a conversion was active and left no trace.
 * Other files that differ from the checkpoint are not reported: they may simply have changed since.
 */
import { showName } from '../../content/show-name.ts';
import type { Pace } from '../../io/pace.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { Snapshot } from '../../model/entries.ts';
import type { ObjectId } from '../../model/ids.ts';
import { childPath, diskChild, type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import { PathSet } from '../../model/path-set.ts';
import { isDamage } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { ownPaths } from '../../store/own-paths.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import { type FolderRef, readFolder, rootOf } from '../../store/snapshot/snapshot.ts';
import { readAdoptedMarker } from '../../store/state/adopted-marker.ts';
import { Adoption } from '../../workspace/adoption/adoption.ts';
import { LastSnapshot } from '../../workspace/scan/last-snapshot.ts';
import { scan } from '../../workspace/scan/scan.ts';
import type { RecalledScan } from '../../workspace/scan/scan-memory.ts';
import { differences } from '../diff/snapshot-diff.ts';
import type { Workspace } from './workspace.ts';

export interface AdoptedVerification {
  /** Paths of the checkpoint whose contents are damaged or missing. */
  readonly damaged: readonly TreePath[];
  /** Paths whose contents in the checkpoint differ from what the files held. Not checked if anything is damaged. */
  readonly wrong: readonly TreePath[];
}

const MAX_SHOWN = 3;

/**
 * Writes nothing and needs no lock.
 * @returns null if there is nothing to check
 * @throws SavepointError CAPTURE_FAILED, CANCELLED
 */
export async function verifyAdopted(workspace: Workspace, pace: Pace): Promise<AdoptedVerification | null> {
  const checkpoint = checkpointOf(workspace);
  if (checkpoint === null) return null;
  const { objects } = workspace.store;
  const damaged = await damagedIn(objects, checkpoint.snapshot, pace);
  return { damaged, wrong: damaged.length > 0 ? [] : await mismatchesIn(workspace, checkpoint.snapshot, pace) };
}

/** Returns null if all is well. */
export function describeAdopted({ damaged, wrong }: AdoptedVerification): string | null {
  const paths = [...new Set([...damaged, ...wrong])];
  if (paths.length === 0) return null;
  const names = paths
    .slice(0, MAX_SHOWN)
    .map((path) => showName(path))
    .join(', ');
  return (
    `The first checkpoint adopted objects that are damaged in the repository or do not match its index: ${names}` +
    `${paths.length > MAX_SHOWN ? `, and ${paths.length - MAX_SHOWN} more` : ''}. All files are read again.`
  );
}

function checkpointOf({ ports, store, timeline }: Workspace): Checkpoint | null {
  const note = readAdoptedMarker(ports.fs, store.layout);
  if (note === null) return null;
  // A purge rewrites checkpoints, so their commits change. The contents are the same.
  const { checkpoints } = timeline.readAll(timeline.list().filter(({ commit }) => commit === note));
  return checkpoints[0] ?? timeline.latest();
}

/** An empty recall: the scan reads every file. */
const NOTHING_KNOWN: Omit<RecalledScan, 'still'> = {
  known: () => undefined,
  unchangedFolder: () => null,
  watch: () => false,
  isQuiet: () => false,
  mustRescan: () => false,
};

async function damagedIn(objects: ObjectReader, snapshot: Snapshot, pace: Pace): Promise<readonly TreePath[]> {
  const damaged: TreePath[] = [];
  let done = 0;
  for (const { path, id } of filesIn(objects, snapshot, (folder) => damaged.push(folder))) {
    if (pace.isDue()) await pace.yieldNow({ phase: 'verify', done, total: null });
    // Contents that several files share are read again: keeping track of them would cost more than the reads.
    if (!(await isReadable(objects, id))) damaged.push(path);
    done += 1;
  }
  return damaged;
}

/** Reads all files. Returns those that differ from the snapshot although the repository reports them as unchanged. */
async function mismatchesIn(workspace: Workspace, snapshot: Snapshot, pace: Pace): Promise<readonly TreePath[]> {
  const { ports, root, store, rules, globalIgnore, gitAttributes } = workspace;
  if (gitAttributes === null) return [];
  const adoption = new Adoption(ports, gitAttributes);
  const overlay = new OverlayBatch(store.objects, 0);
  try {
    const found = await scan({
      ports,
      root,
      batch: overlay,
      recalled: { ...NOTHING_KNOWN, still: (_, make) => make(ports.fs, null) },
      rules,
      globalIgnore,
      requiredPaths: PathSet.EMPTY,
      own: ownPaths(ports, store.layout),
      lastSnapshot: new LastSnapshot(overlay, snapshot),
      rootsBefore: [],
      pace,
      adoption: { enter: (path, disk, repository) => adoption.enter(path, disk, repository), idOf: () => null },
      recordsVisited: false,
    });
    const wrong: TreePath[] = [];
    for (const { path, before, after } of differences(overlay, snapshot, found.snapshot)) {
      if (pace.isDue()) await pace.yieldNow();
      if (before.entry?.kind !== 'file' || after.entry?.kind !== 'file') continue;
      // The index was read before the file. If the file changed in between, the index does not vouch for it.
      const stat = ports.fs.lstat(diskChild(root, path));
      if (stat !== null && adoption.idOf(path, stat) === before.entry.id) wrong.push(path);
    }
    return wrong;
  } finally {
    adoption.close();
  }
}

/** Yields every file of a snapshot. Calls `onDamaged` for each folder that cannot be read. */
function* filesIn(
  objects: ObjectReader,
  snapshot: Snapshot,
  onDamaged: (path: TreePath) => void,
): Generator<{ readonly path: TreePath; readonly id: ObjectId }> {
  const folders: { readonly path: TreePath; readonly folder: FolderRef }[] = [
    { path: WORKSPACE_ITSELF, folder: rootOf(snapshot) },
  ];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    let entries: ReturnType<typeof readFolder>['entries'];
    try {
      ({ entries } = readFolder(objects, next.folder));
    } catch (error) {
      if (!isDamage(error)) throw error;
      onDamaged(next.path);
      continue;
    }
    for (const [name, entry] of entries) {
      const path = childPath(next.path, name);
      if (entry.kind === 'folder') folders.push({ path, folder: entry });
      else if (entry.kind === 'file') yield { path, id: entry.id };
    }
  }
}

async function isReadable(objects: ObjectReader, id: ObjectId): Promise<boolean> {
  try {
    await objects.copyBlob(id, () => {});
    return true;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}
