import { expect, it } from 'vitest';
import { daemonProject, hasNumber, kill, until } from './daemon-project.ts';
import { linkedClone } from './linked-clone.ts';

/** Only commands were used: no process that stays has written into the store. */

it('the daemon replaces the packs that a first checkpoint linked, after one was killed in the middle of it', async () => {
  const p = daemonProject();
  const pack = linkedClone(p, 12);
  expect([pack.isLinked(), pack.ownPacks()]).toEqual([true, 1]);
  const first = await p.startDaemon();
  expect(p.run(['status']).status).toBe(0);
  await until(() => pack.ownPacks() > 1);
  kill(first, 'SIGKILL');
  await until(() => !hasNumber(first));
  expect(pack.isLinked()).toBe(true);
  expect(p.run(['verify', '--deep'], { env: { SAVEPOINT_DAEMON: 'off' } }).status).toBe(0);
  // It answers while it works, and goes on.
  await p.startDaemon();
  expect(p.run(['status']).status).toBe(0);
  await until(() => !pack.isLinked());
  pack.expectIndependent();
});
