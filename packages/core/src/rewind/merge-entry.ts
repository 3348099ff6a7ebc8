/** Three-way merge of one path: the state that an operation starts from, the current state, and the state it wants. */

import { joinLines, type Line, splitLines } from '../content/lines.ts';
import { type MergeResult, type MergeSide, mergeThreeWay } from '../content/three-way.ts';
import type { Entry, FileEntry } from '../model/entries.ts';
import { sameEntry } from '../model/entries.ts';
import type { ConflictingLines, ThreeSides, WrittenLines } from '../operation/change-set.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import { readBlob } from '../store/snapshot/snapshot.ts';

export interface FileMerge {
  /** Null if both sides changed the same lines, or if the contents are not text. */
  readonly entry: FileEntry | null;
  /** The result contains changes from both sides. */
  readonly merged: boolean;
  readonly sides: ThreeSides | null;
  /** If it conflicts, and is text: the lines that do not merge. */
  readonly lines?: ConflictingLines;
  /** What ours loses, because the caller prefers theirs; null: its whole content. Absent: nothing. */
  readonly discarded?: WrittenLines | null;
}

interface MergedFiles {
  readonly base: FileEntry;
  readonly ours: FileEntry;
  readonly theirs: FileEntry;
}

/**
 * Merges permissions and content separately. If only one side changed one of them, that side wins. If both changed the
 * permissions, the current ones stay, unless the caller prefers theirs.
 * @param theirLines what theirs are, for the text of a conflict
 */
export function mergeFiles(
  objects: ObjectBatch,
  { base, ours, theirs }: MergedFiles,
  prefer: MergeSide | null,
  theirLines = 'the lines to bring back',
): FileMerge {
  const isTheirs = ours.mode === base.mode || (prefer === 'theirs' && theirs.mode !== base.mode);
  const mode = isTheirs ? theirs.mode : ours.mode;
  const take = (id: FileEntry['id'], merged: boolean): FileMerge => ({
    entry: { kind: 'file', id, mode },
    merged,
    sides: null,
  });
  if (ours.id === base.id || ours.id === theirs.id) return take(theirs.id, mode !== theirs.mode);
  if (theirs.id === base.id) return take(ours.id, true);
  const contents = [base, ours, theirs].map(({ id }) => readBlob(objects, id)) as [Buffer, Buffer, Buffer];
  const merge = mergeThreeWay(...contents, { prefer });
  if (merge.ok) {
    const merged = take(objects.add('blob', merge.merged), true);
    return merge.dropped.length === 0 ? merged : { ...merged, discarded: { entry: ours, spans: merge.dropped } };
  }
  if (prefer === 'ours') return take(ours.id, false);
  if (prefer === 'theirs') return { ...take(theirs.id, false), discarded: null };
  const sides = threeSides(base, ours, theirs, conflictText(contents, merge, theirLines));
  const lines = conflictingLines(ours, merge);
  return { entry: null, merged: false, sides, ...(lines === null ? {} : { lines }) };
}

/** Whether both sides changed the permissions of a path, and to different ones. */
export function haveOtherModes(base: Entry | null, ours: Entry | null, theirs: Entry | null): boolean {
  const modes = new Set(
    [base, ours, theirs].map((entry) => (entry === null || entry.kind === 'link' ? 0 : entry.mode)),
  );
  return modes.size === 3 && !modes.has(0) && new Set([base?.kind, ours?.kind, theirs?.kind]).size === 1;
}

/** Says of a file that does not merge why, without the authors. */
export function conflictReason(lines: ConflictingLines | undefined, authors = ''): string {
  const since = authors === '' ? 'since' : `since ${authors}`;
  if (lines === undefined) return `it was changed ${since} and cannot be merged by line`;
  return lines.isSameLines
    ? `the same lines were changed ${since}`
    : `lines next to the ones to change were changed ${since}`;
}

export function threeSides(
  base: Entry | null,
  ours: Entry | null,
  theirs: Entry | null,
  { text, cut }: Pick<ThreeSides, 'text' | 'cut'> = { text: null, cut: false },
): ThreeSides {
  return { base, ours, theirs, text, cut };
}

/** Limits for all conflicts of one file together. */
const SHOWN_LINES = 200;
const SHOWN_BYTES = 16 * 1024;

/** Why there is nothing to revert. */
export const ALREADY_REVERTED = 'already in that state';

