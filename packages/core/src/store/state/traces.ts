/** Files of the store that only help: whatever they tell of purged contents is taken out of them. */

import { syncFolder } from '../../io/durable-write.ts';
import { type Fs, kindOf } from '../../io/fs.ts';
import { removeIfThere } from '../../io/if-there.ts';
import type { Ports } from '../../io/ports.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import type { StoreLayout } from '../layout.ts';
import { recordedCalls, writeOpenCall } from './open-calls.ts';
import { dropSessionStates } from './session-state.ts';

/** @param tellsOf whether a text tells of them */
export function dropTraces({ fs }: Ports, layout: StoreLayout, tellsOf: (text: string) => boolean): void {
  removeIfThere(fs, layout.statCache);
  dropSessionStates(fs, layout, ({ text }) => tellsOf(text));
  for (const call of recordedCalls(fs, layout)) {
    const { summary, args } = call.tool;
    if (!tellsOf(summary) && (args === null || !tellsOf(args))) continue;
    writeOpenCall(fs, layout, { ...call, tool: { ...call.tool, summary: '', args: null } });
  }
}

/** What was removed anywhere below a folder of the store does not come back after a power cut. */
export function makeRemovalsDurable(fs: Fs, folder: DiskPath): void {
  syncFolder(fs, folder);
  for (const name of fs.list(folder)) {
    const path = diskChild(folder, name);
    const stat = fs.lstat(path);
    if (stat !== null && kindOf(stat) === 'folder') makeRemovalsDurable(fs, path);
  }
}
