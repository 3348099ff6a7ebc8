/**
 * Writes new packs and makes them durable. Invariants (P…), each with the step that keeps it:
 *
 * P1 A pack counts only through its index: both Savepoint and git ignore a pack without one.
 * P2 Pack and index are complete and fsynced under temporary names, and so is the folder, before either gets its final
 *    name. (Syncing the folder costs almost nothing: on most file systems, the fsync of the last file has done the
 *    work.)
 * P3 A crash may keep any subset of the renames. By P2, both files of each pair still exist, each under one of its two
 *    names, and debris.ts completes the pair. (Packs are renamed before their indexes only because git expects it.)
 * P4 The folder is fsynced after the last rename and before `publish` returns. Only then may a ref lead to an object.
 *    So nothing refers to files that an earlier crash loses or leaves, in any order of the folder's changes.
 * P5 A pack is named by its checksum. So a file that a rename replaces has the same bytes, or is damaged. Of an adopted
 *    pack, only the two ends are verified: it never takes a name that exists already.
 *    A linked pack is a second name for a file of a repository, and shares every later write to it. So only a file of
 *    the user that is read-only is linked, every read checks hashes, and the link is soon replaced (link-replacement.ts).
 * P6 Before `publish`, only temporary files exist, and `abandon` removes them. After the first rename, `abandon`
 *    removes nothing.
 */

import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { syncFolder } from '../../../io/durable-write.ts';
import { type Fd, type Fs, isFsError, MAX_SYNCED_TOGETHER } from '../../../io/fs.ts';
import type { Ports } from '../../../io/ports.ts';
import type { ObjectId } from '../../../model/ids.ts';
import { type DiskPath, diskChild } from '../../../model/names.ts';
import { BackgroundCompressor } from '../background-compressor.ts';
import { FormatProblem } from '../damage.ts';
import type { FileHandleCache } from '../file-handle-cache.ts';
import { PACK_BYTES, PIECE_BYTES, STREAM_BYTES } from '../limits.ts';
import { idFrom, KEY_BYTES, keyOf, startObjectHash, writeKey } from '../object-hash.ts';
import type { ObjectType, StoredObject } from '../object-reader.ts';
import { type ReadAt, readFrom, readUpTo } from '../read-at.ts';
import { checkEnds, checkOffsets } from '../verify-objects.ts';
import { deflate, PieceDeflater } from '../zlib-data.ts';
import { BaseCache } from './base-cache.ts';
import { GrowingPack, type PackDraft } from './growing-pack.ts';
import { openPackIndex } from './index-file.ts';
import { type AdoptMethod, linkPack, type OpenPack } from './link-pack.ts';
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
/** By default, one in this many of the bytes of a full pack may be in memory. */
const IN_MEMORY_RATIO = 16;
/** The folder is synced together with them. */
const MAX_UNSYNCED = MAX_SYNCED_TOGETHER - 1;

export class PackWriter {
  readonly #fs: Fs;
  readonly #compressor: BackgroundCompressor;
  #growing: GrowingPack;
  readonly #written: WrittenPack[] = [];
  /** Complete files that are not fsynced yet: syncing all of them together costs little more than syncing one. */
  readonly #unsynced = new Map<DiskPath, Fd>();
  readonly #readable: PackFile[] = [];
  /** Adopted packs: they have too many objects to list in `#ids`. */
  readonly #adopted: PackFile[] = [];
  readonly #ids = new Set<ObjectId>();
  readonly #key = Buffer.alloc(KEY_BYTES);
  #publishing = false;
  #bytesWritten = 0;

