import { open, textFromBytes } from '@savepoint/core';
import { fixedClock, ProcessDied, SimDisk, seededRandom, testEffort, world } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { engine, ROOT } from '../simulated.ts';
import { realHands, simulatedHands } from './hands.ts';
import { type Game, Player } from './player.ts';

/**
 * Random operations on files, mixed with checkpoints, restores, undos, redos, clean-ups and deaths. The tree must
 * always equal a simple model. A failure prints its seed; with that seed, the failing game is played first.
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const GAMES = testEffort({ quick: 4, ci: 100, long: 2_000 });
const REAL_GAMES = testEffort({ quick: 1, ci: 6, long: 100 });
const OPERATIONS = 220;

test('operations on the simulated disk', { timeout: 3_600_000 }, async () => {
  console.info(`seed ${SEED}, ${GAMES * OPERATIONS} operations`);
  for (let seed = SEED; seed < SEED + GAMES; seed++) await playOn(seed, simulatedGame(seed));
});

test('operations on a disk without paths through handles, as on other platforms', {
  timeout: 3_600_000,
}, async () => {
  for (let seed = SEED; seed < SEED + GAMES / 5; seed++) await playOn(seed, simulatedGame(seed, false));
});

test('operations on the real disk', { timeout: 3_600_000 }, async () => {
  for (let seed = SEED; seed < SEED + REAL_GAMES; seed++) await playOn(seed, realGame(seed));
});

async function playOn(seed: number, game: Game): Promise<void> {
  const player = new Player(game);
  try {
    await player.play(OPERATIONS);
  } catch (error) {
    const replay = `SAVEPOINT_SEED=${seed} npx vitest run --project quick tests/model`;
    const last = player.log.slice(-25).join('\n  ');
    expect.fail(`${String(error)}\n\nafter ${player.log.length} operations, the last of them:\n  ${last}\n\n${replay}`);
  }
  expect(player.log.length).toBeGreaterThanOrEqual(OPERATIONS);
}

function simulatedGame(seed: number, handlePaths = true): Game {
  const random = seededRandom(seed);
  const disk = new SimDisk({ handlePaths });
  disk.makeFolder(ROOT, 0o755);
  const clock = { ...fixedClock(), now: () => disk.now };
  let pid = 100;
  return {
    random,
    hands: simulatedHands(disk),
    start: () => engine(disk, pid++, { clock }),
    mortal: async (command) => {
      const at = 1 + random.integer(160);
      let calls = 0;
      let died = false;
      disk.onCall = () => {
        calls += 1;
        if (calls < at) return;
        died = true;
        throw new ProcessDied();
      };
      try {
        await command();
      } catch (error) {
        if (!died) throw error;
      } finally {
        disk.onCall = null;
      }
      return died;
    },
  };
}

/** No process dies here. Other tests kill real processes. */
function realGame(seed: number): Game {
  const { workspace, places, ports } = world(onTestFinished);
  return {
    random: seededRandom(seed),
    hands: realHands(textFromBytes(workspace) ?? ''),
    start: () => open({ dir: workspace, places, ports }),
  };
}
