/** Finds who wrote current lines, and who changed a file since, to name them in the texts about conflicts. */

import { diffLines, LINE_BOUND } from '../content/line-diff.ts';
import type { LineSpan } from '../content/merge-region.ts';
import { showText } from '../content/show-name.ts';
import type { Pace } from '../io/pace.ts';
import type { Actor, Authorship, Checkpoint, RecordedChange } from '../model/checkpoint.ts';
import { type Entry, type FileEntry, sameEntry } from '../model/entries.ts';
import type { TreePath } from '../model/names.ts';
import type { WrittenLines } from '../operation/change-set.ts';
import type { CurrentState } from '../operation/operation.ts';
import { isDamage } from '../store/objects/damage.ts';
import { cachedFolderReader, readBlob } from '../store/snapshot/snapshot.ts';
import { blameLines, type LineOrigin } from '../timeline/blame/blame.ts';
import { previewCheckpoint } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { stateAt } from '../timeline/diff/snapshot-diff.ts';
import { actorName } from '../timeline/query/actors.ts';

/** Who wrote some lines, or changed a file. */
export interface NamedAuthor {
  /** `by claude`, `from outside`, `by claude or from outside`; null if it is not known. */
  readonly who: string | null;
  /** `in cp_5`, `in cp_5 (Merged fork attempt)`, or `after cp_5` if no checkpoint has it yet. */
  readonly where: string | null;
  /** 0 if the whole file is meant. */
  readonly lines: number;
}

export class LineAuthors {
  #uncaptured: Promise<Checkpoint | null> | null = null;

  constructor(
    private readonly workspace: Workspace,
    private readonly current: CurrentState,
    private readonly pace: Pace,
  ) {}

  /**
   * @param path the current path of the file
   * @param lines of its current content, or of a content that earlier steps of the operation made of it. Lines that the
   *   current content does not have are not counted
   */
  async ofLines(path: TreePath, { entry, spans }: WrittenLines): Promise<readonly NamedAuthor[]> {
    const { objects, snapshot } = this.current;
    return unlessDamage(async () => {
      const now = stateAt(cachedFolderReader(objects), snapshot, path).entry;
      if (now?.kind !== 'file') return [];
      const wanted = this.#linesIn(now, entry, spans);
      const [first, last] = [wanted[0], wanted.at(-1)];
      if (first === undefined || last === undefined) return [];
      const uncaptured = await this.#changesUntilNow();
      const request = { path, entry: now, first: first + 1, last: last + 1, uncaptured, at: null };
      const ranges = await blameLines(objects, this.workspace.timeline.reader(), request, this.pace);
      return counted(
        ranges.flatMap((range) => {
          const lines = wanted.filter((line) => line + 1 >= range.first && line + 1 <= range.last).length;
          return lines === 0 ? [] : [{ ...this.#named(range.origin), lines }];
        }),
      );
    });
  }

  /** @returns the authors of all changes of the file since it was equal to `base`, newest first */
  async since(path: TreePath, base: Entry | null): Promise<readonly NamedAuthor[]> {
    return unlessDamage(async () => {
      const uncaptured = await this.#changesUntilNow();
      const found: NamedAuthor[] = [];
      let at: TreePath = path;
      let newer: RecordedChange | null = null;
      for (const checkpoint of [
        ...(uncaptured === null ? [] : [uncaptured]),
        ...this.workspace.timeline.reader().upTo(Number.POSITIVE_INFINITY),
      ]) {
        if (this.pace.isDue()) await this.pace.yieldNow();
        const isHere = checkpoint.changes?.find((one) => one.path === at);
        const change = isHere ?? checkpoint.changes?.find((one) => one.from === at);
        if (change === undefined) continue;
        // A file that was renamed is gone from here.
        const after = isHere === undefined ? null : change.after;
        // What changed it in between is not recorded.
        if (newer !== null && !sameEntry(after, newer.before)) found.push({ who: null, where: null, lines: 0 });
        newer = change;
        if (sameEntry(after, base)) return counted(found);
        found.push({ ...this.#author(change.by, checkpoint === uncaptured ? null : checkpoint), lines: 0 });
        if (isHere !== undefined) at = change.from ?? at;
        if (sameEntry(change.before, base)) return counted(found);
      }
      return [];
    });
  }

  /** Returns indices of the current lines, in order. */
  #linesIn(now: FileEntry, entry: FileEntry, spans: readonly LineSpan[]): readonly number[] {
    const { objects } = this.current;
    const lines = spans.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, i) => start + i));
    if (entry.id === now.id) return lines;
    const diff = diffLines(readBlob(objects, now.id), readBlob(objects, entry.id), LINE_BOUND, 0);
    if (diff.kind !== 'lines') return [];
    return lines.flatMap((line) => {
      let shift = 0;
      for (const { beforeStart, beforeCount, afterStart, afterCount } of diff.hunks) {
        if (line < afterStart) break;
        if (line < afterStart + afterCount) return [];
        shift = beforeStart + beforeCount - afterStart - afterCount;
      }
      return [line + shift];
    });
  }

