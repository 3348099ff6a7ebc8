/**
 * Random repositories, in packs and loose objects of any kind. Checkpoints, edits and clean-up in random order, and the
 * repository is removed or repacked at a random moment: every checkpoint restores exactly.
 * Another seed: SAVEPOINT_SEED=… npx vitest run packages/core/test/workspace/adoption/linked-games.test.ts
 */
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { DiskPath, Savepoint } from '@savepoint/core';
import { open } from '@savepoint/core';
import { realPorts, type SeededRandom, seededRandom, testEffort } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { AdoptionPlace } from './adoption-place.ts';
import { packFolder } from './linked-place.ts';

const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const GAMES = testEffort({ quick: 3, ci: 8, long: 300 });
const DAMAGES = testEffort({ quick: 3, ci: 8, long: 300 });

/** By path. */
type Files = ReadonlyMap<string, string>;

test('every checkpoint restores exactly, whatever became of the repository', async () => {
  let links = 0;
  for (let game = 0; game < GAMES; game++) {
    const random = seededRandom(SEED + game);
    const place = randomRepository(random);
    const savepoint = openAt(place);
    const states = new Map<string, Files>();
    const capture = async (): Promise<void> => {
      const { checkpoint } = await savepoint.checkpoint();
      states.set(checkpoint.id, filesOf(place));
    };
    await capture();
    links += await linkedFiles(savepoint);
    const steps = [
      capture,
      async () => void edit(place, random),
      // Contents of earlier commits: they are in the linked pack only.
      async () =>
        void (
          existsSync(place.at('.git')) &&
          place.git('checkout', '-qf', random.pick(place.git('log', '--format=%H', '-3').trim().split('\n')))
        ),
      async () => void (await savepoint.tidyUp()),
      async () => void (await savepoint.gc({ retention: { maxCheckpoints: 1_000 } })),
      async () => void (existsSync(place.at('.git')) && place.git('-c', 'gc.pruneExpire=now', 'gc', '-q')),
      async () => rmSync(place.at('.git'), { recursive: true, force: true }),
    ];
    for (let step = 0; step < 6; step++) {
      await random.pick(steps)();
      if (random.next() < 0.5) await capture();
    }
    rmSync(place.at('.git'), { recursive: true, force: true });
    const where = `game ${game} (SAVEPOINT_SEED=${SEED})`;
    expect((await savepoint.verify({ deep: true })).damage, where).toEqual([]);
    for (const [id, files] of states) {
      await savepoint.restore(id);
      expect(filesOf(place), `${where}, ${id}`).toEqual(files);
    }
    await savepoint.tidyUp();
    expect(await linkedFiles(savepoint), where).toBe(0);
    expect((await savepoint.verify({ deep: true })).damage, where).toEqual([]);
  }
  expect(links).toBeGreaterThan(0);
}, 3_600_000);

describe('a pack that is damaged before the first checkpoint', () => {
  test('costs nothing, because the files are still there', async () => {
    for (let game = 0; game < DAMAGES; game++) {
      const random = seededRandom(SEED + game);
      const place = randomRepository(random);
      const how = damage(place, random);
      const savepoint = openAt(place);
      const messages: string[] = [];
      savepoint.on('warning', ({ message }) => messages.push(message));
      await savepoint.checkpoint();
      const files = filesOf(place);
      await savepoint.tidyUp();
      const where = `game ${game}, ${how}: ${messages} (SAVEPOINT_SEED=${SEED})`;
      expect(await linkedFiles(savepoint), where).toBe(0);
      rmSync(place.at('.git'), { recursive: true });
      for (const path of files.keys()) rmSync(place.at(path));
      await savepoint.restore('cp_1');
      expect(filesOf(place), where).toEqual(files);
      expect((await savepoint.verify({ deep: true })).damage, where).toEqual([]);
    }
  }, 3_600_000);
});

function openAt(place: AdoptionPlace): Savepoint {
  const places = { ...place.world.places, gitAttributes: () => [] };
  return open({ dir: place.world.workspace as DiskPath, here: true, ports: realPorts(), places, adopt: true });
}

/** Some commits, in packs with deltas, with a part of the objects loose, and some files that are not committed. */
function randomRepository(random: SeededRandom): AdoptionPlace {
  const place = new AdoptionPlace();
  place.git('init', '-q', '-b', 'main', '--object-format=sha1');
  const commits = 3 + random.integer(4);
  for (let nth = 0; nth < commits; nth++) {
    for (let count = 0; count < 8; count++) edit(place, random);
    place.git('add', '-A');
    place.git('commit', '-qm', `${nth}`, '--allow-empty');
    if (random.next() < 0.4) place.git('repack', random.pick(['-dq', '-adq', '-adfq']));
  }
  if (random.next() < 0.8) place.git('repack', random.pick(['-dq', '-adq']));
  for (let count = random.integer(3); count > 0; count--) edit(place, random);
  place.age();
  return place;
}

function edit(place: AdoptionPlace, random: SeededRandom): void {
  const name = `${random.pick(['', 'a/', 'a/b/', 'c/'])}f${random.integer(12)}.txt`;
  const lines = Array.from({ length: random.integer(60) }, () => `line ${random.integer(1_000_000)}\n`);
  const old = existsSync(place.at(name)) ? readFileSync(place.at(name), 'latin1').slice(0, 4_000) : '';
  if (old !== '' && random.next() < 0.15) rmSync(place.at(name));
  else place.write(name, old + lines.join(''), random.next() < 0.1 ? 0o755 : 0o644);
}

/** @returns what was done */
function damage(place: AdoptionPlace, random: SeededRandom): string {
  const folder = place.at('.git/objects/pack');
  const names = readdirSync(folder).filter((name) => /\.(pack|idx)$/.test(name));
  if (names.length === 0) return 'nothing is packed';
  const name = random.pick(names);
  const path = join(folder, name);
  const { size } = statSync(path);
  const at = random.integer(size);
  chmodSync(path, 0o644);
  const isCut = random.next() < 0.2;
  if (isCut) truncateSync(path, at);
  else {
    const bytes = readFileSync(path);
    bytes[at] = bytes[at]! ^ (1 << random.integer(8));
    writeFileSync(path, bytes);
  }
  chmodSync(path, 0o444);
  return `${name} ${isCut ? 'cut off' : 'changed'} at ${at} of ${size}`;
}

function filesOf(place: AdoptionPlace): Files {
  const names = readdirSync(place.dir, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !/^\.git($|\/)/.test(name) && statSync(place.at(name)).isFile(),
  );
  return new Map(
    names
      .sort()
      .map((name) => [name, `${statSync(place.at(name)).mode & 0o111} ${readFileSync(place.at(name), 'latin1')}`]),
  );
}

/** The number of packs that nobody may write, as git creates them. */
async function linkedFiles(savepoint: Savepoint): Promise<number> {
  const folder = await packFolder(savepoint);
  return readdirSync(folder).filter((name) => /\.pack$/.test(name) && (statSync(join(folder, name)).mode & 0o222) === 0)
    .length;
}
