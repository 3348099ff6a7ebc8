import type { PlannedChange } from './decisions.ts';

/**
 * The page shows everything that is proposed, while findings are about what is left after parts were rejected.
 * @param line in the file without the rejected parts
 * @returns the same line in the proposed file; of a line that a rejected part would replace, the first that it adds
 */
export function lineInProposal({ hunks }: Pick<PlannedChange, 'hunks'>, line: number): number {
  let moved = 0;
  for (const { before, after, accepted } of hunks ?? []) {
    if (accepted !== false) continue;
    const first = after.start + 1 - moved;
    if (line < first) break;
    if (line < first + before.count) return after.start + 1;
    moved += after.count - before.count;
  }
  return line + moved;
}
