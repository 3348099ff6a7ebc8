/**
 * Copies what is needed of packs that were linked from repositories into packs of our own, and removes the links. Rules:
 *
 * S1 Objects are read, verified and compressed without the store's lock. Under the lock, at most one slice of them is
 *    written, or the links are removed. So other processes hardly wait.
 * S2 A link is removed only after the hash of each needed object in it was verified in a file that stays. What was copied
 *    is read back from the durable pack.
 * S3 A link with a needed object that has no intact copy stays.
 * S4 The files that were verified are still there when the links go. Otherwise everything is verified again.
 * S5 Names of a dead process may not be durable yet. They are made durable before a link goes because of them.
 * S6 A slice is written only if everything in it is still needed: a purge in another process may have removed it.
 */
import { syncFolder } from '../../../io/durable-write.ts';
import { isFsError } from '../../../io/fs.ts';
import type { Pace } from '../../../io/pace.ts';
import type { ObjectId } from '../../../model/ids.ts';
import { type DiskPath, withSuffix } from '../../../model/names.ts';
import { isDamage } from '../damage.ts';
import { ENTRY_BYTES, PACK_BYTES, STREAM_BYTES } from '../limits.ts';
import type { ObjectFiles } from '../object-files.ts';
import { keyOf } from '../object-hash.ts';
import { readThrough } from '../pieces.ts';
import { RecentObjects } from '../recent-objects.ts';
import { copyEntry, copySource } from './entry-copy.ts';
import type { PackFile } from './pack-file.ts';
import { stemOf } from './pack-names.ts';
import { removePacks } from './pack-removal.ts';
import { PackWriter } from './pack-writer.ts';

/**
 * Runs work under the store's lock. `assertHeld` throws if the lock was lost.
 * @returns what the work returned; false if it did not run, because what is needed may have changed (S6)
 */
export type UnderLock = (work: (assertHeld: () => void) => Promise<boolean>) => Promise<boolean>;

export interface DamagedObject {
  readonly file: DiskPath;
  readonly object: ObjectId;
}

/** Bytes that are written under the lock at a time. A larger object is a slice of its own. */
const SLICE_BYTES = 4 * 1024 * 1024;
/** The first pass copies, the second one verifies. More are needed only if a copy is damaged or removed. */
const MAX_PASSES = 4;

class NotWritten extends Error {}

export class LinkReplacement {
  readonly #files: ObjectFiles;
  readonly #pace: Pace;
  readonly #sliceBytes: number;
  readonly #verified = new Set<ObjectId>();
  /** Our own packs in which the objects were verified. */
  readonly #reliedOn = new Set<PackFile>();
  #damaged: DamagedObject[] = [];
  /** As of the beginning of the pass. */
  #linked: ReadonlySet<PackFile> = new Set();
  #writer: PackWriter;
  #done = 0;

  constructor(files: ObjectFiles, pace: Pace, sliceBytes = SLICE_BYTES) {
    this.#files = files;
    this.#pace = pace;
    this.#sliceBytes = sliceBytes;
    this.#writer = this.#newWriter();
  }

  /** Needed objects without an intact copy, as of the last call of `copy`. */
  get damaged(): readonly DamagedObject[] {
    return this.#damaged;
  }

