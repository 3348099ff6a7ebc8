/** A description that says what happened, for checkpoints that nobody described. */

import { describeChanges } from '../content/stat-line.ts';
import type { CaptureCounts, Change, Checkpoint } from '../model/checkpoint.ts';

export function describe(previous: Checkpoint | null, changes: readonly Change[], counts: CaptureCounts): string {
  if (previous === null)
    return `first checkpoint: ${counts.files} file${counts.files === 1 ? '' : 's'}, ${size(counts.bytes)}`;
  if (changes.length === 0) return `no changes since ${previous.id}`;
  return describeChanges(
    changes.map(({ path, added, removed }) => ({
      path,
      counts: added === null || removed === null ? null : { added, removed },
      before: null,
      after: null,
    })),
  );
}

function size(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
