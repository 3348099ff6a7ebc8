import { testEffort } from '@savepoint/testkit';
import { runWithTruth } from '@savepoint/testkit/truth';
import { expect, test } from 'vitest';
import { runHook } from '../src/hook/index.ts';

/** Agents and a person work in one folder, interleaved at random, and it is known who wrote which line. */

// Who answers the hooks makes no difference to the rules.
const WITH_DAEMON = process.env['SAVEPOINT_TEST_WITH'] === 'daemon';
const RUNS = testEffort({ quick: 10, ci: WITH_DAEMON ? 25 : 1_000, long: 3_000 });
/** Few, so that a thousand runs take two minutes. The bench plays longer ones. */
const STEPS = 16;
/** Of all lines. `npm run bench -- --only truth` measures it exactly. */
const MOST_WRONG_AND_SURE = 0.005;
const seed = Number(process.env['SAVEPOINT_SEED'] ?? 1);

test(`${RUNS} rollbacks of one agent lose no line of others, and undo is exact (SAVEPOINT_SEED=${seed})`, async () => {
  let [lines, wrong, rolledBack] = [0, 0, 0];
  for (let run = 0; run < RUNS; run++) {
    const { judged, takenBack } = await runWithTruth(runHook, seed + run, { steps: STEPS, rollbacks: 1 });
    expect(
      takenBack.flatMap(({ problems }) => problems),
      `SAVEPOINT_SEED=${seed + run}`,
    ).toEqual([]);
    lines += judged.length;
    wrong += judged.filter(({ verdict }) => verdict === 'wrong and sure').length;
    rolledBack += takenBack.filter(({ outcome }) => outcome.endsWith('rolled back')).length;
  }
  expect(rolledBack).toBeGreaterThan(RUNS / 10);
  // A few runs have too few lines for a share.
  if (RUNS >= 1_000) expect(wrong / lines).toBeLessThan(MOST_WRONG_AND_SURE);
}, 1_800_000);
