/** Reverts frozen paths that an agent changed anyway, through a shell. */

import type { Pace } from '../io/pace.ts';
import { type Actor, type Checkpoint, wereOnlyAgentsActive } from '../model/checkpoint.ts';
import { isWithin, parentPath, type TreePath } from '../model/names.ts';
import type { Operation } from '../operation/operation.ts';
import { cachedFolderReader, type FolderReader } from '../store/snapshot/snapshot.ts';
import { type FrozenPath, frozenPathOf } from '../store/state/frozen.ts';
import { checkpointInfo } from '../timeline/capture/compose.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import { inverseChanges } from './inverse-changes.ts';

const FREEZE: Actor = { kind: 'user', name: 'freeze' };

/**
 * Returns the frozen paths that changed in a checkpoint while only agents were active. If it is not known when a call
 * ran, the change may be a person's, and stays. If the checkpoint had too many changes to list, returns all frozen paths.
 */
export function frozenPathsChanged({ changes }: Checkpoint, frozen: readonly FrozenPath[]): readonly TreePath[] {
  if (frozen.length === 0) return [];
  if (changes === null) return frozen.map(({ path }) => path);
  return changes.flatMap(({ path, from, by }) => {
    const touched = from === null ? [path] : [path, from];
    return wereOnlyAgentsActive(by) ? touched.filter((each) => frozen.some((it) => isWithin(each, it.path))) : [];
  });
}

export function putBackOperation(
  after: Checkpoint,
  before: Checkpoint,
  frozen: readonly FrozenPath[],
  paths: readonly TreePath[],
  pace: Pace,
): Operation {
  const tool = after.tool?.name ?? 'a call';
  const what = paths.length === 1 ? 'a frozen path' : `${paths.length} frozen paths`;
  return {
    info: {
      ...checkpointInfo('freeze', FREEZE),
      session: after.session,
      toolCall: after.toolCall,
      target: before.id,
      description: `Reverted ${what} that ${tool} changed`,
    },
    backups: null,
    mayChangeFrozen: true,
    plan: ({ objects, own, snapshot, entries }) =>
      inverseChanges(
        {
          objects,
          before: before.snapshot,
          after: after.snapshot,
          now: snapshot,
          own,
          entries,
          isOneOperation: false,
          reasonToKeep: () => null,
          within: [...paths, ...newFolders(cachedFolderReader(objects), after, before, frozen, paths)],
          except: [],
        },
        pace,
      ),
  };
}

/**
 * Finds folders that were created with those paths and contain nothing else. They have no change record of their own.
 */
function newFolders(
  read: FolderReader,
  after: Checkpoint,
  before: Checkpoint,
  frozen: readonly FrozenPath[],
  paths: readonly TreePath[],
): readonly TreePath[] {
  const ours = new Set(paths);
  const folders = new Set<TreePath>();
  for (const path of paths) {
    for (let at = parentPath(path); at !== '' && !folders.has(at); at = parentPath(at)) {
      const { entry, skip } = stateAt(read, before.snapshot, at);
      const holdsOthers = after.changes?.some((change) => isWithin(change.path, at) && !ours.has(change.path)) ?? true;
      if (entry !== null || skip !== null || holdsOthers || frozenPathOf(frozen, at) === null) break;
      folders.add(at);
    }
  }
  return [...folders];
}
