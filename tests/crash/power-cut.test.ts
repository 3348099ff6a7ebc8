import { seededRandom, testEffort } from '@savepoint/testkit';
import { afterEach, describe, it } from 'vitest';
import { cutPower, recoverOnTheDead, standOnTheDead, type Thoroughness } from './power-cut.ts';
import { SCENES, type Scene } from './scenes.ts';

/**
 * Tests some of the moments and states; SAVEPOINT_LONG=1 tests many more.
 * Another seed: SAVEPOINT_SEED=… npx vitest run tests/crash/power-cut.test.ts
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const ALL = Number.POSITIVE_INFINITY;
const MUCH = testEffort({
  quick: { moments: 3, disks: 1, each: 12 },
  ci: { moments: 36, disks: 2, each: 1 },
  long: { moments: ALL, disks: 24, each: 1 },
});

/** Edits, and operations on several disks, are always tested at every call. */
const AT_EVERY_CALL = /^edit|two disks$/;

const muchOf = ({ name }: Scene): Thoroughness =>
  testEffort({
    quick: MUCH,
    ci: AT_EVERY_CALL.test(name)
      ? { moments: ALL, disks: 1 }
      : LIKE_ANOTHER.test(name)
        ? { ...MUCH, moments: 12 }
        : MUCH,
    long: MUCH,
  });

/** They make the same calls as the scenes without a resolution. */
const LIKE_ANOTHER = /^(?:restore|redo|rollback) with a resolution$/;

describe.each(SCENES)('$name', (scene) => {
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(`replay: SAVEPOINT_SEED=${SEED} npx vitest run ${task.file.name}`);
  });

  it('a death or a power cut at any moment leaves all old or all new, and the next command succeeds', async () => {
    await cutPower(scene, seededRandom(SEED), muchOf(scene));
  }, 3_600_000);
});

const FIRST = SCENES.filter(({ name }) => name.startsWith('first checkpoint'));

it.each(FIRST)(
  '$name: results reported by a second process are durable, at whatever call the first one died',
  async (scene) => {
    await standOnTheDead(scene, MUCH.each);
  },
  600_000,
);

const RESTORES = SCENES.filter(({ name }) => name === 'restore');

it.each(RESTORES)(
  '$name: a journal that recovery uses is durable',
  async (scene) => {
    await recoverOnTheDead(scene, MUCH.each);
  },
  600_000,
);
