/** Generates descriptions for checkpoints that have none. */

import { showName, showText } from '../../content/show-name.ts';
import { describeChanges, type StatRow } from '../../content/stat-line.ts';
import type { CaptureCounts, Change, Checkpoint, ToolInfo } from '../../model/checkpoint.ts';

/** @param tool the tool whose call triggered the checkpoint */
export function describe(
  previous: Checkpoint | null,
  changes: readonly Change[],
  counts: CaptureCounts,
  tool: ToolInfo | null,
): string {
  if (previous === null)
    return `first checkpoint: ${counts.files} file${counts.files === 1 ? '' : 's'}, ${size(counts.bytes)}`;
  if (tool !== null) return describeCall(tool, changes);
  if (changes.length === 0) return `no changes since ${previous.id}`;
  return describeChanges(changes.map(rowOf));
}

const SUMMARY_CHARACTERS = 60;

/** `Edit src/a.ts (+3 −1)`, `Bash: npm install (214 files)`. */
export function describeCall({ name, kind, summary }: ToolInfo, changes: readonly Change[]): string {
  const [first] = changes;
  const files = `${changes.length} file${changes.length === 1 ? '' : 's'}`;
  if (kind === 'shell' || kind === 'other' || first === undefined) {
    const shown = oneLine(summary);
    return `${name}${shown === '' ? '' : `: ${shown}`} (${changes.length === 0 ? 'no changes' : files})`;
  }
  if (changes.length > 1) return `${name} ${describeChanges(changes.map(rowOf))}`;
  const { path, from, added, removed, operation } = first;
  const lines = added === null || removed === null ? operation : `+${added} \u2212${removed}`;
  if (from !== null) return `${name} ${showName(path)} (from ${showName(from)}, ${lines})`;
  return `${name} ${showName(path)} (${operation === 'create' ? 'new, ' : ''}${operation === 'delete' ? 'deleted' : lines})`;
}

function rowOf({ path, added, removed }: Change): StatRow {
  return { path, counts: added === null || removed === null ? null : { added, removed }, before: null, after: null };
}

function oneLine(text: string): string {
  const line = showText(text.replace(/\s+/g, ' ').trim());
  return line.length > SUMMARY_CHARACTERS ? `${line.slice(0, SUMMARY_CHARACTERS - 1)}…` : line;
}

function size(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
