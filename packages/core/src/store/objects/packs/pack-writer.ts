/**
 * New packs, from the first byte to durable. Invariants (P…), each with the step that keeps it:
 *
 * P1 A pack counts only through its index: neither Savepoint nor git looks at a pack that has none.
 * P2 Pack and index are complete and fsynced under temporary names, and so is the folder, before either gets its name.
 *    (The folder's fsync costs next to nothing: on most file systems that of the last file has done its work.)
 * P3 Whatever a crash leaves of the renames, in any order: by P2 the other file of each pair is there under one of its
 *    two names, and debris.ts brings the two together. (Packs go before their indexes only because git expects it.)
 * P4 The folder is fsynced after the last rename and before `publish` returns. Only then may a ref lead to an object.
 *    So what a crash before that takes or leaves, in any order of the folder's changes, is reached by nothing.
 * P5 A pack is named by its checksum. A file that a rename replaces therefore holds the same bytes, or damaged ones.
 *    Of a pack that was taken over whole only the ends are known: it never takes a name that is there already.
 * P6 Before `publish` nothing but temporary files exists, and `abandon` removes them; after its first rename
 *    `abandon` removes nothing.
 */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { syncFolder } from '../../../io/durable-write.ts';
import { type Fd, type Fs, isFsError, MAX_SYNCED_TOGETHER } from '../../../io/fs.ts';
import type { Ports } from '../../../io/ports.ts';
import type { ObjectId } from '../../../model/ids.ts';
import { type DiskPath, diskChild } from '../../../model/names.ts';
import { BackgroundCompressor } from '../background-compressor.ts';
import type { FileHandleCache } from '../file-handle-cache.ts';
import { PACK_BYTES, PIECE_BYTES, STREAM_BYTES } from '../limits.ts';
import { idFrom, KEY_BYTES, keyOf, startObjectHash, writeKey } from '../object-hash.ts';
import type { ObjectType, StoredObject } from '../object-reader.ts';
import { type ReadAt, readFrom, readUpTo } from '../read-at.ts';
import { checkEnds, checkOffsets, checkOrder } from '../verify-objects.ts';
import { deflate, PieceDeflater } from '../zlib-data.ts';
import { BaseCache } from './base-cache.ts';
import { PackBuffer } from './pack-buffer.ts';
import { PackFile, type PackReadContext } from './pack-file.ts';
import { encodeEntryHeader, encodePackHeader, PACK_HEADER_BYTES } from './pack-format.ts';
import { encodePackIndex, PackIndex } from './pack-index.ts';
import { TEMPORARY_PREFIX } from './pack-names.ts';
import type { PublishedPack } from './pack-set.ts';

/** A pack on disk under a temporary name. */
interface WrittenPack {
  readonly pack: DiskPath;
  readonly index: DiskPath;
  readonly checksum: Buffer;
  readonly parsed: PackIndex;
}

/** Where an object of a writer can be read back. */
export type WrittenLocation =
  | { readonly in: 'memory'; readonly object: StoredObject }
  | { readonly in: 'buffer'; readonly type: ObjectType; readonly size: number; readonly compressed: Buffer }
  | { readonly in: 'file'; readonly pack: PackFile; readonly place: number };

const FILE_MODE = 0o600;
const NAME_BYTES = 8;
/** The folder is synced with them. */
const MAX_UNSYNCED = MAX_SYNCED_TOGETHER - 1;

export class PackWriter {
  readonly #fs: Fs;
  readonly #compressor: BackgroundCompressor;
  #buffer = new PackBuffer();
  readonly #written: WrittenPack[] = [];
  /** Files that are complete and have yet to be fsynced: all at the same time costs little more than one. */
  readonly #unsynced = new Map<DiskPath, Fd>();
  readonly #readable: PackFile[] = [];
  /** Packs that were somebody else's: their objects are too many to be listed among ours. */
  readonly #adopted: PackFile[] = [];
  readonly #ids = new Set<ObjectId>();
  readonly #key = Buffer.alloc(KEY_BYTES);
  #publishing = false;
  #bytesWritten = 0;

