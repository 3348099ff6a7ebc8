import { dieByThrowing, FaultyFs, ProcessDied, SimDisk, seededRandom, simPorts, testEffort } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { isFsError } from '../../src/io/fs.ts';
import { Pace } from '../../src/io/pace.ts';
import type { Ports } from '../../src/io/ports.ts';
import type { ObjectId } from '../../src/model/ids.ts';
import type { DiskPath } from '../../src/model/names.ts';
import { FileHandleCache } from '../../src/store/objects/file-handle-cache.ts';
import { hashObject } from '../../src/store/objects/object-hash.ts';
import { ObjectStore } from '../../src/store/objects/object-store.ts';
import { PackWriter } from '../../src/store/objects/packs/pack-writer.ts';

const FOLDER = '/home/objects.git' as DiskPath;
const PACKS = `${FOLDER}/objects/pack` as DiskPath;

/** Quick runs check a sample of the states, and make every call fail in only one way. */
const statesOf = (most: number): number => Math.ceil(most * testEffort({ quick: 0.1, ci: 1, long: 1 }));
const WAYS = ['EIO', 'ENOSPC', 'EACCES'];
const EACH_FAILURE = testEffort({ quick: WAYS.length, ci: 1, long: 1 });
const EACH_DEATH = testEffort({ quick: 5, ci: 1, long: 1 });

interface Scene {
  readonly disk: SimDisk;
  /** Objects that must be readable in every state. */
  readonly old: ReadonlyMap<ObjectId, Buffer>;
  /** Objects that must be readable after the operation has returned, and before that are complete or absent. */
  readonly added: ReadonlyMap<ObjectId, Buffer>;
  action(ports: Ports): Promise<void>;
}

function blobs(...texts: readonly string[]): Map<ObjectId, Buffer> {
  return new Map(texts.map((text) => [hashObject('blob', Buffer.from(text)), Buffer.from(text)]));
}

async function store(disk: SimDisk, ...packs: readonly ReadonlyMap<ObjectId, Buffer>[]): Promise<void> {
  disk.makeFolder('/home' as DiskPath, 0o700);
  const objects = ObjectStore.create(simPorts(disk, { seed: 99 }), FOLDER);
  for (const pack of packs) {
    const batch = objects.batch();
    for (const data of pack.values()) batch.add('blob', data);
    await batch.finish();
  }
  disk.makeDurable();
}

/**
 * Two packs of one writer, so that their order matters.
 * @param packBytes bytes at which a pack is full; a sixteenth of them may be in memory
 */
async function twoPacks(packBytes?: number): Promise<Scene> {
  const disk = new SimDisk();
  const old = blobs('old one', 'old two');
  await store(disk, old);
  const added = blobs('new one', 'new two', 'new and large');
  return {
    disk,
    old,
    added,
    async action(ports) {
      const writer = new PackWriter(ports, new FileHandleCache(ports.fs), PACKS, packBytes);
      try {
        for (const [id, data] of added) {
          if (!data.includes('large')) writer.add(id, 'blob', data);
          else
            writer.addStream(
              'blob',
              data.length,
              (into, at) => data.copy(into, 0, at),
              () => true,
            );
        }
        await writer.publish();
      } catch (error) {
        writer.abandon();
        throw error;
      }
    },
  };
}

/** Three packs become one. Some of their objects are dead or in two of them. */
async function consolidation(): Promise<Scene> {
  const disk = new SimDisk();
  const kept = blobs('kept one', 'kept two', 'kept three');
  const [one, two, three] = [...kept];
  const dead = blobs('dead one', 'dead two');
  const [deadOne, deadTwo] = [...dead];
  await store(
    disk,
    new Map([one, two, deadOne] as [ObjectId, Buffer][]),
    new Map([three, deadTwo] as [ObjectId, Buffer][]),
  );
  // The same object in a third pack, as after an interrupted run.
  const writer = new PackWriter(simPorts(disk, { seed: 7 }), new FileHandleCache(disk), PACKS);
  writer.add((one as [ObjectId, Buffer])[0], 'blob', (one as [ObjectId, Buffer])[1]);
  await writer.publish();
  disk.makeDurable();
  return {
    disk,
    old: kept,
    added: new Map(),
    async action(ports) {
      const objects = ObjectStore.open(ports, FOLDER);
      await objects.consolidate({ live: (id) => !dead.has(id), pace: new Pace(ports.clock) });
    },
  };
}

