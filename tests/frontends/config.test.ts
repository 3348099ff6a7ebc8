import { existsSync, lstatSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

/** The two settings files and the environment switch, tested through the command. */

interface Shown {
  readonly enabled: boolean;
  readonly options: readonly { key: string; value: unknown; from: string; file: string | null; default: unknown }[];
  readonly ignored: readonly { file: string | null; key: string; why: string }[];
  readonly problems: readonly { file: string; key: string | null; message: string }[];
}

function userFile(p: Project, content: unknown): string {
  mkdirSync(p.store, { recursive: true, mode: 0o700 });
  const file = join(p.store, 'config.json');
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

function projectFile(p: Project, content: unknown): string {
  p.write('.savepoint.json', typeof content === 'string' ? content : JSON.stringify(content));
  return p.at('.savepoint.json');
}

function shown(p: Project, env: Record<string, string> = {}): Shown {
  return JSON.parse(p.run(['config', '--json'], { env }).stdout) as Shown;
}

function option(p: Project, key: string, env: Record<string, string> = {}): Partial<Shown['options'][number]> {
  const { value, from, file } = shown(p, env).options.find((one) => one.key === key) ?? {};
  return { value, from, file } as Partial<Shown['options'][number]>;
}

it('shows each value and where it comes from', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  expect(option(p, 'max_checkpoints')).toEqual({ value: 1000, from: 'default', file: null });
  const user = userFile(p, { max_checkpoints: 200, triggers: { on_prompt: false }, include: ['build/keep/'] });
  const own = projectFile(p, {
    max_checkpoints: 100,
    triggers: ['before_write', 'before_edit', 'on_request'],
    exclude: ['*.bin'],
  });
  expect(option(p, 'max_checkpoints')).toEqual({ value: 100, from: 'project', file: own });
  expect(option(p, 'triggers.before_bash')).toEqual({ value: false, from: 'project', file: own });
  expect(option(p, 'triggers.on_prompt')).toEqual({ value: false, from: 'user', file: user });
  expect(option(p, 'include')).toEqual({ value: ['build/keep/'], from: 'user', file: user });
  expect(option(p, 'enabled', { SAVEPOINT: 'off' })).toEqual({ value: false, from: 'environment', file: null });
  const text = p.ok('config').stdout;
  expect(text).toMatch(/max_checkpoints +100 +the project's file; default 1000/);
  expect(text).toMatch(/max_file_mb +50 +default/);
});

it('a project may only restrict; other settings are named and ignored', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  userFile(p, { max_file_mb: 10, triggers: { before_bash: false }, bash_patterns: ['rm *', 'git *'] });
  projectFile(p, {
    enabled: true,
    triggers: { before_bash: true },
    max_file_mb: 11,
    max_checkpoints: 1001,
    max_store_mb: 1,
    keep_at_least: 1,
    include: ['**'],
    backups: 'beside',
    copy_dependencies: 'link',
    hooks: { strict: true },
    bash_patterns: ['git *', 'ls *'],
  });
  const { ignored } = shown(p);
  expect(ignored.map(({ key }) => key).sort()).toEqual([
    'backups',
    'bash_patterns',
    'copy_dependencies',
    'hooks.strict',
    'include',
    'keep_at_least',
    'max_checkpoints',
    'max_file_mb',
    'max_store_mb',
    'triggers.before_bash',
  ]);
  expect(option(p, 'max_file_mb')).toMatchObject({ value: 10, from: 'user' });
  expect(option(p, 'include')).toMatchObject({ value: [], from: 'default' });
  expect(option(p, 'bash_patterns')).toMatchObject({ value: ['git *'], from: 'project' });
  const warned = p.ok('checkpoint').stderr;
  expect(warned).toContain(
    '.savepoint.json: max_file_mb = 11 is ignored: a project can only lower this value, and yours is 10.',
  );
  expect(warned.match(/max_file_mb/g)).toHaveLength(1);
});

it('copies get of dependency folders what an option says, or else the files', () => {
  const p = project();
  p.write('node_modules/package/index.js', '');
  projectFile(p, { copy_dependencies: 'none' });
  const kindIn = (...args: string[]): string => {
    const { forks } = JSON.parse(p.ok('fork', 'create', ...args, '--json').stdout);
    const found = lstatSync(join(forks[0].folder, 'node_modules/package'), { throwIfNoEntry: false });
    return found === undefined ? 'none' : found.isSymbolicLink() ? 'link' : 'folder';
  };
  expect(kindIn('one')).toBe('none');
  expect(kindIn('two', '--dependencies', 'link')).toBe('link');
  userFile(p, { copy_dependencies: 'link', project_file: false });
  expect(kindIn('three')).toBe('link');
  expect(kindIn('four', '--dependencies', 'copy')).toBe('folder');
});

it('your own file can disable project settings', () => {
  const p = project();
  userFile(p, { project_file: false });
  projectFile(p, { enabled: false });
  expect(option(p, 'enabled')).toMatchObject({ value: true, from: 'default' });
});

it('a file that cannot be used is an error, and never the default', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  p.checkpoint();
  const file = userFile(p, { max_checkpoint: 5 });
  const outcome = p.run(['checkpoint']);
  expect(outcome.status).toBe(2);
  expect(outcome.stderr).toContain(`${file}: max_checkpoint is not an option; did you mean max_checkpoints?`);
  expect(JSON.parse(p.run(['checkpoint', '--json']).stderr).error.code).toBe('BAD_CONFIG');
  const reported = p.run(['config']);
  expect(reported.status).toBe(1);
  expect(reported.stdout).toContain('max_checkpoint is not an option');
  // Verbs that do not scan the folder still work.
  for (const verb of ['list', 'verify', 'recover', 'workspaces']) p.ok(verb);
});

it('an unknown option in a project is ignored and named', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  projectFile(p, { max_checkpoint: 5, hooks: { checkpoint: 'touch run' }, max_checkpoints: 60 });
  const outcome = p.run(['checkpoint']);
  expect(outcome.status).toBe(0);
  expect(outcome.stderr).toMatch(/max_checkpoint = .*is ignored: it is not an option; did you mean max_checkpoints\?/);
  expect(outcome.stderr).toContain('hooks.checkpoint');
  expect(option(p, 'max_checkpoints')).toMatchObject({ value: 60, from: 'project' });
});

it('off in the environment: requests by a person still work', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  expect(p.run(['checkpoint'], { env: { SAVEPOINT: 'off' } }).status).toBe(0);
  expect(p.run(['config'], { env: { SAVEPOINT: 'off' } }).stdout).toContain('Automatic checkpoints are off');
  expect(p.run(['checkpoint'], { env: { SAVEPOINT: 'maybe' } }).stderr).toContain('SAVEPOINT = "maybe" is ignored');
});

it('checkpoints on request can be turned off, and the responsible file is named', () => {
  const p = project();
  p.write('a.txt', 'a\n');
  const file = projectFile(p, { triggers: { on_request: false } });
  const outcome = p.run(['checkpoint']);
  expect(outcome.status).toBe(1);
  expect(outcome.stderr).toContain(`${file} turns checkpoints on request off`);
});

it('backups next to files, by your own file', () => {
  const p = project();
  p.write('a.txt', 'one\n');
  userFile(p, { backups: 'beside' });
  const request = JSON.stringify({
    files: [{ file_path: 'a.txt', edits: [{ old_string: 'one', new_string: 'two' }] }],
  });
  expect(p.run(['edit'], { input: request }).status).toBe(0);
  expect(existsSync(p.at('a.txt.bak'))).toBe(true);
});
