/**
 * The pack of somebody else's bundle, read where it lies. Nothing that it says of itself is believed:
 *
 * I1 The checksum over all of it is compared first: a bundle that was cut or hurt on its way ends here.
 * I2 Every entry is inflated with the size that its head states as the bound, and what comes out is counted, before any
 *    of it is used. Neither one object nor all of them together make more than the limits allow.
 * I3 Every object is hashed; an object is known by the id that its bytes have, and by no other.
 * I4 A delta stands on an object of the same pack, and is applied once, depth first: what is in memory at a time is counted.
 * I5 Reading an object later hashes it again: a file that changes meanwhile gives an error, never other bytes.
 */

import { createHash } from 'node:crypto';
import type { Fd, Fs } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { DiskPath } from '../../model/names.ts';
import { FormatProblem } from '../../store/objects/damage.ts';
import { Handles, readFully } from '../../store/objects/handles.ts';
import { Inflater } from '../../store/objects/inflate.ts';
import { canInflateTo, PIECE_BYTES, STREAM_BYTES } from '../../store/objects/limits.ts';
import { hashObject, idFrom, keyOf, startObjectHash } from '../../store/objects/object-hash.ts';
import type { ObjectInfo, ObjectType } from '../../store/objects/object-reader.ts';
import { BaseCache } from '../../store/objects/packs/base-cache.ts';
import { applyDelta, deltaSizes } from '../../store/objects/packs/delta.ts';
import { PackFile } from '../../store/objects/packs/pack-file.ts';
import {
  decodeEntryHead,
  decodePackHeader,
  type EntryHead,
  MOST_HEAD_BYTES,
  PACK_HEADER_BYTES,
  PACK_TRAILER_BYTES,
} from '../../store/objects/packs/pack-format.ts';
import { encodePackIndex, PackIndex } from '../../store/objects/packs/pack-index.ts';
import { inflate } from '../../store/objects/zlib-data.ts';
import type { BundleLimits } from './limits.ts';
import { refused } from './refusal.ts';

/** A pack of which every object is known. */
export interface ScannedPack {
  readonly infos: ReadonlyMap<ObjectId, ObjectInfo>;
  readonly pack: PackFile;
  readonly handles: Handles;
}

interface Entry {
  readonly offset: number;
  readonly end: number;
  readonly head: EntryHead;
}

interface Found extends ObjectInfo {
  readonly id: ObjectId;
  readonly offset: number;
}

/** An object that deltas stand on, while they are applied. */
interface Base {
  readonly type: ObjectType;
  readonly data: Buffer;
  readonly depth: number;
  readonly above: Entry[];
}

/** Held at a time while deltas are applied. */
const HELD_BYTES = 1024 * 1024 * 1024;
/** More than a stored stream of that size takes when it is made as zlib makes it. */
const SLACK_BYTES = 1024;

export interface PackPlace {
  readonly path: DiskPath;
  /** Where the pack begins in the file. */
  readonly start: number;
  readonly fileBytes: number;
}

export async function scanPack(fs: Fs, place: PackPlace, limits: BundleLimits, pace: Pace): Promise<ScannedPack> {
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
    const handles = new Handles(fs);
    const pack = new PackFile({ fs, handles, cache: new BaseCache() }, { path, index, size: fileBytes - start, start });
    return { infos: new Map(found.map(({ id, type, size }) => [id, { type, size }])), pack, handles };
  } finally {
    fs.close(fd);
  }
}

class PackScan {
  checksum: Buffer = Buffer.alloc(PACK_TRAILER_BYTES);
  readonly #end: number;
  readonly #found: Found[] = [];
  readonly #ids = new Set<ObjectId>();
  readonly #byOffset = new Map<number, Entry[]>();
  readonly #byId = new Map<string, Entry[]>();
  readonly #window = Buffer.allocUnsafe(PIECE_BYTES);
  #windowAt = 0;
  #windowLength = 0;
  #allBytes = 0;
  #deltaBytes = 0;
  #deltas = 0;
  #resolved = 0;

  constructor(
    private readonly fs: Fs,
    private readonly fd: Fd,
    private readonly place: PackPlace,
    private readonly limits: BundleLimits,
    private readonly pace: Pace,
  ) {
    this.#end = place.fileBytes - place.start - PACK_TRAILER_BYTES;
  }

