/** Other calls while a linked pack is replaced: they hardly wait, and nothing that they remove comes back. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OpenOptions, Savepoint } from '@savepoint/core';
import { open } from '@savepoint/core';
import type { Fs } from '@savepoint/core/ports';
import { fsWith, git, realPorts } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { Engine } from '../../../src/engine/engine.ts';
import { replaceLinkedPacks } from '../../../src/timeline/retention/replace-links.ts';
import { AdoptionPlace } from './adoption-place.ts';
import { isLinked, packFolder, packOf } from './linked-place.ts';

const MIB = 1024 * 1024;
/** Replaced in several slices. */
const LARGE = 12;

function withLargeFiles(): AdoptionPlace {
  const place = new AdoptionPlace();
  place.git('init', '-q', '--object-format=sha1');
  for (let nth = 0; nth < 20; nth++) place.write(`old/${nth}.bin`, randomBytes(1000));
  place.write('last.txt', 'first version\n');
  place.commit();
  place.git('rm', '-rq', 'old');
  for (let nth = 0; nth < LARGE; nth++) place.write(`large/${nth}.bin`, randomBytes(MIB));
  place.write('last.txt', 'second version\n');
  place.commit();
  return place;
}

function optionsOf(place: AdoptionPlace, fs?: Fs): OpenOptions {
  const places = { ...place.world.places, gitAttributes: () => [] };
  const ports = fs === undefined ? realPorts() : realPorts({ fs });
  return { dir: place.world.workspace, here: true, ports, places, adopt: true };
}

function openWith(place: AdoptionPlace, fs?: Fs): Savepoint {
  return open(optionsOf(place, fs));
}

/** A file system that reports each pack that gets its final name. */
function watchPacks(onPack: (path: string) => void): Fs {
  const { fs: real } = realPorts();
  return fsWith(real, {
    rename: (from, to) => {
      real.rename(from, to);
      if (/objects\/pack\/pack-\w+\.idx$/.test(to)) onPack(to);
    },
  });
}

function has(bare: string, id: string): boolean {
  try {
    git(bare, 'cat-file', '-e', id);
    return true;
  } catch {
    return false;
  }
}

test('the lock is released between slices', async () => {
  const place = withLargeFiles();
  await openWith(place).checkpoint();
  const { fs: real } = realPorts();
  const events: ('slice' | 'release')[] = [];
  let others: Promise<unknown> | null = null;
  const packs = watchPacks(() => {
    events.push('slice');
    others ??= openWith(place).checkpoint({ message: 'meanwhile' });
  });
  const other = openWith(
    place,
    fsWith(packs, {
      unlink: (path) => {
        real.unlink(path);
        if (path.includes('/lock')) events.push('release');
      },
    }),
  );
  const pack = statSync(packOf(place));
  await other.tidyUp();
  await others;
  expect(events.filter((one) => one === 'slice').length).toBeGreaterThan(2);
  expect(events.join(' ')).not.toContain('slice slice');
  expect(await isLinked(other, pack)).toBe(false);
  expect((await other.list()).checkpoints.map(({ description }) => description)).toContain('meanwhile');
});

test('what a checkpoint takes from the linked pack meanwhile is not lost', async () => {
  const place = withLargeFiles();
  await openWith(place).checkpoint();
  // Its content is an old version, which only the linked pack has.
  let others: Promise<unknown> | null = null;
  const other = openWith(
    place,
    watchPacks(() => {
      if (others !== null) return;
      writeFileSync(place.at('last.txt'), 'first version\n');
      others = openWith(place).checkpoint();
    }),
  );
  await other.tidyUp();
  await others;
  await other.tidyUp();
  expect(await isLinked(other, statSync(packOf(place)))).toBe(false);
  rmSync(place.at('.git'), { recursive: true });
  rmSync(place.at('last.txt'));
  await other.restore('cp_2');
  expect(readFileSync(place.at('last.txt'), 'utf8')).toBe('first version\n');
  expect((await other.verify({ deep: true })).damage).toEqual([]);
});

test('what is purged before a slice is written does not come back', async () => {
  const place = withLargeFiles();
  await openWith(place).checkpoint();
  const secrets = Array.from({ length: LARGE }, (_, nth) => place.git('rev-parse', `:large/${nth}.bin`));
  const bare = dirname(dirname(await packFolder(openWith(place))));
  expect(secrets.filter((id) => has(bare, id))).toEqual(secrets);
  const engine = Engine.open(optionsOf(place));
  let slices = 0;
  await engine.once((once) =>
    once.read((workspace) =>
      replaceLinkedPacks(workspace, once.pace({}), async (work) => {
        slices += 1;
        // The slice is complete, and waits for the lock.
        if (slices === 2) await openWith(place).purge(['large']);
        return once.write({}, 'alone', ({ lock }) => work(() => lock.assertHeld()));
      }),
    ),
  );
  expect(slices).toBeGreaterThan(1);
  expect(secrets.filter((id) => has(bare, id))).toEqual([]);
  rmSync(place.at('last.txt'));
  await openWith(place).restore('cp_1');
  expect(readFileSync(place.at('last.txt'), 'utf8')).toBe('second version\n');
});

test('a copy that is damaged while the pack is replaced is copied again', async () => {
  const place = withLargeFiles();
  await openWith(place).checkpoint();
  const before = statSync(packOf(place));
  const names = readdirSync(place.at('large'));
  const contents = names.map((name) => readFileSync(place.at(join('large', name))));
  // Now the linked pack has the only copies.
  rmSync(place.at('.git'), { recursive: true });
  rmSync(place.at('large'), { recursive: true });
  let packs = 0;
  const other = openWith(
    place,
    watchPacks((index) => {
      packs += 1;
      if (packs > 1) return;
      const path = index.replace(/idx$/, 'pack');
      const bytes = readFileSync(path);
      bytes.fill(7, bytes.length >> 1, (bytes.length >> 1) + 9);
      writeFileSync(path, bytes);
    }),
  );
  await other.tidyUp();
  expect(packs).toBeGreaterThan(1);
  expect(await isLinked(other, before)).toBe(false);
  await other.restore('cp_1');
  names.forEach((name, nth) => {
    expect(readFileSync(place.at(join('large', name))).equals(contents[nth]!), name).toBe(true);
  });
});
