/**
 * Scans the pack of an untrusted bundle in place. None of the pack's own claims are trusted:
 *
 * I1 The checksum of the whole pack is verified first, so a truncated or damaged bundle is refused here.
 * I2 Inflating an entry is bounded by the size in its header. The result is counted before it is used. Neither one
 *    object nor all of them together may exceed the limits.
 * I3 Every object is hashed. It is known only by the id computed from its bytes.
 * I4 The base of a delta must be in the same pack. Each delta is applied once, depth first, and the memory in use is
 *    bounded.
 * I5 Reading an object later hashes it again. If the file changes meanwhile, the read fails; it never returns other
 *    bytes.
 */

import { createHash } from 'node:crypto';
import type { Fd, Fs } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { DiskPath } from '../../model/names.ts';
import { FormatProblem } from '../../store/objects/damage.ts';
import { FileHandleCache, readFully } from '../../store/objects/file-handle-cache.ts';
import { PIECE_BYTES } from '../../store/objects/limits.ts';
import { hashObject, keyOf } from '../../store/objects/object-hash.ts';
import type { ObjectInfo, ObjectType } from '../../store/objects/object-reader.ts';
import { BaseCache } from '../../store/objects/packs/base-cache.ts';
import { applyDelta, deltaSizes } from '../../store/objects/packs/delta.ts';
import { EntryReader } from '../../store/objects/packs/entry-reader.ts';
import { PackFile } from '../../store/objects/packs/pack-file.ts';
import {
  decodePackHeader,
  type EntryHeader,
  PACK_HEADER_BYTES,
  PACK_TRAILER_BYTES,
} from '../../store/objects/packs/pack-format.ts';
import { encodePackIndex, PackIndex } from '../../store/objects/packs/pack-index.ts';
import { inflate } from '../../store/objects/zlib-data.ts';
import type { BundleLimits } from './limits.ts';
import { bundleRefused } from './refusal.ts';

/** A pack whose objects are all indexed. */
export interface ScannedPack {
  readonly infos: ReadonlyMap<ObjectId, ObjectInfo>;
  readonly pack: PackFile;
  readonly handles: FileHandleCache;
}

interface BundlePackEntry {
  readonly offset: number;
  readonly end: number;
  readonly head: EntryHeader;
}

interface FoundObject extends ObjectInfo {
  readonly id: ObjectId;
  readonly offset: number;
}

/** An object whose deltas are being applied. */
interface DeltaBase {
  readonly type: ObjectType;
  readonly data: Buffer;
  readonly depth: number;
  readonly pendingDeltas: BundlePackEntry[];
}

/** The most memory, in bytes, that delta bases may use at the same time. */
const MAX_HELD_BYTES = 1024 * 1024 * 1024;

export interface PackLocation {
  readonly path: DiskPath;
  /** Where the pack begins in the file. */
  readonly start: number;
  readonly fileBytes: number;
}

export async function scanPack(fs: Fs, place: PackLocation, limits: BundleLimits, pace: Pace): Promise<ScannedPack> {
  const { path, start, fileBytes } = place;
  const fd = fs.openRead(path);
  try {
    const scan = new PackScan(fs, fd, place, limits, pace);
    const found = await scan.run();
    const index = new PackIndex(
      encodePackIndex(
        found.map(({ id, offset }) => ({ key: keyOf(id), crc: 0, offset })),
        scan.checksum,
      ),
    );
    const handles = new FileHandleCache(fs);
    const pack = new PackFile({ fs, handles, cache: new BaseCache() }, { path, index, size: fileBytes - start, start });
    return { infos: new Map(found.map(({ id, type, size }) => [id, { type, size }])), pack, handles };
  } finally {
    fs.close(fd);
  }
}

class PackScan {
  checksum: Buffer = Buffer.alloc(PACK_TRAILER_BYTES);
  readonly #end: number;
  readonly #found: FoundObject[] = [];
  readonly #ids = new Set<ObjectId>();
  readonly #byOffset = new Map<number, BundlePackEntry[]>();
  readonly #byId = new Map<string, BundlePackEntry[]>();
  readonly #entries: EntryReader;
  #allBytes = 0;
  #deltaBytes = 0;
  #deltas = 0;
  #resolved = 0;

  constructor(
    fs: Fs,
    fd: Fd,
    private readonly location: PackLocation,
    private readonly limits: BundleLimits,
    private readonly pace: Pace,
  ) {
    this.#end = location.fileBytes - location.start - PACK_TRAILER_BYTES;
    const read = (into: Buffer, length: number, at: number): number =>
      readFully(fs, fd, into, length, location.start + at);
    this.#entries = new EntryReader(read, this.#end);
  }

