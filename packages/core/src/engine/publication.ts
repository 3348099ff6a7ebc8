/** Publishes the checkpoint of a transaction that recovery finishes, even if its number has been taken since. */

import type { Pace } from '../io/pace.ts';
import { publicationWithHeads } from '../operation/heads.ts';
import type { HeldLock } from '../store/lock.ts';
import { attributionTo } from '../timeline/capture/attribution.ts';
import { capture, type Workspace } from '../timeline/capture/capture.ts';
import { readCheckpoint } from '../timeline/record/timeline.ts';
import type { Journal, Publication } from '../transaction/transition.ts';

/**
 * A capture may have taken the planned number while the transaction was pending. If so, the operation is recorded under
 * a new number, with the current state of the workspace.
 */
export function recoveryPublication(workspace: Workspace, lock: HeldLock, pace: Pace, journal: Journal): Publication {
  const { timeline, store } = workspace;
  const { checkpoint } = journal;
  return publicationWithHeads(workspace, {
    checkpoint,
    isPublished: () => timeline.isPublished(checkpoint),
    withdraw: () => timeline.withdraw(checkpoint),
    publish: async () => {
      if (timeline.list().every(({ number }) => number < checkpoint.number)) {
        timeline.publish(checkpoint);
        return;
      }
      const story = readCheckpoint(store.objects, checkpoint.commit);
      const attribution = attributionTo({
        actor: story.actor,
        session: story.session,
        call: story.toolCall,
        tool: story.tool?.name ?? null,
      });
      await capture(workspace, lock, pace.uncancellable(), story, { always: true, attribution });
    },
  });
}