  constructor(
    private readonly ports: Ports,
    private readonly handles: FileHandleCache,
    private readonly folder: DiskPath,
    /** Bytes at which a pack is full. */
    private readonly packBytes: number = PACK_BYTES,
    /**
     * Bytes of a pack of several objects that are in memory; the others are in its file. A process that holds
     * the lock removes such files of others, so without the lock, all must be in memory.
     */
    private readonly bytesInMemory: number = packBytes / IN_MEMORY_RATIO,
  ) {
    this.#fs = ports.fs;
    this.#growing = this.#newPack();
    this.#compressor = new BackgroundCompressor(ports.compressor ?? null, (id, type, size, compressed) =>
      this.addCompressed(id, type, size, compressed),
    );
  }

  get count(): number {
    return this.#ids.size;
  }

  /** Size of all packs, including adopted ones, without indexes and without objects that are still being compressed. */
  get bytes(): number {
    return this.#bytesWritten + this.#growing.bytes;
  }

  has(id: ObjectId): boolean {
    return this.#ids.has(id) || this.#findAdopted(writeKey(this.#key, id)) !== null;
  }

  find(id: ObjectId): WrittenLocation | null {
    if (!this.#ids.has(id)) return this.#findAdopted(writeKey(this.#key, id));
    const buffered = this.#growing.find(id);
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
    this.#growing.add(id, type, size, compressed);
    this.#ids.add(id);
    if (this.#growing.bytes >= this.packBytes) this.#flush();
  }

  /**
   * Compresses an object piece by piece into its own pack.
   * @param wanted called when the id is known; if it returns false, nothing is added
   * @returns the id, or the number of bytes if the source ended before `size`; then nothing was added
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

  /** Puts an existing entry, including its header, into its own pack. */
  addEntry(id: ObjectId, pieces: Iterable<Buffer>): void {
    this.#writeSingle(Buffer.alloc(0), (write) => {
      for (const piece of pieces) write(piece);
      return id;
    });
  }

  /**
   * Adopts a pack of another repository: copies it, or links it. Checks that its two ends, its index and its length
   * agree; does not verify the contents of its objects.
   * @returns false if a pack of that name exists; then nothing was added (P5)
   * @throws FormatProblem if it is not a valid pack with its index, FsError if it cannot be copied or linked
   */
  async adoptPack({ path: from, file, index }: OpenPack, method: AdoptMethod): Promise<boolean> {
    const checksum = Buffer.from(index.packChecksum);
    if (this.#isNameTaken(checksum)) return false;
    const path = this.#temporaryPath('pack');
    const fd =
      method === 'link'
        ? linkPack(this.ports, { path: from, file }, path)
        : await this.#fs.copyFile(file, path, FILE_MODE, method);
    let indexPath: DiskPath | null = null;
    try {
      let size: number;
      try {
        size = this.#fs.fstat(fd).size;
        await this.#fs.syncAll([fd]); // P2
      } finally {
        this.#fs.close(fd);
      }
      indexPath = this.#createIndex(index);
      // The copy counts: the original may change meanwhile.
      const parsed = openPackIndex(this.#fs, this.handles, indexPath, Number.POSITIVE_INFINITY);
      if (!parsed.packChecksum.equals(checksum)) throw new FormatProblem('has changed');
      const pack = new PackFile(this.#readContext(), { path, index: parsed, size });
      checkEnds({ fs: this.#fs, handles: this.handles }, pack);
      parsed.assertOrdered();
      parsed.shareOrder(index);
      checkOffsets(pack);
      this.#written.push({ pack: path, index: indexPath, checksum, parsed });
      this.#adopted.push(pack);
      this.#bytesWritten += size;
    } catch (error) {
      for (const file of [path, ...(indexPath === null ? [] : [indexPath])]) {
        this.handles.close(file);
        this.#discard(file);
      }
      throw error;
    }
    return true;
  }

  /**
   * Waits until everything added is in a pack, and `bytes` counts it.
   * @throws FsError
   */
  async awaitCompression(): Promise<void> {
    await this.#compressor.flush();
  }

  /**
   * Gives all files their final names. Durable when it resolves.
   * @param alongside open files that are made durable before anything gets its final name
   * @returns the packs; one of them may have existed before under that name (P5)
   */
  async publish(alongside: readonly Fd[] = []): Promise<readonly PublishedPack[]> {
    await this.awaitCompression();
    if (this.#growing.count > 0) this.#flush();
    if (this.#written.length === 0) {
      await this.#syncTogether(alongside);
      return [];
    }
    this.#unsynced.set(this.folder, this.#fs.openFolder(this.folder));
    await this.#syncFiles(alongside); // P2
    this.#publishing = true;
    this.#closeReadable();
    for (const { pack, checksum } of this.#written) this.#fs.rename(pack, this.#finalPath(checksum, 'pack')); // P3
    for (const { index, checksum } of this.#written) this.#fs.rename(index, this.#finalPath(checksum, 'idx'));
    syncFolder(this.#fs, this.folder); // P4
    return this.#written.map(({ checksum, parsed }) => ({ path: this.#finalPath(checksum, 'pack'), index: parsed }));
  }

  /** Removes what was written, best effort; the rest is debris. */
  abandon(): void {
    this.#compressor.abandon();
    this.#closeReadable();
    if (this.#publishing) return; // P6
    for (const { pack, index } of this.#written) {
      this.#discard(index);
      this.#discard(pack);
    }
    this.#written.length = 0;
    if (this.#growing.file !== null) this.#discardDraft(this.#growing.file);
    this.#growing = this.#newPack();
    this.#ids.clear();
  }

  #flush(): void {
    const { file, checksum, entries } = this.#growing.finish();
    this.#keepForSync(file);
    this.#growing = this.#newPack();
    this.#writeIndex(file.path, encodePackIndex(entries, checksum), checksum);
  }

  #newPack(): GrowingPack {
    const create = () => this.#createDraft(this.#temporaryPath('pack'));
    return new GrowingPack(this.#fs, this.handles, create, this.bytesInMemory);
  }

  /**
   * Writes a pack of one entry. The count in its header is known in advance, so it can be hashed while it is written.
   * @param fillEntry writes the rest of the entry and returns its id, or null to discard the pack
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

  /** Each pack has its own cache, which is freed with it. */
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
    this.#written.push({ pack, index: this.#createIndex(parsed), checksum, parsed });
  }

  #createIndex(index: PackIndex): DiskPath {
    const path = this.#temporaryPath('idx');
    this.#createFile(path, (fd) => {
      let at = 0;
      for (const piece of index.pieces()) {
        this.#fs.write(fd, piece, at);
        at += piece.length;
      }
    });
    return path;
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

  /** Creates a file with what `fillFile` writes, and removes it on failure. */
  #createFile<T>(path: DiskPath, fillFile: (fd: Fd) => T): T {
    const draft = this.#createDraft(path);
    try {
      const result = fillFile(draft.fd);
      this.#keepForSync(draft);
      return result;
    } catch (error) {
      this.#discardDraft(draft);
      throw error;
    }
  }

  #createDraft(path: DiskPath): PackDraft {
    return { path, fd: this.#fs.openNew(path, FILE_MODE) };
  }

  /** Keeps a complete file open until all are synced together. */
  #keepForSync({ path, fd }: PackDraft): void {
    this.#unsynced.set(path, fd);
    if (this.#unsynced.size <= MAX_UNSYNCED) return;
    this.#fs.sync(fd); // P2
    this.#unsynced.delete(path);
    this.#fs.close(fd);
  }

  #discardDraft({ path, fd }: PackDraft): void {
    this.#unsynced.set(path, fd);
    this.handles.close(path);
    this.#discard(path);
  }

  async #syncFiles(alongside: readonly Fd[]): Promise<void> {
    const files = [...this.#unsynced.values()];
    this.#unsynced.clear();
    try {
      await this.#syncTogether([...files, ...alongside]);
    } finally {
      for (const fd of files) this.#fs.close(fd);
    }
  }

  async #syncTogether(files: readonly Fd[]): Promise<void> {
    for (let at = 0; at < files.length; at += MAX_SYNCED_TOGETHER) {
      await this.#fs.syncAll(files.slice(at, at + MAX_SYNCED_TOGETHER));
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
    for (const { index } of this.#written) this.handles.close(index);
    this.#readable.length = 0;
    this.#adopted.length = 0;
  }

  /** A temporary file that cannot be removed is harmless. */
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
