/** The hunks of a plan on the page, and what was decided about each. */
import type { Output } from '../api/call.ts';
import { nameKey } from '../data/names.ts';
import type { DiffFile } from '../diff/diff-file.ts';
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

export function plannedByFile(plan: ShownPlan): ReadonlyMap<string, PlannedChange> {
  return new Map(plan.changes.map((change) => [nameKey(change.path), change]));
}

/** The numbered hunks of the plan that a hunk on the page shows. */
export function targetsOf(change: PlannedChange | undefined, hunk: PatchHunk): readonly Target[] {
  if (change === undefined) return [];
  if (change.hunks === null || change.hunks.length <= 1) return [{ path: change.path, hunk: null }];
  return change.hunks
    .filter(({ before, after }) => overlaps(hunk.after, after) || overlaps(hunk.before, before))
    .map(({ number }) => ({ path: change.path, hunk: number }));
}

export function decisionOf(change: PlannedChange | undefined, targets: readonly Target[]): Decision {
  if (change === undefined || targets.length === 0) return 'open';
  const decided = targets.map(({ hunk }) =>
    hunk === null
      ? fileDecision(change)
      : wordOf(change.hunks?.find(({ number }) => number === hunk)?.accepted ?? null),
  );
  const [first = 'open'] = decided;
  return decided.every((one) => one === first) ? first : 'in-part';
}

export function fileDecision({ accepted, hunks }: PlannedChange): Decision {
  if (hunks === null || hunks.length === 0 || accepted !== null) {
    const parts = new Set((hunks ?? []).map((hunk) => wordOf(hunk.accepted)));
    return parts.size > 1 ? 'in-part' : ([...parts][0] ?? wordOf(accepted));
  }
  const parts = new Set(hunks.map((hunk) => wordOf(hunk.accepted)));
  return parts.size > 1 ? 'in-part' : ([...parts][0] ?? 'open');
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

function overlaps(
  [first, count]: readonly [number, number],
  other: { readonly start: number; readonly count: number },
): boolean {
  return count > 0 && other.count > 0 && first < other.start + other.count && other.start < first + count;
}
