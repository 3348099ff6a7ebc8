/**
 * The proposed changes of a plan as they are listed: with the numbers of their lines, and the places of their hunks. It is
 * computed when a plan is made, and kept with it, because it takes reading and comparing all contents. It is for display:
 * what is applied follows from the files and the decisions, and an approval compares it with the files.
 */

import { createHash } from 'node:crypto';
import type { Hunk } from '../content/line-diff.ts';
import type { Pace } from '../io/pace.ts';
import type { Change, ChangeKind } from '../model/checkpoint.ts';
import type { SkipReason, Snapshot } from '../model/entries.ts';
import type { ObjectId } from '../model/ids.ts';
import { type JsonName, nameToJson, treePathFromJson } from '../model/names.ts';
import type { Plan } from '../model/plan.ts';
import { isDamage } from '../store/objects/damage.ts';
import type { ObjectBatch, ObjectReader } from '../store/objects/object-reader.ts';
import { entryFromJson, entryToJson, type StoredEntryJson } from '../store/snapshot/entry-json.ts';
import { readBlob } from '../store/snapshot/snapshot.ts';
import { listChanges } from '../timeline/diff/changes.ts';
import { hunksOf, type NumberedHunk } from '../timeline/diff/hunks.ts';

/** The place of a hunk. Lines count from 0. */
export interface ListedHunk extends Omit<NumberedHunk, 'lines'> {
  readonly digest: string;
  readonly added: number;
  readonly removed: number;
}

export interface ListedChange {
  readonly change: Change;
  /** Null if there are no separate hunks; see `hunksOf`. */
  readonly hunks: readonly ListedHunk[] | null;
}

type Proposal = Pick<Plan, 'before' | 'proposed'>;

/** @returns the blob with the listing, for `Plan.listing` */
export async function addListing(batch: ObjectBatch, plan: Proposal, pace: Pace): Promise<ObjectId> {
  const changes = (await computed(batch, plan, pace)).map(changeToJson);
  const json: ListingJson = { format: 1, proposal: fingerprintOf(plan.before, plan.proposed), changes };
  return batch.add('blob', Buffer.from(`${JSON.stringify(json)}\n`));
}

/** If no listing was kept, or it is unreadable or of another proposal, it is computed. */
export async function listingOf(
  objects: ObjectReader,
  plan: Proposal & Pick<Plan, 'listing'>,
  pace: Pace,
): Promise<readonly ListedChange[]> {
  return keptListing(objects, plan) ?? computed(objects, plan, pace);
}

/** Whether the kept listing says what the files say. Otherwise a person saw something else than what would be applied. */
export async function isListingTrue(
  objects: ObjectReader,
  plan: Proposal & Pick<Plan, 'listing'>,
  pace: Pace,
): Promise<boolean> {
  const kept = keptListing(objects, plan);
  if (kept === null) return true;
  const textOf = (changes: readonly ListedChange[]): string => JSON.stringify(changes.map(changeToJson));
  return textOf(kept) === textOf(await computed(objects, plan, pace));
}

/** Of the change from one state of files to another. */
export function fingerprintOf(before: Snapshot, after: Snapshot): string {
  const ids = [before.files, before.side, after.files, after.side];
  return createHash('sha1').update(ids.join('\n')).digest('hex');
}

export function listedHunks(hunks: readonly NumberedHunk[]): readonly ListedHunk[] {
  const digests = hunkDigests(hunks);
  return hunks.map(({ lines, ...place }, index) => ({
    ...place,
    digest: digests[index] ?? '',
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  }));
}

/** Identifies a hunk by its lines, wherever they are. Equal hunks of one file differ by their order. */
function hunkDigests(hunks: readonly Hunk[]): readonly string[] {
  const seen = new Map<string, number>();
  return hunks.map(({ lines }) => {
    const hash = createHash('sha1');
    for (const line of lines) hash.update(`${line.length}:`).update(line, 'latin1');
    const digest = hash.digest('hex').slice(0, 16);
    const before = seen.get(digest) ?? 0;
    seen.set(digest, before + 1);
    return before === 0 ? digest : `${digest}.${before}`;
  });
}

