/** Hides changes of white space: lines that differ in nothing else are shown as lines of both sides. */
import type { PatchHunk, PatchLine } from './patch.ts';
import { longestShared } from './words.ts';

/** Comparing more lines than that with each other takes too long for a page. */
const MOST_PAIRS = 1_000_000;

/** @returns the hunks that have other changes; the ranges of lines stay, so that their acts are about the whole hunk */
export function withoutWhitespace(hunks: readonly PatchHunk[]): readonly PatchHunk[] {
  return hunks.flatMap((hunk) => {
    const lines = [...shownLines(hunk.lines)];
    return lines.every(({ kind }) => kind === 'same') ? [] : [{ ...hunk, lines }];
  });
}

function* shownLines(lines: readonly PatchLine[]): Generator<PatchLine> {
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as PatchLine;
    if (line.kind === 'same') {
      yield line;
      at += 1;
      continue;
    }
    let end = at;
    while (end < lines.length && lines[end]?.kind !== 'same') end += 1;
    const run = lines.slice(at, end);
    yield* shownRun(
      run.filter(({ kind }) => kind === 'removed'),
      run.filter(({ kind }) => kind === 'added'),
    );
    at = end;
  }
}

function* shownRun(removed: readonly PatchLine[], added: readonly PatchLine[]): Generator<PatchLine> {
  const [old, young] = [removed, added].map((lines) => lines.map(({ text }) => text.replaceAll(/\s+/g, '')));
  const shared =
    removed.length * added.length > MOST_PAIRS || old === undefined || young === undefined
      ? []
      : longestShared(old, young);
  let [from, to] = [0, 0];
  for (const [one, other] of shared) {
    yield* removed.slice(from, one);
    yield* added.slice(to, other);
    yield { ...(added[other] as PatchLine), kind: 'same', before: removed[one]?.before ?? null };
    [from, to] = [one + 1, other + 1];
  }
  yield* removed.slice(from);
  yield* added.slice(to);
}
