import { expect } from 'vitest';
import { applyEdits } from '../../src/edit/apply-edits.ts';
import type { AppliedEdit, Edit, EditBound, FileState, Replace } from '../../src/edit/edits.ts';
import type { EditFailure, EditFailureCode } from '../../src/edit/failures.ts';
import type { TreePath } from '../../src/model/names.ts';

export const PATH = 'src/a.ts' as TreePath;

export const file = (content: string | Buffer, mode = 0o644): FileState => ({
  path: PATH,
  content: Buffer.from(content as string),
  mode,
});
export const NO_FILE: FileState = { path: PATH, content: null, mode: null };

export const replace = (old: string, now: string, more: Partial<Replace> = {}): Edit => ({
  op: 'replace',
  old,
  new: now,
  replaceAll: false,
  tolerant: false,
  ...more,
});
export const tolerant = (old: string, now: string, more: Partial<Replace> = {}): Edit =>
  replace(old, now, { tolerant: true, ...more });
export const replaceAll = (old: string, now: string): Edit => replace(old, now, { replaceAll: true });
export const insert = (line: number, text: string): Edit => ({ op: 'insert', line, text });
export const write = (content: string, exact = false): Edit => ({ op: 'write', content, exact });
export const patch = (text: string, fuzz = 0): Edit => ({ op: 'patch', patch: text, fuzz });

export interface Done {
  readonly text: string | null;
  readonly mode: number | null;
  readonly path: string;
  readonly statuses: readonly AppliedEdit[];
  readonly last: AppliedEdit;
}

/** Applies the edits to a file with this content (null: no file). They must succeed. */
export function done(content: string | Buffer | null, edits: readonly Edit[], bound?: EditBound): Done {
  const state = content === null ? NO_FILE : file(content);
  const result = applyEdits(state, edits, bound);
  if (!result.ok) throw new Error(`failed: ${JSON.stringify(result.statuses)}`);
  const { after, statuses } = result;
  return {
    text: after.content?.toString() ?? null,
    mode: after.mode,
    path: after.path,
    statuses,
    last: statuses.at(-1) as AppliedEdit,
  };
}

export const edited = (content: string | Buffer | null, ...edits: Edit[]): string | null => done(content, edits).text;

/** Returns the failure of the first failing edit. Checks that the statuses are complete and the input is unchanged. */
export function failure(content: string | Buffer | null, edits: readonly Edit[], bound?: EditBound): EditFailure {
  const state = content === null ? NO_FILE : file(content);
  const before = state.content === null ? null : Buffer.from(state.content);
  const result = applyEdits(state, edits, bound);
  expect(result.ok).toBe(false);
  expect(state.content === null ? before === null : before?.equals(state.content)).toBe(true);
  expect(result.statuses.map(({ index }) => index)).toEqual(edits.map((_, i) => i));
  const at = result.statuses.findIndex(({ outcome }) => outcome === 'failed');
  const outcomes = result.statuses.map(({ outcome }) => outcome);
  expect(outcomes).toEqual(edits.map((_, i) => (i < at ? 'applied' : i === at ? 'failed' : 'skipped')));
  const failed = result.statuses[at];
  if (failed?.outcome !== 'failed') throw new Error('no failed status');
  expect(failed.failure.message).toMatch(/^[A-Z0-9`].*[.)]$/s);
  return failed.failure;
}

export function refusal<Code extends EditFailureCode>(
  code: Code,
  content: string | Buffer | null,
  ...edits: Edit[]
): Extract<EditFailure, { code: Code }> {
  const found = failure(content, edits);
  expect(found.code).toBe(code);
  return found as Extract<EditFailure, { code: Code }>;
}
