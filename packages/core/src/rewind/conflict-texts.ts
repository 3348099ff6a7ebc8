/** Says in words who changed what in a conflict, and whose lines an operation discards. */

import type { ChangeSet, DiscardedWork, PathConflict, ThreeSides, UntouchedPath } from '../operation/change-set.ts';
import { byAuthors, type LineAuthors, linesOfAuthors } from './line-authors.ts';
import { conflictReason } from './merge-entry.ts';

/** To find authors, the timeline is read. So with very many conflicts, the other ones name none. */
const NAMED_CONFLICTS = 50;

type DescribedConflict = Pick<PathConflict, 'path' | 'lines'> & {
  readonly why: string | null;
  readonly sides?: ThreeSides | null;
};

/** Adds the authors to the reasons of conflicts. */
export async function withAuthors<Conflict extends DescribedConflict>(
  conflicts: readonly Conflict[],
  authors: LineAuthors,
): Promise<readonly Conflict[]> {
  const named: Conflict[] = [];
  for (const conflict of conflicts) {
    const why = named.length < NAMED_CONFLICTS ? await reasonOf(conflict, authors) : conflict.why;
    named.push({ ...conflict, why });
  }
  return named;
}

/** Notes what the operation discards. */
export async function withDiscardedNotes(plan: ChangeSet, authors: LineAuthors): Promise<ChangeSet> {
  const { discarded = [], ...rest } = plan;
  if (discarded.length === 0) return rest;
  const notes: UntouchedPath[] = [];
  for (const work of discarded.slice(0, NAMED_CONFLICTS)) {
    const why = await discardedText(work, authors);
    if (why !== null) notes.push({ path: work.path, why });
  }
  return { ...rest, notes: [...(plan.notes ?? []), ...notes] };
}

async function reasonOf(conflict: DescribedConflict, authors: LineAuthors): Promise<string | null> {
  const { path, why, sides, lines } = conflict;
  if (sides === undefined || sides === null || why !== conflictReason(lines)) return why;
  const isWritten = lines !== undefined && lines.spans.length > 0;
  const found = isWritten ? await authors.ofLines(path, lines) : await authors.since(path, sides.base);
  return conflictReason(lines, byAuthors(found));
}

async function discardedText({ path, base, lines }: DiscardedWork, authors: LineAuthors): Promise<string | null> {
  if (lines === null) {
    const by = byAuthors(await authors.since(path, base));
    return `loses its current content${by === '' ? '' : `, which was changed ${by}`}, as requested`;
  }
  const found = await authors.ofLines(path, lines);
  return found.length === 0 ? null : `loses ${linesOfAuthors(found)}, as requested`;
}
