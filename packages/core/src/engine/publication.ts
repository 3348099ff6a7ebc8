/** Publishes the checkpoint of a transaction that recovery finishes, even if its number has been taken since. */

import type { Pace } from '../io/pace.ts';
import { publicationWithHeads } from '../operation/heads.ts';
import type { HeldLock } from '../store/lock.ts';
import { activeCalls } from '../timeline/capture/active-calls.ts';
import { attributionWithin } from '../timeline/capture/attribution.ts';
import { capture } from '../timeline/capture/capture.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { readCheckpoint } from '../timeline/record/timeline.ts';
import { pathsOf } from '../transaction/steps.ts';
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
      const record = readCheckpoint(store.objects, checkpoint.commit);
      const { actor, session, toolCall: call, tool } = record;
      const author = { actor, session, call, tool: tool?.name ?? null };
      // The capture also finds what others changed while the transaction was pending.
      const attribution = attributionWithin(pathsOf(journal), author, activeCalls(workspace));
      await capture(workspace, lock, pace.uncancellable(), record, { always: true, attribution });
    },
  });
}
