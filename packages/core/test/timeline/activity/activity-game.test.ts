import { seededRandom, testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { ActivityGame } from './activity-game.ts';

/**
 * Operations of three actors, with every way of going back between them. A change is in effect exactly if its lines are
 * on disk, and history, stats, rollback, undo, redo and exports all agree.
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const GAMES = testEffort({ quick: 6, ci: 334, long: 5_000 });
const OPERATIONS = 60;

test('what is in effect, after operations of three actors and every way of going back', {
  timeout: 3_600_000,
}, async () => {
  console.info(`seed ${SEED}, ${GAMES * OPERATIONS} operations`);
  const sums = new Map<string, number>();
  for (let seed = SEED; seed < SEED + GAMES; seed++) {
    const game = new ActivityGame(seededRandom(seed), { drops: seed % 4 === 0, checkouts: seed % 4 === 1 });
    try {
      await game.play(OPERATIONS);
    } catch (error) {
      const replay = `SAVEPOINT_SEED=${seed} npx vitest run --project quick packages/core/test/timeline/activity/activity-game.test.ts`;
      expect.fail(`${String(error)}\n\n  ${game.log.slice(-120).join('\n  ')}\n\n${replay}`);
    }
    for (const [name, count] of game.done) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  console.info(JSON.stringify(Object.fromEntries(sums)));
  // Without enough rollbacks, restores and undos, the test proves nothing.
  expect(Math.min(...['rollback', 'restore', 'undo'].map((name) => sums.get(name) ?? 0))).toBeGreaterThan(GAMES / 4);
});
