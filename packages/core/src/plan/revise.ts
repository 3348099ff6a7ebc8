/** A new revision of a plan: other files, with what was decided about hunks that are the same. */

import type { Pace } from '../io/pace.ts';
import { sameEntry } from '../model/entries.ts';
import type { Plan, PlanAuthors, PlanDecision } from '../model/plan.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import { cachedFolderReader } from '../store/snapshot/snapshot.ts';
import { together } from '../timeline/capture/attribution.ts';
import { differences, differingPaths, stateAt } from '../timeline/diff/snapshot-diff.ts';
import { authorsIn, groupedByAuthors } from './apply-plan.ts';
import { type PlanChange, selectionOf } from './selection.ts';

/** The files of a plan, and who proposed them. */
export type ProposedFiles = Pick<
  Plan,
  'before' | 'proposed' | 'listing' | 'proposedBy' | 'authors' | 'session' | 'call' | 'prompts'
>;

/** @param found on the folder as it is now */
export async function revised<Found extends ProposedFiles>(
  batch: ObjectBatch,
  old: Plan,
  found: Found,
  pace: Pace,
): Promise<Plan & Found> {
  const plan = {
    ...{ ...old, ...found, revision: old.revision + 1 },
    prompts: withPrompts(old.prompts, found.prompts),
    authors: bothAuthors(batch, old, found),
    decisions: [],
  };
  const before = (await selectionOf(batch, old, pace)).changes;
  const now = (await selectionOf(batch, plan, pace)).changes;
  return { ...plan, decisions: keptDecisions(old.decisions, before, now) };
}

/** Those of a copy may have been added before, when it had fewer of them. */
export function withPrompts(old: readonly string[], found: readonly string[]): readonly string[] {
  let known = Math.min(old.length, found.length);
  while (known > 0 && !found.slice(0, known).every((one, index) => one === old[old.length - known + index])) known--;
  return [...old, ...found.slice(known)].slice(-MAX_PROMPTS);
}

const MAX_PROMPTS = 1_000;

function keptDecisions(
  decisions: readonly PlanDecision[],
  before: readonly PlanChange[],
  now: readonly PlanChange[],
): readonly PlanDecision[] {
  const old = new Map(before.map((one) => [one.change.path, one]));
  return now.flatMap(({ change, hunks }) => {
    const was = old.get(change.path);
    if (was === undefined) return [];
    const decided = decisions.filter(({ path }) => path === change.path);
    const isSame =
      sameEntry(was.change.before, change.before) &&
      sameEntry(was.change.after, change.after) &&
      was.change.from === change.from;
    if (isSame) return decided;
    const left = new Set(hunks?.map(({ digest }) => digest));
    return (was.hunks ?? []).flatMap(({ digest, accepted }) => {
      const last = decided.findLast(({ hunk }) => hunk === null || hunk === digest);
      return accepted === null || last === undefined || !left.has(digest) ? [] : [{ ...last, hunk: digest }];
    });
  });
}

/** A file that is as the old revision proposed it is by the authors of that. One that differs is by both. */
function bothAuthors(batch: ObjectBatch, old: Plan, found: ProposedFiles): readonly PlanAuthors[] {
  const read = cachedFolderReader(batch);
  const [byOld, byNew] = [authorsIn(old), authorsIn(found)];
  const oldPaths = new Set(differingPaths(batch, old.before, old.proposed));
  const proposed = new Map([...differences(batch, found.before, found.proposed)].map((one) => [one.path, one.after]));
  return groupedByAuthors(proposed.keys(), (path) => {
    if (!oldPaths.has(path)) return byNew(path);
    const isSame = sameEntry(stateAt(read, old.proposed, path).entry, proposed.get(path)?.entry ?? null);
    return isSame ? byOld(path) : together(byOld(path), byNew(path));
  });
}
