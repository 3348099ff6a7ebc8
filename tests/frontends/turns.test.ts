/** `savepoint turns` and the turns of `savepoint list`, as a person reads them. */
import { existsSync } from 'node:fs';
import { open } from '@savepoint/core/node';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { call, connect } from './mcp-server.ts';

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
  p.ok('test-result', 'cp_4', 'fail');
  expect(rows(p)[1]).toBe('   cp_3  now  claude  Add \\x1b[31mlogout and more  2 files +2');
  p.ok('test-result', 'cp_5', 'fail');
  expect(rows(p)[1]).toBe('   cp_3  now  claude  Add \\x1b[31mlogout and more  2 files +2  [tests fail]');
  p.ok('test-result', 'cp_5', 'none');
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

/** Without the ages and the widths of columns. */
const listed = (p: Project, ...args: readonly string[]): readonly string[] =>
  p
    .ok('list', ...args)
    .stdout.replace(/\d+ (?:s|min) ago/g, 'now')
    .split('\n')
    .map((line) => line.replace(/ {2,}/g, '  '));

it('a list shows turns, and single checkpoints by hand, before and after operations', async () => {
  const p = await afterThreePrompts();
  p.ok('checkpoint', '-m', 'by hand'); // cp_7
  p.write('mine.txt', 'before the restore\n');
  const rows = [
    'cp_7  now  manual  user  by hand',
    'cp_6  now  turn  claude  What is this?  nothing changed',
    'cp_3  now  turn  claude  Add \\x1b[31mlogout and more  2 files +2',
    'cp_1  now  turn  claude  Add login  1 file +1 −1',
    '',
  ];
  expect(listed(p)).toEqual([`${rows[0]}  [here]`, rows[1], `${rows[2]}  [same files]`, ...rows.slice(3)]);
  // The id of a turn goes back to before its prompt.
  p.ok('restore', 'cp_3', '--exact', '--yes');
  expect([p.read('a.txt'), existsSync(`${p.dir}/b.txt`)]).toEqual(['login\n', false]);
  expect(listed(p)).toEqual([
    'cp_9  now  restore  user  Restored cp_3  [same files]',
    'cp_8  now  before  outside  1 file, +1 −0: mine.txt',
    ...rows.slice(0, 2),
    `${rows[2]}  [taken back]`,
    `${rows[3]}  [here]`,
    '',
  ]);
  expect(p.ok('show', 'cp_8').stdout).toMatch(/\(before, caused by user\)\nauthors: +outside\n/);
  expect(listed(p, '--limit', '2', '--session', 's-1').slice(-2)).toEqual([
    'Older checkpoints: `savepoint list --session s-1 --before cp_3`',
    '',
  ]);
  expect(listed(p, '--all').length).toBe(10);
  expect(p.run(['list', '--all', '--turns']).status).toBe(2);
  for (const [name, id] of [
    ['@prompt', 'cp_6'],
    ['@prompt~1', 'cp_6'],
    ['@prompt~2', 'cp_3'],
    ['@prompt~3', 'cp_1'],
  ] as const)
    expect(JSON.parse(p.ok('show', name, '--json').stdout).id).toBe(id);
});

it('JSON has checkpoints, and turns only on request', async () => {
  const p = await afterThreePrompts();
  const json = (...args: readonly string[]) => JSON.parse(p.ok('list', '--json', ...args).stdout);
  const ids = (found: { readonly checkpoints: readonly { readonly id: string }[] }) =>
    found.checkpoints.map(({ id }) => id);
  const plain = json();
  expect([ids(plain), plain.turns, plain.current]).toEqual([
    ['cp_6', 'cp_5', 'cp_4', 'cp_3', 'cp_2', 'cp_1'],
    [],
    null,
  ]);
  expect(ids(json('--all'))).toHaveLength(6);
  const found = json('--turns');
  expect([ids(found), found.turns.map(({ place }: { readonly place: string }) => place), found.current]).toEqual([
    [],
    ['cp_6', 'cp_3', 'cp_1'],
    'cp_6',
  ]);
});

it('work without a prompt has the state before it, or says that there is none', async () => {
  const p = project();
  const savepoint = open({ dir: p.dir, home: p.store });
  const session = savepoint.session({ agent: 'claude', id: 's-1' });
  await session.call({ tool: 'Bash', kind: 'shell' }, () => p.write('a.txt', 'a\n'));
  expect(listed(p)).toEqual(['cp_1  now  turn  claude  (no prompt recorded)  1 file +1  [here]', '']);
  p.ok('drop', 'cp_1', '--yes');
  expect(listed(p)).toEqual([
    '-  now  turn  claude  (no prompt recorded)  1 file +1  [here]',
    '`-`: no checkpoint has the state before that work. --all lists the checkpoints of the work.',
    '',
  ]);
});

it('a model sees turns in the same order, with their ids', async () => {
  const p = await afterThreePrompts();
  p.ok('checkpoint', '-m', 'by hand');
  p.ok('restore', 'cp_3', '--exact', '--yes');
  const client = await connect(p, '2025-11-25');
  const { text, data } = await call(client, 'checkpoint_list', { view: 'turns', limit: 4 });
  expect(text.replace(/\S+Z/g, 'then').split('\n')).toEqual([
    'cp_8  then  restore, by the user: Restored cp_3 (2 paths, +0 -2 lines)',
    'cp_7  then  manual, by the user: by hand (0 paths, +0 -0 lines)',
    'cp_6  then  turn, by agent claude, session s-1: What is this? (0 paths, +0 -0 lines)',
    'cp_3  then  turn, by agent claude, session s-1: Add \\x1b[31mlogout and more (2 paths, +2 -0 lines, taken back)',
    'Older checkpoints exist: pass cp_3 as `before`.',
  ]);
  expect(data).toMatchObject({
    checkpoints: [{ id: 'cp_8' }, { id: 'cp_7' }],
    turns: [
      { id: 'cp_6', by: 'agent claude, session s-1', prompt: 'What is this?' },
      { id: 'cp_3', taken_back: 'all' },
    ],
    here: 'cp_1',
    next: 'cp_3',
  });
});

it('says in how many files lines were counted', async () => {
  const p = project();
  const savepoint = open({ dir: p.dir, home: p.store });
  const session = savepoint.session({ agent: 'claude', id: 's-1' });
  await session.prompt('Write many files');
  await session.call({ tool: 'Bash', kind: 'shell' }, () => {
    for (let i = 0; i < 301; i++) p.write(`${i}.txt`, 'one\n');
  });
  expect(rows(p)[0]).toBe('*  cp_1  now  claude  Write many files  301 files +300 in 300 of 301 files');
  expect(listed(p)[0]).toContain('  301 files +300 in 300 of 301 files  [here]');
  expect(p.ok('sessions').stdout).toContain('301 changes, +300 in 300 of 301 changes');
});
