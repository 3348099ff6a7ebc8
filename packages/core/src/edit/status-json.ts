/** The result of one edit, as JSON for callers. */
import type { EditStatus } from './edits.ts';

export interface EditStatusJson {
  readonly index: number;
  readonly op: EditStatus['op'];
  readonly outcome: 'applied' | 'failed' | 'skipped';
  readonly replacements: number | null;
  readonly lines: readonly [first: number, last: number] | null;
  readonly added: number | null;
  readonly removed: number | null;
  readonly notes: readonly string[];
  readonly error: { readonly code: string; readonly message: string; readonly data: unknown } | null;
}

export function statusToJson(status: EditStatus): EditStatusJson {
  const { index, op, outcome } = status;
  const nothing = { replacements: null, lines: null, added: null, removed: null, notes: [] };
  if (outcome === 'skipped') return { index, op, outcome, ...nothing, error: null };
  if (outcome === 'failed') return { index, op, outcome, ...nothing, error: status.failure };
  const { replacements, lines, added, removed, notes } = status;
  return {
    index,
    op,
    outcome,
    replacements,
    lines: lines === null ? null : [lines.first, lines.last],
    added,
    removed,
    notes,
    error: null,
  };
}
