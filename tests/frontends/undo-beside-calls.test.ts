/** Undo and redo while an agent's call is open, and what their JSON has in common with the library. */
import { open } from '@savepoint/core/node';
import { project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

it('undo and redo name open calls of agents, which may write again', async () => {
  const p = project();
  p.write('a.txt', 'one\n');
  p.checkpoint();
  p.write('a.txt', 'two\n');
  p.ok('restore', 'cp_1', '--exact', '--yes');
  const session = open({ dir: p.dir, home: p.store }).session({ agent: 'claude', id: 's-1' });
  await session.begin({ tool: 'Bash', kind: 'shell', id: 'c-1', args: { command: 'npm \u001b[31mtest' } });
  const note = 'note: claude is still running Bash npm \\x1b[31mtest (call c-1), which may write these files again';
  expect(p.ok('undo', '--dry-run').stdout).toContain(note);
  expect(p.ok('undo').stdout).toContain(note);
  const redone = JSON.parse(p.ok('redo', '--json').stdout);
  expect(redone).toMatchObject({
    openCalls: [{ call: 'c-1', session: 's-1', agent: 'claude', tool: 'Bash' }],
    restored: true,
    conversationRewound: false,
    error: null,
  });
  await session.end('c-1');
  expect(JSON.parse(p.ok('undo', '--json').stdout).openCalls).toEqual([]);
  expect(JSON.parse(p.ok('redo', '--dry-run', '--json').stdout)).toMatchObject({ restored: false, error: null });
});
