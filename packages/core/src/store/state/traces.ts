/** Removes traces of purged contents from the store's auxiliary files. */

import { syncFolder } from '../../io/durable-write.ts';
import { type Fs, kindOf } from '../../io/fs.ts';
import { removeIfExists } from '../../io/if-exists.ts';
import type { Ports } from '../../io/ports.ts';
import { type DiskPath, diskChild, isWithin, type TreePath } from '../../model/names.ts';
import type { StoreLayout } from '../layout.ts';
import { purgeCheckSummaries } from './check-summaries.ts';
import { dropComments } from './comments.ts';
import { removeFactCache } from './fact-cache.ts';
import { endDamagedCall, readRecordedCalls, writeOpenCall } from './open-calls.ts';
import { dropSessionStates } from './session-state.ts';
import { removeWatchViews } from './watch-views.ts';

/**
 * @param paths that are purged, with everything below them
 * @param mentionsPurged returns whether a text mentions purged contents
 */
export function removeTraces(
  { fs }: Ports,
  layout: StoreLayout,
  paths: readonly TreePath[],
  mentionsPurged: (text: string) => boolean,
): void {
  dropComments(fs, layout, ({ anchor, text }) => {
    const quoted = [anchor.lines, anchor.above, anchor.below].map((lines) => Buffer.from(lines, 'latin1').toString());
    return paths.some((path) => isWithin(anchor.path, path)) || [text, ...quoted].some((one) => mentionsPurged(one));
  });
  removeIfExists(fs, layout.statCache);
  removeWatchViews(fs, layout);
  removeFactCache(fs, layout);
  purgeCheckSummaries(fs, layout, mentionsPurged);
  dropSessionStates(fs, layout, ({ text }) => mentionsPurged(text));
  const { calls, damaged } = readRecordedCalls(fs, layout);
  // An unreadable record may contain anything.
  for (const name of damaged) endDamagedCall(fs, layout, name);
  for (const call of calls) {
    const { summary, args } = call.tool;
    if (!mentionsPurged(summary) && (args === null || !mentionsPurged(args))) continue;
    writeOpenCall(fs, layout, { ...call, tool: { ...call.tool, summary: '', args: null } });
  }
}

/** Syncs a folder of the store and all folders below it, so that a power cut restores no removed file. */
export function syncFolderTree(fs: Fs, folder: DiskPath): void {
  syncFolder(fs, folder);
  for (const name of fs.list(folder)) {
    const path = diskChild(folder, name);
    const stat = fs.lstat(path);
    if (stat !== null && kindOf(stat) === 'folder') syncFolderTree(fs, path);
  }
}
