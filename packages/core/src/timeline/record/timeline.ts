/** All checkpoints of a workspace, in the order of their numbers. */
import { showName } from '../../content/show-name.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import {
  type CheckpointId,
  checkpointId,
  checkpointNumber,
  EMPTY_TREE,
  type ObjectId,
  type WorkspaceId,
} from '../../model/ids.ts';
import { type Name, nameOf, nameToJson } from '../../model/names.ts';
import { decodeCommit, encodeCommit } from '../../store/objects/commit.ts';
import { unlessDamaged } from '../../store/objects/damage.ts';
import type { ObjectBatch, ObjectReader } from '../../store/objects/object-reader.ts';
import { encodeTree, type TreeEntry } from '../../store/objects/tree.ts';
import { packedDamage } from '../../store/refs/packed-refs.ts';
import type { PreparedRefs } from '../../store/refs/prepared-refs.ts';
import type { DamagedRef, RefListing } from '../../store/refs/ref-listing.ts';
import type { Refs } from '../../store/refs/refs.ts';
import { readBlob, readTree } from '../../store/snapshot/snapshot.ts';
import { type CheckpointRecord, decodeRecord, encodeRecord } from './checkpoint-json.ts';
import { type CheckpointOutline, RecordCache } from './record-cache.ts';

const PREFIX = 'refs/savepoint/cp/';
const PINS = 'refs/savepoint/pin/';
const FILES = nameOf('files');
const SIDE = nameOf('side');
const INDEXES = nameOf('indexes');
const RECORD = nameOf('checkpoint.json');
const NOTHING = '0'.repeat(40) as ObjectId;
const BLOB = 0o100644;
const TREE = 0o040000;

export interface CheckpointRef {
  readonly number: number;
  /** Forty zeros, the id of nothing, if the ref cannot be read. */
  readonly commit: ObjectId;
  /** Only if the ref cannot be read. It still has its place among the others, so that no name means another one. */
  readonly damage?: DamagedRef;
}

export interface DamagedCheckpoint {
  readonly id: CheckpointId;
  readonly error: SavepointError;
}

export type ReadResult =
  | { readonly checkpoint: Checkpoint; readonly damaged: null }
  | { readonly checkpoint: null; readonly damaged: DamagedCheckpoint };

/** Objects that can be listed. */
export interface StoredObjects extends ObjectReader {
  ids(): Iterable<ObjectId>;
}

/** The end of the timeline, to which the next checkpoint is appended. */
export interface TimelineEnd {
  /** The newest readable checkpoint. */
  readonly latest: Checkpoint | null;
  /** Also counts unreadable checkpoints. */
  readonly lastNumber: number;
}

/** Caches the parsed list for each list of refs, so that unchanged refs are not parsed again. */
const PARSED_REFS = new WeakMap<RefListing, readonly CheckpointRef[]>();

export class Timeline {
  /** Numbers of the checkpoints whose commits are in the store, if a damaged file of refs was found. */
  #stored: ReadonlySet<number> | null = null;

  constructor(
    private readonly objects: StoredObjects,
    private readonly refs: Refs,
    private readonly records = new RecordCache(),
    /** Null: unknown. */
    private readonly workspace: WorkspaceId | null = null,
  ) {}

  /** Returns all checkpoints, newest last, with the damaged ones. Reads the refs on each call, because other processes publish too. */
  list(): readonly CheckpointRef[] {
    const refs = this.refs.listWithDamage(PREFIX);
    let listed = PARSED_REFS.get(refs);
    if (listed === undefined) {
      listed = refs.packed === null ? checkpointsOf(refs) : this.#withHidden(checkpointsOf(refs), refs.packed);
      PARSED_REFS.set(refs, listed);
    }
    return listed;
  }

  /**
   * A damaged file of packed refs may hide any checkpoint. Each one whose commit is in the store keeps its place, so
   * that no name means another one, and no new checkpoint gets its number.
   */
  #withHidden(listed: readonly CheckpointRef[], { file, problem }: DamagedRef): readonly CheckpointRef[] {
    if (this.#stored === null) {
      const numbers = new Set<number>();
      for (const { checkpoint } of storedCheckpoints(this.objects)) {
        if (checkpoint !== null && (this.workspace === null || checkpoint.workspace === this.workspace))
          numbers.add(checkpoint.number);
      }
      this.#stored = numbers;
    }
    const known = new Set(listed.map(({ number }) => number));
    const hidden = [...this.#stored].filter((number) => !known.has(number));
    const refs = hidden.map((number): CheckpointRef => {
      return { number, commit: NOTHING, damage: { name: `${PREFIX}${number}`, file, problem } };
    });
    return [...listed, ...refs].sort((a, b) => a.number - b.number);
  }

