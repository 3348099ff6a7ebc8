/** What a tab completes: the same in all shells, and quoted for real bash. For zsh and fish see tests/system. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../packages/cli/src/commands/table.ts';
import { PLACEHOLDERS } from '../../packages/cli/src/completion/wanted.ts';
import { argumentsTyped, HOSTILE_FILES, projectToComplete } from './shell-completion.ts';

/** Values with their descriptions. */
function offered(p: Project, ...words: readonly string[]): readonly (readonly [value: string, description: string])[] {
  const fields = p.ok('__complete', 'zsh', ...words).stdout.split('\0');
  return fields.flatMap((value, at) => (at % 2 === 0 && value !== '' ? [[value, fields[at + 1]!] as const] : []));
}

const values = (p: Project, ...words: readonly string[]): readonly string[] =>
  offered(p, ...words).map(([value]) => value);

describe('completion', () => {
  it('knows commands, options and values from the table of commands', async () => {
    const p = await projectToComplete();
    expect(values(p, 'res')).toEqual(['restore']);
    expect(offered(p, 'res')[0]![1]).toBe('restore files from a checkpoint');
    expect(values(p, 'he')).toEqual(['help']);
    expect(values(p, 'help', 'bundle', '')).toEqual(['create', 'restore', 'export']);
    expect(values(p, 'bundle', 'c')).toEqual(['create']);
    expect(values(p, 'daemon', '')).toEqual(['status', 'stop']);
    expect(values(p, 'log', '--al')).toEqual(['--all']);
    expect(values(p, '-C', '..', 'undo', '--dr')).toEqual(['--dry-run']);
    expect(values(p, 'list', '--all', '--al')).toEqual([]);
    expect(values(p, 'checkpoint', '--test-result', '')).toEqual(['pass', 'fail']);
    expect(offered(p, 'show', 'cp_')).toEqual([
      ['cp_2', 'Write a.txt (new, +1 −0)'],
      ['cp_1', "Prompt: Words with 'quotes' and $HOME \\x1b[31m"],
    ]);
    // A tilde inside a word means nothing to bash.
    expect(p.ok('__complete', 'bash', 'savepoint show last~', ' ').stdout).toBe('last~1 \0');
    expect(values(p, 'show', '@')).toEqual(['@prompt', '@session']);
    expect(values(p, 'list', '--before=cp_1')).toEqual(['--before=cp_1']);
    expect(values(p, 'turns', '--session', '')).toEqual(["s-1 o'clock"]);
    expect(values(p, 'sessions', '')).toEqual(['delete']);
    expect(values(p, 'sessions', 'delete', 's')).toEqual(["s-1 o'clock"]);
    expect(values(p, 'rollback', '--agent', 'c')).toEqual(["cl'au de"]);
    expect(values(p, 'rollback', '--change', '')).toEqual(['cp_2.1']);
    expect(values(p, 'install', 'cl')).toEqual(['claude', 'cline']);
    expect(values(p, 'blame', '20')).toEqual(['20folder/']);
    expect(values(p, 'blame', '20folder/')).toEqual(['20folder/in side']);
    expect(values(p, 'blame', '')).toContain('./-dash');
    expect(values(p, 'restore', 'cp_1', '--', '-')).toEqual(['-dash']);
    expect(values(p, 'restore', 'cp_1', '--', 'a')).toEqual(['a.txt']);
    expect(values(p, 'nonsense', '')).toEqual([]);
  });

  it('knows the plans and their states', () => {
    const p = project();
    p.write('../plan.json', JSON.stringify({ files: [{ file_path: 'a', edits: [{ op: 'create', content: 'a\n' }] }] }));
    const ids = ['first', 'second\u001b[31m'].map(
      (words) => JSON.parse(p.ok('plan', 'new', '../plan.json', '-m', words, '--json').stdout).id,
    );
    for (const command of ['cat', 'trust'])
      expect(offered(p, command, '--plan', '')).toEqual([
        [ids[1], 'second\\x1b[31m'],
        [ids[0], 'first'],
      ]);
    expect(values(p, 'cat', '--state', '')).toEqual(['proposed', 'selected', 'base']);
  });

  it('knows what every placeholder of the table stands for', async () => {
    const syntaxes: string[] = [];
    for (const row of COMMANDS) {
      const { operands, options } = await row.load();
      syntaxes.push(...operands.map(([syntax]) => syntax), ...options.map(({ flags }) => flags));
    }
    const names = syntaxes.flatMap((syntax) => /[<[](.*?)(?:\.\.\.)?[>\]]/.exec(syntax)?.[1] ?? []);
    expect([...new Set(names)].filter((name) => !(name in PLACEHOLDERS))).toEqual([]);
  });

  it('writes nothing, and is silent about errors', () => {
    const p = project();
    for (const words of [
      ['show', ''],
      ['list', '--session', ''],
      ['-C', '/nowhere', 'show', ''],
      ['blame', 'no/'],
    ]) {
      const { stdout, stderr } = p.run(['__complete', 'fish', ...words]);
      expect([stdout, stderr]).toEqual(['', '']);
    }
    expect(existsSync(p.store)).toBe(false);
    p.write('a.txt', 'a\n');
    p.ok('checkpoint');
    const tree = (): string => execFileSync('find', [p.store, '-printf', '%p %T@ %s\n'], { encoding: 'utf8' });
    const before = tree();
    expect(values(p, 'show', 'cp')).toEqual(['cp_1']);
    expect(values(p, 'rollback', '--change', '')).toEqual([]);
    expect(tree()).toBe(before);
  });

  it('refuses an unknown shell', () => {
    const { status, stderr } = project().run(['completion', 'csh']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
  });
});

it('bash completes and quotes what it is given', async () => {
  const p = await projectToComplete();
  const typed = [
    ['savepoint rest\tcp_1\t--dry\t', ['restore', 'cp_1', '--dry-run']],
    ['savepoint show @pro\t', ['show', '@prompt']],
    ['savepoint list --before=cp_1\t', ['list', '--before=cp_1']],
    ['savepoint turns --session \t', ['turns', '--session', "s-1 o'clock"]],
    ['savepoint rollback --agent c\t', ['rollback', '--agent', "cl'au de"]],
    ['savepoint blame 20\tin\t', ['blame', '20folder/in side']],
    ['savepoint restore cp_1 -- -d\t', ['restore', 'cp_1', '--', '-dash']],
    ...HOSTILE_FILES.map((name) => [`savepoint blame ${name.slice(0, 2)}\t`, ['blame', name]] as const),
    ...HOSTILE_FILES.map((name) => [`savepoint blame '${name.slice(0, 2)}\t`, ['blame', name]] as const),
    ...HOSTILE_FILES.slice(2, 6).map((name) => [`savepoint blame "${name.slice(0, 2)}\t`, ['blame', name]] as const),
  ] as const;
  const found = await argumentsTyped(
    p,
    'bash',
    typed.map(([line]) => line),
  );
  expect(found).toEqual(typed.map(([, args]) => args));
}, 120_000);