  /**
   * Copies each needed object of linked packs that has no copy yet, and verifies the copies (S2).
   * @returns whether each has a verified copy or is listed as damaged; false also if a slice could not be written
   * @throws FsError ENOENT if another process removed a link meanwhile
   */
  async copy(needed: ReadonlySet<ObjectId>, underLock: UnderLock): Promise<boolean> {
    try {
      for (let pass = 1; pass <= MAX_PASSES; pass++) {
        if ((await this.#copyMissing(needed, underLock)) === 0) return true;
      }
      return false;
    } catch (error) {
      if (error instanceof NotWritten) return false;
      throw error;
    } finally {
      this.#writer.abandon();
      this.#writer = this.#newWriter();
    }
  }

  /**
   * The caller holds the lock. Every object that anything refers to was given to `copy`, or is in no linked pack.
   * @returns false if files on which the verification relied are gone: then nothing was removed (S4)
   */
  removeLinks(assertHeld: () => void): boolean {
    const files = this.#files;
    syncFolder(files.fs, files.packs.folder); // S5
    files.refresh();
    const current = new Set(files.packs.packs);
    if ([...this.#reliedOn].some((pack) => !current.has(pack))) {
      this.#verified.clear();
      this.#reliedOn.clear();
      return false;
    }
    const damaged = new Set(this.#damaged.map(({ file }) => file)); // S3
    assertHeld();
    removePacks(
      files,
      linkedPacks(files).filter(({ path }) => !damaged.has(path)),
    );
    files.refresh();
    return true;
  }

  async #copyMissing(needed: ReadonlySet<ObjectId>, underLock: UnderLock): Promise<number> {
    this.#damaged = [];
    this.#linked = new Set(linkedPacks(this.#files));
    let copied = 0;
    for (const { pack, places } of this.#missing(needed)) {
      for (const place of places) {
        await this.#step();
        const id = pack.index.idAt(place);
        if (this.#verified.has(id) || (await this.#isVerified(id))) continue;
        if (this.#writer.has(id)) copied += 1;
        else if (await this.#copyOne(pack, place, underLock)) copied += 1;
        else if (await this.#copyElsewhere(id, underLock)) copied += 1;
        else this.#damaged.push({ file: pack.path, object: id });
        if (this.#writer.bytes >= this.#sliceBytes) await this.#publish(underLock);
      }
    }
    if (this.#writer.count > 0) await this.#publish(underLock);
    return copied;
  }

  /** The places of needed objects in linked packs, in the order of the packs. */
  #missing(needed: ReadonlySet<ObjectId>): readonly { readonly pack: PackFile; readonly places: Uint32Array }[] {
    return [...this.#linked].map((pack) => {
      const places: number[] = [];
      for (const id of needed) {
        if (this.#verified.has(id)) continue;
        const place = pack.index.find(keyOf(id));
        if (place >= 0) places.push(place);
      }
      return { pack, places: pack.index.inPackOrder(Uint32Array.from(places)) };
    });
  }

  /** Whether a pack of our own has the object; reads it. */
  async #isVerified(id: ObjectId): Promise<boolean> {
    for (const { pack, place } of [...this.#files.packs.findAll(id)]) {
      if (this.#linked.has(pack)) continue;
      try {
        if (pack.info(place).size <= STREAM_BYTES) pack.read(place);
        else await readThrough(pack.pieces(place), () => this.#step());
      } catch (error) {
        if (isDamage(error) || isFsError(error, 'ENOENT')) continue;
        throw error;
      }
      this.#verified.add(id);
      this.#reliedOn.add(pack);
      return true;
    }
    return false;
  }

  /** @returns false if the object is damaged */
  async #copyOne(pack: PackFile, place: number, underLock: UnderLock): Promise<boolean> {
    try {
      const { header, offset, end } = pack.entryAt(place);
      if (header.kind === 'whole') {
        const copy = () => copyEntry(pack, place, this.#writer, () => this.#step());
        if (header.size > STREAM_BYTES || end - offset > ENTRY_BYTES) await this.#publish(underLock, copy);
        else await copy();
      } else {
        const { type, data } = pack.read(place);
        const add = async () => this.#writer.add(pack.index.idAt(place), type, data);
        if (data.length > STREAM_BYTES) await this.#publish(underLock, add);
        else await add();
      }
      return true;
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    }
  }

  /** Copies the object from another linked pack, or from a loose file. */
  async #copyElsewhere(id: ObjectId, underLock: UnderLock): Promise<boolean> {
    for (const { pack, place } of [...this.#files.packs.findAll(id)]) {
      if (await this.#copyOne(pack, place, underLock)) return true;
    }
    try {
      const source = this.#files.loose.open(id);
      if (source === null) return false;
      await this.#publish(underLock, async () => copySource(id, source, this.#writer));
      return true;
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    }
  }

  /** @param addMore adds objects that are too large to be held in memory */
  async #publish(underLock: UnderLock, addMore: () => Promise<void> = async () => {}): Promise<void> {
    const writer = this.#writer;
    await writer.awaitCompression();
    const isWritten = await underLock(async (assertHeld) => {
      await addMore();
      assertHeld();
      this.#files.addPublished(await writer.publish(), new RecentObjects());
      return true;
    });
    if (!isWritten) throw new NotWritten();
    this.#writer = this.#newWriter();
  }

  #newWriter(): PackWriter {
    // In the background, other cores are not worth their memory.
    const { compressor: _, ...ports } = this.#files.ports;
    return new PackWriter(ports, this.#files.handles, this.#files.packs.folder, PACK_BYTES, Number.POSITIVE_INFINITY); // S1
  }

  async #step(): Promise<void> {
    this.#done += 1;
    if (this.#pace.isDue()) await this.#pace.yieldNow({ phase: 'clean-up', done: this.#done, total: null });
  }
}

/**
 * Our own packs are writable for their owner, and have one name. The user may have made a linked pack writable since, and
 * git may have removed its other name. Also finds packs that git wrote into the store. Those with a `.keep` file are left
 * alone.
 */
export function linkedPacks({ fs, packs }: ObjectFiles): readonly PackFile[] {
  return packs.packs.filter(
    (pack) =>
      (packs.isReadOnly(pack) || (fs.lstat(pack.path)?.nlink ?? 1) > 1) &&
      fs.lstat(withSuffix(stemOf(pack.path), '.keep')) === null,
  );
}