  constructor(
    private readonly ports: Ports,
    private readonly handles: FileHandleCache,
    private readonly folder: DiskPath,
    /** When a pack is full. */
    private readonly packBytes: number = PACK_BYTES,
  ) {
    this.#fs = ports.fs;
    this.#compressor = new BackgroundCompressor(ports.compressor ?? null, (id, type, size, compressed) =>
      this.addCompressed(id, type, size, compressed),
    );
  }

  get count(): number {
    return this.#ids.size;
  }

  /** Of all packs, those that were taken over included; indexes apart, and what has yet to be compressed. */
  get bytes(): number {
    return this.#bytesWritten + this.#buffer.bytes;
  }

  has(id: ObjectId): boolean {
    return this.#ids.has(id) || this.#findAdopted(writeKey(this.#key, id)) !== null;
  }

  find(id: ObjectId): WrittenLocation | null {
    if (!this.#ids.has(id)) return this.#findAdopted(writeKey(this.#key, id));
    const buffered = this.#buffer.find(id);
    if (buffered !== null) return { in: 'buffer', ...buffered };
    const object = this.#compressor.find(id);
    if (object !== null) return { in: 'memory', object };
    const key = keyOf(id);
    for (const pack of this.#readable) {
      const place = pack.index.find(key);
      if (place >= 0) return { in: 'file', pack, place };
    }
    return null;
  }

  /** Adds a whole object that this writer does not have. */
  add(id: ObjectId, type: ObjectType, data: Uint8Array): void {
    if (data.length > STREAM_BYTES) this.addStream(type, data.length, readFrom(data), () => true);
    else if (this.#compressor.tryAdd(id, type, data)) this.#ids.add(id);
    else this.addCompressed(id, type, data.length, deflate(data));
  }

  /** Adds an object whose zlib stream is `compressed`; the bytes are copied. */
  addCompressed(id: ObjectId, type: ObjectType, size: number, compressed: Uint8Array): void {
    this.#buffer.add(id, type, size, compressed);
    this.#ids.add(id);
    if (this.#buffer.bytes >= this.packBytes) this.#flush();
  }

  /**
   * Compresses an object piece by piece into a pack of its own.
   * @param wanted asked when the id is known; where it says no, nothing is added
   * @returns the id, or how many bytes there were if the source ended before `size`; then nothing was added
   */
  addStream(type: ObjectType, size: number, read: ReadAt, wanted: (id: ObjectId) => boolean): ObjectId | number {
    const hash = startObjectHash(type, size);
    const deflater = new PieceDeflater();
    const piece = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(1, size)));
    let done = 0;
    let id: ObjectId | null = null;
    this.#writeSingle(encodeEntryHeader(type, size), (write) => {
      while (done < size) {
        const length = readUpTo(read, piece.subarray(0, Math.min(piece.length, size - done)), done);
        if (length === 0) return null;
        const bytes = piece.subarray(0, length);
        hash.update(bytes);
        write(deflater.add(bytes));
        done += length;
      }
      write(deflater.finish());
      id = idFrom(hash);
      return wanted(id) ? id : null;
    });
    return id ?? done;
  }

  /** Puts an entry that exists already, head included, into a pack of its own. */
  addEntry(id: ObjectId, pieces: Iterable<Buffer>): void {
    this.#writeSingle(Buffer.alloc(0), (write) => {
      for (const piece of pieces) write(piece);
      return id;
    });
  }

  /**
   * Takes a copy of a pack that somebody else has. Whether the two ends of the copy, its index and its length agree is
   * checked; what its objects hold is not.
   * @param from the pack, open
   * @returns false where there is a pack of that name, and then nothing was added (P5)
   * @throws FormatProblem when it is no sound pack with its index, FsError when it cannot be copied
   */
  async adoptPack(from: Fd, index: PackIndex, method: 'clone' | 'copy'): Promise<boolean> {
    const checksum = Buffer.from(index.packChecksum);
    if (this.#isNameTaken(checksum)) return false;
    const path = this.#temporaryPath('pack');
    const fd = await this.#fs.copyFile(from, path, FILE_MODE, method);
    try {
      let size: number;
      try {
        size = this.#fs.fstat(fd).size;
        await this.#fs.syncAll([fd]); // P2
      } finally {
        this.#fs.close(fd);
      }
      const pack = new PackFile(this.#readContext(), { path, index, size });
      checkEnds({ fs: this.#fs, handles: this.handles }, pack);
      checkOrder(pack);
      checkOffsets(pack);
      this.#addIndex(path, index, checksum);
      this.#adopted.push(pack);
      this.#bytesWritten += size;
    } catch (error) {
      this.handles.close(path);
      this.#discard(path);
      throw error;
    }
    return true;
  }

  /**
   * When all that was added has its place, and `bytes` counts it.
   * @throws FsError
   */
  async awaitCompression(): Promise<void> {
    await this.#compressor.flush();
  }

  /**
   * Gives everything its name. Durable when it is done.
   * @returns the packs; one of them may have had that name before (P5)
   */
  async publish(): Promise<readonly PublishedPack[]> {
    await this.awaitCompression();
    if (this.#buffer.count > 0) this.#flush();
    if (this.#written.length === 0) return [];
    this.#unsynced.set(this.folder, this.#fs.openFolder(this.folder));
    await this.#syncFiles(); // P2
    this.#publishing = true;
    this.#closeReadable();
    for (const { pack, checksum } of this.#written) this.#fs.rename(pack, this.#finalPath(checksum, 'pack')); // P3
    for (const { index, checksum } of this.#written) this.#fs.rename(index, this.#finalPath(checksum, 'idx'));
    syncFolder(this.#fs, this.folder); // P4
    return this.#written.map(({ checksum, parsed }) => ({ path: this.#finalPath(checksum, 'pack'), index: parsed }));
  }

  /** Removes what was written, as far as it can be removed; what stays is debris. */
  abandon(): void {
    this.#compressor.abandon();
    this.#closeReadable();
    if (this.#publishing) return; // P6
    for (const { pack, index } of this.#written) {
      this.#discard(index);
      this.#discard(pack);
    }
    this.#written.length = 0;
    this.#buffer = new PackBuffer();
    this.#ids.clear();
  }

  #flush(): void {
    const { checksum, blocks, entries } = this.#buffer.close();
    const pack = this.#temporaryPath('pack');
    this.#createFile(pack, (fd) => {
      let at = 0;
      for (const block of blocks) {
        this.#fs.write(fd, block, at);
        at += block.length;
      }
    });
    this.#writeIndex(pack, encodePackIndex(entries, checksum), checksum);
    this.#buffer = new PackBuffer();
  }

  /**
   * A pack of one entry: the count in its header is known beforehand, so that it can be hashed while it is written.
   * @param fillEntry writes the rest of the entry and returns its id, or null to drop the pack
   */
  #writeSingle(head: Buffer, fillEntry: (write: (bytes: Buffer) => void) => ObjectId | null): void {
    const pack = this.#temporaryPath('pack');
    const { id, crc, checksum } = this.#createFile(pack, (fd) => {
      const packHash = createHash('sha1');
      let at = 0;
      const write = (bytes: Buffer): void => {
        packHash.update(bytes);
        this.#fs.write(fd, bytes, at);
        at += bytes.length;
      };
      let sum = 0;
      const writeEntry = (bytes: Buffer): void => {
        sum = crc32(bytes, sum);
        write(bytes);
      };
      write(encodePackHeader(1));
      writeEntry(head);
      const entryId = fillEntry(writeEntry);
      const end = packHash.digest();
      if (entryId !== null) this.#fs.write(fd, end, at);
      return { id: entryId, crc: sum, checksum: end };
    });
    if (id === null) {
      this.#discard(pack);
      return;
    }
    const entry = { key: keyOf(id), crc, offset: PACK_HEADER_BYTES };
    this.#writeIndex(pack, encodePackIndex([entry], checksum), checksum);
  }

  /** Each pack has a cache of its own, which goes with it. */
  #readContext(): PackReadContext {
    return { fs: this.#fs, handles: this.handles, cache: new BaseCache() };
  }

  #writeIndex(pack: DiskPath, data: Buffer, checksum: Buffer): void {
    const parsed = new PackIndex(data);
    try {
      this.#addIndex(pack, parsed, checksum);
    } catch (error) {
      this.#discard(pack);
      throw error;
    }
    const size = this.#fs.lstat(pack)?.size ?? 0;
    this.#bytesWritten += size;
    this.#readable.push(new PackFile(this.#readContext(), { path: pack, index: parsed, size }));
    for (let place = 0; place < parsed.count; place++) this.#ids.add(parsed.idAt(place));
  }

  #addIndex(pack: DiskPath, parsed: PackIndex, checksum: Buffer): void {
    const index = this.#temporaryPath('idx');
    this.#createFile(index, (fd) => this.#fs.write(fd, parsed.bytes, 0));
    this.#written.push({ pack, index, checksum, parsed });
  }

  #findAdopted(key: Buffer): WrittenLocation | null {
    for (const pack of this.#adopted) {
      const place = pack.index.find(key);
      if (place >= 0) return { in: 'file', pack, place };
    }
    return null;
  }

  #isNameTaken(checksum: Buffer): boolean {
    const isOurs = this.#written.some((each) => each.checksum.equals(checksum));
    return (
      isOurs || (['pack', 'idx'] as const).some((kind) => this.#fs.lstat(this.#finalPath(checksum, kind)) !== null)
    );
  }

  /** A new file with what `fillFile` writes; nothing is left of it on failure. */
  #createFile<T>(path: DiskPath, fillFile: (fd: Fd) => T): T {
    const fd = this.#fs.openNew(path, FILE_MODE);
    try {
      const result = fillFile(fd);
      if (this.#unsynced.size < MAX_UNSYNCED) {
        this.#unsynced.set(path, fd);
      } else {
        this.#fs.sync(fd); // P2
        this.#fs.close(fd);
      }
      return result;
    } catch (error) {
      this.#fs.close(fd);
      this.#discard(path);
      throw error;
    }
  }

  async #syncFiles(): Promise<void> {
    const files = [...this.#unsynced.values()];
    this.#unsynced.clear();
    try {
      await this.#fs.syncAll(files);
    } finally {
      for (const fd of files) this.#fs.close(fd);
    }
  }

  #temporaryPath(extension: 'pack' | 'idx'): DiskPath {
    return diskChild(this.folder, `${TEMPORARY_PREFIX}${this.ports.random.hex(NAME_BYTES)}.${extension}`);
  }

  #finalPath(checksum: Buffer, extension: 'pack' | 'idx'): DiskPath {
    return diskChild(this.folder, `pack-${checksum.toString('hex')}.${extension}`);
  }

  #closeReadable(): void {
    for (const { path } of [...this.#readable, ...this.#adopted]) this.handles.close(path);
    this.#readable.length = 0;
    this.#adopted.length = 0;
  }

  /** A temporary file that cannot be removed does no harm. */
  #discard(path: DiskPath): void {
    const fd = this.#unsynced.get(path);
    this.#unsynced.delete(path);
    if (fd !== undefined) this.#fs.close(fd);
    try {
      this.#fs.unlink(path);
    } catch (error) {
      if (!isFsError(error)) throw error;
    }
  }
}
