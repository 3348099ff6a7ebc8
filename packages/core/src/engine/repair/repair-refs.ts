/** Finds the commits of checkpoints whose refs are damaged. */

import { readEntireFile } from '../../io/durable-write.ts';
import { isFsError } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import { type CheckpointId, checkpointId, type ObjectId } from '../../model/ids.ts';
import { diskChild } from '../../model/names.ts';
import { type AsideFolder, filesAside } from '../../store/aside.ts';
import { isDamage, unlessDamaged } from '../../store/objects/damage.ts';
import { replaceLooseRef } from '../../store/refs/loose-refs.ts';
import { isRefName } from '../../store/refs/ref-name.ts';
import { replacePackedRefs } from '../../store/refs/replace-packed-refs.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { readCheckpoint } from '../../timeline/record/timeline.ts';

export interface RepairedRefs {
  readonly repaired: readonly string[];
  /** Checkpoints without a commit in the store, and refs that more than one commit may belong to. */
  readonly lost: readonly { readonly checkpoint: CheckpointId | null; readonly why: string }[];
}

const CHECKPOINT_REF = /^refs\/savepoint\/cp\/([1-9]\d{0,8})$/;
const PACKED_BYTES = 256 * 1024 * 1024;

/** @param aside null: only look */
export async function repairRefs(workspace: Workspace, aside: AsideFolder | null, pace: Pace): Promise<RepairedRefs> {
  const { ports, store } = workspace;
  const repaired: string[] = [];
  const lost: RepairedRefs['lost'][number][] = [];
  const packed = damagedPackedRefs(workspace);
  const damaged = packed === null ? store.refs.listWithDamage('refs/').damaged : [];
  const missing = packed === null ? refsLeftAside(workspace) : [];
  if (packed === null && damaged.length === 0 && missing.length === 0) return { repaired, lost };
  const commits = await commitsByNumber(workspace, pace);
  if (packed !== null) {
    // A changed bit in a name would give a checkpoint another one's commit.
    const ids = new Map([...packed.ids].filter(([name, id]) => fitsNumber(commits, name, id)));
    for (const [number, found] of commits) {
      const name = `refs/savepoint/cp/${number}`;
      const [commit] = found;
      if (!ids.has(name) && found.length === 1 && commit !== undefined && !hasLooseFile(workspace, name))
        ids.set(name, commit);
    }
    const file = diskChild(store.layout.objects, 'packed-refs');
    if (aside !== null) {
      if (!aside.keep(file)) aside.move(file);
      replacePackedRefs(ports.fs, store.layout.objects, ids);
    }
    repaired.push(`packed-refs: ${ids.size} refs`);
    return { repaired, lost };
  }
  for (const name of [...damaged.map((one) => one.name), ...missing]) {
    const file = diskChild(store.layout.objects, name);
    const number = CHECKPOINT_REF.exec(name)?.[1];
    const id = number === undefined ? null : checkpointId(Number(number));
    const pinned = /^refs\/savepoint\/pin\/(\d+)$/.exec(name)?.[1];
    const fits = pinned === undefined ? (commits.get(Number(number)) ?? []) : pinnedCommit(workspace, Number(pinned));
    const [commit] = fits;
    // A clean-up has dropped the checkpoint since.
    if (commit === undefined && missing.includes(name)) continue;
    if (fits.length > 1) {
      lost.push({ checkpoint: id, why: `several commits may belong to ${name}: ${fits.join(', ')}` });
      continue;
    }
    const isThere = ports.fs.lstat(file) !== null;
    const isKept = aside !== null && isThere && commit !== undefined && aside.keep(file);
    if (aside !== null && isThere && !isKept) aside.move(file);
    if (commit === undefined) lost.push({ checkpoint: id, why: `no commit in the store belongs to ${name}` });
    else {
      if (aside !== null) replaceLooseRef(ports.fs, ports.random, file, store.layout.objects, commit);
      repaired.push(name);
    }
  }
  return { repaired, lost };
}

function fitsNumber(commits: ReadonlyMap<number, readonly ObjectId[]>, name: string, id: ObjectId): boolean {
  const number = CHECKPOINT_REF.exec(name)?.[1];
  return number === undefined || commits.get(Number(number))?.includes(id) === true;
}

function pinnedCommit({ timeline }: Workspace, number: number): readonly ObjectId[] {
  return timeline.list().flatMap((ref) => (ref.number === number && ref.damage === undefined ? [ref.commit] : []));
}

/** Returns the commits in the store that are checkpoints of the workspace, by number. Newer ones are not preferred. */
async function commitsByNumber(
  { store, id }: Workspace,
  pace: Pace,
): Promise<ReadonlyMap<number, readonly ObjectId[]>> {
  const found = new Map<number, ObjectId[]>();
  for (const object of store.objects.ids()) {
    if (pace.isDue()) await pace.yieldNow();
    if (unlessDamaged(undefined, () => store.objects.info(object))?.type !== 'commit') continue;
    const checkpoint = unlessDamaged(undefined, () => readCheckpoint(store.objects, object));
    if (checkpoint === null || checkpoint.workspace !== id) continue;
    found.set(checkpoint.number, [...(found.get(checkpoint.number) ?? []), object]);
  }
  return found;
}

/** Refs that a repair moved aside and did not write again before it was killed. */
function refsLeftAside({ ports, store, timeline }: Workspace): readonly string[] {
  const names = [...filesAside(ports.fs, store.layout.path)].map((file) => file.replace(/^objects\.git\//, ''));
  const there = new Set(timeline.list().map(({ number }) => `refs/savepoint/cp/${number}`));
  return names.filter((name) => CHECKPOINT_REF.test(name) && !there.has(name));
}

function hasLooseFile({ ports, store }: Workspace, name: string): boolean {
  return ports.fs.lstat(diskChild(store.layout.objects, name)) !== null;
}

/** Returns the lines that can still be used; null if the file is intact. */
function damagedPackedRefs({ ports, store }: Workspace): { readonly ids: ReadonlyMap<string, ObjectId> } | null {
  try {
    store.refs.listWithDamage('refs/');
    return null;
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  let text = '';
  try {
    text = readEntireFile(ports.fs, diskChild(store.layout.objects, 'packed-refs'), PACKED_BYTES).toString('latin1');
  } catch (error) {
    if (!isFsError(error)) throw error;
  }
  const ids = new Map<string, ObjectId>();
  for (const [, id, name] of text.matchAll(/^([0-9a-f]{40}) (refs\/\S+)$/gm)) {
    if (isRefName(name as string) && store.objects.has(id as ObjectId)) ids.set(name as string, id as ObjectId);
  }
  return { ids };
}
