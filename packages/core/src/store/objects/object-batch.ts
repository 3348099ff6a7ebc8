/** Adds objects: compares existing ones and packs new ones. */

import { syncFolder } from '../../io/durable-write.ts';
import { type Fd, FsError } from '../../io/fs.ts';
import { SavepointError } from '../../model/errors.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { AdoptingBatch, BatchLimit } from './adopting-batch.ts';
import { damaged, isDamage } from './damage.ts';
import { PIECE_BYTES, STREAM_BYTES } from './limits.ts';
import { type ObjectFiles, requireBlob } from './object-files.ts';
import { hashObject, idFrom, startObjectHash } from './object-hash.ts';
import type { ObjectInfo, ObjectType, StoredObject } from './object-reader.ts';
import { copyEntry } from './packs/entry-copy.ts';
import type { AdoptMethod, OpenPack } from './packs/link-pack.ts';
import type { PackFile } from './packs/pack-file.ts';
import { PackWriter } from './packs/pack-writer.ts';
import { drain, type ObjectSource, sourceFromObject, withFirstPiece } from './pieces.ts';
import { type ReadAt, readFrom, readUpTo } from './read-at.ts';
import { RecentObjects } from './recent-objects.ts';
import { inflate } from './zlib-data.ts';

/** How often a source may change while it is read before the batch gives up. */
const MAX_ATTEMPTS = 8;

export class PackBatch implements AdoptingBatch {
  readonly #writer: PackWriter;
  /** The objects added last. */
  readonly #recent = new RecentObjects();
  #isOver = false;
  #usesExistingPacks = false;
  #willAdopt: ((tree: ObjectId) => boolean) | null = null;
  readonly #expectedTrees = new Set<ObjectId>();

  constructor(
    private readonly files: ObjectFiles,
    private readonly limit: BatchLimit | null = null,
  ) {
    this.#writer = new PackWriter(files.ports, files.handles, files.packs.folder);
  }

  get count(): number {
    return this.#writer.count;
  }

  get bytesLeft(): number {
    return this.limit === null ? Number.POSITIVE_INFINITY : this.limit.bytes - this.#writer.bytes;
  }

  /**
   * Loose objects do not count: git does not make them durable, so an object that must persist is written again, into a
   * pack. The name of a visible pack may not be durable either, if its writer died. `finish` makes it durable.
   */
  has(id: ObjectId): boolean {
    if (this.#writer.has(id)) return true;
    const packed = this.files.isPacked(id);
    this.#usesExistingPacks ||= packed;
    return packed;
  }

  read(id: ObjectId): StoredObject {
    return this.#recent.get(id) ?? this.files.recent.get(id) ?? this.readStored(id);
  }

  /** Reads an object from where it is stored, bypassing the cache of recent objects. */
  readStored(id: ObjectId): StoredObject {
    const place = this.#writer.find(id);
    if (place === null) return this.files.read(id);
    if (place.in === 'file') return place.pack.read(place.place);
    if (place.in === 'memory') return place.object;
    return { type: place.type, data: inflate(place.compressed, place.size).data };
  }

  info(id: ObjectId): ObjectInfo | null {
    const place = this.#writer.find(id);
    if (place === null) return this.files.info(id);
    if (place.in === 'file') return place.pack.info(place.place);
    if (place.in === 'memory') return { type: place.object.type, size: place.object.data.length };
    return { type: place.type, size: place.size };
  }

  async copyBlob(id: ObjectId, sink: (chunk: Buffer) => void): Promise<void> {
    await drain(this.files.ports.clock, requireBlob(id, this.#source(id)), sink);
  }

  add(type: ObjectType, data: Uint8Array): ObjectId {
    this.#assertOpen();
    const id = hashObject(type, data);
    if (type === 'tree' && !this.#writer.has(id) && this.#willAdopt?.(id)) {
      this.#expectedTrees.add(id);
      return id;
    }
    const isThere =
      data.length <= STREAM_BYTES
        ? this.#isThere(id, type, data)
        : this.#compareStored(id, type, data.length, readFrom(data)) === 'same';
    if (!isThere) {
      this.#writer.add(id, type, data);
      this.#recent.put(id, type, data);
    }
    this.#assertRoom();
    return id;
  }

  addBlobFrom(size: number, read: ReadAt): ObjectId {
    this.#assertOpen();
    let expected = size;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (expected <= STREAM_BYTES) {
        const data = Buffer.allocUnsafe(expected);
        return this.add('blob', data.subarray(0, readUpTo(read, data, 0)));
      }
      const hashed = hashFrom(expected, read);
      if (typeof hashed === 'number') {
        expected = hashed;
        continue;
      }
      const comparison = this.#compareStored(hashed, 'blob', expected, read);
      if (comparison === 'same') return hashed;
      if (comparison === 'source-changed') continue;
      // The compressed bytes are what counts. If their id differs from the hash and exists already, the next attempt
      // compares them.
      let kept = false;
      const added = this.#writer.addStream('blob', expected, read, (id) => {
        kept = id === hashed || !this.has(id);
        return kept;
      });
      this.#assertRoom();
      if (typeof added === 'number') expected = added;
      else if (kept) return added;
    }
    throw new FsError('EAGAIN', 'read', this.files.folder);
  }

