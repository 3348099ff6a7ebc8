/**
 * Repairs a store. Invariants:
 *
 * E1 Nothing is deleted: a damaged part is moved into `damaged/<k>/`.
 * E2 What replaces a damaged part is durable before the part is moved. So a repair that is killed at any step leaves a
 *    store that is not worse, and the next one finds what is left to do.
 * E3 An object is taken from elsewhere only under the id that its bytes have.
 */

import type { Fs } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import type { CheckpointId, ObjectId, WorkspaceId } from '../../model/ids.ts';
import { type DiskPath, diskChild, type TreePath } from '../../model/names.ts';
import { AsideFolder, type MovedAside } from '../../store/aside.ts';
import { homeOf } from '../../store/home.ts';
import type { LockOptions } from '../../store/lock.ts';
import { damaged as damagedError, isDamage, unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectBatch, ObjectInfo, ObjectReader, StoredObject } from '../../store/objects/object-reader.ts';
import { ObjectStore } from '../../store/objects/object-store.ts';
import { indexPathOf, packPathOf } from '../../store/objects/packs/pack-names.ts';
import type { ObjectProblem } from '../../store/objects/verify-objects.ts';
import { type FoundRecord, writeRecord } from '../../store/records.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import { readFrozen } from '../../store/state/frozen.ts';
import { readPlanPolicy } from '../../store/state/plan-policy.ts';
import { readTrust } from '../../store/state/trust.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { type CheckpointRef, readCheckpoint, type StoredObjects } from '../../timeline/record/timeline.ts';
import { findCheckpointDamage } from '../../timeline/retention/reachable.ts';
import { withHomeLock } from '../home-lock.ts';
import { type Adoption, LOST_WITH_RECORD } from './adopt.ts';
import { lostPaths } from './lost-paths.ts';
import { closePacks, copyReadable, repairIndexes, scanPacks } from './repair-packs.ts';
import { repairRefs } from './repair-refs.ts';
import { type Salvaged, salvage } from './salvage.ts';

/** What a checkpoint lacks. */
export interface LostPart {
  /** Null if no checkpoint is known to need it. */
  readonly checkpoint: CheckpointId | null;
  /** Files, and folders of which nothing is known. */
  readonly paths: readonly TreePath[];
  readonly why: string;
}

export interface Repair {
  /** Objects that were found elsewhere and stored again. */
  readonly objects: readonly Salvaged[];
  /** Other parts that were written again, described for users. */
  readonly rewritten: readonly string[];
  readonly movedAside: readonly MovedAside[];
  readonly lost: readonly LostPart[];
  /** Sources that could not be read. */
  readonly problems: readonly string[];
  /** The store had no usable record, and this folder adopted it. */
  readonly adopted: { readonly id: WorkspaceId; readonly folder: DiskPath; readonly why: string } | null;
}

export interface RepairOptions {
  /** Bundles that may have lost objects. */
  readonly from: readonly DiskPath[];
  /** Only look; the result says what would happen. */
  readonly dryRun: boolean;
  readonly adoption: Adoption | null;
  /** For the lock of the home folder. */
  readonly wait: LockOptions;
}

/** The caller holds the store's lock, unless it is a dry run. */
export async function repairStore(
  workspace: Workspace,
  found: FoundRecord,
  { from, dryRun, adoption, wait }: RepairOptions,
  pace: Pace,
): Promise<Repair> {
  const { ports, store } = workspace;
  const aside = dryRun ? null : new AsideFolder(ports.fs, store.layout.path);
  const rewritten = [
    ...(adoption === null
      ? await repairRecord(workspace, found, aside, pace, wait)
      : ['workspace.json, for this folder']),
    ...repairFrozen(workspace, aside),
    ...repairTrust(workspace, aside),
    ...repairPlanPolicy(workspace, aside),
  ];
  const problems = await store.objects.verifyObjects({ deep: true, pace });
  const bad = badFiles(ports.fs, problems);
  // A pack with the same contents has the same name, so a new one may replace a damaged one.
  const isThere = (file: DiskPath): boolean => {
    const ino = ports.fs.lstat(file)?.ino;
    return ino !== undefined && ino === bad.inodes.get(file);
  };
  const packs = await scanPacks(store.objects, bad.packs, pace);
  const openIntact = (): ObjectStore =>
    ObjectStore.openCorrected(ports, store.layout.objects, {
      ignored: new Set([...packs.damaged.keys()].filter(isThere)),
      indexes: packs.indexes,
    });
  let intact = openIntact();
  let batch: ObjectBatch = dryRun ? new OverlayBatch(intact, Number.POSITIVE_INFINITY) : intact.batch();
  try {
    rewritten.push(...repairIndexes(workspace, packs.indexes, aside));
    const copied = await copyReadable(workspace, intact, batch, packs.damaged, pace);
    if (!dryRun) {
      await batch.finish(); // E2: refs may lead to what was copied.
      intact.close();
      intact = openIntact();
      batch = intact.batch();
    }
    const stored = new IntactObjects(batch, intact, new Set(bad.objects), copied);
    const refs = await repairRefs(workspace, stored, aside, pace);
    rewritten.push(...refs.repaired);
    const lost: LostPart[] = refs.lost.map((one) => ({ ...one, paths: [] }));
    if (adoption !== null) lost.push({ checkpoint: null, paths: [], why: LOST_WITH_RECORD });
    const known = readableRefs(workspace);
    const needed = await findCheckpointDamage(stored, known, new Set(), pace);
    const wanted = new Set([...needed.flatMap(({ objects }) => objects), ...unreadableIn(problems, stored)]);
    const salvaged = await salvage(workspace, batch, wanted, from, pace);
    const left = await findCheckpointDamage(stored, known, new Set(), pace);
    for (const { checkpoint, objects } of left) {
      const ref = known.find(({ number }) => `cp_${number}` === checkpoint);
      const read = ref === undefined ? null : unlessDamaged(undefined, () => readCheckpoint(stored, ref.commit));
      const paths = read === null ? [] : lostPaths(stored, read, new Set(objects));
      lost.push({ checkpoint, paths, why: `objects are lost: ${objects.slice(0, 10).join(', ')}` });
    }
    if (aside !== null) {
      await batch.finish(); // E2
      for (const file of bad.inodes.keys()) {
        const pack = packPathOf(file);
        if (isThere(file) && (pack === null || packs.damaged.has(pack))) aside.move(file);
      }
      store.objects.close();
      store.objects.refresh();
      workspace.memory.forget();
    }
    return {
      objects: salvaged.found,
      rewritten,
      movedAside: [...(adoption?.movedAside ?? []), ...(aside?.moved ?? [])],
      lost,
      problems: salvaged.problems,
      adopted: adoption && { id: adoption.record.id, folder: adoption.record.path, why: adoption.why },
    };
  } finally {
    batch.abandon();
    closePacks(packs.damaged);
    intact.close();
  }
}

