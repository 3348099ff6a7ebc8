/**
 * The retention that automatic clean-up applies. Limits that the user chose drop all but the newest checkpoints only in
 * stores that were created under this rule, or where the user has confirmed it with `gc`. Older stores had kept the
 * newest 50 in any case, and must not lose them unannounced.
 */

import { hasRetentionMarker, writeRetentionMarker } from '../store/state/retention-marker.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { expiredCheckpoints, type RetentionPolicy, withFloor } from '../timeline/retention/retention.ts';

/** The caller holds the lock. */
export function retentionInEffect(workspace: Workspace, policy: RetentionPolicy): RetentionPolicy {
  if (unconfirmedDrops(workspace, policy) > 0) return withFloor(policy);
  acceptRetention(workspace);
  return policy;
}

/** Returns how many checkpoints the policy would drop that automatic clean-up keeps until the user confirms it. */
export function unconfirmedDrops(workspace: Workspace, policy: RetentionPolicy): number {
  const { ports, store } = workspace;
  if (policy.chosen.size === 0 || hasRetentionMarker(ports.fs, store.layout)) return 0;
  return Math.max(
    0,
    expiredCheckpoints(workspace, policy).length - expiredCheckpoints(workspace, withFloor(policy)).length,
  );
}

/** The caller holds the lock. */
export function acceptRetention({ ports, store }: Workspace): void {
  if (!hasRetentionMarker(ports.fs, store.layout)) writeRetentionMarker(ports, store.layout);
}
