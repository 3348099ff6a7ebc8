/** Writes the checkpoint of a captured or planned state, with its changes and their authors. */

import type { Pace } from '../../io/pace.ts';
import {
  type Actor,
  type Change,
  type Checkpoint,
  OUTSIDE,
  type RecordedChange,
  type RootState,
  type ToolInfo,
  type Trigger,
} from '../../model/checkpoint.ts';
import { type Snapshot, sameSnapshot } from '../../model/entries.ts';
import { changeId, checkpointId } from '../../model/ids.ts';
import type { OnDamage } from '../../store/objects/damage.ts';
import type { ObjectBatch, ObjectReader } from '../../store/objects/object-reader.ts';
import type { ContentCache } from '../../store/snapshot/content-cache.ts';
import type { ScanResult } from '../../workspace/scan/scan.ts';
import { listChanges } from '../diff/changes.ts';
import type { Move, MoveOptions } from '../diff/renames.ts';
import { areListed } from '../record/change-record.ts';
import type { CheckpointRecord } from '../record/checkpoint-json.ts';
import { EMPTY_INFO } from '../record/checkpoint-record.ts';
import { type CheckpointRef, readCheckpoint, type TimelineEnd, writeCheckpoint } from '../record/timeline.ts';
import { activeCalls } from './active-calls.ts';
import { type Attribution, attributionOf, eitherOf, shareAuthor } from './attribution.ts';
import { describe } from './describe.ts';

import type { Workspace } from './workspace.ts';

type ComputedField =
  | 'number'
  | 'workspace'
  | 'previous'
  | 'time'
  | 'roots'
  | 'rules'
  | 'counts'
  | 'partial'
  | 'unsettled'
  | 'changes'
  | 'totals';

/** What the caller specifies about a checkpoint. The rest is computed. */
export interface CheckpointInfo extends Omit<CheckpointRecord, ComputedField | 'description'> {
  /** Null: generate one from the changes. */
  readonly description: string | null;
}

export function checkpointInfo(trigger: Trigger, actor: Actor): CheckpointInfo {
  return { ...EMPTY_INFO, trigger, actor, description: null };
}

/** The contents of a checkpoint. */
type CheckpointState = Pick<ScanResult, 'snapshot' | 'roots' | 'counts' | 'partial' | 'unsettled'> & {
  /** The part of the contents that is in memory. */
  readonly contents?: ContentCache;
};

export interface NewCheckpoint {
  /** The end of the timeline to which it is appended. */
  readonly end: TimelineEnd;
  readonly state: CheckpointState;
  readonly info: CheckpointInfo;
  readonly attribution: Attribution;
  /** Moves known to the code that made the snapshot. Default: none. */
  readonly moves?: readonly Move[];
  /** Receives each error of damage in the previous checkpoint. Changes in a damaged folder are then not listed. */
  readonly onDamage?: OnDamage;
}

/** Writes a checkpoint into the batch. The checkpoint exists once it is published. */
export async function composeCheckpoint(
  workspace: Workspace,
  batch: ObjectBatch,
  { end: { latest: previous, lastNumber }, state, info, attribution, moves = [], onDamage }: NewCheckpoint,
  pace: Pace,
): Promise<CheckpointRef> {
  const reader = state.contents?.wrap(batch) ?? batch;
  const options = {
    ...moveOptions(attribution, moves),
    uncaptured: previous?.workspace === workspace.id,
    ...(onDamage === undefined ? {} : { onDamage }),
  };
  // Everything is new in a first checkpoint, as its trees already show.
  const { changes, totals, isIncomplete } =
    previous === null
      ? { changes: [], totals: { files: 0, added: 0, removed: 0 }, isIncomplete: false }
      : await listChanges(reader, previous.snapshot, state.snapshot, pace, options);
  const description = info.description ?? describe(previous, changes, state.counts, info.tool);
  const number = Math.max(lastNumber, workspace.lastNumber) + 1;
  return writeCheckpoint(
    batch,
    {
      ...info,
      number,
      workspace: workspace.id,
      previous: previous?.id ?? null,
      time: workspace.ports.clock.now(),
      description,
      roots: state.roots,
      rules: workspace.rules,
      counts: state.counts,
      partial: state.partial,
      unsettled: state.unsettled,
      changes:
        previous === null || !areListed(changes)
          ? null
          : changes.map((change, index) => recordChange(change, number, index, attribution, info.tool)),
      ...(isIncomplete ? { incomplete: true } : {}),
      totals,
    },
    state.snapshot,
  );
}

