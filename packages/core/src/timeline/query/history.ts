/** Lists which changes happened, newest first, from the records of the checkpoints. Contents are never loaded. */

import type { Author, Checkpoint, RecordedChange } from '../../model/checkpoint.ts';
import { isOperation, isReversion } from '../../model/checkpoint.ts';
import { type ChangeId, type CheckpointId, checkpointNumber, parseChangeId } from '../../model/ids.ts';
import { isWithin, type JsonName, type TreePath } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { Activity } from '../activity/activity.ts';
import { activitySource } from '../activity/source.ts';
import type { DamagedCheckpoint, Timeline } from '../record/timeline.ts';
import { type Caller, isActor, isOwnWork } from './actors.ts';

/** Conditions for a change to be listed. If it has several authors, one of them must match. */
export interface HistoryFilter<Path = JsonName> {
  /** Its id, or a unique beginning of it. */
  readonly session?: string;
  /** A name, `name/id` for a sub-agent, or `agent`, `user` or `outside`. */
  readonly agent?: string;
  /** Only the own work of this caller. */
  readonly own?: Caller;
  /** The agent's name of the tool. For what Savepoint itself did, the operation: `edit`, `restore`, … */
  readonly tool?: string;
  /** A file, or a folder for everything below it. A rename matches with either of its paths. */
  readonly path?: Path;
  /** Milliseconds since 1970, compared with the checkpoint's time. */
  readonly since?: number;
  readonly until?: number;
}

/** What to list, and where the page begins. */
export interface HistoryQuery<Path = JsonName> extends HistoryFilter<Path> {
  /** Maximum number of changes. */
  readonly limit: number;
  /** Only changes older than this one. */
  readonly before?: ChangeId;
  /** Of each operation that only brings back an earlier state, lists one change instead of all. Default: false. */
  readonly fold?: boolean;
}

/** A change, the checkpoint that recorded it, and whether it is in effect. */
export interface HistoryEntry {
  readonly change: RecordedChange;
  readonly checkpoint: Checkpoint;
  /** The operation that reverted the change; null if it is in effect. */
  readonly takenBack: CheckpointId | null;
  /** Hunks that were reverted individually, by number, if the rest of the change is in effect. */
  readonly takenBackHunks: readonly { readonly hunk: number; readonly by: CheckpointId }[];
  /** How many other matching changes of the same operation are not listed. They have higher numbers. */
  readonly folded: number;
}

/** A checkpoint without a complete list of its changes. */
export interface UnlistedCheckpoint {
  readonly id: CheckpointId;
  /**
   * `first`: everything in it is new; `too-many`: more changes than are worth listing; `damaged`: a folder could not be
   * compared, and only the other changes are listed.
   */
  readonly why: 'first' | 'too-many' | 'damaged';
  readonly files: number;
}

/** A page of the history. */
export interface HistoryPage {
  readonly entries: readonly HistoryEntry[];
  /** Checkpoints in the range of this page of which it is unknown whether they contain matching changes. */
  readonly unlisted: readonly UnlistedCheckpoint[];
  readonly damaged: readonly DamagedCheckpoint[];
  /** Whether there are older matches. */
  readonly more: boolean;
}

/** Returns a page of the history. Within a checkpoint the last change comes first, so that ids descend throughout. */
export function queryHistory(timeline: Timeline, objects: ObjectReader, query: HistoryQuery<TreePath>): HistoryPage {
  const cursor = query.before === undefined ? null : parseChangeId(query.before);
  const activity = new Activity(activitySource(objects, timeline.reader()));
  const entries: HistoryEntry[] = [];
  const unlisted: UnlistedCheckpoint[] = [];
  const damaged: DamagedCheckpoint[] = [];
  const page = (more: boolean): HistoryPage => {
    const oldest = more ? checkpointNumber(entries.at(-1)!.checkpoint.id) : 0;
    const isInPage = ({ id }: { readonly id: CheckpointId }): boolean => checkpointNumber(id) >= oldest;
    return { entries, unlisted: unlisted.filter(isInPage), damaged: damaged.filter(isInPage), more };
  };
  for (const result of timeline.newestFirst()) {
    const number = result.checkpoint?.number ?? checkpointNumber((result.damaged as DamagedCheckpoint).id);
    const isOlder = cursor === null || number < cursor.checkpoint;
    if (result.checkpoint === null) {
      if (isOlder) damaged.push(result.damaged);
      continue;
    }
    const { checkpoint } = result;
    const effectOf = activity.visit(checkpoint);
    if ((!isOlder && number !== cursor?.checkpoint) || !isInTime(checkpoint, query)) continue;
    const { changes } = checkpoint;
    if ((changes === null || checkpoint.incomplete === true) && isOlder) unlisted.push(unlistedOf(checkpoint));
    const from = isOlder ? (changes?.length ?? 0) : Math.min(changes?.length ?? 0, (cursor?.place ?? 1) - 1);
    const matching = (changes ?? []).slice(0, from).filter((change) => matchesFilter(change, checkpoint, query));
    const isFolded = query.fold === true && isReversion(checkpoint.trigger);
    const folded = isFolded ? Math.max(matching.length - 1, 0) : 0;
    // The next page begins with what is older than the first change.
    for (const change of isFolded ? matching.slice(0, 1) : matching.reverse()) {
      if (entries.length === query.limit) return page(true);
      const { reversion, hunks } = effectOf(change);
      const takenBackHunks = [...hunks].map(([hunk, { by }]) => ({ hunk, by })).sort((a, b) => a.hunk - b.hunk);
      entries.push({ change, checkpoint, takenBack: reversion?.by ?? null, takenBackHunks, folded });
    }
  }
  return page(false);
}

/** Returns what made the change: the agent's tool, or an operation of Savepoint; null if unknown. */
export function toolOf(author: Author, { trigger }: Checkpoint): string | null {
  return author.tool ?? (isOperation(trigger) ? trigger : null);
}

function isInTime({ time }: Checkpoint, { since, until }: HistoryFilter<TreePath>): boolean {
  return (since === undefined || time >= since) && (until === undefined || time <= until);
}

function matchesFilter(change: RecordedChange, checkpoint: Checkpoint, filter: HistoryFilter<TreePath>): boolean {
  const { path, session, agent, tool, own } = filter;
  if (path !== undefined && !isWithin(change.path, path) && !(change.from !== null && isWithin(change.from, path))) {
    return false;
  }
  if ([session, agent, tool, own].every((one) => one === undefined)) return true;
  return change.by.authors.some(
    (author) =>
      (session === undefined || author.session === session) &&
      (agent === undefined || isActor(author.actor, agent)) &&
      (own === undefined || isOwnWork(author, own)) &&
      (tool === undefined || toolOf(author, checkpoint) === tool),
  );
}

function unlistedOf({ id, previous, changes, counts, totals }: Checkpoint): UnlistedCheckpoint {
  if (changes !== null) return { id, why: 'damaged', files: totals.files };
  return previous === null ? { id, why: 'first', files: counts.files } : { id, why: 'too-many', files: totals.files };
}
