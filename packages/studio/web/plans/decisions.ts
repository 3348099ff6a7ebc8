/** The hunks of a plan on the page, and what was decided about each. */
import type { Output } from '../api/call.ts';
import { nameKey } from '../data/names.ts';
import type { DiffFile } from '../diff/diff-file.ts';
import { numbersOf } from '../diff/hunk-numbers.ts';
import type { PatchHunk } from '../diff/patch.ts';

export type ShownPlan = Output<'planShow'>;
export type PlannedChange = ShownPlan['changes'][number];

/** `open`: nothing was decided, so it would be applied; `in-part`: its parts were decided differently. */
export type Decision = 'open' | 'accepted' | 'rejected' | 'in-part';

export interface Target {
  readonly path: PlannedChange['path'];
  /** Null: the whole change. */
  readonly hunk: number | null;
}

/** Whether it can still be decided about. */
export function isOpen({ status }: ShownPlan): boolean {
  return status === 'pending' || status === 'approved';
}

export function plannedByFile(plan: ShownPlan): ReadonlyMap<string, PlannedChange> {
  return new Map(plan.changes.map((change) => [nameKey(change.path), change]));
}

/** The numbered hunks of the plan that a hunk on the page shows. */
export function targetsOf(change: PlannedChange | undefined, hunk: PatchHunk): readonly Target[] {
  if (change === undefined) return [];
  if (change.hunks === null || change.hunks.length <= 1) return [{ path: change.path, hunk: null }];
  const numbered = change.hunks.map(({ number, before, after }) => ({
    number,
    before: [before.start, before.count],
    after: [after.start, after.count],
  }));
  return numbersOf(hunk, numbered).map((number) => ({ path: change.path, hunk: number }));
}

export function decisionOf(change: PlannedChange | undefined, targets: readonly Target[]): Decision {
  if (change === undefined) return 'open';
  const decided = targets.map(({ hunk }) =>
    hunk === null
      ? fileDecision(change)
      : wordOf(change.hunks?.find(({ number }) => number === hunk)?.accepted ?? null),
  );
  return together(decided) ?? 'open';
}

export function fileDecision({ accepted, hunks }: PlannedChange): Decision {
  return together((hunks ?? []).map((hunk) => wordOf(hunk.accepted))) ?? wordOf(accepted);
}

/** All hunks in the order of the page, for going through them by keyboard. */
export function hunksInOrder(
  files: readonly DiffFile[],
): readonly { readonly file: DiffFile; readonly hunk: PatchHunk }[] {
  return files.flatMap((file) => file.hunks.map((hunk) => ({ file, hunk })));
}

function wordOf(accepted: boolean | null): Decision {
  if (accepted === null) return 'open';
  return accepted ? 'accepted' : 'rejected';
}

function together(decisions: readonly Decision[]): Decision | undefined {
  const [first] = decisions;
  return decisions.every((one) => one === first) ? first : 'in-part';
}
