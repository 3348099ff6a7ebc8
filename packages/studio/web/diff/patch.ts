/** Splits a patch in git's format into files, hunks and lines. */
import { patchParts } from '@savepoint/core/text';

export interface PatchLine {
  readonly kind: 'same' | 'added' | 'removed';
  /** As it is in the file, without its line end. */
  readonly text: string;
  /** Its number on each side, from 1; null if it is not on that side. */
  readonly before: number | null;
  readonly after: number | null;
  /** The file ends here, without a line feed. */
  readonly isCutOff: boolean;
}

export interface PatchHunk {
  /** The first line and the number of lines. */
  readonly before: readonly [first: number, count: number];
  readonly after: readonly [first: number, count: number];
  readonly lines: readonly PatchLine[];
}

/** The hunks by `nameKey` of the path. */
export function patchHunks(patch: string): ReadonlyMap<string, readonly PatchHunk[]> {
  const found = new Map<string, readonly PatchHunk[]>();
  for (const { path, text } of patchParts(patch)) {
    const key = keyOf(path);
    found.set(key, [...(found.get(key) ?? []), ...hunksOf(text)]);
  }
  return found;
}

/** A lone hunk, whose lines begin with a space, `-` or `+`. */
export function hunkOf(
  before: readonly [number, number],
  after: readonly [number, number],
  raw: readonly string[],
): PatchHunk {
  const lines: PatchLine[] = [];
  let [old, young] = [before[0], after[0]];
  for (const line of raw) {
    const text = line.slice(1);
    if (line.startsWith('+')) lines.push({ kind: 'added', text, before: null, after: young++, isCutOff: false });
    else if (line.startsWith('-')) lines.push({ kind: 'removed', text, before: old++, after: null, isCutOff: false });
    else if (line.startsWith(' ')) lines.push({ kind: 'same', text, before: old++, after: young++, isCutOff: false });
    else if (line.startsWith('\\')) lines.push({ ...(lines.pop() as PatchLine), isCutOff: true });
  }
  return { before, after, lines };
}

const HEAD = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

function hunksOf(part: string): readonly PatchHunk[] {
  const lines = part.replace(/\n$/, '').split('\n');
  const hunks: PatchHunk[] = [];
  for (let at = 0; at < lines.length; ) {
    const head = HEAD.exec(lines[at] ?? '');
    at += 1;
    if (head === null) continue;
    const [, oldFirst, oldCount = '1', newFirst, newCount = '1'] = head;
    const first = at;
    let [old, young] = [Number(oldCount), Number(newCount)];
    while (at < lines.length && (old > 0 || young > 0 || lines[at]?.startsWith('\\'))) {
      const sign = lines[at]?.[0];
      if (sign !== '+' && sign !== '\\') old -= 1;
      if (sign !== '-' && sign !== '\\') young -= 1;
      at += 1;
    }
    const [before, after] = [
      [Number(oldFirst), Number(oldCount)],
      [Number(newFirst), Number(newCount)],
    ] as const;
    hunks.push(hunkOf(before, after, lines.slice(first, at)));
  }
  return hunks;
}

/** Like `nameKey`. */
function keyOf(bytes: string): string {
  try {
    const all = Uint8Array.from(bytes, (byte) => byte.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(all);
  } catch {
    return `b64:${btoa(bytes)}`;
  }
}
