/** Converts changes to and from their form in `checkpoint.json`. */

import {
  type Author,
  type Authorship,
  type Change,
  type ChangeKind,
  type Checkpoint,
  EVIDENCE,
  type Evidence,
  type Grade,
  type RecordedChange,
} from '../../model/checkpoint.ts';
import { type Entry, SKIP_REASONS, type SkipReason } from '../../model/entries.ts';
import { type ChangeId, PURGED } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import { type Codec, closedRecord, list, nullable, optionalKey, pair } from './codec.ts';
import { count, entry, enumOf, lineString, path } from './values.ts';

export const MAX_LISTED_CHANGES = 10_000;

const MAX_AUTHORS = 1_000;

export interface StoredChange {
  readonly path: TreePath;
  readonly op: ChangeKind;
  /** Only for a rename. */
  readonly from?: TreePath;
  /** Indexes into the record's list of authors. Absent: the first author. */
  readonly by?: readonly number[];
  /** The author is likely or open. Absent: sure. */
  readonly unsure?: true;
  /** Only if `unsure`. Absent: open. */
  readonly grade?: 'likely';
  /** Absent in checkpoints of early versions. Newer versions may have kinds that are unknown here. */
  readonly evidence?: string;
  readonly before: Entry | null;
  /** Only if something was there and was not captured: why. `before` is then null. */
  readonly skipped?: SkipReason;
  readonly after: Entry | null;
  /** Only if something is there and was not captured: why. `after` is then null. */
  readonly skippedAfter?: SkipReason;
  /** Lines added and removed. */
  readonly lines: readonly [number, number] | null;
  /** First and last changed line. Absent in checkpoints of early versions. */
  readonly range?: readonly [number, number] | null;
  /** Sizes before and after, in bytes. Absent in checkpoints of early versions. */
  readonly sizes?: readonly [number | null, number | null];
}

export const CHANGE: Codec<StoredChange> = closedRecord<StoredChange>({
  path,
  op: enumOf('create', 'write', 'patch', 'delete', 'rename', 'mode', 'kind'),
  from: optionalKey(path),
  by: optionalKey(list(count, MAX_AUTHORS)),
  unsure: optionalKey(enumOf(true)),
  grade: optionalKey(enumOf('likely')),
  evidence: optionalKey(lineString()),
  before: entry,
  skipped: optionalKey(enumOf(...SKIP_REASONS)),
  after: entry,
  skippedAfter: optionalKey(enumOf(...SKIP_REASONS)),
  lines: nullable(pair(count, count)),
  range: optionalKey(nullable(pair(count, count))),
  sizes: optionalKey(pair(nullable(count), nullable(count))),
});

/** Collects the authors, each once, in the order of their first change. */
export class Authors {
  readonly list: Author[] = [];
  readonly #places = new Map<string, number>();

  placesOf({ authors }: Authorship): readonly number[] {
    return authors.map((author) => {
      const key = JSON.stringify(author);
      const known = this.#places.get(key);
      if (known !== undefined) return known;
      this.#places.set(key, this.list.length);
      return this.list.push(author) - 1;
    });
  }
}

/** Longer lists are not stored (`changes: null`). They can be computed from the trees. */
export function areListed({ length }: readonly Change[]): boolean {
  return length <= MAX_LISTED_CHANGES;
}

export function storedChange(change: RecordedChange, authors: Authors): StoredChange {
  const by = authors.placesOf(change.by);
  const { grade, evidence } = change.by;
  return {
    path: change.path,
    op: change.operation,
    ...(change.from === null ? {} : { from: change.from }),
    ...(by.length === 1 && by[0] === 0 ? {} : { by }),
    ...(grade === 'open' || (grade === 'likely' && evidence !== null) ? { unsure: true } : {}),
    ...(grade === 'likely' && evidence !== null ? { grade } : {}),
    ...(evidence === null ? {} : { evidence }),
    before: change.before,
    ...(change.uncapturedBefore === undefined ? {} : { skipped: change.uncapturedBefore }),
    after: change.after,
    ...(change.uncapturedAfter === undefined ? {} : { skippedAfter: change.uncapturedAfter }),
    lines: change.added === null || change.removed === null ? null : [change.added, change.removed],
    range: change.lines === null ? null : [change.lines.first, change.lines.last],
    sizes: [change.beforeSize, change.afterSize],
  };
}

/**
 * @param record the rest of the record that contains the change
 * @param allAuthors all authors of the record
 */
export function recordedChange(
  stored: StoredChange,
  id: ChangeId,
  record: Pick<Checkpoint, 'toolCall' | 'tool'>,
  allAuthors: readonly Author[],
): RecordedChange {
  const { path, op, from, by, before, skipped, after, skippedAfter, lines, range, sizes } = stored;
  const authors = (by ?? [0]).flatMap((place) => allAuthors[place] ?? []);
  return {
    id,
    by: { authors, grade: gradeOf(stored, record, authors), evidence: knownEvidence(stored.evidence) },
    path,
    operation: op,
    from: from ?? null,
    before,
    ...(skipped === undefined ? {} : { uncapturedBefore: skipped }),
    after,
    ...(skippedAfter === undefined ? {} : { uncapturedAfter: skippedAfter }),
    added: lines?.[0] ?? null,
    removed: lines?.[1] ?? null,
    lines: range == null ? null : { first: range[0], last: range[1] },
    beforeSize: sizes?.[0] ?? null,
    afterSize: sizes?.[1] ?? null,
  };
}

/** Returns the change without anything that identifies the contents before or after it. */
export function withoutContents(change: RecordedChange): RecordedChange {
  return {
    ...change,
    before: withoutContentId(change.before),
    after: withoutContentId(change.after),
    added: null,
    removed: null,
    lines: null,
    beforeSize: null,
    afterSize: null,
  };
}

/** Null: not recorded, or of a newer version. The grade counts all the same. */
function knownEvidence(stored: string | undefined): Evidence | null {
  return EVIDENCE.find((known) => known === stored) ?? null;
}

/** Early versions recorded a change as sure if only one call was open. A call that may write anywhere proves less. */
function gradeOf(
  { unsure, grade, evidence }: StoredChange,
  { toolCall, tool }: Pick<Checkpoint, 'toolCall' | 'tool'>,
  authors: readonly Author[],
): Grade {
  if (unsure === true) return grade ?? 'open';
  if (evidence !== undefined) return 'sure';
  const calls = authors.flatMap(({ call }) => call ?? []);
  const isFileTool = tool?.kind === 'write' || tool?.kind === 'edit';
  return calls.every((call) => isFileTool && call === toolCall) ? 'sure' : 'likely';
}

/** An id is a digest, which gives a short secret away. */
function withoutContentId(entry: Entry | null): Entry | null {
  return entry === null || entry.kind === 'folder' ? entry : { ...entry, id: PURGED };
}
