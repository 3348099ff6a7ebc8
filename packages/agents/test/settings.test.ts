import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  AGENTS,
  commandsLeftAlone,
  type InstallEnvironment,
  planInstall,
  planUninstall,
  type SettingsScope,
  settingsPath,
  writeChanges,
} from '../src/index.ts';
import { hookCommand, isHookCommand } from '../src/settings/hook-command.ts';
import { findInstalled, renewalOf } from '../src/settings/plan.ts';

/** Agents' settings belong to the user: uninstalling removes what installing added, and leaves every other byte. */

function around(): InstallEnvironment {
  const base = mkdtempSync(path.join(tmpdir(), 'savepoint-test-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  for (const name of ['project', 'home']) mkdirSync(path.join(base, name));
  return {
    project: path.join(base, 'project'),
    env: { HOME: path.join(base, 'home'), PATH: '/nowhere' },
    program: {
      node: '/opt/my node/bin/node',
      script: '/opt/savepoint/savepoint.js',
      hookScript: null,
      path: '/nowhere',
      windows: false,
    },
  };
}

const agents = Object.values(AGENTS);
const json = agents.filter(({ integration }) => integration.form.kind === 'json');
const places: readonly SettingsScope[] = ['project', 'user'];

/** The folder of the stores. */
function storesOf({ env }: InstallEnvironment): string {
  return path.join(env['HOME'] as string, '..', 'stores');
}

function install(name: keyof typeof AGENTS, place: SettingsScope, where: InstallEnvironment): number {
  const changes = planInstall(AGENTS[name], place, where);
  writeChanges(changes, storesOf(where));
  return changes.length;
}

function uninstall(name: keyof typeof AGENTS, place: SettingsScope, where: InstallEnvironment): void {
  writeChanges(planUninstall(AGENTS[name], place, where), storesOf(where));
}

test.each(agents.flatMap(({ name }) => places.map((place) => [name, place] as const)))(
  '%s (%s): uninstalling removes files that did not exist before',
  (name, place) => {
    const where = around();
    expect(install(name, place, where)).toBeGreaterThan(0);
    expect(findInstalled(AGENTS[name], place, where)).toMatchObject({ state: 'hooked' });
    expect(install(name, place, where)).toBe(0);
    uninstall(name, place, where);
    expect(findInstalled(AGENTS[name], place, where)).toBeNull();
    const left = place === 'project' ? where.project : (where.env['HOME'] as string);
    expect(readdirSync(left)).toEqual([]);
  },
);

test.each(agents.flatMap(({ name }) => places.map((place) => [name, place] as const)))(
  '%s (%s): uninstalling leaves folders that existed before, and those with other files',
  (name, place) => {
    const where = around();
    const folder = path.dirname(settingsPath(AGENTS[name], place, where));
    mkdirSync(folder, { recursive: true });
    install(name, place, where);
    uninstall(name, place, where);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(path.join(place === 'project' ? where.project : (where.env['HOME'] as string)), { recursive: true });
    install(name, place, where);
    writeFileSync(path.join(folder, 'mine'), '');
    uninstall(name, place, where);
    expect(existsSync(path.join(folder, 'mine'))).toBe(true);
  },
);

const LAYOUTS: readonly (readonly [string, string])[] = [
  ['an empty object', '{}'],
  ['no end of line', '{"model":"m"}'],
  ['tabs and a blank line', '{\n\t"a": [1, 2],\n\n\t"b": {}\n}\n'],
  ['Windows ends of line', '{\r\n    "a": 1\r\n}\r\n'],
  [
    'hooks of another program',
    '{\n  "hooks": {\n    "PreToolUse": [{"matcher": "Bash", "hooks": []}],\n    "BeforeTool": [],\n    ' +
      '"preToolUse": [ ]\n  }\n}\n',
  ],
  ['empty hooks', '{ "hooks": {} }\n'],
  ['comments', '// mine\n{\n  "a": 1, // one\n  /* two */ "b": "// no comment"\n}\n// end\n'],
  ['a comma before the end', '{\n  "a": [\n    1,\n  ],\n}\n'],
  ['an empty file', ''],
  ['a byte order mark', '\ufeff{\n  "a": 1\n}\n'],
];

describe.each(LAYOUTS)('a file with %s', (_what, text) => {
  test.each(json.map(({ name }) => name))('is the same after installing and uninstalling %s', (name) => {
    const where = around();
    const file = settingsPath(AGENTS[name], 'user', where);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o640 });
    chmodSync(file, 0o640);
    install(name, 'user', where);
    const installed = readFileSync(file, 'utf8');
    expect(installed).toContain('hook');
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(readFileSync(`${file}.before-savepoint`, 'utf8')).toBe(text);
    expect(install(name, 'user', where)).toBe(0);
    uninstall(name, 'user', where);
    expect(readFileSync(file, 'utf8')).toBe(text);
    expect(existsSync(`${file}.before-savepoint`)).toBe(false);
  });
});

