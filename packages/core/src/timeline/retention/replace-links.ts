/** Makes a store independent of the packs that a first checkpoint linked; see store/objects/packs/link-replacement.ts. */
import { isFsError } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { DamagedObject, UnderLock } from '../../store/objects/packs/link-replacement.ts';
import type { Workspace } from '../capture/workspace.ts';
import { neededObjects } from './needed.ts';

/** Checkpoints that are taken meanwhile may need more. */
const MAX_ROUNDS = 5;

/**
 * Copies what is needed of linked packs, verifies it, and removes the links. Drops nothing that a checkpoint needs. The
 * caller does not hold the lock. If other processes change the store again and again, the links stay until the next call.
 * @param underLock as in link-replacement.ts; does not run the work while an operation is pending: its objects are not known
 * @returns the needed objects that are damaged and have no other copy; their packs stay linked
 * @throws SavepointError STORE_DAMAGED if a checkpoint cannot be read; then no link is removed
 */
export async function replaceLinkedPacks(
  workspace: Workspace,
  pace: Pace,
  underLock: UnderLock,
): Promise<readonly DamagedObject[]> {
  const replacement = workspace.store.objects.linkReplacement(pace);
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    const before = refsOf(workspace);
    const { live } = await neededObjects(workspace, [], pace);
    const unlessDropped: UnderLock = (work) =>
      underLock(async (assertHeld) => hasAll(refsOf(workspace), before) && work(assertHeld));
    const unlessChanged: UnderLock = (work) =>
      underLock(async (assertHeld) => hasAll(before, refsOf(workspace)) && work(assertHeld));
    try {
      if (!(await replacement.copy(live, unlessDropped))) continue;
    } catch (error) {
      // Another process replaces them, too.
      if (isFsError(error, 'ENOENT')) return [];
      throw error;
    }
    if (await unlessChanged(async (assertHeld) => replacement.removeLinks(assertHeld))) break;
  }
  return replacement.damaged;
}

/** Whatever changes what is needed changes a ref. */
function refsOf({ store }: Workspace): ReadonlyMap<string, ObjectId> {
  return new Map(store.refs.list('refs/').map(({ name, id }) => [name, id]));
}

function hasAll(refs: ReadonlyMap<string, ObjectId>, wanted: ReadonlyMap<string, ObjectId>): boolean {
  return [...wanted].every(([name, id]) => refs.get(name) === id);
}
