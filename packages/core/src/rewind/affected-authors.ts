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
import type { BroughtBack } from './brought-back.ts';
import { changesOf } from './selection.ts';

export interface AffectedAuthors {
  /** Names of agents whose changes may be lost. */
  readonly agents: readonly string[];
  /** Paths that contain, or may contain, changes by other actors. A person beside several open agents does not count. */
  readonly outside: readonly TreePath[];
}

/** Whether an author's changes may be replaced without asking: those of any agent, or of one session only. */
export type IsReplaceable = (author: Author) => boolean;

export const isByAgent: IsReplaceable = ({ actor }) => actor.kind === 'agent';

/**
 * Finds the authors of changes to the paths of a plan. Checkpoints of reversions are skipped, since a reversion only
 * brings back an earlier state. But who reverted what the plan would bring back decided that it should go.
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
    readonly isOfEntries: (change: RecordedChange) => boolean;
    /** What the plan would bring back although it was reverted. */
    readonly broughtBack: readonly BroughtBack[];
  },
  pace: Pace,
): Promise<AffectedAuthors> {
  const planned = new Set(plan.paths.map(({ path }) => path));
  const agents = new Set<string>();
  const outside = new Set<TreePath>();
  for await (const change of changesSince(objects, checkpoints, target, pace)) {
    const { path, from, by } = change;
    if (!planned.has(path) && (from === null || !planned.has(from))) continue;
    if (isOfEntries(change)) continue;
    const isOfAgents = wereOnlyAgentsActive(by);
    for (const author of by.authors) {
      if (isOfAgents && author.actor.kind === 'outside') continue;
      if (isReplaceable(author)) agents.add(author.actor.name);
      else outside.add(path);
    }
  }
  for (const { path, reverter } of broughtBack) {
    if (reverter === null) continue;
    if (isReplaceable(reverter)) agents.add(reverter.actor.name);
    else outside.add(path);
  }
  return { agents: [...agents], outside: [...outside].sort() };
}

/** Returns whether an agent changed anything in the workspace since the target, including changes reverted later. */
export async function didAgentsWorkSince(
  objects: ObjectReader,
  checkpoints: readonly Checkpoint[],
  target: Checkpoint,
  pace: Pace,
): Promise<boolean> {
  for await (const { by } of changesSince(objects, checkpoints, target, pace)) {
    if (by.authors.some(isByAgent)) return true;
  }
  return false;
}

/** Without the changes of reversions. */
async function* changesSince(
  objects: ObjectReader,
  checkpoints: readonly Checkpoint[],
  target: Checkpoint,
  pace: Pace,
): AsyncGenerator<RecordedChange> {
  const byId = new Map(checkpoints.map((checkpoint) => [checkpoint.id, checkpoint]));
  for (const checkpoint of checkpoints) {
    if (checkpoint.number <= target.number || isReversion(checkpoint.trigger)) continue;
    const previous = checkpoint.previous === null ? undefined : byId.get(checkpoint.previous);
    yield* await changesOf(objects, checkpoint, previous, pace);
  }
}
