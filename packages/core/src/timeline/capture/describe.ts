/** Generates descriptions for checkpoints that have none. */

import { showName, showText } from '../../content/show-name.ts';
import { describeChanges, type StatRow } from '../../content/stat-line.ts';
import type { CaptureCounts, Change, Checkpoint, ToolInfo } from '../../model/checkpoint.ts';
import { withoutPlanTexts } from '../record/plan-descriptions.ts';

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
  return summarize(changes);
}

/** As `describe` writes it. */
const FIRST = /^first checkpoint: \d+ files?, [\d.]+ \w+$/;

/**
 * Describes a checkpoint without the words of users and agents: the description of a call is generated from a record
 * without its arguments, a prompt is not quoted, and a description that a caller may have written, or that quotes one, is
 * generated from the changes. The result depends only on the other fields, so applying it again changes nothing.
 */
export function describeWithoutTexts(record: Omit<Checkpoint, 'id' | 'commit' | 'snapshot'>): string {
  const { trigger, changes, totals, description, undoes, previous } = record;
  const summary = changes === null ? `${totals.files} files` : changes.length === 0 ? '' : summarize(changes);
  switch (trigger) {
    case 'edit':
      return `Edited ${summary}`.trimEnd();
    case 'apply':
    case 'rollback':
      return withoutPlanTexts(description) ?? description;
    case 'undo':
      return `Undid ${undoes ?? ''}`.trimEnd();
    case 'redo':
      return `Redid ${undoes ?? ''}`.trimEnd();
    case 'manual':
      if (FIRST.test(description)) return description;
      if (previous === null) return 'first checkpoint';
      return summary === '' ? 'no changes' : summary;
    default:
      return describeWithoutMessages(record);
  }
}

/** The same, but keeps what a caller wrote. */
export function describeWithoutMessages(record: Omit<Checkpoint, 'id' | 'commit' | 'snapshot'>): string {
  const { trigger, tool, changes, totals, description } = record;
  if (trigger === 'prompt') return 'Prompt';
  if (trigger === 'message') return 'Message';
  if (trigger !== 'call' || tool === null) return description;
  const named = { ...tool, summary: '' };
  return changes === null ? `${tool.name} (${totals.files} files)` : describeCall(named, changes);
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
  if (changes.length > 1) return `${name} ${summarize(changes)}`;
  const { path, from, added, removed, operation } = first;
  const lines = added === null || removed === null ? operation : `+${added} \u2212${removed}`;
  if (from !== null) return `${name} ${showName(path)} (from ${showName(from)}, ${lines})`;
  return `${name} ${showName(path)} (${operation === 'create' ? 'new, ' : ''}${operation === 'delete' ? 'deleted' : lines})`;
}

function summarize(changes: readonly Change[]): string {
  return describeChanges(changes.map(rowOf));
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