test('changes by users after the installation are kept', () => {
  const where = around();
  const file = settingsPath(AGENTS.claude, 'project', where);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, '{\n  "model": "a" // mine\n}\n');
  install('claude', 'project', where);
  const mine = '{"type":"command","command":"./mine.sh"}';
  writeFileSync(
    file,
    readFileSync(file, 'utf8')
      .replace('"model": "a"', '"model": "b"')
      .replace('"PreToolUse": [', `"PreToolUse": [{"hooks":[${mine}]},`),
  );
  uninstall('claude', 'project', where);
  const text = readFileSync(file, 'utf8');
  expect(text).toContain('"model": "b", // mine');
  expect(text).toContain(mine);
  expect(text).not.toContain('savepoint');
  expect(text).not.toContain('SessionStart');
});

test('a file that is not JSON, has another shape or belongs to another program is left alone, with a message', () => {
  const where = around();
  const file = settingsPath(AGENTS.claude, 'project', where);
  mkdirSync(path.dirname(file), { recursive: true });
  for (const [text, why] of [
    ['{"a": }', /is invalid: a value is missing \(line 1, column 7\)/],
    ['{"hooks": []}', /"hooks" is not an object/],
    ['{"hooks": {"Stop": {}}}', /"hooks.Stop" is not a list/],
    ['[]', /The file is not an object/],
    [`${'['.repeat(200)}`, /nested more than/],
  ] as const) {
    writeFileSync(file, text);
    expect(() => install('claude', 'project', where)).toThrow(why);
    expect(readFileSync(file, 'utf8')).toBe(text);
  }
  writeFileSync(file, Buffer.from([0x7b, 0xff, 0x7d]));
  expect(() => install('claude', 'project', where)).toThrow(/not UTF-8/);
  const hook = path.join(settingsPath(AGENTS.cline, 'project', where), 'PreToolUse');
  mkdirSync(path.dirname(hook), { recursive: true });
  writeFileSync(hook, '#!/bin/sh\necho mine\n');
  expect(() => install('cline', 'project', where)).toThrow(/already exists and does not belong to Savepoint/);
  expect(readdirSync(path.dirname(hook))).toEqual(['PreToolUse']);
});

test.each([
  ['an endless file', '.claude/commands/savepoint/undo.md', '/dev/zero', 'it is a link'],
  ['a link to nothing', '.claude/commands/savepoint/undo.md', 'nowhere', 'it is a link'],
  ['a folder out of the project', '.claude/commands', '../../elsewhere', 'leads out of the project'],
  ['a folder that is a link to nothing', '.claude/commands', 'nowhere', 'link to nothing'],
])('%s instead of a command is left alone, and the hooks are installed', (_, name, target, why) => {
  const where = around();
  const link = path.join(where.project, name);
  mkdirSync(path.dirname(link), { recursive: true });
  mkdirSync(path.join(where.project, '..', 'elsewhere'), { recursive: true });
  symlinkSync(target, link);
  expect(commandsLeftAlone(AGENTS.claude, 'project', where)).toContainEqual({
    path: expect.stringContaining('undo.md'),
    why: expect.stringContaining(why),
  });
  const changes = planInstall(AGENTS.claude, 'project', where);
  expect(changes.filter(({ path: file }) => file.endsWith('undo.md'))).toEqual([]);
  writeChanges(changes, storesOf(where));
  expect(findInstalled(AGENTS.claude, 'project', where)?.state).toBe('hooked');
  expect(renewalOf(AGENTS.claude, 'project', where)).toBeNull();
  writeChanges(planUninstall(AGENTS.claude, 'project', where), storesOf(where));
  expect(readlinkSync(link)).toBe(target);
  expect(readdirSync(path.join(where.project, '..', 'elsewhere'))).toEqual([]);
});

test.each(['/dev/zero', 'nowhere'])('settings that are a link to %s are refused', (target) => {
  const where = around();
  const file = settingsPath(AGENTS.claude, 'project', where);
  mkdirSync(path.dirname(file), { recursive: true });
  symlinkSync(target, file);
  expect(() => planInstall(AGENTS.claude, 'project', where)).toThrow('cannot be used: it is');
  expect(findInstalled(AGENTS.claude, 'project', where)?.state).toBe('unreadable');
  expect(readlinkSync(file)).toBe(target);
});

