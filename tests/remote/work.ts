import fs from 'node:fs';
import { executionAdapter, SavepointError, type TreePath } from '@savepoint/core';
import { git } from '@savepoint/testkit';
import { expect } from 'vitest';
import type { Inside } from './inside.ts';

/** What is tested in every kind of sandbox: an agent's work, and all ways of going back. */
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
    changes: [{ path: 'new.txt', grade: 'likely' }],
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

/** A survey from outside: every repository, and its contents. */
export async function surveyInside(inside: Inside): Promise<void> {
  for (const name of ['front', 'deep/back']) {
    inside.write(`${name}/a.txt`, 'one\n');
    const folder = inside.at(name);
    git(folder, 'init', '-q', '-b', 'main');
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '-m', 'first');
  }
  inside.write('front/new.txt', 'new\n');
  inside.write('deep/back/src/x\ny.ts', '');
  const adapter = executionAdapter(inside.sandbox, inside.world.workspace, inside.options());
  const repositories = await adapter.repositories();
  const shown = repositories.map(({ path, kind, branch, state, changed }) => [path, kind, branch, state, changed]);
  expect(shown.filter(([path]) => path !== '')).toEqual([
    ['deep/back', 'repository', 'main', 'dirty', 1],
    ['front', 'repository', 'main', 'dirty', 1],
  ]);
  expect(repositories.find(({ path }) => path === 'front')?.commit).toBe(
    git(inside.at('front'), 'rev-parse', 'HEAD').trim(),
  );
  const structures = await adapter.directoryStructures({ depth: 2 });
  expect(structures.get('front' as TreePath)).toBe('- a.txt\n- new.txt');
  expect(structures.get('deep/back' as TreePath)).toBe('- a.txt\n- src/\n  - "x\\ny.ts"');
  await adapter.workspace.checkpoint({});
  expect(await adapter.run({ id: 'c', command: ['sh', '-c', 'echo hello'] })).toMatchObject({ id: 'c', exit: 0 });
}