/** Checks what another process finds, and what it does with it. */
async function expectSound(disk: SimDisk, { old, added, action }: Scene, done: boolean, seed: number): Promise<void> {
  // With an odd seed, another process cleans up before the operation is repeated.
  const tidy = seed % 2 === 1;
  const ports = simPorts(disk, { seed });
  const objects = ObjectStore.open(ports, FOLDER);
  const check = (): void => {
    for (const [id, data] of old) expect(objects.read(id).data.equals(data)).toBe(true);
    for (const [id, data] of added) {
      if (done) expect(objects.has(id)).toBe(true);
      if (objects.has(id)) expect(objects.read(id).data.equals(data)).toBe(true);
    }
  };
  check();
  if (tidy) {
    objects.collectDebris();
    check();
    expect(disk.list(PACKS).filter((name) => !/^pack-[0-9a-f]{40}\.(?:pack|idx)$/.test(name))).toEqual([]);
    expect(await objects.verifyObjects({ deep: true, pace: new Pace(ports.clock) })).toEqual([]);
  }
  await action(simPorts(disk, { seed: seed + 1 }));
  objects.refresh();
  for (const [id, data] of [...old, ...added]) expect(objects.read(id).data.equals(data)).toBe(true);
  // What the dead process had not made durable is durable now.
  for (const state of disk.crashStates('any-subset', 3, seededRandom(seed))) {
    const later = ObjectStore.open(simPorts(state), FOLDER);
    for (const [id, data] of [...old, ...added]) expect(later.read(id).data.equals(data)).toBe(true);
  }
  if (tidy) expect(await objects.verifyObjects({ deep: true, pace: new Pace(ports.clock) })).toEqual([]);
}

/** Packs whose objects fill up the new pack, so that a second run has nothing to write. */
async function consolidationIntoFull(): Promise<Scene> {
  const disk = new SimDisk();
  const old = blobs('a'.repeat(10), 'b'.repeat(20), 'c'.repeat(30), 'd'.repeat(40));
  await store(disk, ...[...old].map((each) => new Map([each])));
  return {
    disk,
    old,
    added: new Map(),
    async action(ports) {
      const objects = ObjectStore.open(ports, FOLDER);
      await objects.consolidate({ pace: new Pace(ports.clock), packBytes: 120 });
    },
  };
}

/** A batch. If another process has done the same, there is nothing new to write. */
async function aBatch(): Promise<Scene> {
  const disk = new SimDisk();
  const old = blobs('old one', 'old two');
  await store(disk, old);
  const added = blobs('new one', 'new two');
  return {
    disk,
    old,
    added,
    async action(ports) {
      const batch = ObjectStore.open(ports, FOLDER).batch();
      try {
        for (const data of [...added.values(), ...old.values()]) batch.add('blob', data);
        await batch.finish();
      } catch (error) {
        batch.abandon();
        throw error;
      }
    },
  };
}

/**
 * Just before the folder is synced, the least is durable, and anything that may be lost earlier may be lost then as
 * well. Crashes during recovery are therefore only tried at these moments.
 */
function isBeforeSync(call: { readonly operation: string; readonly path: DiskPath }): boolean {
  return call.operation === 'sync' && call.path === PACKS;
}

const scenes = [
  ['a batch', aBatch],
  ['packs being written', () => twoPacks()],
  ['a pack being written in parts', () => twoPacks(320)],
  ['packs being consolidated', consolidation],
  ['packs being consolidated into full ones', consolidationIntoFull],
] as const;