  #changesUntilNow(): Promise<Checkpoint | null> {
    const { workspace, current, pace } = this;
    const latest = workspace.timeline.latest();
    this.#uncaptured ??= latest === null ? Promise.resolve(null) : previewCheckpoint(workspace, current, latest, pace);
    return this.#uncaptured;
  }

  #named(origin: LineOrigin): Omit<NamedAuthor, 'lines'> {
    if (origin.kind === 'change') return this.#author(origin.change.by, origin.checkpoint);
    if (origin.kind === 'uncaptured') return this.#author(origin.change.by, null);
    return { who: null, where: null };
  }

  /** @param checkpoint null if no checkpoint has the change yet */
  #author({ authors, grade }: Authorship, checkpoint: Checkpoint | null): Omit<NamedAuthor, 'lines'> {
    const names = new Set(authors.map(({ actor }) => phraseOf(actor)));
    const last = this.workspace.timeline.latest()?.id;
    const where = checkpoint !== null ? `in ${checkpoint.id}` : last === undefined ? null : `after ${last}`;
    const who = names.size === 0 ? null : [...names].join(' or ');
    if (checkpoint?.trigger !== 'merge') return { who, where };
    // They worked in the fork, so the timeline of the workspace has no record of their calls.
    const isAgent = authors.length === 1 && authors[0]?.actor.kind === 'agent';
    const merged = who?.replace('from outside', 'by an unknown author') ?? null;
    return {
      who: merged !== null && isAgent && grade !== 'sure' ? `${merged} (${grade})` : merged,
      where: `${where}${checkpoint.description === '' ? '' : ` (${showText(checkpoint.description)})`}`,
    };
  }
}

/** Most authors that a text names. */
const NAMED = 3;
/** With more of them, a text does not say where each made a change. */
const WITH_PLACE = 2;

/**
 * `by claude, in cp_5, and from outside, in cp_6`; of more than two, only who: `by claude and from outside`. Empty if somebody
 * is not known.
 */
export function byAuthors(authors: readonly NamedAuthor[]): string {
  if (authors.some(({ who }) => who === null)) return '';
  if (authors.length <= WITH_PLACE) {
    return joined(
      authors.map(({ who, where }) => `${who}${where === null ? '' : `, ${where}`}`),
      ', and ',
    );
  }
  const names = [...new Set(authors.flatMap(({ who }) => who ?? []))];
  return joined([...names.slice(0, NAMED), ...(names.length > NAMED ? ['by others'] : [])], ' and ');
}

/** `1 line by claude (in cp_5) and 2 lines from outside (in cp_6)`. */
export function linesOfAuthors(authors: readonly NamedAuthor[]): string {
  return joined(
    authors.map(({ who, where, lines }) => {
      const count = `${lines} line${lines === 1 ? '' : 's'}`;
      return `${count} ${who ?? 'by an unknown author'}${where === null ? '' : ` (${where})`}`;
    }),
    ' and ',
  );
}

function phraseOf(actor: Actor): string {
  if (actor.kind === 'outside') return 'from outside';
  return `by ${actor.kind === 'user' ? 'the user' : showText(actorName(actor))}`;
}

function joined(texts: readonly string[], last: string): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')}${last}${texts.at(-1)}`;
}

/** Adds up the lines of the same author in the same checkpoint. */
function counted(authors: readonly NamedAuthor[]): readonly NamedAuthor[] {
  const found = new Map<string, NamedAuthor>();
  for (const author of authors) {
    const key = JSON.stringify([author.who, author.where]);
    found.set(key, { ...author, lines: author.lines + (found.get(key)?.lines ?? 0) });
  }
  return [...found.values()];
}

/** What damage hides only makes a text less precise. */
async function unlessDamage(find: () => Promise<readonly NamedAuthor[]>): Promise<readonly NamedAuthor[]> {
  try {
    return await find();
  } catch (error) {
    if (isDamage(error)) return [];
    throw error;
  }
}