  /** Returns the damage because of which it is unknown which checkpoints and pins there are; null if there is none. */
  damage(): SavepointError | null {
    const { packed } = this.refs.listWithDamage(PREFIX);
    if (packed === null) return null;
    const { message } = packedDamage(packed);
    const hint = 'It may hide checkpoints and pins. `savepoint repair` finds them in the store.';
    return new SavepointError('STORE_DAMAGED', message, { file: nameToJson(packed.file) }, { hint });
  }

  /** @throws SavepointError STORE_DAMAGED if a checkpoint may be hidden: nothing may be removed then */
  assertComplete(): void {
    const damage = this.damage();
    if (damage !== null) throw damage;
  }

  /** Whether the commit is a checkpoint that can be read. */
  canRead(commit: ObjectId): boolean {
    const ref = this.list().find((one) => one.commit === commit);
    return ref !== undefined && this.readAll([ref]).damaged.length === 0;
  }

  /** @throws SavepointError STORE_DAMAGED, STORE_TOO_NEW */
  read(ref: CheckpointRef): Checkpoint {
    if (ref.damage !== undefined) throw unreadableRef(ref.number, ref.damage);
    const checkpoint = readCheckpoint(this.objects, ref.commit);
    if (checkpoint.number !== ref.number) {
      throw new SavepointError('STORE_DAMAGED', `cp_${ref.number} points at the commit of ${checkpoint.id}.`, {
        object: ref.commit,
      });
    }
    return checkpoint;
  }

  /** Yields checkpoints lazily, unreadable ones with their error. Records that were read before come from the cache. */
  *newestFirst(refs: readonly CheckpointRef[] = this.list()): Generator<ReadResult> {
    for (let at = refs.length - 1; at >= 0; at--) yield this.#readCached(refs[at]!);
  }

  /**
   * Yields all readable checkpoints, oldest first. Records that were read before come from the cache.
   * @param from number of the first checkpoint
   */
  *oldestFirst(from = 1): Generator<Checkpoint> {
    for (const ref of this.list()) {
      if (ref.number < from) continue;
      const { checkpoint } = this.#readCached(ref);
      if (checkpoint !== null) yield checkpoint;
    }
  }

  /** Yields all readable checkpoints, newest first. Records that were read before come from the cache. */
  *upTo(number = Number.POSITIVE_INFINITY): Generator<Checkpoint> {
    const refs = this.list().filter((ref) => ref.number <= number);
    for (const { checkpoint } of this.newestFirst(refs)) if (checkpoint !== null) yield checkpoint;
  }

  /** Returns a reader of the current timeline for many queries. `find` looks up the list of checkpoints only once. */
  reader(): {
    /** Returns undefined if the checkpoint is gone or cannot be read. */
    find(id: CheckpointId): Checkpoint | undefined;
    /** Yields all readable checkpoints, newest first. */
    upTo(number: number): Generator<Checkpoint>;
  } {
    let known: ReadonlyMap<number, CheckpointRef> | null = null;
    return {
      find: (id) => {
        known ??= new Map(this.list().map((ref) => [ref.number, ref]));
        const ref = known.get(checkpointNumber(id));
        return ref === undefined ? undefined : (this.#readCached(ref).checkpoint ?? undefined);
      },
      upTo: (number) => this.upTo(number),
    };
  }

  /** Reads all checkpoints from the store, oldest first. Returns unreadable ones with their error. */
  readAll(refs: readonly CheckpointRef[] = this.list()): {
    readonly checkpoints: readonly Checkpoint[];
    readonly damaged: readonly DamagedCheckpoint[];
  } {
    const checkpoints: Checkpoint[] = [];
    const damaged: DamagedCheckpoint[] = [];
    for (const ref of refs) {
      try {
        checkpoints.push(this.read(ref));
      } catch (error) {
        if (!(error instanceof SavepointError) || error.code !== 'STORE_DAMAGED') throw error;
        damaged.push({ id: checkpointId(ref.number), error });
      }
    }
    return { checkpoints, damaged };
  }

  /** Returns the outlines of all readable checkpoints, oldest first. */
  outlines(refs: readonly CheckpointRef[]): readonly CheckpointOutline[] {
    return refs.flatMap((ref) => {
      const outline = this.records.outline(ref.commit, () => this.readAll([ref]).checkpoints[0] ?? null);
      return outline?.number === ref.number ? [outline] : [];
    });
  }

  #readCached(ref: CheckpointRef): ReadResult {
    const known = this.records.get(ref.commit);
    if (known?.number === ref.number) return { checkpoint: known, damaged: null };
    const { checkpoints, damaged } = this.readAll([ref]);
    const [checkpoint] = checkpoints;
    if (checkpoint === undefined) return { checkpoint: null, damaged: damaged[0]! };
    this.records.keep(checkpoint);
    return { checkpoint, damaged: null };
  }

