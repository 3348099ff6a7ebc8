import { VERBS } from '@savepoint/core/frontend';
import { expect, it } from 'vitest';
import { COMMANDS, GROUPS } from '../../src/commands/table.ts';
import { parseArguments } from '../../src/program.ts';

it('has a command for each verb, under its name', async () => {
  const commands = await Promise.all(COMMANDS.map(async (row) => ({ name: row.name, command: await row.load() })));
  const ofVerbs = commands.flatMap(({ name, command }) => ('verb' in command ? [[name, command.verb] as const] : []));
  expect(new Set(ofVerbs.map(([, verb]) => verb))).toEqual(new Set(Object.values(VERBS)));
  for (const [name, verb] of ofVerbs) expect(verb.name).toBe(name);
});

it('has every name once, and no group without a command', () => {
  const names = COMMANDS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const group of Object.keys(GROUPS)) expect(names.some((name) => name.startsWith(`${group} `))).toBe(true);
});

it.each(COMMANDS)('$name: its help has its options, its operands and an example', async ({ name, load }) => {
  const { options, operands, examples } = await load();
  const typed = await parseArguments([...name.split(' '), '--help']);
  const text = typed.kind === 'text' ? typed.text : '';
  for (const part of [...options.map(({ flags }) => flags), ...examples]) expect(text).toContain(part);
  for (const [, description] of operands) expect(text.replace(/\s+/g, ' ')).toContain(description);
  expect(examples).not.toEqual([]);
});

it('the help lists every command with one line', async () => {
  const typed = await parseArguments(['help']);
  const text = typed.kind === 'text' ? typed.text : '';
  for (const { name, isHidden } of COMMANDS) {
    const [first = name] = name.split(' ');
    expect(new RegExp(`^  ${first} `, 'm').test(text), name).toBe(!isHidden || first !== name);
  }
  expect(text).toMatch(/^ {2}restore +restore files from a checkpoint$/m);
});

it.each([
  [['restore', 'last', '--', 'list', '--json'], 'restore', ['last'], ['list', '--json'], false],
  [['--json', 'restore', 'status'], 'restore', ['status'], [], true],
  [['-C', 'list', 'status', '--here'], 'status', [], [], false],
  [['bundle', 'create', 'x'], 'bundle create', ['x'], [], false],
  [['sessions'], 'sessions', [], [], false],
  [['sessions', 'delete', 'x'], 'sessions delete', ['x'], [], false],
  [['--', 'status'], 'status', [], [], false],
])('%j is %s', async (args, name, operands, rest, json) => {
  const typed = await parseArguments(args);
  expect(typed).toMatchObject({ kind: 'command', given: { operands, rest }, globals: { json } });
  expect(typed.kind === 'command' && 'verb' in typed.command ? typed.command.verb.name : null).toBe(name);
});

it('suggests the name that was probably meant', async () => {
  const typed = await parseArguments(['verfy']).catch((error: unknown) => error);
  expect(typed).toMatchObject({ code: 'USAGE', hint: expect.stringContaining('Did you mean verify?') });
});
