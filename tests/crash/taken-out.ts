// Run by scripts/mutants.mjs, in its copy of the project, as a test.
import { appendFileSync } from 'node:fs';
import { seededRandom } from '@savepoint/testkit';
import { test } from 'vitest';
import { failCalls, failRecoveries } from './failing-calls.ts';
import { cutPower } from './power-cut.ts';
import { SCENES } from './scenes.ts';

const MUCH = { calls: 60, ways: 'one', deaths: 1 } as const;

/** The first thing that does not hold with one point taken out, or null. */
async function firstFailure(): Promise<string | null> {
  try {
    for (const moments of [4, 16]) {
      for (const scene of SCENES) {
        await cutPower(scene, seededRandom(moments), { moments, disks: 2 });
        const [found] = moments < 16 ? [] : await failCalls(scene, seededRandom(2), MUCH);
        if (found !== undefined) return `${scene.name}: ${found}`;
      }
    }
    for (const scene of SCENES.slice(0, 2)) {
      const [found] = await failRecoveries(scene, seededRandom(3), MUCH);
      if (found !== undefined) return `recovery of ${scene.name}: ${found}`;
    }
    return null;
  } catch (error) {
    return String(error);
  }
}

test('each point taken out in turn', { timeout: 24 * 3_600_000 }, async () => {
  for (const id of (process.env['SWEEP_IDS'] ?? '').split(' ').filter(Boolean).map(Number)) {
    Object.assign(globalThis, { takenOut: id });
    const seen = await firstFailure();
    appendFileSync(process.env['SWEEP_RESULT'] as string, `${JSON.stringify([id, seen])}\n`);
  }
});