  /** Returns the newest readable checkpoint: a damaged one must not prevent new ones. */
  latest(): Checkpoint | null {
    return this.end().latest;
  }

  /** Also counts unreadable checkpoints. */
  lastNumber(): number {
    return this.list().at(-1)?.number ?? 0;
  }

  /** Looks up the end. The result is valid while the store's lock is held and nothing is published. */
  end(): TimelineEnd {
    const refs = this.list();
    const lastNumber = refs.at(-1)?.number ?? 0;
    for (const { checkpoint } of this.newestFirst(refs)) {
      if (checkpoint !== null) return { latest: checkpoint, lastNumber };
    }
    return { latest: null, lastNumber };
  }

  /** Writes the files of refs that will be published. The caller syncs them, and discards what it does not publish. */
  prepare(refs: readonly CheckpointRef[]): PreparedRefs {
    return this.refs.prepare(refs.map(({ number, commit }) => ({ name: `${PREFIX}${number}`, id: commit })));
  }

  /**
   * Makes a checkpoint exist. Its objects are durable already.
   * @param checkpoint the published checkpoint, if it is at hand
   * @param prepared what `prepare` returned, once its files are durable
   */
  publish(ref: CheckpointRef, checkpoint: Checkpoint | null = null, prepared: PreparedRefs | null = null): void {
    this.refs.create(`${PREFIX}${ref.number}`, ref.commit, prepared);
    if (checkpoint !== null) this.records.keep(checkpoint);
  }

  /** Like `publish`, for all of them or none. */
  publishAll(refs: readonly CheckpointRef[]): void {
    this.refs.createAll(new Map(refs.map(({ number, commit }) => [`${PREFIX}${number}`, commit])));
  }

  isPublished(ref: CheckpointRef): boolean {
    return this.refs.read(`${PREFIX}${ref.number}`) === ref.commit;
  }

  /** Withdraws a published checkpoint whose transaction did not take place. */
  withdraw(ref: CheckpointRef): void {
    if (this.isPublished(ref)) this.drop([ref.number]);
  }

  /** Returns the numbers of the checkpoints that clean-up never drops. */
  pinned(): ReadonlySet<number> {
    const { refs, damaged } = this.refs.listWithDamage(PINS);
    // The name alone says what is pinned.
    return new Set([...refs, ...damaged].map(({ name }) => Number(name.slice(PINS.length))));
  }

  /** @returns false if it was pinned already */
  pin(ref: CheckpointRef): boolean {
    if (this.refs.read(`${PINS}${ref.number}`) !== null) return false;
    this.refs.create(`${PINS}${ref.number}`, ref.commit);
    return true;
  }

  unpin(number: number): void {
    // Throws if the damage of a file of refs may hide the pin.
    this.refs.read(`${PINS}${number}`);
    this.refs.delete([`${PINS}${number}`]);
  }

  drop(numbers: readonly number[]): void {
    // Deleting a session's checkpoints also deletes their pins: a pin that leads nowhere would count as damage.
    const pinned = this.pinned();
    this.refs.delete(
      numbers.flatMap((number) => [`${PREFIX}${number}`, ...(pinned.has(number) ? [`${PINS}${number}`] : [])]),
    );
  }
}

/** Yields every commit in the store, with the checkpoint that it is; null for another commit or a damaged one. */
export function* storedCheckpoints(
  objects: StoredObjects,
): Generator<{ readonly commit: ObjectId; readonly checkpoint: Checkpoint | null }> {
  for (const commit of objects.ids()) {
    if (unlessDamaged(undefined, () => objects.info(commit))?.type !== 'commit') continue;
    yield { commit, checkpoint: unlessDamaged(undefined, () => readCheckpoint(objects, commit)) };
  }
}