  async run(): Promise<readonly FoundObject[]> {
    if (this.#end < PACK_HEADER_BYTES)
      throw bundleRefused('ends before its pack does', { offset: this.location.start });
    const count = this.#withOffset(0, () => decodePackHeader(this.#entries.bytes(0, PACK_HEADER_BYTES)));
    if (count > this.limits.objects) {
      throw bundleRefused(`says that it has ${count} objects; the limit is ${this.limits.objects}`, {
        offset: this.location.start,
      });
    }
    await this.#compareChecksum(); // I1
    let at = PACK_HEADER_BYTES;
    for (let number = 0; number < count; number++) {
      if (this.pace.isDue()) await this.pace.yieldNow({ phase: 'import', done: number, total: count });
      at = this.#withOffset(at, () => this.#readEntry(at));
    }
    if (at !== this.#end) throw bundleRefused('has bytes after its last object', { offset: this.location.start + at });
    for (const base of [...this.#found]) {
      const above = this.#takeDeltasOn(base);
      if (above.length > 0) await this.#applyDeltasOn(base, above);
    }
    if (this.#resolved < this.#deltas) {
      throw bundleRefused('has a delta against a missing object', {
        offset: this.location.start + this.#firstUnresolved(),
      });
    }
    return this.#found;
  }

  async #compareChecksum(): Promise<void> {
    const hash = createHash('sha1');
    for (let at = 0; at < this.#end; at += PIECE_BYTES) {
      if (this.pace.isDue()) await this.pace.yieldNow();
      hash.update(this.#entries.bytes(at, Math.min(PIECE_BYTES, this.#end - at)));
    }
    this.checksum = Buffer.from(this.#entries.bytes(this.#end, PACK_TRAILER_BYTES));
    if (!hash.digest().equals(this.checksum)) {
      throw bundleRefused('does not match its checksum: it was truncated or changed', {
        offset: this.location.start + this.#end,
      });
    }
  }

  /** @returns the offset of the next entry */
  #readEntry(offset: number): number {
    const head = this.#entries.header(offset);
    const begin = offset + head.length;
    const most = head.kind === 'whole' && head.type !== 'blob' ? this.limits.recordBytes : this.limits.objectBytes;
    if (head.size > most) throw new FormatProblem(`has an object of ${head.size} bytes; the limit is ${most}`);
    this.#countBytes(head.size);
    if (head.kind === 'whole') {
      const { id, end } = this.#entries.hash(head.type, begin, head.size);
      this.#add({ id, type: head.type, size: head.size, offset });
      return end;
    }
    this.#deltas++;
    const { end } = this.#entries.inflate(begin, head.size);
    const entry = { offset, end, head };
    if (head.kind === 'offset-delta') appendTo(this.#byOffset, offset - head.distance, entry);
    else appendTo(this.#byId, head.base.toString('hex'), entry);
    return end;
  }

  #takeDeltasOn({ id, offset }: { readonly id: ObjectId; readonly offset: number }): BundlePackEntry[] {
    const above = [...(this.#byOffset.get(offset) ?? []), ...(this.#byId.get(id) ?? [])];
    this.#byOffset.delete(offset);
    this.#byId.delete(id);
    return above;
  }

  /** Applies all deltas based on an object, directly or through other deltas (I4). */
  async #applyDeltasOn(found: FoundObject, above: BundlePackEntry[]): Promise<void> {
    const head = this.#entries.header(found.offset);
    const { data } = this.#entries.inflate(found.offset + head.length, found.size);
    const open: DeltaBase[] = [{ type: found.type, data, depth: 0, pendingDeltas: above }];
    let held = data.length;
    for (let base = open.at(-1); base !== undefined; base = open.at(-1)) {
      const entry = base.pendingDeltas.pop();
      if (entry === undefined) {
        open.pop();
        held -= base.data.length;
        continue;
      }
      if (this.pace.isDue()) await this.pace.yieldNow();
      const made = this.#withOffset(entry.offset, () => this.#applyDelta(base as DeltaBase, entry));
      const next = this.#takeDeltasOn(made.found);
      if (next.length === 0) continue;
      held += made.data.length;
      if (held > MAX_HELD_BYTES)
        throw bundleRefused('has deltas that need too much memory', { offset: this.location.start + entry.offset });
      open.push({ type: base.type, data: made.data, depth: base.depth + 1, pendingDeltas: next });
    }
  }

  #applyDelta(
    base: DeltaBase,
    { offset, end, head }: BundlePackEntry,
  ): { readonly found: FoundObject; readonly data: Buffer } {
    if (base.depth >= this.limits.deltaDepth) {
      throw new FormatProblem(`has a chain of more than ${this.limits.deltaDepth} deltas`);
    }
    const delta = inflate(this.#entries.bytes(offset + head.length, end - offset - head.length), head.size).data;
    const { result } = deltaSizes(delta);
    const most = base.type === 'blob' ? this.limits.objectBytes : this.limits.recordBytes;
    if (result > most) throw new FormatProblem(`has an object of ${result} bytes; the limit is ${most}`);
    this.#countBytes(result);
    this.#deltaBytes += result;
    if (this.#deltaBytes > this.limits.deltaBytes) {
      throw new FormatProblem(`has deltas for more than ${this.limits.deltaBytes} bytes`);
    }
    const data = applyDelta(base.data, delta);
    const found = { id: hashObject(base.type, data), type: base.type, size: data.length, offset };
    this.#add(found);
    this.#resolved++;
    return { found, data };
  }

  #add(found: FoundObject): void {
    if (this.#ids.has(found.id)) throw new FormatProblem(`has object ${found.id} twice`);
    this.#ids.add(found.id);
    this.#found.push(found);
  }

  #countBytes(bytes: number): void {
    this.#allBytes += bytes; // I2
    if (this.#allBytes > this.limits.allBytes) {
      throw new FormatProblem(`inflates to more than ${this.limits.allBytes} bytes`);
    }
  }

  #firstUnresolved(): number {
    const left = [...this.#byOffset.values(), ...this.#byId.values()].flat().map(({ offset }) => offset);
    return left.reduce((least, offset) => Math.min(least, offset), this.#end);
  }

  #withOffset<T>(offset: number, action: () => T): T {
    try {
      return action();
    } catch (error) {
      if (!(error instanceof FormatProblem)) throw error;
      throw bundleRefused(error.message, { offset: this.location.start + offset }, error);
    }
  }
}

function appendTo<Key>(lists: Map<Key, BundlePackEntry[]>, key: Key, entry: BundlePackEntry): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [entry]);
  else list.push(entry);
}
