/** The files that contain objects, packs and loose ones together. Reading uses any intact copy. */

import { type Fs, isFsError } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import type { ObjectId } from '../../model/ids.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { damaged, isDamage } from './damage.ts';
import { FileHandleCache } from './file-handle-cache.ts';
import { STREAM_BYTES } from './limits.ts';
import { LooseObjects } from './loose-objects.ts';
import { KEY_BYTES, writeKey } from './object-hash.ts';
import type { ObjectInfo, ObjectReader, StoredObject } from './object-reader.ts';
import { type ObjectLocation, type PackCorrections, PackSet, type PublishedPack } from './packs/pack-set.ts';
import { drain, type ObjectSource, sourceFromObject, withFirstPiece } from './pieces.ts';
import { RecentObjects } from './recent-objects.ts';

/** Attempts to find an object that another process may move during the search. That does not happen twice by chance. */
const MAX_ATTEMPTS = 3;

export class ObjectFiles implements ObjectReader {
  readonly fs: Fs;
  readonly handles: FileHandleCache;
  readonly packs: PackSet;
  readonly loose: LooseObjects;
  /**
   * Objects that batches added, until another process may have changed the store. For batches only: other readers need
   * to know what is on disk.
   */
  readonly recent = new RecentObjects();
  readonly #key = Buffer.alloc(KEY_BYTES);
  #packStamp = '';

  constructor(
    readonly ports: Ports,
    /** The bare repository. */
    readonly folder: DiskPath,
    corrections?: PackCorrections,
  ) {
    this.fs = ports.fs;
    this.handles = new FileHandleCache(this.fs);
    this.packs = new PackSet(this.fs, this.handles, diskChild(folder, 'objects/pack'), corrections);
    this.loose = new LooseObjects(this.fs, diskChild(folder, 'objects'));
    this.refresh();
  }

  /** Scans for packs and loose objects again. */
  refresh(): void {
    this.recent.clear();
    this.#packStamp = this.#readPackStamp();
    this.packs.reload();
    this.loose.reload();
  }

  /**
   * Adds the packs that a writer published. The caller holds the store's lock, and has refreshed since it acquired the
   * lock.
   * @param written the objects in the packs, as far as they are in memory
   */
  addPublished(packs: readonly PublishedPack[], written: RecentObjects): void {
    this.packs.add(packs);
    this.#packStamp = this.#readPackStamp();
    this.recent.addAll(written);
  }

  /**
   * Answers as of the last refresh. If the object is missing and the times of the pack folder changed, it refreshes
   * first.
   */
  has(id: ObjectId): boolean {
    if (this.isPacked(id) || this.loose.has(id)) return true;
    if (this.#readPackStamp() === this.#packStamp) return false;
    this.refresh();
    return this.isPacked(id) || this.loose.has(id);
  }

  /** As of the last refresh. */
  isPacked(id: ObjectId): boolean {
    return this.packs.find(writeKey(this.#key, id)) !== null;
  }

  read(id: ObjectId): StoredObject {
    const object = this.#fromAnyCopy<StoredObject>(
      id,
      ({ pack, place }) => pack.read(place),
      () => this.loose.read(id),
    );
    if (object === null) throw this.#missingError(id);
    return object;
  }

  info(id: ObjectId): ObjectInfo | null {
    const info = this.#fromAnyCopy<ObjectInfo>(
      id,
      ({ pack, place }) => pack.info(place),
      () => this.loose.info(id),
    );
    if (info === null && this.packs.problems.size > 0) throw this.#missingError(id);
    return info;
  }

  async copyBlob(id: ObjectId, sink: (chunk: Buffer) => void): Promise<void> {
    await drain(this.ports.clock, requireBlob(id, this.source(id)), sink);
  }

  /** Reads the object piece by piece. Throws like `read`; even if the first piece was good, a later one may throw. */
  source(id: ObjectId): ObjectSource {
    const source = this.#fromAnyCopy<ObjectSource>(
      id,
      ({ pack, place }) =>
        pack.info(place).size > STREAM_BYTES ? withFirstPiece(pack.pieces(place)) : sourceFromObject(pack.read(place)),
      () => this.loose.open(id),
    );
    if (source === null) throw this.#missingError(id);
    return source;
  }

  /** Tries every copy until one is intact. Returns null if there is none. */
  #fromAnyCopy<T>(id: ObjectId, fromPack: (at: ObjectLocation) => T, fromFile: () => T | null): T | null {
    let damage: unknown = null;
    for (let look = 1; ; look++) {
      for (const place of this.#locations(id)) {
        try {
          return fromPack(place);
        } catch (error) {
          // The pack disappeared after it was listed: its objects have moved elsewhere.
          if (isFsError(error, 'ENOENT')) continue;
          if (!isDamage(error)) throw error;
          damage ??= error;
        }
      }
      try {
        const loose = fromFile();
        if (loose !== null) return loose;
      } catch (error) {
        if (!isDamage(error)) throw error;
        damage ??= error;
      }
      if (look === MAX_ATTEMPTS) break;
      this.refresh();
    }
    if (damage !== null) throw damage;
    return null;
  }

  *#locations(id: ObjectId): Generator<ObjectLocation> {
    const first = this.packs.find(writeKey(this.#key, id));
    if (first === null) return;
    yield first;
    for (const place of this.packs.findAll(id)) if (place.pack !== first.pack) yield place;
  }

  #missingError(id: ObjectId): Error {
    for (const [file, problem] of this.packs.problems) {
      return damaged(`is not found, and an index of the store ${problem}`, { object: id, file });
    }
    return damaged('is not in the store', { object: id });
  }

  #readPackStamp(): string {
    const stat = this.fs.lstat(this.packs.folder);
    return stat === null ? '' : `${stat.ino}:${stat.mtimeMs}:${stat.ctimeMs}`;
  }
}

/** Returns the source if it is of a blob. @throws SavepointError STORE_DAMAGED otherwise, after closing the source */
export function requireBlob(id: ObjectId, source: ObjectSource): ObjectSource {
  if (source.type === 'blob') return source;
  source.close();
  throw damaged(`is a ${source.type} and should be a blob`, { object: id });
}
