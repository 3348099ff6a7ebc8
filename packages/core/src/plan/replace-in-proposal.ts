/**
 * Replaces text in a proposed file. Its author has seen the file on disk, the proposal, or both: some agents refuse text
 * that the file on disk does not have, before their hooks run. So text counts where it is found in the proposal. If it is
 * only on disk, an earlier proposal has changed these lines, and the newer one wins there.
 */

import { lineAt } from '../content/changed-span.ts';
import { diffLines, LINE_BOUND } from '../content/line-diff.ts';
import { sameBytes } from '../content/same-bytes.ts';
import { mergeThreeWay } from '../content/three-way.ts';
import { applyEdits } from '../edit/apply-edits.ts';
import type { Edit } from '../edit/edits.ts';
import type { TextReplacement } from '../model/reported-write.ts';

/** The content of one file. Null: there is no file. */
export interface SeenFile {
  readonly onDisk: Buffer | null;
  readonly proposed: Buffer | null;
}

export type ReplacedInProposal =
  | { readonly ok: true; readonly proposed: Buffer | null }
  | { readonly ok: false; readonly message: string };

/** Each replacement applies to the result of the one before it: all of them, or none. */
export function replaceInProposal(file: SeenFile, replacements: readonly TextReplacement[]): ReplacedInProposal {
  let seen = file;
  for (const one of replacements) {
    const next = replaceOne(seen, one);
    if ('message' in next) return { ok: false, message: next.message };
    seen = next;
  }
  return { ok: true, proposed: seen.proposed };
}

const TWO_PLACES =
  'This text is in another place of the proposed file than in the file on disk, so it is not clear which one is meant. ' +
  'Use a longer text, or write the whole file.';
const NOT_EMPTY = 'The text to replace is empty, but the file is not. Name the text, or write the whole file.';

function replaceOne(seen: SeenFile, replacement: TextReplacement): SeenFile | { readonly message: string } {
  const { onDisk, proposed } = seen;
  if (replacement.old === '') {
    if ((proposed?.length ?? 0) > 0) return { message: NOT_EMPTY };
    return { ...seen, proposed: Buffer.from(replacement.new) };
  }
  const inProposal = edited(proposed, replacement);
  if (sameBytes(onDisk, proposed)) {
    const found = inProposal.ok ? inProposal : edited(proposed, replacement, true);
    return found.ok ? { onDisk: found.content, proposed: found.content } : found;
  }
  const diskEdit = edited(onDisk, replacement);
  const after = diskEdit.ok ? diskEdit.content : onDisk;
  if (inProposal.ok) {
    if (diskEdit.ok && !replacement.all && !isSamePlace(onDisk, proposed, replacement.old))
      return { message: TWO_PLACES };
    return { onDisk: after, proposed: inProposal.content };
  }
  if (!diskEdit.ok) {
    const tolerant = edited(proposed, replacement, true);
    return tolerant.ok ? { onDisk, proposed: tolerant.content } : tolerant;
  }
  if (onDisk === null || proposed === null) return { onDisk: after, proposed: after };
  const merged = mergeThreeWay(onDisk, proposed, diskEdit.content, { prefer: 'theirs' });
  return merged.ok ? { onDisk: after, proposed: merged.merged } : inProposal;
}

type Edited = { readonly ok: true; readonly content: Buffer } | { readonly ok: false; readonly message: string };

function edited(content: Buffer | null, { old, new: now, all }: TextReplacement, tolerant = false): Edited {
  const edit: Edit = { op: 'replace', old, new: now, replaceAll: all, tolerant };
  const result = applyEdits({ path: '' as never, content, mode: 0o644 }, [edit]);
  if (result.ok && result.after.content !== null) return { ok: true, content: result.after.content };
  const [status] = result.statuses;
  const message = status?.outcome === 'failed' ? status.failure.message : 'The edit failed.';
  return { ok: false, message };
}

/** No agent writes it. */
const MARK = '\x01savepoint\x01';

/** Whether a text that each of both has once is the same text: on lines that the proposal has not changed. */
function isSamePlace(onDisk: Buffer | null, proposed: Buffer | null, old: string): boolean {
  if (onDisk === null || proposed === null) return false;
  const [before, after] = [placeOf(onDisk, old), placeOf(proposed, old)];
  if (before === null || after === null || before.column !== after.column) return false;
  const diff = diffLines(onDisk, proposed, LINE_BOUND, 0);
  if (diff.kind !== 'lines') return false;
  const last = before.line + (old.endsWith('\n') ? lineBreaks(old) - 1 : lineBreaks(old));
  let moved = 0;
  for (const { beforeStart, beforeCount, afterCount } of diff.hunks) {
    if (beforeStart + beforeCount <= before.line) moved += afterCount - beforeCount;
    else if (beforeStart <= last) return false;
  }
  return after.line === before.line + moved;
}

function placeOf(content: Buffer, old: string): { readonly line: number; readonly column: number } | null {
  const marked = edited(content, { old, new: MARK, all: false });
  if (!marked.ok) return null;
  const text = marked.content.toString('latin1');
  const at = text.indexOf(MARK);
  return { line: lineAt(text, at), column: at - (text.lastIndexOf('\n', at - 1) + 1) };
}

function lineBreaks(text: string): number {
  return text.split('\n').length - 1;
}
