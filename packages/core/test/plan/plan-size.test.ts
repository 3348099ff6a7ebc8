/** Plans count in the size limit of the store, and go when they expired or were cancelled. */

import { randomBytes } from 'node:crypto';
import type { Savepoint } from '@savepoint/core';
import { fixedClock, realPorts } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';

const LIMIT = 400_000;
const DAY = 24 * 3_600_000;
const clock = fixedClock(Date.UTC(2026, 0, 1));

function open(p: Place, maxStoreBytes: number | null = LIMIT): Savepoint {
  return p.open({ retention: { maxStoreBytes }, ports: { ...realPorts(), clock } });
}

/** A plan for one file whose content does not compress. */
async function propose(savepoint: Savepoint, bytes: number, path = 'big.txt'): Promise<string> {
  const content = randomBytes(bytes / 2).toString('hex');
  const edits = [{ path, edits: [{ op: 'write' as const, content }] }];
  return (await savepoint.proposeEdits(edits, { intent: 'Add it' })).plan.id;
}

async function bytesOf(p: Place): Promise<number> {
  return (await open(p).previewGc()).bytes;
}

async function plans(p: Place): Promise<readonly string[]> {
  return (await open(p).plans()).plans.map(({ plan }) => plan.id);
}

test('a plan that is larger than the limit is refused, and nothing of it stays', async () => {
  const p = new Place();
  p.write('a.txt', 'a\n');
  await open(p).checkpoint();
  const before = await bytesOf(p);
  await expect(propose(open(p), 4 * LIMIT)).rejects.toMatchObject({ code: 'STORE_FULL', data: { limit: LIMIT } });
  expect(await plans(p)).toEqual([]);
  expect(await bytesOf(p)).toBeLessThan(before + 10_000);
});

test.each([
  ['expired', async (): Promise<unknown> => clock.advance(31 * DAY)],
  ['cancelled', async (p: Place, id: string): Promise<unknown> => open(p).cancelPlan(id)],
])(
  'open plans fill the store: checkpoints go first, then it is full, and one that is %s makes room',
  async (how, end) => {
    const p = new Place();
    for (let at = 0; at < 3; at++) {
      p.write('a.txt', randomBytes(20_000));
      await open(p).checkpoint();
    }
    // Hexadecimal digits compress to half.
    const id = await propose(open(p, null), 2 * LIMIT);
    const small = await propose(open(p, null), 1_000, 'small.txt');
    p.write('a.txt', randomBytes(20_000));
    await expect(open(p).checkpoint()).rejects.toMatchObject({
      code: 'STORE_FULL',
      hint: expect.stringContaining('cancel plans'),
    });
    expect((await open(p).list()).checkpoints.length).toBeLessThan(3);
    expect([...(await plans(p))].sort()).toEqual([id, small].sort());
    await end(p, id);
    if (how === 'expired') await open(p, null).notePlan(small, 'still wanted');
    await open(p).checkpoint();
    expect(await plans(p)).toEqual([small]);
    expect(await bytesOf(p)).toBeLessThan(LIMIT);
    expect((await open(p).verify({ deep: true })).damage).toEqual([]);
  },
);