describe.each(scenes)('%s', (_, make) => {
  test.each(['any-subset', 'prefix'] as const)('survive a power cut at every moment (%s)', async (model) => {
    const scene = await make();
    const states: SimDisk[] = [];
    const collect = (): void => {
      states.push(...scene.disk.crashStates(model, statesOf(60), seededRandom(scene.disk.calls)));
    };
    scene.disk.onCall = collect;
    await scene.action(simPorts(scene.disk));
    scene.disk.onCall = null;
    const during = states.length;
    collect();
    expect(during).toBeGreaterThan((model === 'prefix' ? 20 : 50) * testEffort({ quick: 0.3, ci: 1, long: 1 }));
    for (const [at, state] of states.entries()) await expectSound(state, scene, at >= during, 1000 + at);
  });

  test('survive the death of the process at every moment, and a death during the clean-up after it', async () => {
    for (let at = 1; at <= 200; at += EACH_DEATH) {
      const scene = await make();
      const fs = new FaultyFs(scene.disk, { at, fault: { die: dieByThrowing }, torn: at % 2 === 0 });
      let died = false;
      try {
        await scene.action(simPorts(fs));
      } catch (error) {
        if (!(error instanceof ProcessDied)) throw error;
        died = true;
      }
      const disk = scene.disk.afterProcessDeath();
      for (let second = 1; ; second++) {
        const tidying = disk.afterProcessDeath();
        const dying = new FaultyFs(tidying, { at: second, fault: { die: dieByThrowing } });
        try {
          ObjectStore.open(simPorts(dying, { seed: 3 }), FOLDER).collectDebris();
        } catch (error) {
          if (!(error instanceof ProcessDied)) throw error;
        }
        await expectSound(tidying, scene, !died, 5000 + at);
        if (!dying.hit) break;
      }
      if (!fs.hit) return;
    }
    expect.unreachable('there are fewer calls than that');
  });

  test('survive the death of the process, and a power cut while the next one repeats it', async () => {
    for (let at = 1; ; at++) {
      const scene = await make();
      const fs = new FaultyFs(scene.disk, { at, fault: { die: dieByThrowing }, counts: isBeforeSync });
      try {
        await scene.action(simPorts(fs));
      } catch (error) {
        if (!(error instanceof ProcessDied)) throw error;
      }
      if (!fs.hit) break;
      const disk = scene.disk.afterProcessDeath();
      const states: SimDisk[] = [];
      disk.onCall = (call) => {
        if (isBeforeSync(call)) states.push(...disk.crashStates('any-subset', statesOf(40), seededRandom(call.number)));
      };
      await scene.action(simPorts(disk, { seed: 3 }));
      disk.onCall = null;
      for (const [number, state] of states.entries()) await expectSound(state, scene, false, 1000 * at + number);
    }
  });

  test('survive the death of the process, and a power cut during or after the clean-up', async () => {
    for (let at = 1; ; at++) {
      const scene = await make();
      const fs = new FaultyFs(scene.disk, { at, fault: { die: dieByThrowing } });
      try {
        await scene.action(simPorts(fs));
      } catch (error) {
        if (!(error instanceof ProcessDied)) throw error;
      }
      if (!fs.hit) break;
      const disk = scene.disk.afterProcessDeath();
      const states: SimDisk[] = [];
      disk.onCall = (call) => {
        if (isBeforeSync(call)) states.push(...disk.crashStates('any-subset', statesOf(12), seededRandom(call.number)));
      };
      const objects = ObjectStore.open(simPorts(disk, { seed: 3 }), FOLDER);
      objects.collectDebris();
      disk.onCall = null;
      const found = [...scene.old.keys(), ...scene.added.keys()].filter((id) => objects.has(id));
      for (const state of disk.crashStates('any-subset', statesOf(12), seededRandom(at))) {
        const later = ObjectStore.open(simPorts(state, { seed: 4 }), FOLDER);
        for (const id of found) expect(later.has(id)).toBe(true);
        states.push(state);
      }
      for (const [number, state] of states.entries()) await expectSound(state, scene, false, 1000 * at + number);
    }
  });

  test.each(WAYS)('survive %s from every call, once or always, and report it', async (code) => {
    for (const sticky of [false, true]) {
      for (let at = 1 + (WAYS.indexOf(code) % EACH_FAILURE); at <= 2000; at += EACH_FAILURE) {
        const scene = await make();
        const fs = new FaultyFs(scene.disk, { at, fault: { fail: code, sticky } });
        let failed = false;
        try {
          await scene.action(simPorts(fs));
        } catch (error) {
          if (!isFsError(error, code)) throw error;
          failed = true;
        }
        await expectSound(scene.disk, scene, !failed, 9000 + at);
        if (!fs.hit) break;
        if (at + EACH_FAILURE > 2000) expect.unreachable('there are fewer calls than that');
      }
    }
  });
});
