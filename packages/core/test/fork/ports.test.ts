/** Each fork has ports of its own, which its commands find in their environment. */

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';

const COMMAND = ['sh', '-c', 'echo "$SAVEPOINT_FORK $SAVEPOINT_FORK_PORT $SAVEPOINT_FORK_PORTS $OWN"'];

test('forks of different workspaces have different ports, and a free range is used again', async () => {
  const [p, q] = [new Place(), new Place()];
  p.write('a', 'a');
  q.write('a', 'a');
  const places = p.world.places;
  const [one, other] = [p.open(), q.open({ places })];
  const portOf = async (savepoint: typeof one, name: string): Promise<number | undefined> =>
    (await savepoint.createForks([name], { rungs: ['copy'] }))[0]?.fork.port;
  expect([await portOf(one, 'f'), await portOf(other, 'f'), await portOf(one, 'g')]).toEqual([20_000, 20_010, 20_020]);
  await other.dropFork('f');
  expect(await portOf(one, 'h')).toBe(20_010);
});

test('a command in a fork gets its name and its ports, in addition to the given environment', async () => {
  const p = new Place();
  p.write('a', 'a');
  const savepoint = p.open();
  await savepoint.createForks(['f', 'g'], { rungs: ['copy'] });
  const variables = { PATH: process.env['PATH'] ?? '', OWN: 'mine' };
  await savepoint.runInFork('g', { command: COMMAND, variables });
  await expect.poll(async () => (await savepoint.fork('g')).runs[0], { timeout: 20_000 }).toMatchObject({ exit: 0 });
  const { runs } = await savepoint.fork('g');
  expect(readFileSync(runs[0]?.output ?? '', 'utf8')).toBe('g 20010 10 mine\n');
});
