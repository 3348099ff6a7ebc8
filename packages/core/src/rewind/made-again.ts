/**
 * Finds what of the chosen changes is no longer of their authors: it was taken back after the change, and somebody else
 * made it again. As for blame, a line that was deleted and written again belongs to who wrote it last, and so does a
 * file, a deletion, a name or a mode. Lines that were added or removed next to a change do not matter.
 *
 * Operations that go back write nothing, nor does git if it checks out another commit. So what they bring back is not
 * made again (`Activity` follows them).
 */

import { diffLines, type Hunk, LINE_BOUND } from '../content/line-diff.ts';
import { showText } from '../content/show-name.ts';
import type { Pace } from '../io/pace.ts';
import { type Author, type Checkpoint, GRADES, isReversion, type RecordedChange } from '../model/checkpoint.ts';
import { type Entry, sameEntry } from '../model/entries.ts';
import type { ChangeId, CheckpointId } from '../model/ids.ts';
import type { TreePath } from '../model/names.ts';
import { unlessDamaged } from '../store/objects/damage.ts';
import type { ObjectReader } from '../store/objects/object-reader.ts';
import { cachedFolderReader, readBlob } from '../store/snapshot/snapshot.ts';
import type { ActivitySource } from '../timeline/activity/source.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import { actorName } from '../timeline/query/actors.ts';

/** What of a change others made again. */
export interface MadeAgain {
  /** All of it. */
  readonly isWhole: boolean;
  /** Places where the text differs, without context. */
  readonly hunks: readonly Hunk[];
  /** Its rename or its mode. The two are not distinguished. */
  readonly hasMeta: boolean;
  /** The changes that made it again, oldest first. */
  readonly by: readonly RecordedChange[];
}

export interface LaterChange {
  readonly checkpoint: Checkpoint;
  readonly change: RecordedChange;
}

/** One thing that a change did, and that can be made again separately. */
type Part = Hunk | 'whole' | 'meta';

export class MadeAgainFinder {
  /** Changes after which a path has another state, by this path, oldest first. A rename is listed under both paths. */
  readonly #byPath = new Map<TreePath, LaterChange[]>();
  readonly #isChosen: ReadonlySet<ChangeId>;
  /** Of the later changes. */
  readonly #lines = new Map<string, ReadonlySet<string>>();
  /** Of the change that is asked about. */
  readonly #hunks = new Map<string, readonly Hunk[] | null>();
  readonly #checkpoints = new Map<CheckpointId, Checkpoint>();

  /**
   * @param all the changes of the timeline, oldest first
   * @param chosen the changes to revert. What one of them made again goes away with it
   */
  constructor(
    private readonly objects: ObjectReader,
    private readonly source: Pick<ActivitySource, 'checkedOut'>,
    all: Iterable<LaterChange>,
    chosen: Iterable<RecordedChange>,
    private readonly pace: Pace,
  ) {
    this.#isChosen = new Set([...chosen].map(({ id }) => id));
    for (const one of all) {
      const { path, from } = one.change;
      this.#checkpoints.set(one.checkpoint.id, one.checkpoint);
      for (const at of from === null ? [path] : [path, from]) {
        const listed = this.#byPath.get(at);
        if (listed === undefined) this.#byPath.set(at, [one]);
        else listed.push(one);
      }
    }
  }

