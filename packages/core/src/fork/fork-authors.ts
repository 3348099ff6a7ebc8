/** Who made the changes of a fork, as its own timeline tells. */

import type { Author, Authorship, Grade } from '../model/checkpoint.ts';
import { GRADES } from '../model/checkpoint.ts';
import { type Entry, type Snapshot, sameEntry } from '../model/entries.ts';
import type { TreePath } from '../model/names.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { cachedFolderReader } from '../store/snapshot/snapshot.ts';
import { type Attribution, FROM_OUTSIDE } from '../timeline/capture/attribution.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import type { FoundTimeline } from '../timeline/record/timelines-in.ts';

/** What a fork had at its start that its base lacks, and who made it. Null for other paths. */
export type StartOfFork = (path: TreePath) => { readonly entry: Entry | null; readonly by: Authorship } | null;

interface Step {
  readonly before: Entry | null;
  readonly after: Entry | null;
  readonly by: Authorship;
}

/**
 * The authors of a path are those of all its changes in the fork since its base. What the fork's timeline does not have came
 * from outside.
 * @param timelines of the fork; none: nothing was recorded in it
 * @param started what the fork had at its start that the base lacks
 */
export function forkAuthors(
  objects: ObjectReader,
  base: Snapshot,
  proposed: Snapshot,
  timelines: Iterable<Pick<FoundTimeline, 'timeline'>>,
  started: StartOfFork = () => null,
): Attribution {
  const steps = new Map<TreePath, Step[]>();
  for (const { timeline } of timelines) {
    for (const { changes } of timeline.upTo()) {
      for (const { path, before, after, by } of changes ?? []) {
        const known = steps.get(path);
        if (known === undefined) steps.set(path, [{ before, after, by }]);
        else known.push({ before, after, by });
      }
    }
  }
  const read = cachedFolderReader(objects);
  return (path) => {
    const start = stateAt(read, base, path).entry;
    let at = stateAt(read, proposed, path).entry;
    const found: Authorship[] = [];
    for (const { before, after, by } of steps.get(path) ?? []) {
      // What leads from one recorded state to the next was not recorded.
      if (!sameEntry(after, at)) found.push(UNRECORDED);
      found.push(by);
      at = before;
      if (sameEntry(at, start)) break;
    }
    const given = started(path);
    if (given !== null && sameEntry(at, given.entry)) found.push(given.by);
    else if (!sameEntry(at, start) || found.length === 0) found.push(UNRECORDED);
    return together(found);
  };
}

const UNRECORDED: Authorship = { authors: [FROM_OUTSIDE], grade: 'likely', evidence: 'operation' };

/** Several authors of one change are all named, and it is open which of them made what. */
function together(found: readonly Authorship[]): Authorship {
  const authors = new Map<string, Author>();
  for (const author of found.flatMap((one) => one.authors)) {
    const { actor, session } = author;
    const key = JSON.stringify([actor.kind, actor.name, actor.id, session]);
    // Several calls of one session are that session.
    authors.set(key, authors.has(key) ? { ...author, call: null, tool: null } : author);
  }
  const least = found.map(({ grade }) => grade).reduce<Grade>((a, b) => (rank(a) < rank(b) ? b : a), 'sure');
  return { authors: [...authors.values()], grade: authors.size > 1 ? 'open' : least, evidence: 'operation' };
}

function rank(grade: Grade): number {
  return GRADES.indexOf(grade);
}
