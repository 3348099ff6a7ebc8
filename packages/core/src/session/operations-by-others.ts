/** What operations by others have changed since a session was last informed of them: the net result, not each step. */

import { type Checkpoint, isOperation } from '../model/checkpoint.ts';
import { type Entry, sameEntry } from '../model/entries.ts';
import type { SessionId } from '../model/ids.ts';
import type { TreePath } from '../model/names.ts';
import type { OnDamage } from '../store/objects/damage.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { cachedFolderReader } from '../store/snapshot/snapshot.ts';
import { readSessionState, writeSessionState } from '../store/state/session-state.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { differences, stateAt } from '../timeline/diff/snapshot-diff.ts';
import type { Timeline } from '../timeline/record/timeline.ts';

/** Operations by others, and the paths that differ because of them from what the session knows. */
export interface OperationsByOthers {
  /** Oldest first. Only those that changed one of the paths. */
  readonly operations: readonly Checkpoint[];
  readonly paths: readonly TreePath[];
  /** Set if the conversation went back: all that differs from the files where it ends, by any author. */
  readonly wentBack?: true;
}

export const NO_OPERATIONS: OperationsByOthers = { operations: [], paths: [] };

/** The maximum number of checkpoints that are read. Older operations are not reported. */
const MAX_READ = 200;

/** Remembers that the session is informed now. */
export function operationsByOthers({ ports, store, timeline }: Workspace, session: SessionId): OperationsByOthers {
  const state = readSessionState(ports.fs, store.layout, session);
  const newest = timeline.lastNumber();
  if (state.heard === newest) return NO_OPERATIONS;
  writeSessionState(ports.fs, store.layout, session, { ...state, heard: newest, wentBack: false });
  const { heard, wentBack } = state;
  if (heard === null) return NO_OPERATIONS;
  if (wentBack) return changesSince(timeline, store.objects, heard, newest);
  const refs = timeline.list();
  const since = refs.filter(({ number }) => number > heard);
  const { checkpoints } = timeline.readAll(since.slice(-MAX_READ));
  const isByOther = (one: Checkpoint): boolean => isOperation(one.trigger) && one.session !== session;
  const now = checkpoints.at(-1);
  if (now === undefined || !checkpoints.some(isByOther)) return NO_OPERATIONS;
  const effects = effectsOf(checkpoints, session, isByOther);
  // Without all checkpoints and their changes, it is unknown what the session itself has changed.
  const isComplete = checkpoints.length === since.length && checkpoints.every(({ changes }) => changes !== null);
  const [then] = isComplete ? timeline.readAll(refs.filter(({ number }) => number === heard)).checkpoints : [];
  const folders = cachedFolderReader(store.objects);
  const entryIn = (checkpoint: Checkpoint, path: TreePath): Entry | null =>
    stateAt(folders, checkpoint.snapshot, path).entry;
  const isStale = ({ path, before, after, known }: Effect): boolean => {
    if (sameEntry(before, after)) return false;
    return then === undefined || !sameEntry(known === undefined ? entryIn(then, path) : known, entryIn(now, path));
  };
  const paths = new Set([...effects.values()].filter(isStale).map(({ path }) => path));
  const operations = checkpoints.filter(
    (one) =>
      isByOther(one) && one.changes?.some(({ path, from }) => paths.has(path) || (from !== null && paths.has(from))),
  );
  return { operations, paths: [...paths] };
}

/** What differs between two checkpoints. If the older one was dropped, it is not known. */
function changesSince(timeline: Timeline, objects: ObjectReader, heard: number, newest: number): OperationsByOthers {
  const refs = timeline.list();
  const [then, now] = [heard, newest].map(
    (number) => timeline.readAll(refs.filter((ref) => ref.number === number)).checkpoints[0],
  );
  if (then === undefined || now === undefined) return NO_OPERATIONS;
  const damaged: OnDamage = () => undefined;
  const paths = [...differences(objects, then.snapshot, now.snapshot, damaged)].map(({ path }) => path);
  return { operations: [], paths, wentBack: true };
}

/** What all operations by others together did to one path. */
interface Effect {
  readonly path: TreePath;
  /** Before the first of them, and after the last. */
  readonly before: Entry | null;
  readonly after: Entry | null;
  /** As the session itself left the path before the first of them; undefined if it did not change the path. */
  readonly known: Entry | null | undefined;
}

/** @param checkpoints oldest first */
function effectsOf(
  checkpoints: readonly Checkpoint[],
  session: SessionId,
  isByOther: (checkpoint: Checkpoint) => boolean,
): ReadonlyMap<TreePath, Effect> {
  const effects = new Map<TreePath, Effect>();
  const known = new Map<TreePath, Entry | null>();
  for (const checkpoint of checkpoints) {
    const byOther = isByOther(checkpoint);
    for (const { path, from, before, after, by } of checkpoint.changes ?? []) {
      // A rename has the content of the old path as its state before.
      const sides =
        from === null
          ? [{ path, before, after }]
          : [
              { path: from, before, after: null },
              { path, before: null, after },
            ];
      for (const side of sides) {
        if (byOther) {
          const first = effects.get(side.path);
          effects.set(side.path, {
            path: side.path,
            before: first === undefined ? side.before : first.before,
            after: side.after,
            known: first === undefined ? known.get(side.path) : first.known,
          });
        } else if (by.authors.some((author) => author.session === session)) known.set(side.path, side.after);
      }
    }
  }
  return effects;
}