export function readCheckpoint(objects: ObjectReader, commit: ObjectId): Checkpoint {
  const object = objects.read(commit);
  if (object.type !== 'commit') throw notACheckpointError(commit);
  const parts = new Map<Name, TreeEntry>();
  for (const entry of readTree(objects, decodeCommit(object.data).tree)) parts.set(entry.name, entry);
  const files = parts.get(FILES);
  const record = parts.get(RECORD);
  if (files === undefined || record === undefined) throw notACheckpointError(commit);
  const snapshot = { files: files.id, side: parts.get(SIDE)?.id ?? EMPTY_TREE };
  return decodeRecord(readBlob(objects, record.id), copyOf(commit), snapshot);
}

/**
 * Writes a checkpoint's own objects into the batch. The checkpoint exists once its ref does.
 * @param parents only for the derived chain (sync/), never for a checkpoint
 */
export function writeCheckpoint(
  batch: ObjectBatch,
  record: CheckpointRecord,
  snapshot: Checkpoint['snapshot'],
  parents: readonly ObjectId[] = [],
): CheckpointRef {
  const blob = batch.add('blob', encodeRecord(record));
  const entries: TreeEntry[] = [
    { name: RECORD, mode: BLOB, id: blob },
    { name: FILES, mode: TREE, id: snapshot.files },
  ];
  if (snapshot.side !== EMPTY_TREE) entries.push({ name: SIDE, mode: TREE, id: snapshot.side });
  const indexes = indexesTree(record.roots);
  if (indexes.length > 0) entries.push({ name: INDEXES, mode: TREE, id: batch.add('tree', encodeTree(indexes)) });
  if (snapshot.files === EMPTY_TREE) batch.add('tree', Buffer.alloc(0));
  const who = {
    name: oneLine(record.actor.name) || record.actor.kind,
    email: `${record.actor.kind}@savepoint.invalid`,
    time: Math.floor(record.time / 1000),
    zone: '+0000',
  };
  const commit = batch.add(
    'commit',
    encodeCommit({
      tree: batch.add('tree', encodeTree(entries)),
      parents,
      author: who,
      committer: who,
      message: `cp_${record.number}: ${oneLine(record.description)}\n`,
    }),
  );
  return { number: record.number, commit };
}

function checkpointsOf({ refs, damaged }: RefListing): readonly CheckpointRef[] {
  const found: CheckpointRef[] = [];
  for (const { name, id } of refs) {
    const number = numberIn(name);
    if (number !== null) found.push({ number, commit: id });
  }
  for (const damage of damaged) {
    const number = numberIn(damage.name);
    if (number !== null) found.push({ number, commit: NOTHING, damage });
  }
  return found.sort((a, b) => a.number - b.number);
}

function numberIn(name: string): number | null {
  const digits = name.slice(PREFIX.length);
  return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : null;
}

function unreadableRef(number: number, { file, problem }: DamagedRef): SavepointError {
  return new SavepointError(
    'STORE_DAMAGED',
    `The ref of cp_${number}, ${showName(file)}, ${problem}.`,
    { file: nameToJson(file) },
    { hint: '`savepoint repair` finds its commit in the store. All other checkpoints can be used.' },
  );
}

/** Makes the objects that the record names reachable from the commit. No code reads this tree. */
function indexesTree(roots: CheckpointRecord['roots']): readonly TreeEntry[] {
  const ids = new Set(roots.flatMap(({ index }) => (index === undefined ? [] : [index.id, ...index.staged])));
  return [...ids].map((id) => ({ name: nameOf(id), mode: BLOB, id }));
}

/** A commit's subject must be one line. */
function oneLine(text: string): string {
  return text.replace(/[\x00-\x1f\x7f]+/g, ' ').trim();
}

function notACheckpointError(commit: ObjectId): SavepointError {
  return new SavepointError('STORE_DAMAGED', `Object ${commit} is not the commit of a checkpoint.`, { object: commit });
}

/** The id may be a part of the text of all refs, and would keep that in memory. */
function copyOf(commit: ObjectId): ObjectId {
  return Buffer.from(commit, 'latin1').toString('latin1') as ObjectId;
}
