import { seededRandom, testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { Game } from './rollback-game.ts';

/**
 * After a rollback of one of three actors, every line of the others exists exactly once and in order, and no line of
 * that actor is left. Otherwise the path is in conflict and unchanged. Undo restores every byte.
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const GAMES = testEffort({ quick: 40, ci: 500, long: 12_000 });
const OPERATIONS = 42;

test('operations of three actors, with rollbacks of one of them', {
  timeout: 3_600_000,
}, async () => {
  console.info(`seed ${SEED}, ${GAMES * OPERATIONS} operations`);
  const sums = { clean: 0, conflicts: 0, nothing: 0, undone: 0 };
  for (let seed = SEED; seed < SEED + GAMES; seed++) {
    const game = new Game(seededRandom(seed));
    try {
      await game.play(OPERATIONS);
    } catch (error) {
      const replay = `SAVEPOINT_SEED=${seed} npx vitest run --project quick packages/core/test/rewind/rollback-game.test.ts`;
      expect.fail(`${String(error)}\n\n  ${game.log.slice(-40).join('\n  ')}\n\n${replay}`);
    }
    for (const key of Object.keys(sums) as (keyof typeof sums)[]) sums[key] += game.rollbacks[key];
  }
  console.info(JSON.stringify(sums));
  // A game with only conflicts would prove nothing.
  expect(sums.clean).toBeGreaterThan(sums.conflicts / 4);
});