interface BadFiles {
  readonly packs: ReadonlySet<DiskPath>;
  /** Of the packs, their indexes, and loose objects. */
  readonly inodes: ReadonlyMap<DiskPath, number | undefined>;
  /** The objects in damaged loose files. */
  readonly objects: readonly ObjectId[];
}

/** The objects as they are once the damaged files are gone. */
class IntactObjects implements StoredObjects {
  constructor(
    private readonly batch: ObjectBatch,
    private readonly intact: StoredObjects,
    private readonly damagedLoose: ReadonlySet<ObjectId>,
    private readonly copied: ReadonlySet<ObjectId>,
  ) {}

  ids(): Iterable<ObjectId> {
    return new Set([...this.intact.ids(), ...this.copied]);
  }

  has(id: ObjectId): boolean {
    return this.batch.has(id) || (this.intact.has(id) && !this.damagedLoose.has(id));
  }

  info(id: ObjectId): ObjectInfo | null {
    return this.has(id) ? this.batch.info(id) : null;
  }

  read(id: ObjectId): StoredObject {
    return this.batch.read(id);
  }

  copyBlob(id: ObjectId, sink: (chunk: Buffer) => void): Promise<void> {
    return this.batch.copyBlob(id, sink);
  }
}

function badFiles(fs: Fs, problems: readonly ObjectProblem[]): BadFiles {
  const packs = new Set<DiskPath>();
  const loose = new Set<DiskPath>();
  const objects: ObjectId[] = [];
  for (const { file, object } of problems) {
    const pack = packPathOf(file);
    if (pack !== null) packs.add(pack);
    else {
      loose.add(file);
      if (object !== undefined) objects.push(object);
    }
  }
  const files = [...loose, ...[...packs].flatMap((pack) => [pack, indexPathOf(pack)])];
  return { packs, inodes: new Map(files.map((file) => [file, fs.lstat(file)?.ino])), objects };
}

/** Damaged objects of which no copy is left: contents before a change, which no tree has. */
function* unreadableIn(problems: readonly ObjectProblem[], stored: ObjectReader): Generator<ObjectId> {
  for (const { object } of problems) if (object !== undefined && !stored.has(object)) yield object;
}

/** Empty in a dry run without readable packed refs. */
function readableRefs({ timeline }: Workspace): readonly CheckpointRef[] {
  const refs = unlessDamaged(undefined, () => timeline.list()) ?? [];
  return refs.filter(({ damage }) => damage === undefined);
}

async function repairRecord(
  { ports, store }: Workspace,
  { record }: FoundRecord,
  aside: AsideFolder | null,
  pace: Pace,
  wait: LockOptions,
): Promise<string[]> {
  if (record.damage === undefined) return [];
  const { path } = store.layout;
  const file = diskChild(path, 'workspace.json');
  const { damage: _, ...intact } = record;
  if (aside !== null) {
    // A record that is missing would make the whole store invalid.
    if (!aside.keep(file)) throw damagedError('The record of the workspace is not a file', { file });
    await withHomeLock({ ports, places: { home: homeOf(path) } }, pace, wait, () => writeRecord(ports, intact));
  }
  return ['workspace.json, from its copy'];
}

function repairFrozen({ ports, store }: Workspace, aside: AsideFolder | null): string[] {
  try {
    readFrozen(ports, store.layout);
    return [];
  } catch (error) {
    if (!isDamage(error)) throw error;
    aside?.move(diskChild(store.layout.path, 'frozen.json'));
    return ['frozen.json is empty now: nothing is frozen any more. Freeze the paths again'];
  }
}

function repairTrust({ ports, store }: Workspace, aside: AsideFolder | null): string[] {
  try {
    readTrust(ports, store.layout);
    return [];
  } catch (error) {
    if (!isDamage(error)) throw error;
    aside?.move(diskChild(store.layout.path, 'trust.json'));
    return ['trust.json is empty now: no checks are trusted any more. Run `savepoint trust` again'];
  }
}

function repairPlanPolicy({ ports, store }: Workspace, aside: AsideFolder | null): string[] {
  try {
    readPlanPolicy(ports, store.layout);
    return [];
  } catch (error) {
    if (!isDamage(error)) throw error;
    aside?.move(diskChild(store.layout.path, 'plan-policy.json'));
    return ['plan-policy.json is gone: agents apply only plans that a person approved'];
  }
}
