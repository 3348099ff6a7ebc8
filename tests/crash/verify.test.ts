import type { Ports } from '@savepoint/core/ports';
import { ProcessDied, type SimDisk, seededRandom, simPorts, testEffort } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { engine } from '../simulated.ts';
import { prepared, SCENES } from './scenes.ts';

/** A clean-up or a purge that runs or was killed while `verify` reads the store is not reported as damage. */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const MOMENTS = testEffort({ quick: 25, ci: 60, long: 2_000 });

/** Calls `action` at the given yield of an engine that yields as often as it can. */
function clockWith(
  disk: SimDisk,
  at: number,
  action: () => Promise<unknown>,
): { clock: Ports['clock']; turns: number } {
  const { clock } = simPorts(disk);
  let time = 0;
  const counting = {
    turns: 0,
    clock: {
      now: () => clock.now(),
      sleep: (ms: number) => clock.sleep(ms),
      monotonic: () => (time += 1_000),
      turn: async () => {
        counting.turns += 1;
        if (counting.turns === at) await action();
      },
    },
  };
  return counting;
}

for (const scene of SCENES.filter(({ name }) => name === 'purge' || name === 'clean-up')) {
  test(`verify beside a ${scene.name} that is killed at any call`, { timeout: 3_600_000 }, async () => {
    const random = seededRandom(SEED);
    const start = await prepared(scene);
    const whole = start.afterProcessDeath();
    const from = whole.calls;
    await scene.action(engine(whole, 100));
    const calls = whole.calls - from;
    const counting = clockWith(start, 0, async () => {});
    await engine(start.afterProcessDeath(), 101, { clock: counting.clock }).verify({ deep: true });
    expect(counting.turns).toBeGreaterThan(20);

    for (let moment = 0; moment < MOMENTS; moment++) {
      const disk = start.afterProcessDeath();
      const [turn, deadAt] = [1 + Math.floor(random.next() * counting.turns), Math.floor(random.next() * calls) + 2];
      const where = `SAVEPOINT_SEED=${SEED}: at yield ${turn}, died before changing call ${deadAt} of ${calls}`;
      const { clock } = clockWith(disk, turn, async () => {
        let call = 0;
        disk.onCall = () => {
          call += 1;
          if (call >= deadAt) throw new ProcessDied();
        };
        await scene.action(engine(disk, 200)).catch(() => undefined);
        disk.onCall = null;
      });
      for (const deep of [true, false]) {
        const found = await engine(disk, 300, deep ? { clock } : {})
          .verify({ deep })
          .catch((error: Error) => expect.fail(`${where}: ${error.message}`));
        expect(found.damage, where).toEqual([]);
        expect(found.valid, where).toBe(found.checkpoints);
      }
    }
  });
}