  /** Returns null if all of the change is still of its authors. */
  async of({ checkpoint, change }: LaterChange): Promise<MadeAgain | null> {
    this.#hunks.clear();
    const made = new Map<Part, LaterChange[]>();
    let parts: readonly Part[] | null = null;
    const restores: { readonly at: number; readonly target: number }[] = [];
    for (const later of this.#laterChanges(checkpoint.number, change.path)) {
      if (this.pace.isDue()) await this.pace.yieldNow();
      const checkedOut = this.source.checkedOut(later.checkpoint).get(later.change.path);
      if (checkedOut !== undefined) restores.push({ at: later.checkpoint.number, target: checkedOut.number });
      else if (isReversion(later.checkpoint.trigger)) {
        const target = this.#restoredFrom(later);
        if (target !== null) restores.push({ at: later.checkpoint.number, target });
        else restores.length = 0; // an undo may have brought back what was made again
        continue;
      }
      if (this.#isChosen.has(later.change.id) || isBySameAgent(later.change, change)) continue;
      if (checkedOut !== undefined && sameEntry(checkedOut.entry, later.change.after)) continue;
      const before = checkedOut === undefined ? later.change.before : checkedOut.entry;
      const written = { ...later, change: { ...later.change, before } };
      parts ??= this.#partsOf(change);
      for (const part of parts) {
        if (this.#isMadeAgain(part, change, written)) made.set(part, [...(made.get(part) ?? []), later]);
      }
    }
    // A restore brought back the file as it was before that.
    const isPast = ({ checkpoint: { number } }: LaterChange): boolean =>
      restores.some(({ at, target }) => number < at && number > target);
    const left = new Map([...made].filter(([, by]) => !by.every(isPast)));
    if (parts === null || left.size === 0) return null;
    const found = [...left.keys()];
    return {
      isWhole: found.includes('whole') || found.length === parts.length,
      hunks: found.filter((part) => typeof part !== 'string'),
      hasMeta: found.includes('meta'),
      by: [...new Set([...left.values()].flat())]
        .sort((a, b) => a.checkpoint.number - b.checkpoint.number)
        .map((one) => one.change),
    };
  }

  /** Returns the number of the checkpoint whose state of the file a restore brought back. */
  #restoredFrom({ checkpoint: { trigger, target }, change: { path, after } }: LaterChange): number | null {
    const restored = trigger === 'restore' && target !== null ? this.#checkpoints.get(target) : undefined;
    if (restored === undefined) return null;
    const read = (): Entry | null => stateAt(cachedFolderReader(this.objects), restored.snapshot, path).entry;
    return sameEntry(after, unlessDamaged(undefined, read)) ? restored.number : null;
  }

  /** Follows the file through renames, and yields the later changes of it. `isSame`: of this file, not of another one. */
  *#laterChanges(after: number, start: TreePath): Iterable<LaterChange & { readonly isSame: boolean }> {
    let path = start;
    let number = after;
    for (;;) {
      const at = path;
      for (const one of this.#byPath.get(at) ?? []) {
        if (one.checkpoint.number <= number) continue;
        const { path: to, from } = one.change;
        yield { ...one, isSame: from === null || from === at };
        if (from !== at || to === at) continue;
        [path, number] = [to, one.checkpoint.number];
        break;
      }
      if (path === at) return;
    }
  }

  #partsOf({ before, after, from }: RecordedChange): readonly Part[] {
    if (before === null || after === null || before.kind !== after.kind) return ['whole'];
    const isMeta = from !== null || modeOf(before) !== modeOf(after);
    if (contentOf(before) === contentOf(after)) return isMeta ? ['meta'] : ['whole'];
    const hunks = this.#hunksBetween(before, after);
    return hunks === null ? ['whole'] : [...hunks, ...(isMeta ? (['meta'] as const) : [])];
  }

  /** Whether a part of a change was not there before a later change, and is there after it. */
  #isMadeAgain(
    part: Part,
    own: RecordedChange,
    { change: later, isSame }: LaterChange & { readonly isSame: boolean },
  ): boolean {
    const before = isSame ? later.before : null;
    if (own.after === null) {
      return later.from === null && later.after === null && contentOf(before) === contentOf(own.before);
    }
    if (later.after === null) return false;
    if (part === 'meta') {
      const isSameFile = contentOf(later.after) === contentOf(own.after) || (isSame && later.from !== null);
      const isMoved =
        own.from !== null && later.path === own.path && isSameFile && (before === null || later.from !== null);
      const isMode = own.from === null || modeOf(own.before) !== modeOf(own.after);
      return isMoved || (isMode && modeOf(before) !== modeOf(own.after) && modeOf(later.after) === modeOf(own.after));
    }
    if (part === 'whole') {
      if (contentOf(before) !== contentOf(own.after) && contentOf(later.after) === contentOf(own.after)) return true;
      return own.before === null && this.#hasWrittenAgain(null, own.after, before, later.after);
    }
    return part.afterCount > 0
      ? this.#hasWrittenAgain(part, own.after, before, later.after)
      : this.#hasDeletedAgain(part, own.before, before, later.after);
  }

  /** Whether lines of `own` are not in `before`, and are in `after`. @param hunk where; null: anywhere */
  #hasWrittenAgain(hunk: Hunk | null, own: Entry, before: Entry | null, after: Entry): boolean {
    const isWritten = hunk === null || before === null || this.#hasAny(hunk, '+', before, after);
    const later = isWritten ? this.#hunksBetween(own, after) : null;
    if (later === null) return false;
    const earlier = before === null ? null : this.#hunksBetween(own, before);
    const start = hunk?.afterStart ?? 0;
    const count = hunk?.afterCount ?? this.#countLines(own);
    return someLine(start, count, (line) => (earlier === null || !isIn(earlier, line)) && isIn(later, line));
  }

  /** Whether lines of `own` are in `before`, and are not in `after`. */
  #hasDeletedAgain(hunk: Hunk, own: Entry | null, before: Entry | null, after: Entry): boolean {
    if (own === null || before === null || !this.#hasAny(hunk, '-', before, after)) return false;
    const [earlier, later] = [this.#hunksBetween(own, before), this.#hunksBetween(own, after)];
    if (earlier === null || later === null) return false;
    return someLine(hunk.beforeStart, hunk.beforeCount, (line) => isIn(earlier, line) && !isIn(later, line));
  }

  /** Whether a later change wrote or deleted an equal line. Most did not, so their contents are not compared further. */
  #hasAny({ lines }: Hunk, sign: '+' | '-', before: Entry, after: Entry): boolean {
    const key = `${contentOf(before)} ${contentOf(after)}`;
    let found = this.#lines.get(key);
    if (found === undefined) {
      found = new Set(this.#diff(before, after)?.flatMap((hunk) => hunk.lines) ?? []);
      this.#lines.set(key, found);
    }
    return lines.some((line) => line.startsWith(sign) && found.has(line));
  }

  #countLines(entry: Entry): number {
    const text = this.#textOf(entry);
    if (text === null) return 0;
    let count = text.length > 0 && text.at(-1) !== 0x0a ? 1 : 0;
    for (const byte of text) if (byte === 0x0a) count++;
    return count;
  }

  /** Returns null if they cannot be compared by line. */
  #hunksBetween(before: Entry, after: Entry): readonly Hunk[] | null {
    const key = `${contentOf(before)} ${contentOf(after)}`;
    const known = this.#hunks.get(key);
    if (known !== undefined) return known;
    const found = this.#diff(before, after);
    this.#hunks.set(key, found);
    return found;
  }

  #diff(before: Entry, after: Entry): readonly Hunk[] | null {
    const [old, now] = [this.#textOf(before), this.#textOf(after)];
    const diff = old === null || now === null ? null : diffLines(old, now, LINE_BOUND, 0);
    return diff?.kind === 'lines' ? diff.hunks : null;
  }

  /** Returns null if it is not a text file, too long, or not readable in the store. */
  #textOf(entry: Entry): Buffer | null {
    if (entry.kind !== 'file') return null;
    return unlessDamaged(undefined, () => {
      const size = this.objects.info(entry.id)?.size ?? null;
      return size === null || size > LINE_BOUND.maxBytes ? null : readBlob(this.objects, entry.id);
    });
  }
}

