/** Replacing linked packs in a process that stays open and did not link them. */
import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type DiskPath, type OpenOptions, open, type Savepoint } from '@savepoint/core';
import { IdleLinks } from '@savepoint/core/frontend';
import { FsError } from '@savepoint/core/ports';
import { fsWith, realPorts } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import type { IdleWork } from '../../../src/engine/adopted-objects.ts';
import { Pace } from '../../../src/io/pace.ts';
import { layoutOf } from '../../../src/store/layout.ts';
import { acquireLock } from '../../../src/store/lock.ts';
import type { AdoptionPlace } from './adoption-place.ts';
import { expectRestores, isLinked, packFolder, packOf, withHistory } from './linked-place.ts';

async function linked() {
  const place = withHistory();
  const pack = statSync(packOf(place));
  const { savepoint } = await place.first(true);
  expect(await isLinked(savepoint, pack)).toBe(true);
  const folder = await packFolder(savepoint);
  const store = folder.slice(0, -'/objects.git/objects/pack'.length);
  return { place, pack, savepoint, store };
}

/** Another process. */
function another(place: AdoptionPlace, ports: Partial<OpenOptions['ports']> = {}): Savepoint {
  const { world } = place;
  const places = { ...world.places, home: `${world.places.home}/1` as DiskPath, gitAttributes: () => [] };
  return open({ dir: world.workspace, here: true, ports: realPorts(ports), places, adopt: true });
}

test('another process replaces the links, and then has nothing to do', async () => {
  const { place, pack, savepoint } = await linked();
  const other = another(place);
  expect(await other.replaceLinks()).toBe('done');
  expect(await isLinked(savepoint, pack)).toBe(false);
  expect(await other.replaceLinks()).toBe('nothing');
  expect((await savepoint.list()).checkpoints.length).toBe(1);
  await expectRestores(place, savepoint);
});

test('a folder without checkpoints gets no store', async () => {
  const place = withHistory();
  expect(await another(place).replaceLinks()).toBe('nothing');
  expect(readdirSync(Buffer.from(place.world.places.home, 'latin1').toString())).toEqual([]);
});

test('while another process holds the lock, it is left for later without waiting', async () => {
  const { place, pack, savepoint, store } = await linked();
  const ports = realPorts();
  const folder = layoutOf(Buffer.from(store).toString('latin1') as DiskPath).lock;
  const lock = await acquireLock(ports, { folder, what: 'it' }, new Pace(ports.clock), { waitMs: 0 });
  const other = another(place, {
    clock: {
      ...ports.clock,
      sleep: async () => {
        throw new Error('it waited');
      },
    },
  });
  expect(await other.replaceLinks()).toBe('busy');
  expect(await isLinked(savepoint, pack)).toBe(true);
  lock.release();
  expect(await another(place).replaceLinks()).toBe('done');
});

test('a store that is open to others, or on a read-only file system, stays as it is', async () => {
  const { place, pack, savepoint, store } = await linked();
  const before = readdirSync(store, { recursive: true });
  const reads: string[] = [];
  const { fs } = realPorts();
  const readOnly = fsWith(fs, {
    openNew: (path) => {
      throw new FsError('EROFS', 'openNew', path);
    },
    openRead: (path) => {
      if (path.endsWith('.pack')) reads.push(path);
      return fs.openRead(path);
    },
  });
  await expect(another(place, { fs: readOnly }).replaceLinks()).rejects.toMatchObject({ code: 'IO' });
  expect(reads).toEqual([]);
  chmodSync(store, 0o755);
  await expect(another(place).replaceLinks()).rejects.toMatchObject({ code: 'STORE_UNSAFE' });
  chmodSync(store, 0o700);
  expect(readdirSync(store, { recursive: true })).toEqual(before);
  expect(await isLinked(savepoint, pack)).toBe(true);
});

test('a process that ends stops it, and the next one goes on', async () => {
  const { place, pack, savepoint, store } = await linked();
  const end = new AbortController();
  end.abort();
  await expect(another(place).replaceLinks({ signal: end.signal })).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(readdirSync(join(store, 'lock'))).toEqual([]);
  expect(await isLinked(savepoint, pack)).toBe(true);
  expect(await another(place).replaceLinks()).toBe('done');
});

test('it is tried once a process is idle, again if others worked in the store, and not for ever', async () => {
  let now = 0;
  let answer: IdleWork | Error = 'nothing';
  let tries = 0;
  const links = new IdleLinks(
    async () => {
      tries += 1;
      if (answer instanceof Error) throw answer;
      return answer;
    },
    () => now,
  );
  const looks = async (seconds: number): Promise<number> => {
    const before = tries;
    for (let second = 0; second < seconds; second++) {
      now += 1_000;
      links.look();
      await new Promise(setImmediate);
    }
    return tries - before;
  };
  expect(await looks(2)).toBe(0);
  expect(await looks(1)).toBe(1);
  // A process that is in use is not idle.
  for (let call = 0; call < 20; call++) {
    links.used();
    expect(await looks(2)).toBe(0);
  }
  answer = 'busy';
  expect(await looks(10_000)).toBe(30);
  links.used();
  expect(await looks(5)).toBe(1);
  answer = new Error('read-only');
  expect(await looks(1_000)).toBe(1);
  links.used();
  expect(await looks(1_000)).toBe(0);
  await links.end();
});
