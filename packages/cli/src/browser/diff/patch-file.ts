/** Splits a patch in git's format into files, hunks and lines. */
import { showName } from '@savepoint/core';
import { showContent } from '@savepoint/core/frontend';
import { patchParts } from '@savepoint/core/text';

export interface PatchFile {
  /** Bytes of the path in the workspace, one character each. */
  readonly path: string;
  /** Safe to show; `old → new` for a rename. */
  readonly title: string;
  /** What happened, in the word that all output uses. */
  readonly word: string;
  readonly added: number;
  readonly removed: number;
  readonly lines: readonly PatchLine[];
}

export type PatchLine =
  | { readonly kind: 'hunk'; readonly text: string }
  | { readonly kind: 'note'; readonly text: string }
  | {
      readonly kind: 'context' | 'added' | 'removed';
      /** Safe to show, with tabs. */
      readonly text: string;
      /** The line's number on its side; on the new side for context. */
      readonly number: number;
    };

/** A change of a path, as the verb `diff` lists it. */
export interface ListedChange {
  readonly path: string;
  readonly from: string | null;
  readonly word: string;
  /** Safe to show; empty: nothing to say. */
  readonly note: string;
  readonly added: number | null;
  readonly removed: number | null;
}

/** @param patch one character per byte */
export function patchFiles(patch: string, changes: readonly ListedChange[]): readonly PatchFile[] {
  const lines = new Map<string, PatchLine[]>();
  for (const { path, text } of patchParts(patch)) lines.set(path, [...(lines.get(path) ?? []), ...linesOf(text)]);
  return changes.map(({ path, from, word, note, added, removed }) => ({
    path,
    title: `${from === null ? '' : `${showName(from)} → `}${path === '' ? '.' : showName(path)}`,
    word,
    added: added ?? 0,
    removed: removed ?? 0,
    lines: [
      ...(note === '' ? [] : [{ kind: 'note' as const, text: note }]),
      ...(from !== null && added === 0 && removed === 0 ? [] : (lines.get(path) ?? [])),
    ],
  }));
}

function linesOf(part: string): readonly PatchLine[] {
  const lines: PatchLine[] = [];
  let [before, after] = [0, 0];
  let isInHunk = false;
  for (const raw of part.replace(/\n$/, '').split('\n').slice(1)) {
    const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(raw);
    if (head !== null) {
      isInHunk = true;
      [before, after] = [Number(head[1]), Number(head[2])];
      lines.push({ kind: 'hunk', text: showContent(raw) });
    } else if (isInHunk && raw.startsWith('+')) {
      lines.push({ kind: 'added', text: showContent(raw.slice(1)), number: after++ });
    } else if (isInHunk && raw.startsWith('-')) {
      lines.push({ kind: 'removed', text: showContent(raw.slice(1)), number: before++ });
    } else if (isInHunk && raw.startsWith(' ')) {
      before += 1;
      lines.push({ kind: 'context', text: showContent(raw.slice(1)), number: after++ });
    } else if (!SAID_ELSEWHERE.test(raw)) {
      lines.push({ kind: 'note', text: showContent(raw.replace(/^[\\#] /, '')) });
    }
  }
  return lines;
}

/** Lines of a header that the title and the notes of the change already say. */
const SAID_ELSEWHERE =
  /^(?:index |--- |\+\+\+ |new file |deleted file |old mode |new mode |# new folder|# deleted|# permissions|$)/;
