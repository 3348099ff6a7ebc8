import { seededRandom, testEffort } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { failCalls, failRecoveries, failSyncs, seen, type Thoroughness } from './failing-calls.ts';
import { SCENES, type Scene } from './scenes.ts';

/**
 * One random kind of failure for each of many n; SAVEPOINT_LONG=1 tests them all.
 * Another seed: SAVEPOINT_SEED=… npx vitest run tests/crash/failing-calls.test.ts
 */
const ALL = Number.POSITIVE_INFINITY;
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const MUCH = testEffort<Thoroughness>({
  quick: { calls: 8, ofFiles: 8, ways: 'one', deaths: 1, eachSync: 3 },
  ci: { calls: 240, ofFiles: ALL, ways: 'one', deaths: 4, eachSync: 1 },
  long: { calls: ALL, ofFiles: ALL, ways: 'all', deaths: 30, eachSync: 1 },
});
/** Edits, and operations on several disks, are always tested at every call. */
const AT_EVERY_CALL = /^edit|two disks$/;
/** They make the same calls as the scenes without a resolution. */
const LIKE_ANOTHER = /^(?:restore|redo|rollback) with a resolution$/;

const muchOf = ({ name }: Scene): Thoroughness =>
  testEffort({
    quick: MUCH,
    ci: AT_EVERY_CALL.test(name) ? { ...MUCH, calls: ALL } : LIKE_ANOTHER.test(name) ? { ...MUCH, calls: 60 } : MUCH,
    long: MUCH,
  });
const REPLAY = `replay: SAVEPOINT_SEED=${SEED}`;

describe.each(SCENES)('$name', (scene) => {
  it('a failing call leaves all old or all new and reports which, and the next command succeeds', async () => {
    expect(await failCalls(scene, seededRandom(SEED), muchOf(scene)), REPLAY).toEqual([]);
  }, 3_600_000);
});

const WITH_SYNCS = SCENES.filter(({ name }) => /^(restore|edit of 2 |checkpoint)/.test(name));

it.each(WITH_SYNCS)(
  '$name: the result reported after a failed sync is still true after a power cut',
  async (scene) => {
    expect(await failSyncs(scene, seededRandom(SEED), MUCH), REPLAY).toEqual([]);
  },
  600_000,
);

it('they include edits that could not be rolled back', () => {
  expect(seen.backups).toBeGreaterThan(0);
});

const WITH_JOURNAL = SCENES.filter(({ name }) => /^(re|undo|edit of 2 )/.test(name));

describe.each(WITH_JOURNAL)('recovery of: $name', (scene) => {
  it('after a failing call the next recovery succeeds', async () => {
    expect(await failRecoveries(scene, seededRandom(SEED), MUCH), REPLAY).toEqual([]);
  }, 3_600_000);
});
