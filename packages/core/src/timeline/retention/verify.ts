/** Checks that everything the checkpoints need exists and is valid. */

import type { Pace } from '../../io/pace.ts';
import { type CheckpointId, checkpointId, type ObjectId } from '../../model/ids.ts';
import { isDamage } from '../../store/objects/damage.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { readRecordedCalls } from '../../store/state/open-calls.ts';
import type { Workspace } from '../capture/workspace.ts';
import type { CheckpointRef } from '../record/timeline.ts';
import { findCheckpointDamage } from './reachable.ts';

export interface Damage {
  readonly object: ObjectId | null;
  /** The store file with the damage; null if none is known. */
  readonly file: string | null;
  readonly problem: string;
  /** Checkpoints that cannot be fully restored because of it. */
  readonly checkpoints: readonly CheckpointId[];
}

export interface Verification {
  readonly deep: boolean;
  readonly checkpoints: number;
  readonly damage: readonly Damage[];
  /** Number of checkpoints that can be fully restored. */
  readonly valid: number;
}

const DAMAGED_CALL =
  'is the damaged record of an open call, so changes may be by an unknown agent until its session ends; `savepoint gc` ' +
  'removes it';
/** Clean-ups that change the refs during one verification. */
const MAX_ATTEMPTS = 10;

/** @param deep read and hash every byte of the store; otherwise check only what is visible without contents */
export async function verifyStore(workspace: Workspace, deep: boolean, pace: Pace): Promise<Verification> {
  const { store } = workspace;
  const problems = await store.objects.verifyObjects({ deep, pace });
  const damagedIds = new Set<ObjectId>();
  for (const { object } of problems) {
    // Another copy of the object may be intact.
    if (object !== undefined && !damagedIds.has(object) && !(await isReadable(store.objects, object)))
      damagedIds.add(object);
  }
  const { refs, damage: damagedRefs, affected } = await findAffected(workspace, damagedIds, pace);
  const affectedBy = new Map<ObjectId, CheckpointId[]>();
  for (const { checkpoint, objects } of affected) {
    for (const id of objects) affectedBy.set(id, [...(affectedBy.get(id) ?? []), checkpoint]);
  }
  const damage: Damage[] = problems.map(({ object, file, problem }) => ({
    object: object ?? null,
    file,
    problem,
    checkpoints: object === undefined ? [] : (affectedBy.get(object) ?? []),
  }));
  for (const [object, checkpoints] of affectedBy) {
    if (!damagedIds.has(object))
      damage.push({ object, file: null, problem: 'is missing or cannot be read', checkpoints });
  }
  return {
    deep,
    checkpoints: refs.length,
    damage: [...damage, ...damagedRefs, ...damagedCalls(workspace)],
    valid: refs.filter(({ damage: hidden }) => hidden === undefined).length - affected.length,
  };
}

function damagedCalls({ ports, store }: Workspace): readonly Damage[] {
  const { damaged } = readRecordedCalls(ports.fs, store.layout);
  return damaged.map((name) => ({ object: null, file: `calls/${name}`, problem: DAMAGED_CALL, checkpoints: [] }));
}

/**
 * Finds the damaged checkpoints. A clean-up or a purge deletes or moves refs before it removes objects. So if an object
 * is missing, only a ref that still exists afterwards proves that it is lost.
 */
async function findAffected(workspace: Workspace, damagedIds: ReadonlySet<ObjectId>, pace: Pace) {
  let listed = findRefDamage(workspace);
  for (let attempt = 1; ; attempt++) {
    const readable = listed.refs.filter(({ damage: hidden }) => hidden === undefined);
    const affected = await findCheckpointDamage(workspace.store.objects, readable, damagedIds, pace);
    if (affected.length === 0) return { ...listed, affected };
    const now = findRefDamage(workspace);
    const commits = new Map(now.refs.map(({ number, commit }) => [number, commit]));
    const isSame = listed.refs.every(({ number, commit }) => commits.get(number) === commit);
    if (isSame || attempt === MAX_ATTEMPTS) return { ...listed, affected };
    listed = now;
  }
}

/** Lists the checkpoints, and every damaged file of refs. */
function findRefDamage({ store, timeline }: Workspace): {
  readonly refs: readonly CheckpointRef[];
  readonly damage: readonly Damage[];
} {
  const refs = timeline.list();
  const { damaged, packed } = store.refs.listWithDamage('refs/');
  const hidden = refs.filter(({ damage }) => damage !== undefined && damage.file === packed?.file);
  const damage = damaged.map(({ name, file, problem }): Damage => {
    const checkpoints = refs.filter((ref) => ref.damage?.name === name).map(({ number }) => checkpointId(number));
    return { object: null, file, problem, checkpoints };
  });
  if (packed !== null) {
    const checkpoints = hidden.map(({ number }) => checkpointId(number));
    damage.push({ object: null, file: packed.file, problem: `${packed.problem}, so it may hide refs`, checkpoints });
  }
  return { refs, damage };
}

async function isReadable(objects: ObjectReader, id: ObjectId): Promise<boolean> {
  try {
    if (objects.info(id)?.type === 'blob') await objects.copyBlob(id, () => undefined);
    else objects.read(id);
    return true;
  } catch (error) {
    if (isDamage(error)) return false;
    throw error;
  }
}
