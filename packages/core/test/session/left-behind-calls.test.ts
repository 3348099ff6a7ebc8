/** Calls that follow each other closely: each is named for what it started, and for nothing else. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Savepoint } from '@savepoint/core';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Processes } from '../../src/io/ports.ts';
import { nodePorts } from '../../src/node.ts';
import { Place } from '../place.ts';

/** These processes seem to have started in each call, as if the next one always began within the same 10 ms. */
function portsWhereRecent(started: readonly ChildProcess[]) {
  const ports = nodePorts();
  const { processes } = ports;
  const startedSince: Processes['startedSince'] = (since) =>
    processes
      .startedSince(0)
      ?.filter(({ pid, beganUptime }) => beganUptime >= since || started.some((one) => one.pid === pid)) ?? null;
  return { ...ports, processes: Object.assign(Object.create(processes), { startedSince }) as Processes };
}

/** The calls that may have made each change since the last checkpoint. */
async function callsSince(savepoint: Savepoint): Promise<readonly string[]> {
  const { checkpoint } = await savepoint.checkpoint();
  return (checkpoint.changes ?? []).map(
    ({ path, by }) =>
      `${path} by ${by.authors.map(({ actor, call }) => call ?? actor.name).join(', ')} (${by.evidence})`,
  );
}

describe.runIf(process.platform === 'linux')('a process that a call left behind', () => {
  test('is not one of the next call, however soon that begins', async () => {
    const started: ChildProcess[] = [];
    onTestFinished(() => {
      for (const one of started) one.kill('SIGKILL');
    });
    const env = { ...process.env, MINE: '1', MINE_SESSION: 's-1' };
    const startOne = (): unknown => started.push(spawn('sleep', ['600'], { stdio: 'ignore', env }));
    const bash = { tool: 'Bash', kind: 'shell', shell: { any: 'MINE', session: 'MINE_SESSION' } } as const;
    const p = new Place();
    p.write('a', 'a\n');
    const savepoint = p.open({ ports: portsWhereRecent(started) });
    const session = savepoint.session({ agent: 'mine', id: 's-1' });
    await session.start();
    await session.call({ ...bash, id: 'c-1' }, startOne);
    await session.call({ ...bash, id: 'c-2' }, () => undefined);
    p.write('b', 'b\n');
    expect(await callsSince(savepoint)).toEqual(['b by c-1, outside (left-behind)']);
    await session.call({ ...bash, id: 'c-3' }, startOne);
    p.write('b', 'c\n');
    expect(await callsSince(savepoint)).toEqual(['b by c-1, c-3, outside (left-behind)']);
    const [first] = started;
    first?.kill('SIGKILL');
    if (first?.signalCode === null) await once(first, 'exit');
    await savepoint.checkpoint();
    p.write('b', 'd\n');
    // Nothing of what lives on was started by the first call.
    expect(await callsSince(savepoint)).toEqual(['b by c-3, outside (left-behind)']);
  });
});
