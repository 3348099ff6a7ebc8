// Run as a test by scripts/mutants.mjs, in its copy of the project.
import { seededRandom } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { failCalls, failRecoveries, failSyncs } from './failing-calls.ts';
import { cutPower, recoverOnTheDead } from './power-cut.ts';
import { SCENES, type Scene } from './scenes.ts';

const MUCH = { calls: 60, ofFiles: Number.POSITIVE_INFINITY, ways: 'one', deaths: 1, eachSync: 1 } as const;

test('short sweeps: first a few moments of each scene, then more', { timeout: 600_000 }, async () => {
  for (const moments of [4, 16]) {
    for (const scene of SCENES) {
      await cutPower(scene, seededRandom(moments), { moments, disks: 2 });
      if (moments === 16) expect(await failCalls(scene, seededRandom(2), MUCH), scene.name).toEqual([]);
    }
  }
  await recoverOnTheDead(SCENES[0] as Scene, 3);
  for (const scene of SCENES.slice(0, 2)) {
    expect(await failSyncs(scene, seededRandom(4), MUCH), scene.name).toEqual([]);
    expect(await failRecoveries(scene, seededRandom(3), MUCH), scene.name).toEqual([]);
  }
});
