/** The agents and other actors that changed the planned paths since a checkpoint. */

import type { Pace } from '../io/pace.ts';
import {
  type Author,
  type Checkpoint,
  isReversion,
  type RecordedChange,
  wereOnlyAgentsActive,
} from '../model/checkpoint.ts';
import type { TreePath } from '../model/names.ts';
import type { ChangeSet } from '../operation/change-set.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { changesInGap, type GapChange, isGap } from '../timeline/diff/gap.ts';
import { type UnlistedChange, unlistedChanges } from '../timeline/query/unlisted-changes.ts';
import type { BroughtBack } from './brought-back.ts';

export interface AffectedAuthors {
  /** Names of agents whose changes may be lost. */
  readonly agents: readonly string[];
  /** Paths that contain, or may contain, changes by other actors. A person beside several open agents does not count. */
  readonly outside: readonly TreePath[];
}

export interface FoundAuthors extends AffectedAuthors {
  /** Paths in `outside` that agents or others changed between checkpoints that were dropped or cannot be read. */
  readonly unrecorded: ReadonlySet<TreePath>;
}

/** Whether an author's changes may be replaced without asking: those of any agent, or of one session only. */
export type IsReplaceable = (author: Author) => boolean;

export const isByAgent: IsReplaceable = ({ actor }) => actor.kind === 'agent';

/**
 * Finds the authors of changes to the paths of a plan. Checkpoints of reversions are skipped, since a reversion only
 * brings back an earlier state. But who reverted what the plan would bring back decided that it should go. What changed
 * where checkpoints are missing may be by anybody.
 * @param checkpoints oldest first, up to now
 */
export async function affectedAuthorsSince(
  objects: ObjectReader,
  checkpoints: readonly Checkpoint[],
  {
    target,
    plan,
    isReplaceable,
    isOfEntries,
    broughtBack,
  }: {
    readonly target: Checkpoint;
    readonly plan: ChangeSet;
    readonly isReplaceable: IsReplaceable;
    /** Whether a change concerns only Savepoint's own entries in a file, which stay. */
    readonly isOfEntries: (change: Pick<RecordedChange, 'path' | 'before' | 'after'>) => boolean;
    /** What the plan would bring back although it was reverted. */
    readonly broughtBack: readonly BroughtBack[];
  },
  pace: Pace,
): Promise<FoundAuthors> {
  const planned = new Set(plan.paths.map(({ path }) => path));
  const agents = new Set<string>();
  const outside = new Set<TreePath>();
  const back = broughtBackAt(checkpoints);
  for await (const change of changesSince(objects, checkpoints, target, pace)) {
    const { path, from, by } = change;
    if (!planned.has(path) && (from === null || !planned.has(from))) continue;
    if (isOfEntries(change)) continue;
    const isOfAgents = wereOnlyAgentsActive(by);
    for (const author of by.authors) {
      if (isOfAgents && author.actor.kind === 'outside') continue;
      if (isReplaceable(author)) agents.add(author.actor.name);
      else if (!isDeletionTakenBack(change, back)) outside.add(path);
    }
  }
  for (const { path, reverter } of broughtBack) {
    if (reverter === null) continue;
    if (isReplaceable(reverter)) agents.add(reverter.actor.name);
    else outside.add(path);
  }
  const unrecorded = new Set<TreePath>();
  for (const [path, { before, after }] of unrecordedChanges(objects, checkpoints, target, planned)) {
    const isKnown = before !== undefined && after !== undefined;
    if (!planned.has(path) || (isKnown && isOfEntries({ path, before, after }))) continue;
    unrecorded.add(path);
    outside.add(path);
  }
  return { agents: [...agents], outside: [...outside].sort(), unrecorded };
}

/**
 * Returns whether an agent changed anything in the workspace since the target, including changes reverted later. True if
 * checkpoints are missing, because they may have recorded such changes.
 */
export async function mayAgentsHaveWorkedSince(
  objects: ObjectReader,
  checkpoints: readonly Checkpoint[],
  target: Checkpoint,
  pace: Pace,
): Promise<boolean> {
  if (gapsSince(checkpoints, target).length > 0) return true;
  for await (const { by } of changesSince(objects, checkpoints, target, pace)) {
    if (by.authors.some(isByAgent)) return true;
  }
  return false;
}

/**
 * Returns the paths that changed since the target where checkpoints are missing, so nothing records by whom.
 * @param wanted the paths that are asked about. If damage hides which of them changed, all count
 */
export function* unrecordedChanges(
  objects: ObjectReader,
  checkpoints: readonly Checkpoint[],
  target: Checkpoint,
  wanted: Iterable<TreePath>,
): Generator<readonly [TreePath, GapChange]> {
  for (const { older, newer } of gapsSince(checkpoints, target)) {
    let isDamaged = false;
    yield* changesInGap(objects, older, newer, () => {
      isDamaged = true;
    });
    if (isDamaged) for (const path of wanted) yield [path, { before: undefined, after: undefined }];
  }
}

interface Gap {
  readonly older: Checkpoint;
  readonly newer: Checkpoint;
}

function gapsSince(checkpoints: readonly Checkpoint[], target: Checkpoint): readonly Gap[] {
  return checkpoints.flatMap((newer, index) => {
    const older = checkpoints[index - 1];
    return older !== undefined && older.number >= target.number && isGap(older, newer) ? [{ older, newer }] : [];
  });
}

/** Returns the last checkpoint in which an operation brought a path back, as a number. */
function broughtBackAt(checkpoints: readonly Checkpoint[]): ReadonlyMap<TreePath, number> {
  const found = new Map<TreePath, number>();
  for (const { number, trigger, changes } of checkpoints) {
    if (!isReversion(trigger)) continue;
    for (const { path, operation } of changes ?? []) if (operation === 'create') found.set(path, number);
  }
  return found;
}

/** Nothing of a deletion is left if an operation brought the file back later. Other work in the file counts as before. */
function isDeletionTakenBack(
  { number, operation, path }: AuthoredChange,
  back: ReadonlyMap<TreePath, number>,
): boolean {
  return operation === 'delete' && (back.get(path) ?? 0) > number;
}

/** A change, with the number of its checkpoint. */
type AuthoredChange = UnlistedChange & { readonly number: number };

/** Without the changes of reversions. */
async function* changesSince(
  objects: ObjectReader,
  checkpoints: readonly Checkpoint[],
  target: Checkpoint,
  pace: Pace,
): AsyncGenerator<AuthoredChange> {
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  for (const checkpoint of checkpoints) {
    const { number, changes, trigger } = checkpoint;
    if (number <= target.number || isReversion(trigger)) continue;
    const previous = checkpoint.previous === null ? undefined : byId.get(checkpoint.previous);
    for (const change of changes ?? unlistedChanges(objects, previous, checkpoint)) {
      if (pace.isDue()) await pace.yieldNow();
      yield { ...change, number };
    }
  }
}