/** The result of reverting a change of one path. */
export type RevertResult =
  | {
      readonly outcome: 'done';
      readonly entry: Entry | null;
      readonly merged: boolean;
      readonly discarded?: WrittenLines | null;
    }
  | { readonly outcome: 'nothing'; readonly entry: Entry | null; readonly why: string }
  | {
      readonly outcome: 'conflict';
      readonly why: string;
      readonly sides: ThreeSides;
      readonly lines?: ConflictingLines;
    };

/**
 * Reverts one change of one path.
 * @param left the state after the change
 * @param found the state before the change
 * @param current the state to revert the change in
 */
export function revertEntry(
  objects: ObjectBatch,
  left: Entry | null,
  found: Entry | null,
  current: Entry | null,
  prefer: MergeSide | null,
): RevertResult {
  if (sameEntry(left, found)) return { outcome: 'nothing', entry: current, why: 'the changes cancel each other out' };
  if (sameEntry(current, found)) return { outcome: 'nothing', entry: current, why: ALREADY_REVERTED };
  if (sameEntry(current, left)) return { outcome: 'done', entry: found, merged: false };
  if (current === null) return { outcome: 'nothing', entry: null, why: 'it was deleted since' };
  if (current.kind === 'folder' && (found === null ? left : found)?.kind === 'folder') {
    if (found === null) return { outcome: 'done', entry: null, merged: false };
    const isModeChanged = left?.kind !== 'folder' || left.mode !== current.mode;
    return isModeChanged
      ? { outcome: 'nothing', entry: current, why: 'its permissions were changed since' }
      : { outcome: 'done', entry: found, merged: false };
  }
  if (current.kind === 'file' && left?.kind === 'file' && found === null && current.id === left.id) {
    return { outcome: 'done', entry: null, merged: false };
  }
  if (current.kind === 'file' && left?.kind === 'file' && found?.kind === 'file') {
    const { entry, merged, sides, ...more } = mergeFiles(objects, { base: left, ours: current, theirs: found }, prefer);
    if (entry === null && sides !== null) {
      const { lines } = more;
      return { outcome: 'conflict', why: conflictReason(lines), sides, ...(lines === undefined ? {} : { lines }) };
    }
    return sameEntry(entry, current)
      ? { outcome: 'nothing', entry: current, why: ALREADY_REVERTED }
      : { outcome: 'done', entry, merged, ...more };
  }
  if (prefer === 'ours') return { outcome: 'nothing', entry: current, why: 'kept, as requested' };
  if (prefer === 'theirs') return { outcome: 'done', entry: found, merged: false, discarded: null };
  const what = left === null ? 'another file was created there' : 'it was changed';
  return { outcome: 'conflict', why: `${what} since`, sides: threeSides(left, current, found) };
}

function conflictText(
  [base, ours, theirs]: readonly [Buffer, Buffer, Buffer],
  merge: MergeResult & { readonly ok: false },
  theirLines: string,
): Pick<ThreeSides, 'text' | 'cut'> {
  if (merge.why !== 'overlap') return { text: null, cut: false };
  const lines = { base: splitLines(base), ours: splitLines(ours), theirs: splitLines(theirs) };
  const out: Line[] = [];
  for (const at of merge.conflicts) {
    out.push(`@@ line ${at.oursStart + 1} @@\n`, '<<<<<<< ours (the current lines)\n');
    out.push(
      ...withFinalNewline(lines.ours.slice(at.oursStart, at.oursStart + at.oursCount)),
      '||||||| base (the lines that both started from)\n',
    );
    out.push(...withFinalNewline(lines.base.slice(at.baseStart, at.baseStart + at.baseCount)), '=======\n');
    out.push(
      ...withFinalNewline(lines.theirs.slice(at.theirsStart, at.theirsStart + at.theirsCount)),
      `>>>>>>> theirs (${theirLines})\n`,
    );
    if (out.length > SHOWN_LINES) break;
  }
  const text = joinLines(out.slice(0, SHOWN_LINES));
  const cut = out.length > SHOWN_LINES || text.length > SHOWN_BYTES;
  return { text: text.subarray(0, SHOWN_BYTES), cut };
}

function conflictingLines(
  ours: FileEntry,
  { conflicts }: MergeResult & { readonly ok: false },
): ConflictingLines | null {
  if (conflicts.length === 0) return null;
  const isSameLines = conflicts.some((conflict) => conflict.isSameLines);
  const shown = conflicts.filter((conflict) => conflict.isSameLines === isSameLines);
  return { entry: ours, spans: shown.flatMap(({ ourLines }) => ourLines), isSameLines };
}

function withFinalNewline(lines: readonly Line[]): readonly Line[] {
  return lines.map((line) => (line.endsWith('\n') ? line : `${line}\n`));
}