  expectTrees(brings: (tree: ObjectId) => boolean): void {
    this.#willAdopt = brings;
  }

  async adoptPack(pack: OpenPack, method: AdoptMethod): Promise<boolean> {
    this.#assertOpen();
    const adopted = await this.#writer.adoptPack(pack, method);
    this.#assertRoom();
    return adopted;
  }

  async copyObjects(pack: PackFile, places: Iterable<number>, step: () => Promise<void>): Promise<void> {
    this.#assertOpen();
    for (const place of places) {
      await step();
      if (!this.has(pack.index.idAt(place))) await copyEntry(pack, place, this.#writer, step);
      this.#assertRoom();
    }
  }

  async finish(alongside: readonly Fd[] = []): Promise<void> {
    this.#assertOpen();
    this.#assertAdopted();
    await this.#writer.awaitCompression();
    this.#assertRoom();
    const published = await this.#writer.publish(alongside);
    this.#isOver = true;
    if (published.length > 0) this.files.addPublished(published, this.#recent);
    else if (this.#usesExistingPacks) syncFolder(this.files.fs, this.files.packs.folder);
  }

  abandon(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#writer.abandon();
  }

  #isThere(id: ObjectId, type: ObjectType, data: Uint8Array): boolean {
    if (!this.has(id)) return false;
    let stored: StoredObject;
    try {
      stored = this.readStored(id);
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    }
    if (stored.type !== type || stored.data.compare(data) !== 0) throw collision(id);
    return true;
  }

  /**
   * Like `#isThere`, but never holds the whole object in memory: compares the stored object with the bytes from `read`.
   * A damaged object counts as absent and is written again.
   */
  #compareStored(id: ObjectId, type: ObjectType, size: number, read: ReadAt): 'absent' | 'same' | 'source-changed' {
    if (!this.has(id)) return 'absent';
    let source: ObjectSource;
    try {
      source = this.#source(id);
    } catch (error) {
      if (isDamage(error)) return 'absent';
      throw error;
    }
    const hash = startObjectHash(type, size);
    let same = source.type === type && source.size === size;
    try {
      const ours = Buffer.allocUnsafe(Math.min(size, PIECE_BYTES));
      let at = 0;
      // Reads to the end even if the bytes differ: only then can another object be distinguished from a damaged copy.
      for (let theirs = source.next(); theirs !== null; theirs = source.next()) {
        for (let done = 0; done < theirs.length && at < size; ) {
          const wanted = ours.subarray(0, Math.min(ours.length, theirs.length - done, size - at));
          if (readUpTo(read, wanted, at) < wanted.length) return 'source-changed';
          hash.update(wanted);
          same &&= wanted.compare(theirs, done, done + wanted.length) === 0;
          done += wanted.length;
          at += wanted.length;
        }
      }
      for (; at < size; ) {
        const wanted = ours.subarray(0, Math.min(ours.length, size - at));
        if (readUpTo(read, wanted, at) < wanted.length) return 'source-changed';
        hash.update(wanted);
        at += wanted.length;
      }
    } catch (error) {
      if (isDamage(error)) return 'absent';
      throw error;
    } finally {
      source.close();
    }
    if (same) return 'same';
    if (hash.digest('hex') !== id) return 'source-changed';
    throw collision(id);
  }

  #source(id: ObjectId): ObjectSource {
    const place = this.#writer.find(id);
    if (place === null) return this.files.source(id);
    return place.in === 'file' ? withFirstPiece(place.pack.pieces(place.place)) : sourceFromObject(this.read(id));
  }

  #assertAdopted(): void {
    for (const id of this.#expectedTrees) {
      if (!this.has(id))
        throw new SavepointError('INTERNAL', `Tree ${id} was not copied to the store.`, { message: 'no tree' });
    }
  }

  #assertRoom(): void {
    if (this.limit !== null && this.bytesLeft < 0) throw this.limit.full(this.#writer.bytes);
  }

  #assertOpen(): void {
    if (!this.#isOver) return;
    throw new SavepointError('INTERNAL', 'A batch was used after its end.', { message: 'batch is over' });
  }
}

/** Returns the id of a blob of `size` bytes, or the number of bytes if the source ended earlier. */
function hashFrom(size: number, read: ReadAt): ObjectId | number {
  const hash = startObjectHash('blob', size);
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  for (let at = 0; at < size; ) {
    const wanted = piece.subarray(0, Math.min(piece.length, size - at));
    const got = readUpTo(read, wanted, at);
    hash.update(wanted.subarray(0, got));
    at += got;
    if (got < wanted.length) return at;
  }
  return idFrom(hash);
}

function collision(id: ObjectId): SavepointError {
  return damaged('has the same id as something else that was to be stored (a SHA-1 collision)', { object: id });
}
