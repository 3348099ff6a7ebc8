/** Composes the checkpoint after an operation from its plan, before anything is changed. */

import type { Pace } from '../io/pace.ts';
import type { CaptureCounts, Checkpoint } from '../model/checkpoint.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import type { ContentCache } from '../store/snapshot/content-cache.ts';
import { editSnapshot } from '../store/snapshot/edit-snapshot.ts';
import { type Attribution, attributionTo } from '../timeline/capture/attribution.ts';
import type { CaptureResult } from '../timeline/capture/capture.ts';
import { type CheckpointInfo, composeCheckpoint, type NewCheckpoint } from '../timeline/capture/compose.ts';
import { withIndexes } from '../timeline/capture/record-index.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { CheckpointRef, TimelineEnd } from '../timeline/record/timeline.ts';
import type { ChangeSet } from './change-set.ts';
import { rootsAfter } from './heads.ts';

/** While the lock is held, no other process publishes. */
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
  /** Contents that the plan writes, as far as they are in memory. */
  readonly contents: ContentCache;
  /** Undefined: all changes are by the actor of `info`. */
  readonly attribution: Attribution | undefined;
  readonly pace: Pace;
}

/** Writes the checkpoint after the operation into the batch, before anything is changed. */
export async function composeCheckpointAfter({
  workspace,
  info,
  before,
  plan,
  batch,
  end,
  contents,
  attribution,
  pace,
}: CheckpointAfterInput): Promise<CheckpointRef> {
  const { scan, checkpoint } = before;
  const { actor, session, toolCall, tool } = info;
  const touched = new Set(plan.paths.map(({ path }) => path));
  const composed: NewCheckpoint = {
    end: timelineEndAfter(end, checkpoint),
    state: {
      snapshot: editSnapshot(batch, checkpoint.snapshot, plan.paths),
      // Something may have been staged since the checkpoint before. That alone does not make a new checkpoint.
      roots: rootsAfter(
        (await withIndexes(workspace, batch, scan.roots, checkpoint.roots, pace)).roots,
        plan.heads ?? [],
      ),
      counts: countsAfter(scan.counts, plan, batch),
      partial: scan.partial,
      unsettled: scan.unsettled.filter((path) => !touched.has(path)),
      contents,
    },
    info,
    attribution: attribution ?? attributionTo({ actor, session, call: toolCall, tool: tool?.name ?? null }),
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
