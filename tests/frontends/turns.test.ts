/** `savepoint turns`, as a person reads it. */
import { open } from '@savepoint/core/node';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

async function afterThreePrompts(): Promise<Project> {
  const p = project();
  p.write('a.txt', 'start\n');
  const savepoint = open({ dir: p.dir, home: p.store });
  const session = savepoint.session({ agent: 'claude', id: 's-1' });
  const write = (name: string, text: string): Promise<void> =>
    session.call({ tool: 'Write', kind: 'write', paths: [name] as never }, () => p.write(name, text));
  await session.prompt('Add login');
  await write('a.txt', 'login\n');
  await session.prompt('Add \u001b[31mlogout\nand more');
  await write('b.txt', 'logout\n');
  await write('c.txt', 'logout\n');
  await session.prompt('What is this?');
  return p;
}

/** Without the ages. */
const rows = (p: Project, ...args: readonly string[]): readonly string[] =>
  p
    .ok('turns', ...args)
    .stdout.replace(/\d+ (?:s|min) ago/g, 'now')
    .split('\n');

it('lists a prompt on each line, with what followed and where the workspace is', async () => {
  const p = await afterThreePrompts();
  expect(rows(p)).toEqual([
    '*  cp_6  now  claude  What is this?  nothing changed',
    '   cp_3  now  claude  Add \\x1b[31mlogout and more  2 files +2',
    '   cp_1  now  claude  Add login  1 file +1 −1',
    '',
  ]);
  p.ok('restore', 'cp_3', '--yes');
  expect(rows(p)).toEqual([
    '   cp_6  now  claude  What is this?  nothing changed',
    '   cp_3  now  claude  Add \\x1b[31mlogout and more  2 files +2  [taken back]',
    '*  cp_1  now  claude  Add login  1 file +1 −1',
    '',
  ]);
  expect(rows(p, '--limit', '1').at(-2)).toBe('Older turns: `savepoint turns --before cp_6`');
  expect(rows(p, '--before', 'cp_3').slice(0, 1)).toEqual(['*  cp_1  now  claude  Add login  1 file +1 −1']);
});

it('refuses what is not a checkpoint', () => {
  const { status, stderr } = project().run(['turns', '--before', '3']);
  expect([status, stderr]).toEqual([
    2,
    expect.stringContaining('--before needs a checkpoint id such as cp_12, not "3".'),
  ]);
});
