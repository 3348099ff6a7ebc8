/** Finds the commits of checkpoints whose refs are damaged. */

import type { Pace } from '../../io/pace.ts';
import { type CheckpointId, checkpointId, type ObjectId } from '../../model/ids.ts';
import { diskChild } from '../../model/names.ts';
import { type AsideFolder, filesAside } from '../../store/aside.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { type StoredObjects, storedCheckpoints } from '../../timeline/record/timeline.ts';

export interface RepairedRefs {
  readonly repaired: readonly string[];
  /** Checkpoints without a commit in the store, and refs that more than one commit may belong to. */
  readonly lost: readonly { readonly checkpoint: CheckpointId | null; readonly why: string }[];
}

const CHECKPOINT_REF = /^refs\/savepoint\/cp\/([1-9]\d{0,8})$/;

/**
 * @param objects every object of the store that can be read
 * @param aside null: only look
 */
export async function repairRefs(
  workspace: Workspace,
  objects: StoredObjects,
  aside: AsideFolder | null,
  pace: Pace,
): Promise<RepairedRefs> {
  const { ports, store } = workspace;
  const repaired: string[] = [];
  const lost: RepairedRefs['lost'][number][] = [];
  const { refs, damaged, packed } = store.refs.listWithDamage('refs/');
  const missing = packed === null ? refsLeftAside(workspace) : [];
  if (packed === null && damaged.length === 0 && missing.length === 0) return { repaired, lost };
  const commits = await commitsByNumber(workspace, objects, pace);
  if (packed !== null) {
    // A changed bit in a name would give a checkpoint another one's commit.
    const readable = refs.filter(({ name, id }) => objects.has(id) && !hasLooseFile(workspace, name));
    const ids = new Map(
      readable.flatMap(({ name, id }) => (fitsNumber(commits, name, id) ? [[name, id] as const] : [])),
    );
    for (const [number, found] of commits) {
      const name = `refs/savepoint/cp/${number}`;
      const [commit] = found;
      if (!ids.has(name) && found.length === 1 && commit !== undefined && !hasLooseFile(workspace, name))
        ids.set(name, commit);
    }
    const { file } = packed;
    if (aside !== null) {
      if (!aside.keep(file)) aside.move(file);
      store.refs.replacePacked(ids);
    }
    repaired.push(`packed-refs: ${ids.size} refs`);
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
      if (aside !== null) store.refs.replaceDamaged(name, commit);
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
  { id }: Workspace,
  objects: StoredObjects,
  pace: Pace,
): Promise<ReadonlyMap<number, readonly ObjectId[]>> {
  const found = new Map<number, ObjectId[]>();
  for (const { commit, checkpoint } of storedCheckpoints(objects)) {
    if (pace.isDue()) await pace.yieldNow();
    if (checkpoint === null || checkpoint.workspace !== id) continue;
    found.set(checkpoint.number, [...(found.get(checkpoint.number) ?? []), commit]);
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
