/** The lines of a hunk side by side: each run of removed lines beside the run of added lines that follows it. */
import type { PatchLine } from './patch.ts';

/** Yields each line that is on both sides twice, as the same object. */
export function* sidesOf(
  lines: readonly PatchLine[],
): Generator<readonly [before: PatchLine | null, after: PatchLine | null]> {
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] as PatchLine;
    if (line.kind === 'same') {
      yield [line, line];
      at += 1;
      continue;
    }
    const removed = runOf(lines, at, 'removed');
    const added = runOf(lines, at + removed.length, 'added');
    for (let index = 0; index < Math.max(removed.length, added.length); index += 1)
      yield [removed[index] ?? null, added[index] ?? null];
    at += removed.length + added.length;
  }
}

function runOf(lines: readonly PatchLine[], from: number, kind: PatchLine['kind']): readonly PatchLine[] {
  let end = from;
  while (lines[end]?.kind === kind) end += 1;
  return lines.slice(from, end);
}
