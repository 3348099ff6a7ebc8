/** Finds what a restore would bring back although somebody reverted it after the target was taken. */

import { showText } from '../content/show-name.ts';
import type { Pace } from '../io/pace.ts';
import type { Author, Checkpoint, RecordedChange } from '../model/checkpoint.ts';
import { checkpointNumber, parseChangeId, parseHunkId } from '../model/ids.ts';
import type { TreePath } from '../model/names.ts';
import type { ChangeSet, UntouchedPath } from '../operation/change-set.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { Activity, type Effect, type Reversion } from '../timeline/activity/activity.ts';
import { type CheckpointReader, readerWith } from '../timeline/activity/reader.ts';
import { type ActivitySource, activitySource } from '../timeline/activity/source.ts';
import { actorName } from '../timeline/query/actors.ts';

/** Changes of one path that one operation reverted, and that the target has. */
export interface BroughtBack {
  readonly path: TreePath;
  /** Who decided against these changes. Null: a restore went to another state, which decides nothing about them. */
  readonly reverter: Author | null;
  /** `gets back changes by claude that were rolled back in cp_9`. */
  readonly text: string;
}

/**
 * @param since the checkpoints after the target, up to now, oldest first
 * @returns at most one entry for each path and operation, by path
 */
export async function broughtBackBy(
  { paths }: ChangeSet,
  target: Checkpoint,
  since: readonly Checkpoint[],
  { objects, readable }: { readonly objects: ObjectReader; readonly readable: CheckpointReader },
  pace: Pace,
): Promise<readonly BroughtBack[]> {
  const known = readerWith(since, readable);
  const source = activitySource(objects, known);
  if (!since.some((checkpoint) => mayRevertOlder(checkpoint, target, source))) return [];
  const planned = new Set(paths.map(({ path }) => path));
  const found = new Map<string, { path: TreePath; by: Checkpoint; kind: Reversion['kind']; names: Set<string> }>();
  const activity = new Activity(source);
  for (const checkpoint of known.upTo(Number.POSITIVE_INFINITY)) {
    if (pace.isDue()) await pace.yieldNow();
    const effectOf = activity.visit(checkpoint);
    if (checkpoint.number > target.number) continue;
    for (const change of checkpoint.changes ?? []) {
      const path = [change.path, change.from].find((one) => one !== null && planned.has(one));
      if (path == null) continue;
      const reversion = reversionOf(effectOf(change));
      if (reversion === null || checkpointNumber(reversion.by) <= target.number) continue;
      const by = known.find(reversion.by);
      if (by === undefined) continue;
      const key = JSON.stringify([path, by.id]);
      const names = found.get(key)?.names ?? new Set();
      for (const name of namesOf(change)) names.add(name);
      found.set(key, { path, by, kind: reversion.kind, names });
    }
  }
  return [...found.values()]
    .map(({ path, by, kind, names }) => ({
      path,
      reverter: IS_DECISION.has(kind) ? { actor: by.actor, session: by.session, call: by.toolCall, tool: null } : null,
      text: `gets back changes ${[...names].join(' and ')} that were ${HOW[kind]} in ${by.id}`,
    }))
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

const IS_DECISION: ReadonlySet<Reversion['kind']> = new Set(['rollback', 'undo', 'freeze']);

/** Most paths that a restore names. */
const NAMED = 20;

export function broughtBackNotes(found: readonly BroughtBack[]): readonly UntouchedPath[] {
  const notes = found.slice(0, NAMED).map(({ path, text }) => ({ path, why: text }));
  const next = found[NAMED];
  if (next === undefined) return notes;
  const more = found.length - NAMED - 1;
  return [...notes, { path: next.path, why: more === 0 ? next.text : `and ${more} more: ${next.text}` }];
}

const HOW: Readonly<Record<Reversion['kind'], string>> = {
  rollback: 'rolled back',
  undo: 'undone',
  redo: 'reverted by a redo',
  restore: 'reverted by a restore',
  freeze: 'reverted because the path is frozen',
  checkout: 'reverted by a checkout of another branch or commit',
  dropped: 'reverted',
};

/** Whether an operation, or git, can have reverted changes that the target has. */
function mayRevertOlder(checkpoint: Checkpoint, target: Checkpoint, source: ActivitySource): boolean {
  const { trigger, undoes, rolledBack, target: restored } = checkpoint;
  if (undoes !== null) return checkpointNumber(undoes) <= target.number;
  if (rolledBack.length > 0) {
    return rolledBack.some((id) => (parseChangeId(parseHunkId(id)?.change ?? id)?.checkpoint ?? 0) <= target.number);
  }
  if (trigger === 'restore') return restored !== null && checkpointNumber(restored) < target.number;
  return [...source.checkedOut(checkpoint).values()].some(({ number }) => number < target.number);
}

function reversionOf({ reversion, hunks }: Effect): Reversion | null {
  return reversion ?? [...hunks.values()][0] ?? null;
}

function namesOf({ by: { authors } }: RecordedChange): readonly string[] {
  return authors.map(({ actor }) => {
    if (actor.kind === 'outside') return 'from outside';
    return `by ${actor.kind === 'user' ? 'the user' : showText(actorName(actor))}`;
  });
}