/** Tuples, because a listing of thousands of changes is read often. */
interface ListingJson {
  readonly format: 1;
  /** The fingerprint of what is proposed. */
  readonly proposal: string;
  readonly changes: readonly ChangeJson[];
}

type ChangeJson = readonly [
  path: JsonName,
  operation: ChangeKind,
  from: JsonName | null,
  before: StoredEntryJson,
  after: StoredEntryJson,
  uncaptured: readonly [before: SkipReason | null, after: SkipReason | null],
  lines: readonly [added: number | null, removed: number | null, first: number | null, last: number | null],
  sizes: readonly [before: number | null, after: number | null],
  hunks: readonly HunkJson[] | null,
];

type HunkJson = readonly [
  beforeStart: number,
  beforeCount: number,
  afterStart: number,
  afterCount: number,
  added: number,
  removed: number,
  digest: string,
];

function changeToJson({ change, hunks }: ListedChange): ChangeJson {
  const { path, operation, from, before, after, uncapturedBefore, uncapturedAfter, added, removed, lines } = change;
  return [
    nameToJson(path),
    operation,
    from === null ? null : nameToJson(from),
    entryToJson(before),
    entryToJson(after),
    [uncapturedBefore ?? null, uncapturedAfter ?? null],
    [added, removed, lines?.first ?? null, lines?.last ?? null],
    [change.beforeSize, change.afterSize],
    hunks?.map((one) => [
      one.beforeStart,
      one.beforeCount,
      one.afterStart,
      one.afterCount,
      one.added,
      one.removed,
      one.digest,
    ]) ?? null,
  ];
}

/** May throw any error if it is not one. */
function changeFromJson(json: ChangeJson): ListedChange {
  const [path, operation, from, before, after, [skipped, skippedAfter], [added, removed, first, last], sizes, hunks] =
    json;
  return {
    change: {
      path: treePathFromJson(path),
      operation,
      from: from === null ? null : treePathFromJson(from),
      before: entryFromJson(before),
      ...(skipped === null ? {} : { uncapturedBefore: skipped }),
      after: entryFromJson(after),
      ...(skippedAfter === null ? {} : { uncapturedAfter: skippedAfter }),
      added,
      removed,
      lines: first === null || last === null ? null : { first, last },
      beforeSize: sizes[0],
      afterSize: sizes[1],
    },
    hunks: hunks?.map(hunkFromJson) ?? null,
  };
}

function hunkFromJson(json: HunkJson, index: number): ListedHunk {
  const [beforeStart, beforeCount, afterStart, afterCount, added, removed, digest] = json;
  return { number: index + 1, beforeStart, beforeCount, afterStart, afterCount, added, removed, digest };
}

function keptListing(
  objects: ObjectReader,
  { listing, before, proposed }: Proposal & Pick<Plan, 'listing'>,
): readonly ListedChange[] | null {
  if (listing === null) return null;
  try {
    const { format, proposal, changes } = JSON.parse(readBlob(objects, listing).toString()) as ListingJson;
    if (format !== 1 || proposal !== fingerprintOf(before, proposed)) return null;
    return changes.map(changeFromJson);
  } catch (error) {
    if (error instanceof TypeError || error instanceof SyntaxError || isDamage(error)) return null;
    throw error;
  }
}

async function computed(
  objects: ObjectReader,
  { before, proposed }: Proposal,
  pace: Pace,
): Promise<readonly ListedChange[]> {
  const { changes } = await listChanges(objects, before, proposed, pace, { counted: Number.POSITIVE_INFINITY });
  const listed: ListedChange[] = [];
  for (const change of changes) {
    if (pace.isDue()) await pace.yieldNow();
    const hunks = hunksOf(objects, change);
    listed.push({ change, hunks: hunks === null ? null : listedHunks(hunks) });
  }
  return listed;
}
