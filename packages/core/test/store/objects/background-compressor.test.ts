import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import type { DiskPath } from '@savepoint/core';
import { realPorts, seededRandom, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Compressor } from '../../../src/io/compressor.ts';
import { nodeCompressor } from '../../../src/io/node/compressor.ts';
import type { ObjectId } from '../../../src/model/ids.ts';
import { ObjectStore } from '../../../src/store/objects/object-store.ts';
import { runGit } from '../store-fixture.ts';

const SIZES = [0, 1, 60, 3_000, 20_000, 255 * 1024, 256 * 1024, 257 * 1024, 5 * 1024 * 1024];

interface Place {
  readonly folder: DiskPath;
  readonly store: ObjectStore;
}

function placeWith(compressor: Compressor | null): Place {
  const folder = `${world(onTestFinished).folder}/store` as DiskPath;
  const { compressor: _, ...ports } = realPorts();
  const store = ObjectStore.create({ ...ports, ...(compressor !== null && { compressor }) }, folder);
  onTestFinished(() => store.close());
  return { folder, store };
}

/** The compressor of a machine with two cores; it counts its inputs. */
function counted(): { readonly compressor: Compressor; count: number } {
  const own = nodeCompressor(2) as Compressor;
  const counting = {
    count: 0,
    compressor: {
      maxBytesInFlight: own.maxBytesInFlight,
      compress: (...given: Parameters<Compressor['compress']>) => {
        counting.count += given[1].length;
        return own.compress(...given);
      },
    },
  };
  return counting;
}

/** Contents of many sizes, some compressible and some not, all different. */
function* contents(): Generator<Buffer> {
  const random = seededRandom(7);
  for (let nth = 0; nth < 900; nth++) {
    const size = SIZES[nth % 40 === 0 ? random.integer(SIZES.length) : random.integer(5)] as number;
    const text = `${nth} ${random.hex(8)}\n`;
    if (nth % 2 === 0) yield Buffer.from(text.repeat(Math.ceil(size / text.length)).slice(0, size));
    else yield createNoise(nth, size);
  }
}

function createNoise(seed: number, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < size; at += 32) parts.push(createHash('sha256').update(`${seed} ${at}`).digest());
  return Buffer.concat(parts).subarray(0, size);
}

/** Adds them one after the other from the same buffer, as scans do, and reads them immediately. */
async function addAll({ store }: Place): Promise<Map<ObjectId, Buffer>> {
  const batch = store.batch();
  const added = new Map<ObjectId, Buffer>();
  const room = Buffer.alloc(6 * 1024 * 1024);
  let nth = 0;
  for (const data of contents()) {
    data.copy(room);
    const id = batch.add('blob', room.subarray(0, data.length));
    room.fill(0, 0, data.length);
    added.set(id, data);
    expect(batch.has(id)).toBe(true);
    expect(batch.info(id)).toEqual({ type: 'blob', size: data.length });
    if (nth++ % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  for (const [id, data] of added) expect(batch.read(id).data.equals(data), id).toBe(true);
  expect(batch.count).toBe(added.size);
  await batch.finish();
  return added;
}

function listed(folder: DiskPath, format: string): string[] {
  const lines = runGit(folder, ['cat-file', '--batch-all-objects', `--batch-check=${format}`]).toString('latin1');
  return lines.trimEnd().split('\n');
}

function expectAll({ folder, store }: Place, added: ReadonlyMap<ObjectId, Buffer>): void {
  for (const reader of [store, ObjectStore.open(realPorts(), folder)]) {
    for (const [id, data] of added) expect(reader.read(id).data.equals(data), id).toBe(true);
  }
  runGit(folder, ['fsck', '--strict']);
  expect(listed(folder, '%(objectname) %(objectsize)')).toEqual(
    [...added].map(([id, data]) => `${id} ${data.length}`).sort(),
  );
}

describe('an object that is compressed on another core', () => {
  test('can be read while it waits, and afterwards', async () => {
    const counting = counted();
    const place = placeWith(counting.compressor);
    expectAll(place, await addAll(place));
    expect(counting.count).toBeGreaterThan(100);
  });

  test('gives the same pack, object by object, as without it', async () => {
    const [beside, alone] = [placeWith(counted().compressor), placeWith(null)];
    const ids = [...(await addAll(beside)).keys()];
    expect([...(await addAll(alone)).keys()]).toEqual(ids);
    const sizes = ({ folder }: Place): string[] => listed(folder, '%(objectname) %(objectsize:disk)');
    expect(sizes(beside)).toEqual(sizes(alone));
  });

  test('is compressed on this thread if the other one fails, at once or later', async () => {
    let calls = 0;
    const failing: Compressor = {
      maxBytesInFlight: 1024 * 1024,
      compress: async () => {
        if (calls++ % 2 === 0) throw new Error('no thread');
        await new Promise((resolve) => setTimeout(resolve, 5));
        throw new Error('the thread has ended');
      },
    };
    const place = placeWith(failing);
    expectAll(place, await addAll(place));
    expect(calls).toBeGreaterThan(1);
  });

  test('counts towards the limit of a batch before it is published', async () => {
    const counting = counted();
    const { folder, store } = placeWith(counting.compressor);
    // More than the main thread compresses itself, less than the total.
    const limit = { bytes: 700 * 1024, full: () => new Error('full') };
    const batch = store.batch(limit);
    for (let nth = 0; nth < 100; nth++) batch.add('blob', createNoise(nth, 10_000));
    expect(counting.count).toBeGreaterThan(0);
    await expect(batch.finish()).rejects.toThrow('full');
    batch.abandon();
    expect(readdirSync(`${folder}/objects/pack`)).toEqual([]);
  });

  test('that arrives after the batch was abandoned is dropped', async () => {
    const { compressor: own } = counted();
    const under: Promise<unknown>[] = [];
    const noted: Compressor = {
      maxBytesInFlight: own.maxBytesInFlight,
      compress: (...given) => {
        const done = own.compress(...given);
        under.push(done);
        return done;
      },
    };
    const { folder, store } = placeWith(noted);
    const batch = store.batch();
    for (let nth = 0; nth < 100; nth++) batch.add('blob', createNoise(nth, 10_000));
    batch.abandon();
    await Promise.all(under);
    expect(under.length).toBeGreaterThan(0);
    expect(batch.count).toBe(0);
    expect(readdirSync(`${folder}/objects/pack`)).toEqual([]);
  });
});
