/** That overlays work is tried out once for all processes, until something that it depends on is different. */

import { appendFileSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DiskPath } from '@savepoint/core';
import { realPorts, whyNoOverlays } from '@savepoint/testkit';
import { test as always, expect } from 'vitest';
import { whyNoOverlay } from '../../../src/copy/overlay/open-overlay.ts';
import { ENV, type Scene, scene } from './scene.ts';

const test = always.skipIf(whyNoOverlays() !== null);
const UID = process.getuid?.() ?? 0;

/** Asks as a process that has just started. @returns how many overlays were mounted for the answer */
async function tries(s: Scene, path = ENV.PATH, bootId?: string): Promise<number> {
  const { programs, processes, ...ports } = realPorts();
  let count = 0;
  const answer = await whyNoOverlay(
    {
      ...ports,
      processes: bootId === undefined ? processes : { ...processes, self: () => ({ ...processes.self(), bootId }) },
      programs: {
        ...programs,
        hold: (program, ms) => {
          count++;
          return programs.hold(program, ms);
        },
      },
    },
    path,
    s.root as DiskPath,
    join(s.home, 'copies') as DiskPath,
  );
  expect(answer).toBeNull();
  return count;
}

test('it is tried again after a new start of the machine, with another program, and if the memory is damaged', async () => {
  const s = scene(UID, {});
  expect([await tries(s), await tries(s), await tries(s, ENV.PATH, 'another boot')]).toEqual([1, 0, 1]);
  expect([await tries(s), await tries(s)]).toEqual([1, 0]);
  const bin = join(s.top, 'bin');
  mkdirSync(bin);
  copyFileSync('/usr/bin/setpriv', join(bin, 'setpriv'));
  const path = `${bin}:${ENV.PATH}`;
  expect([await tries(s, path), await tries(s, path)]).toEqual([1, 0]);
  appendFileSync(join(bin, 'setpriv'), '\n');
  expect(await tries(s, path)).toBe(1);
  writeFileSync(join(s.home, 'copies/overlays-work'), 'x'.repeat(5000));
  expect([await tries(s), await tries(s)]).toEqual([1, 0]);
  expect(readdirSync(join(s.home, 'copies')).filter((name) => name.startsWith('probe'))).toEqual([]);
});
