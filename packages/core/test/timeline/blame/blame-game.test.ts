import type { LineRange } from '@savepoint/core/ports';
import { seededRandom, testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { ActivityGame } from '../activity/activity-game.ts';

/**
 * Three actors write lines that are all different, and users go back in every possible way. Blame names the change that
 * wrote a line, wherever the line is and however often it was away.
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const GAMES = testEffort({ quick: 2, ci: 20, long: 2_000 });
const OPERATIONS = 60;

test('blame names who wrote each line, after operations of three actors and every way of going back', {
  timeout: 3_600_000,
}, async () => {
  console.info(`seed ${SEED}, ${GAMES * OPERATIONS} operations`);
  const sums = new Map<string, number>();
  for (let seed = SEED; seed < SEED + GAMES; seed++) {
    const [drops, checkouts] = [seed % 4 === 0, seed % 4 === 1];
    const game = new ActivityGame(seededRandom(seed), { drops, checkouts, judge: (it) => judgeBlame(it, drops, sums) });
    try {
      await game.play(OPERATIONS);
    } catch (error) {
      const replay = `SAVEPOINT_SEED=${seed} npx vitest run --project quick packages/core/test/timeline/blame/blame-game.test.ts`;
      expect.fail(`${String(error)}\n\n  ${game.log.slice(-120).join('\n  ')}\n\n${replay}`);
    }
  }
  console.info(JSON.stringify(Object.fromEntries(sums)));
  expect(Math.min(sums.get('change') ?? 0, sums.get('older') ?? 0, sums.get('uncaptured') ?? 0)).toBeGreaterThan(10);
});

/** @param drops whether checkpoints were dropped, so that the writer of a line may be unknown */
async function judgeBlame(game: ActivityGame, drops: boolean, sums: Map<string, number>): Promise<void> {
  const writers = game.writers();
  for (const [path, lines] of game.files()) {
    const { ranges } = await game.savepoint.blame({ path });
    const origins = ranges.flatMap(({ first, last, origin }) => Array.from({ length: last - first + 1 }, () => origin));
    if (origins.length !== lines.length) throw new Error(`${path}: ${origins.length} of ${lines.length} lines`);
    for (const [index, origin] of origins.entries()) {
      const line = lines[index] as string;
      sums.set(origin.kind, (sums.get(origin.kind) ?? 0) + 1);
      const writer = writers.get(line.split(' ')[0] as string);
      if (nameOf(origin) === (writer ?? 'older') || (writer === undefined && origin.kind === 'uncaptured')) continue;
      if (drops && (origin.kind === 'unknown' || origin.kind === 'older')) continue;
      throw new Error(`${path}: ${line} is from ${writer}, and blame says ${nameOf(origin)}`);
    }
  }
}

function nameOf(origin: LineRange['origin']): string {
  return origin.kind === 'change' ? origin.change.id : origin.kind;
}
