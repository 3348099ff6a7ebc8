/** The last state of a fork whose folder is gone. The fork's own store may still have it. */

import { asInWorkspace } from '../copy/folder/as-in-workspace.ts';
import { treeIn } from '../copy/folder/folder-copy.ts';
import { FsError } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { Snapshot } from '../model/entries.ts';
import { SavepointError } from '../model/errors.ts';
import { EMPTY_TREE, type ObjectId } from '../model/ids.ts';
import type { ObjectBatch, ObjectReader } from '../store/objects/object-reader.ts';
import { decodeTree } from '../store/objects/tree.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { Timeline } from '../timeline/record/timeline.ts';
import { timelinesIn } from '../timeline/record/timelines-in.ts';
import type { Fork } from './fork.ts';
import { homeInFork } from './fork-records.ts';
import { seenIn } from './open-fork.ts';

export interface LastRecorded {
  readonly snapshot: Snapshot;
  /** What it is, for display. */
  readonly note: string;
}

/** @param batch receives the contents */
export async function lastRecorded(
  workspace: Workspace,
  fork: Fork,
  base: Snapshot,
  batch: ObjectBatch,
  pace: Pace,
): Promise<LastRecorded> {
  const gone = 'its folder was not there any more';
  try {
    const found = await ownState(workspace, fork, base, batch, pace);
    if (found !== null) return { snapshot: found.snapshot, note: `${gone}: what is kept is ${found.what}` };
  } catch (error) {
    if (!(error instanceof SavepointError || error instanceof FsError)) throw error;
    if (error instanceof SavepointError && error.code !== 'STORE_DAMAGED') throw error;
    return { snapshot: base, note: `${gone}, and its own store cannot be read: ${KEPT_BASE}. ${error.message}` };
  }
  return { snapshot: base, note: `${gone}, and nothing was recorded in it: ${KEPT_BASE}` };
}

const KEPT_BASE = 'what is kept is where it left the workspace, or its last merge';
const FOLDER = 0o040000;

/** @returns null if nothing was recorded in the fork */
async function ownState(
  workspace: Workspace,
  fork: Fork,
  base: Snapshot,
  batch: ObjectBatch,
  pace: Pace,
): Promise<(Pick<LastRecorded, 'snapshot'> & { readonly what: string }) | null> {
  const { ports, root } = workspace;
  const { copy } = fork;
  for (const { timeline, objects } of timelinesIn(ports, homeInFork(fork), ({ path }) => path === seenIn(fork))) {
    const last = lastWithFiles(timeline);
    if (last === null) continue;
    const { files, side } = last.snapshot;
    for (const tree of [files, side]) await addTree(objects, tree, batch, pace);
    const folders = { root, rootThen: copy.root, files: treeIn(copy.place) };
    const snapshot = await asInWorkspace(batch, base, last.snapshot, folders, pace);
    return { snapshot, what: `its own last checkpoint, ${last.id}` };
  }
  return null;
}

/** A folder that is just being removed may have been recorded without files. */
function lastWithFiles(timeline: Timeline): Checkpoint | null {
  for (const { checkpoint } of timeline.newestFirst()) {
    if (checkpoint !== null && checkpoint.snapshot.files !== EMPTY_TREE) return checkpoint;
  }
  return null;
}

async function addTree(from: ObjectReader, tree: ObjectId, batch: ObjectBatch, pace: Pace): Promise<void> {
  const { type, data } = from.read(tree);
  for (const { mode, id } of decodeTree(data, { id: tree })) {
    if (pace.isDue()) await pace.yieldNow();
    if (mode === FOLDER) await addTree(from, id, batch, pace);
    else if (!batch.has(id)) batch.add('blob', from.read(id).data);
  }
  batch.add(type, data);
}