/** `from outside (cp_5)`. @param known whether a checkpoint is on the timeline */
export function madeAgainBy({ by }: MadeAgain, isKnown: (change: ChangeId) => boolean): string {
  const texts = by.map(({ id, by: { authors } }) => {
    const names = authors.map(({ actor }) => {
      if (actor.kind === 'outside') return 'from outside';
      return `by ${actor.kind === 'user' ? 'the user' : showText(actorName(actor))}`;
    });
    const where = isKnown(id) ? ` (${id.replace(/\..*/, '')})` : '';
    return `${[...new Set(names)].join(' or ')}${where}`;
  });
  return [...new Set(texts)].slice(-2).join(' and ');
}

/** Whether a line of the first text is in the second one. @param hunks from the first to the second */
function isIn(hunks: readonly Hunk[], line: number): boolean {
  let low = 0;
  let high = hunks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const { beforeStart, beforeCount } = hunks[middle] as Hunk;
    if (beforeStart + beforeCount > line) high = middle;
    else low = middle + 1;
  }
  const hunk = hunks[low];
  return hunk === undefined || line < hunk.beforeStart;
}

/** Whether the same agent made both, and is as well known for the later one. */
function isBySameAgent({ by: later }: RecordedChange, { by: earlier }: RecordedChange): boolean {
  const keyOf = ({ actor, session }: Author): string => JSON.stringify([actor.kind, actor.name, session]);
  const known = new Set(earlier.authors.map(keyOf));
  const isKnown = GRADES.indexOf(later.grade) <= GRADES.indexOf(earlier.grade);
  return isKnown && later.authors.every((one) => one.actor.kind === 'agent' && known.has(keyOf(one)));
}

function someLine(start: number, count: number, matches: (line: number) => boolean): boolean {
  for (let line = start; line < start + count; line++) if (matches(line)) return true;
  return false;
}

function modeOf(entry: Entry | null): number | null {
  return entry === null || entry.kind === 'link' ? null : entry.mode;
}

/** What it is without its mode; null: nothing. */
function contentOf(entry: Entry | null): string | null {
  if (entry === null || entry.kind === 'folder') return entry?.kind ?? null;
  return `${entry.kind} ${entry.id}`;
}
