/** Frozen paths that an agent changed all the same, through a shell: they become again what they were. */

import type { Pace } from '../io/pace.ts';
import type { Actor, Checkpoint } from '../model/checkpoint.ts';
import { isWithin, parentPath, type TreePath } from '../model/names.ts';
import type { Operation } from '../operation/operation.ts';
import { cachedFolderReader, type FolderReader } from '../store/snapshot/snapshot.ts';
import { type FrozenPath, frozenPathOf } from '../store/state/frozen.ts';
import { checkpointInfo } from '../timeline/capture/capture.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import { inverseChanges } from './inverse-changes.ts';

const FREEZE: Actor = { kind: 'user', name: 'freeze' };

/**
 * Paths of a checkpoint's changes that lie in what is frozen and that agents made, and nobody else can have: what a
 * person changed stays. Where there were too many changes to list, all that is frozen.
 */
export function frozenPathsChanged({ changes }: Checkpoint, frozen: readonly FrozenPath[]): readonly TreePath[] {
  if (frozen.length === 0) return [];
  if (changes === null) return frozen.map(({ path }) => path);
  return changes.flatMap(({ path, from, by }) => {
    const isOfAgents = by.authors.length > 0 && by.authors.every(({ actor }) => actor.kind === 'agent');
    const touched = from === null ? [path] : [path, from];
    return isOfAgents ? touched.filter((each) => frozen.some((it) => isWithin(each, it.path))) : [];
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
    plan: ({ objects, own, snapshot }) =>
      inverseChanges(
        {
          objects,
          before: before.snapshot,
          after: after.snapshot,
          now: snapshot,
          own,
          isOneOperation: false,
          reasonToKeep: () => null,
          within: [...paths, ...newFolders(cachedFolderReader(objects), after, before, frozen, paths)],
        },
        pace,
      ),
  };
}

/** Folders that came with those paths and with nothing else: no change of their own tells of them. */
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