test('commands that the user changed or wrote are left alone', () => {
  const where = around();
  const at = (name: string): string => path.join(where.project, '.claude/commands/savepoint', name);
  mkdirSync(path.dirname(at('redo.md')), { recursive: true });
  writeFileSync(at('redo.md'), 'of the user');
  install('claude', 'project', where);
  expect(readdirSync(path.dirname(at('redo.md'))).sort()).toEqual(['checkpoint.md', 'redo.md', 'rewind.md', 'undo.md']);
  writeFileSync(at('undo.md'), `${readFileSync(at('undo.md'), 'utf8')}more`);
  expect(install('claude', 'project', where)).toBe(0);
  rmSync(at('rewind.md'));
  expect(renewalOf(AGENTS.claude, 'project', where)).toBe('add its commands');
  uninstall('claude', 'project', where);
  expect(readdirSync(path.dirname(at('redo.md'))).sort()).toEqual(['redo.md', 'undo.md']);
  expect(readFileSync(at('redo.md'), 'utf8')).toBe('of the user');
});

test('a linked file stays a link', () => {
  const where = around();
  const file = settingsPath(AGENTS.gemini, 'user', where);
  const real = path.join(where.project, 'dotfiles.json');
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(real, '{}\n');
  symlinkSync(real, file);
  install('gemini', 'user', where);
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(readFileSync(real, 'utf8')).toContain('hook gemini');
});

test('the command line works in every shell', () => {
  const { program } = around();
  const command = hookCommand('claude', 'user', { ...program, script: "/it's/savepoint.js" });
  expect(command.shell).toBe(`'/opt/my node/bin/node' '/it'\\''s/savepoint.js' hook claude`);
  expect(command.powershell).toBe(`& '/opt/my node/bin/node' '/it''s/savepoint.js' hook claude`);
  expect(hookCommand('claude', 'user', { ...program, windows: true }).shell).toContain('"/opt/my node/bin/node"');
  expect(isHookCommand(command.shell, 'claude')).toBe(true);
  expect(isHookCommand(command.shell, 'codex')).toBe(false);
  expect(isHookCommand('savepoint hook claude', 'claude')).toBe(true);
  expect(isHookCommand('my-savepointish hook claude', 'claude')).toBe(false);
});

test('if one file cannot be written, those before it get their bytes and permissions back', () => {
  const where = around();
  const at = (name: string): string => path.join(where.project, name);
  writeFileSync(at('one.json'), '{"a":1}', { mode: 0o640 });
  writeFileSync(at('one.json.before-savepoint'), 'older', { mode: 0o600 });
  writeFileSync(at('gone.json'), 'gone', { mode: 0o604 });
  writeFileSync(at('in the way'), '');
  const change = { mode: 0o600, backup: null, before: null };
  const write = (): void =>
    writeChanges(
      [
        { ...change, path: at('one.json'), before: '{"a":1}', after: '{"b":2}', backup: '{"a":1}' },
        { ...change, path: at('folder/below/two.json'), after: '{}' },
        { ...change, path: at('gone.json'), before: 'gone', after: null },
        { ...change, path: at('in the way/three.json'), after: '{}' },
      ],
      storesOf(where),
    );
  expect(write).toThrow(/in the way\/three\.json cannot be written \(\w+\)\. Nothing was changed/);
  const modeOf = (name: string): number => statSync(at(name)).mode & 0o777;
  expect([readFileSync(at('one.json'), 'utf8'), modeOf('one.json')]).toEqual(['{"a":1}', 0o640]);
  expect(readFileSync(at('one.json.before-savepoint'), 'utf8')).toBe('older');
  expect([readFileSync(at('gone.json'), 'utf8'), modeOf('gone.json')]).toEqual(['gone', 0o604]);
  expect(readdirSync(where.project).sort()).toEqual([
    'gone.json',
    'in the way',
    'one.json',
    'one.json.before-savepoint',
  ]);
});

test('the next installation removes temporary files of killed ones, and none of a living process', () => {
  const where = around();
  const file = settingsPath(AGENTS.gemini, 'project', where);
  mkdirSync(path.dirname(file), { recursive: true });
  // Dies when it has written the temporary file, and before it gives that the name of the settings.
  const script = `
    import fs from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    fs.renameSync = () => process.kill(process.pid, 'SIGKILL');
    syncBuiltinESMExports();
    const { replaceFile } = await import(${JSON.stringify(String(new URL('../dist/settings/replace-file.js', import.meta.url)))});
    replaceFile(${JSON.stringify(file)}, Buffer.from('{}'), 0o600);`;
  const killed = spawnSync(process.execPath, ['--input-type=module', '-e', script]);
  expect(killed.signal).toBe('SIGKILL');
  const name = path.basename(file);
  expect(readdirSync(path.dirname(file))).toEqual([`${name}.${killed.pid}.new`]);
  writeFileSync(`${file}.${process.pid}.new`, 'of an earlier process with this number');
  writeFileSync(`${file}.${process.ppid}.new`, 'of a living process');
  writeFileSync(`${file}.mine.new`, 'of the user');
  install('gemini', 'project', where);
  expect(readdirSync(path.dirname(file)).sort()).toEqual(
    ['commands', name, `${name}.${process.ppid}.new`, `${name}.mine.new`].sort(),
  );
});
