/**
 * What a first checkpoint took over from repositories without reading it is read afterwards, when nobody waits for it.
 *
 * Two things are looked at: whether the objects are sound, and whether the files for which a repository still vouches hold
 * what it says (an index that lies, or a conversion that was at work and has left no trace). Files that were changed since
 * are not told from those, and are passed over.
 */
import { showName } from '../content/show-name.ts';
import type { Pace } from '../io/pace.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Snapshot } from '../model/entries.ts';
import type { ObjectId } from '../model/ids.ts';
import { childPath, type TreePath } from '../model/names.ts';
import { readAdopted } from '../store/adopted-note.ts';
import { isDamage } from '../store/objects/damage.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { OverlayBatch } from '../store/overlay.ts';
import { ownPaths } from '../store/own-paths.ts';
import { type FolderRef, readFolder, rootOf } from '../store/snapshot.ts';
import { Adoption } from '../workspace/adoption.ts';
import { PathSet } from '../workspace/path-set.ts';
import { scan } from '../workspace/scan.ts';
import type { Recalled } from '../workspace/scan-memory.ts';
import type { Workspace } from './capture.ts';

export interface AdoptedCheck {
  /** In the checkpoint, and damaged or no longer there. */
  readonly damaged: readonly TreePath[];
  /** Of which the checkpoint has other contents than they had. */
  readonly wrong: readonly TreePath[];
}

const SHOWN = 3;

/**
 * Writes nothing, and needs no lock.
 * @returns null where there is nothing to check
 * @throws SavepointError CAPTURE_FAILED, CANCELLED
 */
export async function checkAdopted(workspace: Workspace, pace: Pace): Promise<AdoptedCheck | null> {
  const checkpoint = checkpointOf(workspace);
  if (checkpoint === null) return null;
  const { objects } = workspace.store;
  const damaged: TreePath[] = [];
  const files = filesOf(objects, checkpoint.snapshot, (path) => damaged.push(path));
  const sound = new Map<ObjectId, boolean>();
  for (const [path, id] of files) {
    if (pace.due()) await pace.breathe({ phase: 'verify', done: sound.size, total: files.size });
    let isSound = sound.get(id);
    if (isSound === undefined) {
      isSound = await reads(objects, id);
      sound.set(id, isSound);
    }
    if (!isSound) damaged.push(path);
  }
  return { damaged, wrong: await wrongOf(workspace, files, pace) };
}

/** Null: all is well. */
export function tellAdopted({ damaged, wrong }: AdoptedCheck): string | null {
  const paths = [...new Set([...damaged, ...wrong])];
  if (paths.length === 0) return null;
  const names = paths
    .slice(0, SHOWN)
    .map((path) => showName(path))
    .join(', ');
  return (
    `The first checkpoint took over contents from a repository that are damaged there, or not what its index says: ${names}` +
    `${paths.length > SHOWN ? `, and ${paths.length - SHOWN} more` : ''}. All files are read anew.`
  );
}

function checkpointOf({ ports, store, timeline }: Workspace): Checkpoint | null {
  const note = readAdopted(ports.fs, store.layout);
  if (note === null) return null;
  // What a purge wrote anew has other commits; the contents are the same.
  return timeline.readAll().checkpoints.find(({ commit }) => commit === note) ?? timeline.latest();
}

/** Nothing is known, so that every file is looked at. */
const NOTHING_KNOWN: Omit<Recalled, 'still'> = {
  known: () => undefined,
  unchanged: () => null,
  watch: () => false,
  isQuiet: () => false,
  mustLookAgain: () => false,
};

async function wrongOf(
  workspace: Workspace,
  files: ReadonlyMap<TreePath, ObjectId>,
  pace: Pace,
): Promise<readonly TreePath[]> {
  const { ports, root, store, rules, globalIgnore, gitAttributes } = workspace;
  if (gitAttributes === null) return [];
  const adoption = new Adoption(ports, gitAttributes);
  const vouched = new Map<TreePath, ObjectId>();
  const overlay = new OverlayBatch(store.objects, 0);
  try {
    const found = await scan({
      ports,
      root,
      batch: overlay,
      recalled: { ...NOTHING_KNOWN, still: (_, make) => make(ports.fs, null) },
      rules,
      globalIgnore,
      must: PathSet.EMPTY,
      own: ownPaths(ports, store.layout),
      rootsBefore: [],
      pace,
      adoption: {
        enter: (path, disk, repository) => adoption.enter(path, disk, repository),
        idOf: (path, stat) => {
          const id = adoption.idOf(path, stat);
          if (id !== null && files.get(path) === id) vouched.set(path, id);
          return null;
        },
      },
    });
    const read = filesOf(overlay, found.snapshot, () => {});
    return [...vouched].flatMap(([path, id]) => {
      const is = read.get(path);
      if (is === undefined || is === id) return [];
      // It may have been changed between the look and the reading: then nobody vouches for it any more.
      const stat = ports.fs.lstat(`${root}/${path}` as typeof root);
      return stat !== null && adoption.idOf(path, stat) === id ? [path] : [];
    });
  } finally {
    adoption.close();
  }
}

/** Every file of a snapshot; of folders that cannot be read `hurt` is told. */
function filesOf(
  objects: ObjectReader,
  snapshot: Snapshot,
  hurt: (path: TreePath) => void,
): ReadonlyMap<TreePath, ObjectId> {
  const files = new Map<TreePath, ObjectId>();
  const visit = (path: TreePath, folder: FolderRef): void => {
    let entries: ReturnType<typeof readFolder>['entries'];
    try {
      ({ entries } = readFolder(objects, folder));
    } catch (error) {
      if (!isDamage(error)) throw error;
      hurt(path);
      return;
    }
    for (const [name, entry] of entries) {
      if (entry.kind === 'folder') visit(childPath(path, name), entry);
      else if (entry.kind === 'file') files.set(childPath(path, name), entry.id);
    }
  };
  visit('' as TreePath, rootOf(snapshot));
  return files;
}

async function reads(objects: ObjectReader, id: ObjectId): Promise<boolean> {
  try {
    await objects.copyBlob(id, () => {});
    return true;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}
