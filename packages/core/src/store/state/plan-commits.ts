/**
 * When plans were committed in the user's repositories: `cache/plan-commits/` in the store, for statistics and events. The
 * files may be deleted at any time.
 */

import type { Fs } from '../../io/fs.ts';
import type { PlanId } from '../../model/ids.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import type { StoreLayout } from '../layout.ts';
import { fileForKey, readCacheJson, writeCacheJson } from './cache-file.ts';

const MAX_BYTES = 1024;

export function planCommitsIn(layout: StoreLayout): DiskPath {
  return diskChild(layout.cache, 'plan-commits');
}

/** Best effort. @param time milliseconds since 1970 */
export function notePlanCommit(fs: Fs, layout: StoreLayout, plan: PlanId, time: number): void {
  writeCacheJson(fs, planCommitsIn(layout), plan, { time });
}

/** @returns when it was committed last; null: never, as far as is known */
export function planCommittedAt(fs: Fs, layout: StoreLayout, plan: PlanId): number | null {
  return readCacheJson(
    fs,
    fileForKey(planCommitsIn(layout), plan),
    MAX_BYTES,
    ({ time }: { readonly time?: unknown }) => (typeof time === 'number' ? time : null),
  );
}
