/**
 * Compresses small objects for a pack on another core, in groups, while the caller reads and hashes more. Hashing stays
 * on the calling thread: it takes a fraction of the time, and callers need the id immediately.
 */
import type { Compressor } from '../../io/compressor.ts';
import type { ObjectId } from '../../model/ids.ts';
import type { ObjectType, StoredObject } from './object-reader.ts';
import { compressionFor, deflate } from './zlib-data.ts';

/** Receives a compressed object. */
export type AddCompressed = (id: ObjectId, type: ObjectType, size: number, compressed: Uint8Array) => void;

interface Member extends StoredObject {
  readonly id: ObjectId;
}

interface Group {
  readonly bytes: SharedArrayBuffer;
  readonly members: Member[];
  used: number;
}

const GROUP_BYTES = 256 * 1024;
/** Larger objects are compressed by the caller: copying them would take too much memory. */
const MAX_OBJECT_BYTES = 4 * 1024 * 1024;
/** Below this total, starting a thread costs more than it saves. */
const MIN_BYTES_FOR_THREAD = 512 * 1024;

export class BackgroundCompressor {
  readonly #pending = new Map<ObjectId, StoredObject>();
  readonly #inFlight = new Set<Promise<void>>();
  #bytesInFlight = 0;
  #filling: Group | null = null;
  #bytesOffered = 0;
  #isAbandoned = false;

  constructor(
    private readonly compressor: Compressor | null,
    private readonly add: AddCompressed,
  ) {}

  /** @returns false if the caller should compress the object itself */
  tryAdd(id: ObjectId, type: ObjectType, data: Uint8Array): boolean {
    if (this.compressor === null || this.#isAbandoned || data.length > MAX_OBJECT_BYTES) return false;
    this.#bytesOffered += data.length;
    if (this.#bytesOffered <= MIN_BYTES_FOR_THREAD) return false;
    if (this.#filling !== null && this.#filling.used + data.length > GROUP_BYTES) this.#send(this.compressor);
    if (this.#filling === null) {
      if (this.#bytesInFlight >= this.compressor.maxBytesInFlight) return false;
      this.#filling = { bytes: new SharedArrayBuffer(Math.max(GROUP_BYTES, data.length)), members: [], used: 0 };
    }
    const copy = Buffer.from(this.#filling.bytes, this.#filling.used, data.length);
    copy.set(data);
    this.#filling.used += data.length;
    this.#filling.members.push({ id, type, data: copy });
    this.#pending.set(id, { type, data: copy });
    return true;
  }

  find(id: ObjectId): StoredObject | null {
    return this.#pending.get(id) ?? null;
  }

  /** Waits until every accepted object has been added. @throws any error of adding */
  async flush(): Promise<void> {
    const rest = this.#filling;
    this.#filling = null;
    for (const member of rest?.members ?? []) this.#compressInline(member);
    await Promise.all(this.#inFlight);
  }

  abandon(): void {
    this.#isAbandoned = true;
    this.#filling = null;
    this.#pending.clear();
  }

  #send(compressor: Compressor): void {
    const group = this.#filling;
    if (group === null) return;
    this.#filling = null;
    const done = this.#compressGroup(compressor, group);
    this.#inFlight.add(done);
    this.#bytesInFlight += group.used;
    const end = (): void => {
      this.#bytesInFlight -= group.used;
    };
    // The promise stays in `#inFlight`, so that `flush` reports a failure.
    done.then(end, end);
  }

  async #compressGroup(compressor: Compressor, { bytes, members }: Group): Promise<void> {
    const lengths = members.map(({ data }) => data.length);
    let streams: Awaited<ReturnType<Compressor['compress']>> | null = null;
    try {
      streams = await compressor.compress(bytes, lengths, lengths.map(compressionFor));
    } catch {
      // No thread is available, or the system ended it: compress the group here.
    }
    if (this.#isAbandoned) return;
    let at = 0;
    for (const [nth, member] of members.entries()) {
      if (streams === null) {
        this.#compressInline(member);
        continue;
      }
      const end = at + streams.lengths[nth]!;
      this.#pending.delete(member.id);
      this.add(member.id, member.type, member.data.length, streams.bytes.subarray(at, end));
      at = end;
    }
  }

  #compressInline({ id, type, data }: Member): void {
    this.#pending.delete(id);
    this.add(id, type, data.length, deflate(data));
  }
}
