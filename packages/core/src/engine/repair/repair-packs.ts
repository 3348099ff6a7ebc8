/** Finds what is sound in damaged packs, and in packs whose indexes are missing or damaged. */

import type { Pace } from '../../io/pace.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { DiskPath } from '../../model/names.ts';
import type { AsideFolder } from '../../store/aside.ts';
import { FormatProblem, isDamage, unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectBatch, StoredObject } from '../../store/objects/object-reader.ts';
import type { ObjectStore } from '../../store/objects/object-store.ts';
import type { PackIndex } from '../../store/objects/packs/pack-index.ts';
import { indexPathOf } from '../../store/objects/packs/pack-names.ts';
import type { ScannedPack } from '../../store/objects/packs/scanned-pack.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { neededObjects } from '../../timeline/retention/needed.ts';
import { hasPendingOperation } from '../recovery.ts';

export interface ScannedPacks {
  /** The indexes of packs that are sound themselves. */
  readonly indexes: ReadonlyMap<DiskPath, PackIndex>;
  readonly damaged: ReadonlyMap<DiskPath, ScannedPack>;
}

/** The caller closes the damaged packs. */
export async function scanPacks(objects: ObjectStore, packs: Iterable<DiskPath>, pace: Pace): Promise<ScannedPacks> {
  const indexes = new Map<DiskPath, PackIndex>();
  const damaged = new Map<DiskPath, ScannedPack>();
  try {
    for (const pack of packs) {
      const scanned = await objects.scanPack(pack, pace);
      if (scanned.index === null) damaged.set(pack, scanned);
      else {
        scanned.close();
        indexes.set(pack, scanned.index);
      }
    }
  } catch (error) {
    closePacks(damaged);
    throw error;
  }
  return { indexes, damaged };
}

export function closePacks(packs: ScannedPacks['damaged']): void {
  for (const pack of packs.values()) pack.close();
}

/** @param aside null: only look @returns what was written, described for users */
export function repairIndexes(
  { ports, store }: Workspace,
  indexes: ScannedPacks['indexes'],
  aside: AsideFolder | null,
): readonly string[] {
  const rewritten: string[] = [];
  for (const [pack, index] of indexes) {
    const file = indexPathOf(pack);
    if (aside !== null) {
      if (ports.fs.lstat(file) !== null && !aside.keep(file)) aside.move(file);
      store.objects.writeIndex(pack, index);
    }
    rewritten.push(`${file.slice(file.lastIndexOf('/') + 1)}, from its pack: ${index.count} objects`);
  }
  return rewritten;
}

/**
 * Copies what can still be read of damaged packs, unless an intact file has it. If all of them were linked from
 * repositories, copies only what is needed, if that is known: the rest is history, which can be much larger without deltas.
 * @returns the ids of what was copied
 */
export async function copyReadable(
  workspace: Workspace,
  intact: ObjectStore,
  batch: ObjectBatch,
  packs: ScannedPacks['damaged'],
  pace: Pace,
): Promise<ReadonlySet<ObjectId>> {
  const { store } = workspace;
  const copied = new Set<ObjectId>();
  if (packs.size === 0) return copied;
  const needed = await neededOfLinked(workspace, packs, pace);
  const copy = async (id: ObjectId, read: () => StoredObject | null): Promise<void> => {
    if (pace.isDue()) await pace.yieldNow();
    if (copied.has(id) || needed?.has(id) === false || intact.has(id)) return;
    const object = read();
    if (object !== null) copied.add(batch.add(object.type, object.data));
  };
  for (const id of [...store.objects.ids()])
    await copy(id, () => unlessDamaged(undefined, () => store.objects.read(id)));
  for (const pack of packs.values()) {
    for (const id of pack.offsets.keys()) await copy(id, () => readFrom(pack, id));
  }
  return copied;
}

/** @returns null if everything has to be copied */
async function neededOfLinked(
  workspace: Workspace,
  packs: ScannedPacks['damaged'],
  pace: Pace,
): Promise<ReadonlySet<ObjectId> | null> {
  const { linkedPacks } = workspace.store.objects;
  const isLinked = [...packs.keys()].every((pack) => linkedPacks.has(pack));
  if (!isLinked || workspace.timeline.damage() !== null || hasPendingOperation(workspace)) return null;
  try {
    return (await neededObjects(workspace, [], pace)).live;
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  }
}

function readFrom(pack: ScannedPack, id: ObjectId): StoredObject | null {
  try {
    return pack.read(id);
  } catch (error) {
    if (error instanceof FormatProblem) return null;
    throw error;
  }
}
