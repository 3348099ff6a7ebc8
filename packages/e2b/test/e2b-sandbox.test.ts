import { realPorts, sandboxConformance, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { e2bSandbox } from '../src/index.ts';
import { standIn } from './stand-in.ts';

const env = { PATH: process.env['PATH'] ?? '' };

describe('a sandbox of E2B, on a stand-in', () => {
  const make = () => ({
    sandbox: e2bSandbox({ sandbox: standIn(env), ports: realPorts() }),
    folder: world(onTestFinished).workspace,
    byteNames: true,
    isRoot: process.getuid?.() === 0,
  });
  for (const { name, run } of sandboxConformance(make)) test(name, run);

  test('a sandbox that ended cannot be reached', async () => {
    const gone = { sandboxId: 'gone', commands: { run: () => Promise.reject(new Error('sandbox not found')) } };
    const sandbox = e2bSandbox({ sandbox: gone, ports: realPorts() });
    await expect(sandbox.run({ id: 'x', command: ['true'] })).rejects.toMatchObject({
      code: 'SANDBOX_LOST',
      data: { sandbox: 'e2b gone', began: false, detail: 'sandbox not found' },
    });
  });

  test('a sandbox without node is unfit', async () => {
    const sandbox = e2bSandbox({ sandbox: standIn(env), ports: realPorts(), node: 'no-such-node' });
    await expect(sandbox.run({ id: 'x', command: ['true'] })).rejects.toMatchObject({
      code: 'SANDBOX_UNFIT',
      data: { found: null },
    });
  });
});