  async run(): Promise<readonly Found[]> {
    if (this.#end < PACK_HEADER_BYTES) throw refused('ends before its pack does', { offset: this.place.start });
    const count = this.#at(0, () => decodePackHeader(this.#bytes(0, PACK_HEADER_BYTES)));
    if (count > this.limits.objects) {
      throw refused(`says that it has ${count} objects; the limit is ${this.limits.objects}`, {
        offset: this.place.start,
      });
    }
    await this.#compareChecksum(); // I1
    let at = PACK_HEADER_BYTES;
    for (let number = 0; number < count; number++) {
      if (this.pace.due()) await this.pace.breathe({ phase: 'import', done: number, total: count });
      at = this.#at(at, () => this.#entry(at));
    }
    if (at !== this.#end) throw refused('has bytes after its last object', { offset: this.place.start + at });
    for (const base of [...this.#found]) {
      const above = this.#above(base);
      if (above.length > 0) await this.#applyAbove(base, above);
    }
    if (this.#resolved < this.#deltas) {
      throw refused('has a delta against a missing object', { offset: this.place.start + this.#firstLeft() });
    }
    return this.#found;
  }

  async #compareChecksum(): Promise<void> {
    const hash = createHash('sha1');
    for (let at = 0; at < this.#end; at += PIECE_BYTES) {
      if (this.pace.due()) await this.pace.breathe();
      hash.update(this.#bytes(at, Math.min(PIECE_BYTES, this.#end - at)));
    }
    this.checksum = Buffer.from(this.#bytes(this.#end, PACK_TRAILER_BYTES));
    if (!hash.digest().equals(this.checksum)) {
      throw refused('does not match its checksum: it was truncated or changed', {
        offset: this.place.start + this.#end,
      });
    }
  }

  /** @returns where the next entry begins */
  #entry(offset: number): number {
    const head = decodeEntryHead(this.#bytes(offset, Math.min(MOST_HEAD_BYTES, this.#end - offset)));
    const begin = offset + head.length;
    const most = head.kind === 'whole' && head.type !== 'blob' ? this.limits.storyBytes : this.limits.objectBytes;
    if (head.size > most) throw new FormatProblem(`has an object of ${head.size} bytes; the limit is ${most}`);
    if (!canInflateTo(head.size, this.#end - begin)) throw new FormatProblem(`cannot hold ${head.size} bytes there`);
    this.#count(head.size);
    if (head.kind === 'whole') {
      const { id, end } = this.#hashed(head.type, begin, head.size);
      this.#add({ id, type: head.type, size: head.size, offset });
      return end;
    }
    this.#deltas++;
    const { end } = this.#inflated(begin, head.size);
    const entry = { offset, end, head };
    if (head.kind === 'offset-delta') put(this.#byOffset, offset - head.distance, entry);
    else put(this.#byId, head.base.toString('hex'), entry);
    return end;
  }

  #above({ id, offset }: { readonly id: ObjectId; readonly offset: number }): Entry[] {
    const above = [...(this.#byOffset.get(offset) ?? []), ...(this.#byId.get(id) ?? [])];
    this.#byOffset.delete(offset);
    this.#byId.delete(id);
    return above;
  }

  /** All deltas that stand on an object, on those, and so on (I4). */
  async #applyAbove(found: Found, above: Entry[]): Promise<void> {
    const head = decodeEntryHead(this.#bytes(found.offset, Math.min(MOST_HEAD_BYTES, this.#end - found.offset)));
    const { data } = this.#inflated(found.offset + head.length, found.size);
    const open: Base[] = [{ type: found.type, data, depth: 0, above }];
    let held = data.length;
    for (let base = open.at(-1); base !== undefined; base = open.at(-1)) {
      const entry = base.above.pop();
      if (entry === undefined) {
        open.pop();
        held -= base.data.length;
        continue;
      }
      if (this.pace.due()) await this.pace.breathe();
      const made = this.#at(entry.offset, () => this.#apply(base as Base, entry));
      const next = this.#above(made.found);
      if (next.length === 0) continue;
      held += made.data.length;
      if (held > HELD_BYTES)
        throw refused('has deltas that need too much memory', { offset: this.place.start + entry.offset });
      open.push({ type: base.type, data: made.data, depth: base.depth + 1, above: next });
    }
  }

  #apply(base: Base, { offset, end, head }: Entry): { readonly found: Found; readonly data: Buffer } {
    if (base.depth >= this.limits.deltaDepth) {
      throw new FormatProblem(`has a chain of more than ${this.limits.deltaDepth} deltas`);
    }
    const delta = inflate(this.#bytes(offset + head.length, end - offset - head.length), head.size).data;
    const { result } = deltaSizes(delta);
    const most = base.type === 'blob' ? this.limits.objectBytes : this.limits.storyBytes;
    if (result > most) throw new FormatProblem(`has an object of ${result} bytes; the limit is ${most}`);
    this.#count(result);
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

  #add(found: Found): void {
    if (this.#ids.has(found.id)) throw new FormatProblem(`has object ${found.id} twice`);
    this.#ids.add(found.id);
    this.#found.push(found);
  }

  #count(bytes: number): void {
    this.#allBytes += bytes; // I2
    if (this.#allBytes > this.limits.allBytes) {
      throw new FormatProblem(`inflates to more than ${this.limits.allBytes} bytes`);
    }
  }

  #hashed(type: ObjectType, begin: number, size: number): { readonly id: ObjectId; readonly end: number } {
    if (size <= STREAM_BYTES) {
      const { data, end } = this.#inflated(begin, size);
      return { id: hashObject(type, data), end };
    }
    const hash = startObjectHash(type, size);
    const end = this.#inflatedInPieces(begin, size, (piece) => hash.update(piece));
    return { id: idFrom(hash), end };
  }

  #inflated(begin: number, size: number): { readonly data: Buffer; readonly end: number } {
    const most = Math.min(this.#end - begin, size + (size >>> 8) + SLACK_BYTES);
    try {
      const { data, consumed } = inflate(this.#bytes(begin, most), size);
      return { data, end: begin + consumed };
    } catch (error) {
      if (!(error instanceof FormatProblem)) throw error;
    }
    // Made by someone who is not thrifty, or wrong: piece by piece it shows.
    const data = Buffer.allocUnsafe(size);
    let done = 0;
    const end = this.#inflatedInPieces(begin, size, (piece) => {
      done += piece.copy(data, done);
    });
    return { data, end };
  }

  #inflatedInPieces(begin: number, size: number, take: (piece: Buffer) => void): number {
    let at = begin;
    const inflater = new Inflater(() => {
      const length = Math.min(PIECE_BYTES, this.#end - at);
      const bytes = length === 0 ? Buffer.alloc(0) : Buffer.from(this.#bytes(at, length));
      at += length;
      return bytes;
    });
    let done = 0;
    for (let piece = inflater.next(); piece !== null; piece = inflater.next()) {
      done += piece.length;
      if (done > size) throw new FormatProblem(`has an object that inflates to more than its ${size} bytes`);
      take(piece);
    }
    if (done < size) throw new FormatProblem(`has an object that inflates to ${done} bytes instead of ${size}`);
    return begin + inflater.consumed;
  }

  /** Bytes of the pack; valid until the next call. */
  #bytes(at: number, length: number): Buffer {
    if (at < 0 || at + length > this.#end + PACK_TRAILER_BYTES) throw new FormatProblem('ends too early');
    if (at < this.#windowAt || at + length > this.#windowAt + this.#windowLength) {
      if (length > this.#window.length) {
        const large = Buffer.allocUnsafe(length);
        if (readFully(this.fs, this.fd, large, length, this.place.start + at) < length)
          throw new FormatProblem('ends too early');
        return large;
      }
      this.#windowLength = readFully(this.fs, this.fd, this.#window, this.#window.length, this.place.start + at);
      this.#windowAt = at;
      if (this.#windowLength < length) throw new FormatProblem('ends too early');
    }
    return this.#window.subarray(at - this.#windowAt, at - this.#windowAt + length);
  }

  #firstLeft(): number {
    const left = [...this.#byOffset.values(), ...this.#byId.values()].flat().map(({ offset }) => offset);
    return left.reduce((least, offset) => Math.min(least, offset), this.#end);
  }

  #at<T>(offset: number, act: () => T): T {
    try {
      return act();
    } catch (error) {
      if (!(error instanceof FormatProblem)) throw error;
      throw refused(error.message, { offset: this.place.start + offset }, error);
    }
  }
}

function put<Key>(lists: Map<Key, Entry[]>, key: Key, entry: Entry): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [entry]);
  else list.push(entry);
}
