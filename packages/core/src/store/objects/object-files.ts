/** The files that objects are in, packs and loose ones together, and reading from whichever copy is good. */

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
import { type ObjectLocation, PackSet, type PublishedPack } from './packs/pack-set.ts';
import { drain, type ObjectSource, sourceFromObject, withFirstPiece } from './pieces.ts';
import { RecentObjects } from './recent-objects.ts';

/** Another process may move an object while it is looked for; twice in a row is no chance. */
const MAX_ATTEMPTS = 3;

export class ObjectFiles implements ObjectReader {
  readonly fs: Fs;
  readonly handles: FileHandleCache;
  readonly packs: PackSet;
  readonly loose: LooseObjects;
  /** What batches added, until somebody else may have changed what there is. For batches: others want to know what is on the disk. */
  readonly recent = new RecentObjects();
  readonly #key = Buffer.alloc(KEY_BYTES);
  #packStamp = '';

  constructor(
    readonly ports: Ports,
    /** The bare repository. */
    readonly folder: DiskPath,
  ) {
    this.fs = ports.fs;
    this.handles = new FileHandleCache(this.fs);
    this.packs = new PackSet(this.fs, this.handles, diskChild(folder, 'objects/pack'));
    this.loose = new LooseObjects(this.fs, diskChild(folder, 'objects'));
    this.refresh();
  }

  /** Looks again which packs and loose objects there are. */
  refresh(): void {
    this.recent.clear();
    this.#packStamp = this.#readPackStamp();
    this.packs.reload();
    this.loose.reload();
  }

  /**
   * What a writer published. Its caller holds the store's lock, and looked after it was got which packs there are.
   * @param written the objects in it, as far as they are at hand
   */
  addPublished(packs: readonly PublishedPack[], written: RecentObjects): void {
    this.packs.add(packs);
    this.#packStamp = this.#readPackStamp();
    this.recent.addAll(written);
  }

  /** As of the last look, or as of now where packs came or went since, going by the times of their folder. */
  has(id: ObjectId): boolean {
    if (this.isPacked(id) || this.loose.has(id)) return true;
    if (this.#readPackStamp() === this.#packStamp) return false;
    this.refresh();
    return this.isPacked(id) || this.loose.has(id);
  }

  /** As of the last look. */
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

  /** The object piece by piece. Throws as `read`; where the first piece was good, a later one may still throw. */
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

  /** Tries every copy that there is: one is enough. Null if there is none. */
  #fromAnyCopy<T>(id: ObjectId, fromPack: (at: ObjectLocation) => T, fromFile: () => T | null): T | null {
    let damage: unknown = null;
    for (let look = 1; ; look++) {
      for (const place of this.#locations(id)) {
        try {
          return fromPack(place);
        } catch (error) {
          // The pack was listed and is gone: its objects are elsewhere now.
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

/** The source itself if it is of a blob. @throws SavepointError STORE_DAMAGED otherwise, the source being closed */
export function requireBlob(id: ObjectId, source: ObjectSource): ObjectSource {
  if (source.type === 'blob') return source;
  source.close();
  throw damaged(`is a ${source.type} and should be a blob`, { object: id });
}
