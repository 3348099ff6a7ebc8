/** The checkpoint after an operation, composed of its plan before anything is done. */

import type { Pace } from '../io/pace.ts';
import type { CaptureCounts, Checkpoint } from '../model/checkpoint.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import type { ContentCache } from '../store/snapshot/content-cache.ts';
import { editSnapshot } from '../store/snapshot/edit-snapshot.ts';
import { attributionTo } from '../timeline/capture/attribution.ts';
import {
  type CaptureResult,
  type CheckpointInfo,
  composeCheckpoint,
  type NewCheckpoint,
  type Workspace,
} from '../timeline/capture/capture.ts';
import { withIndexes } from '../timeline/capture/record-index.ts';
import type { CheckpointRef, TimelineEnd } from '../timeline/record/timeline.ts';
import type { ChangeSet } from './change-set.ts';
import { rootsAfter } from './heads.ts';

/** Under the lock nobody else publishes. */
export function timelineEndAfter({ lastNumber }: TimelineEnd, latest: Checkpoint): TimelineEnd {
  return { latest, lastNumber: Math.max(lastNumber, latest.number) };
}

export interface CheckpointAfterInput {
  readonly workspace: Workspace;
  readonly info: CheckpointInfo;
  readonly before: CaptureResult;
  readonly plan: ChangeSet;
  readonly batch: ObjectBatch;
  readonly end: TimelineEnd;
  /** Of what the plan brings, as far as it is in memory. */
  readonly contents: ContentCache;
  readonly pace: Pace;
}

/** Writes the checkpoint after into the batch, before anything is done. */
export async function composeCheckpointAfter({
  workspace,
  info: telling,
  before,
  plan,
  batch,
  end,
  contents,
  pace,
}: CheckpointAfterInput): Promise<CheckpointRef> {
  const { scan, checkpoint } = before;
  const { actor, session, toolCall, tool } = telling;
  const touched = new Set(plan.paths.map(({ path }) => path));
  const composed: NewCheckpoint = {
    end: timelineEndAfter(end, checkpoint),
    state: {
      snapshot: editSnapshot(batch, checkpoint.snapshot, plan.paths),
      // Something may have been staged since the checkpoint before, of which that alone makes no new one.
      roots: rootsAfter(
        (await withIndexes(workspace, batch, scan.roots, checkpoint.roots, pace)).roots,
        plan.heads ?? [],
      ),
      counts: countsAfter(scan.counts, plan, batch),
      partial: scan.partial,
      unsettled: scan.unsettled.filter((path) => !touched.has(path)),
      contents,
    },
    info: telling,
    attribution: attributionTo({ actor, session, call: toolCall, tool: tool?.name ?? null }),
    moves: plan.moves,
  };
  return composeCheckpoint(workspace, batch, composed, pace);
}

function countsAfter(counts: CaptureCounts, plan: ChangeSet, objects: ObjectBatch): CaptureCounts {
  const after = { ...counts };
  for (const { from, to } of plan.paths) {
    for (const [entry, sign] of [
      [from, -1],
      [to, 1],
    ] as const) {
      if (entry?.kind === 'folder') after.folders += sign;
      if (entry?.kind === 'link') after.links += sign;
      if (entry?.kind === 'file') {
        after.files += sign;
        after.bytes += sign * (objects.info(entry.id)?.size ?? 0);
      }
    }
  }
  return after;
}
