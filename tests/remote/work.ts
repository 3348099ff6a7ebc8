import fs from 'node:fs';
import { SavepointError } from '@savepoint/core';
import { expect } from 'vitest';
import type { Inside } from './inside.ts';

/** What is done in every kind of sandbox: work of an agent, and all the ways back. */
export async function workInside(inside: Inside): Promise<void> {
  const savepoint = inside.open();
  await expect(savepoint.restore({ checkpoint: 'cp_1' })).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
  inside.write('shop/a.txt', 'one\n');
  inside.write('lib/b.txt', 'one\n');
  const first = await savepoint.checkpoint({ message: 'before' });
  expect(first.checkpoint).toMatchObject({ id: 'cp_1', description: 'before' });

  const session = savepoint.session({ agent: 'tester', id: 's1' });
  await session.start();
  await session.prompt('do it', 'm1');
  const failing = session.call({ tool: 'bash', kind: 'shell', args: { command: 'x' } }, async () => {
    await inside.sandbox.run({
      id: 'c1',
      command: ['sh', '-c', 'echo two > shop/a.txt; echo two > lib/b.txt'],
      cwd: inside.world.workspace,
    });
    throw new Error('the tool failed');
  });
  await expect(failing).rejects.toThrow('the tool failed');
  const { id } = await session.begin({
    tool: 'write',
    kind: 'write',
    paths: ['new.txt' as never],
    args: { path: 'new.txt' },
  });
  inside.write('new.txt', 'new\n');
  const ended = await session.end(id);
  expect(ended).toMatchObject({
    found: true,
    changes: [{ path: 'new.txt', sure: true }],
    uncovered: [],
    putBack: null,
  });
  await session.close();

  const { changes } = await savepoint.history({ session: 's1' });
  expect(changes.map(({ path }) => path).sort()).toEqual(['lib/b.txt', 'new.txt', 'shop/a.txt']);
  const preview = await savepoint.restore({ checkpoint: 'cp_1', dryRun: true });
  expect(preview).toMatchObject({ outcome: 'ready', dryRun: true });
  expect(inside.read('shop/a.txt')).toBe('two\n');
  await savepoint.restore({ checkpoint: 'cp_1', expected: preview.fingerprint });
  expect([inside.read('shop/a.txt'), inside.read('lib/b.txt'), fs.existsSync(inside.at('new.txt'))]).toEqual([
    'one\n',
    'one\n',
    false,
  ]);
  await savepoint.undo({});
  expect(inside.read('new.txt')).toBe('new\n');
  expect(await savepoint.verify({ deep: true })).toMatchObject({ damage: [] });
  expect((await savepoint.status({})).workspace?.path).toBe(inside.world.workspace);

  const failure = await savepoint.show({ checkpoint: 'cp_99' }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(SavepointError);
  expect(failure).toMatchObject({ code: 'UNKNOWN_CHECKPOINT', data: { given: 'cp_99' }, exit: 1 });
  inside.write('shop/a.txt', 'by hand\n');
  await expect(savepoint.restore({ checkpoint: 'cp_1' })).rejects.toMatchObject({ code: 'CONFLICT', exit: 3 });
  expect(inside.read('shop/a.txt')).toBe('by hand\n');
}
