import { open } from '@savepoint/core/node';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

/** An agent that worked on two prompts, and a user who wants to go back. */
async function afterTwoPrompts(): Promise<Project> {
  const p = project();
  p.write('a.txt', 'start\n');
  const session = open({ dir: p.dir, home: p.store }).session({ agent: 'claude', id: 's-1' });
  const write = (name: string, text: string): Promise<void> =>
    session.call({ tool: 'Write', kind: 'write', paths: [name] as never }, () => p.write(name, text));
  await session.start();
  await session.prompt('Add login');
  await write('a.txt', 'login\n');
  await session.prompt('Add \u001b[31mlogout');
  await write('b.txt', 'logout\n');
  return p;
}

it('restore last after the work of an agent says how to go back to before it', async () => {
  const p = await afterTwoPrompts();
  for (const args of [['--yes'], ['--dry-run']]) {
    const { stdout } = p.ok('restore', 'last', ...args);
    expect(stdout).toContain('Nothing to restore: the files already match cp_');
    expect(stdout).toContain('`savepoint restore @prompt` goes back to before "Add \\x1b[31mlogout" (1 path).');
    expect(stdout).toContain('`savepoint restore @session` goes back to cp_1, session of claude started (2 paths).');
  }
  const { alternatives } = JSON.parse(p.ok('restore', 'last', '--json', '--dry-run').stdout);
  expect(alternatives.map(({ name, files }: { name: string; files: number }) => [name, files])).toEqual([
    ['@prompt', 1],
    ['@session', 2],
  ]);
});

it('restore @prompt goes back to before the last prompt, and offers what is before that', async () => {
  const p = await afterTwoPrompts();
  p.ok('restore', '@prompt', '--yes');
  expect([p.read('a.txt'), p.has('b.txt')]).toEqual(['login\n', false]);
  const again = p.ok('restore', '@prompt', '--yes').stdout;
  expect(again).not.toContain('restore @prompt`');
  expect(again).toContain('`savepoint restore @session` goes back');
  p.ok('restore', '@prompt~2', '--yes');
  expect(p.read('a.txt')).toBe('start\n');
  p.ok('undo', '--yes');
  expect(p.read('a.txt')).toBe('login\n');
});

it('an unknown prompt is an error', () => {
  const p = project();
  p.checkpoint();
  const { status, stderr } = p.run(['restore', '@prompt', '--yes']);
  expect(status).toBe(1);
  expect(stderr).toContain('No prompt of an agent is recorded.');
});