/** A scanned state that is not captured. */
export interface UncapturedState {
  readonly objects: ObjectReader;
  readonly snapshot: Snapshot;
  readonly roots: readonly RootState[];
  /** Receives each error of damage in the last checkpoint. Changes in a damaged folder are then not listed. */
  readonly onDamage: OnDamage;
}

/**
 * Returns the timeline, plus the checkpoint that a capture would add now. Oldest first, without unreadable checkpoints.
 * @param from the number of the first checkpoint to return
 */
export async function checkpointsUntilNow(
  workspace: Workspace,
  current: UncapturedState,
  pace: Pace,
  from = 1,
): Promise<readonly Checkpoint[]> {
  const checkpoints = [...workspace.timeline.oldestFirst(from)];
  const latest = checkpoints.at(-1);
  if (latest === undefined) return [];
  const now = await previewCheckpoint(workspace, current, latest, pace);
  return now === null ? checkpoints : [...checkpoints, now];
}

/** Returns the checkpoint that a capture would record now, without making it; null if nothing differs. */
export async function previewCheckpoint(
  workspace: Workspace,
  { objects, snapshot, roots, onDamage }: UncapturedState,
  latest: Checkpoint,
  pace: Pace,
): Promise<Checkpoint | null> {
  if (sameSnapshot(latest.snapshot, snapshot)) return null;
  const { ports, timeline, lastNumber } = workspace;
  const { incomplete: _, ...withoutIncomplete } = latest;
  const attribution = attributionOf(activeCalls(workspace));
  const number = Math.max(timeline.lastNumber(), lastNumber) + 1;
  const { changes, totals, isIncomplete } = await listChanges(objects, latest.snapshot, snapshot, pace, {
    ...moveOptions(attribution, []),
    uncaptured: latest.workspace === workspace.id,
    onDamage,
  });
  return {
    ...withoutIncomplete,
    ...checkpointInfo('before', OUTSIDE),
    description: '',
    id: checkpointId(number),
    number,
    previous: latest.id,
    time: ports.clock.now(),
    roots,
    changes: changes.map((change, index) => recordChange(change, number, index, attribution, null)),
    totals,
    snapshot,
    ...(isIncomplete ? { incomplete: true } : {}),
  };
}

/** A written checkpoint, which is not published yet. */
export type Recorded = readonly [ref: CheckpointRef, checkpoint: Checkpoint];

/** Writes checkpoints that follow each other into the batch. */
export async function composeInOrder(
  workspace: Workspace,
  batch: ObjectBatch,
  steps: readonly NewCheckpoint[],
  pace: Pace,
): Promise<readonly Recorded[]> {
  const recorded: Recorded[] = [];
  for (const step of steps) {
    const last = recorded.at(-1);
    const end = last === undefined ? step.end : { latest: last[1], lastNumber: last[0].number };
    const ref = await composeCheckpoint(workspace, batch, { ...step, end }, pace);
    recorded.push([ref, readCheckpoint(batch, ref.commit)]);
  }
  return recorded;
}

function moveOptions(attribution: Attribution, known: readonly Move[]): MoveOptions {
  return { known, canBeSameFile: ({ from, to }) => shareAuthor(attribution(from), attribution(to)) };
}

function recordChange(
  change: Change,
  checkpoint: number,
  index: number,
  attribution: Attribution,
  tool: ToolInfo | null,
): RecordedChange {
  const { path, from } = change;
  const by = from === null ? attribution(path) : eitherOf(attribution(from), attribution(path));
  const isPatch = change.operation === 'write' && tool?.kind === 'edit' && by.authors.some(({ call }) => call !== null);
  return {
    ...change,
    operation: isPatch ? 'patch' : change.operation,
    id: changeId(checkpoint, index + 1),
    by,
  };
}
