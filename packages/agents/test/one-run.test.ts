import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENTS, type AgentName, hooksForRun, type InstallEnvironment, keptOptions } from '@savepoint/agents';
import { describe, expect, it, onTestFinished } from 'vitest';

function startOf(name: AgentName, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const base = mkdtempSync(join(tmpdir(), 'savepoint-test-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const around: InstallEnvironment = {
    project: base,
    env: { HOME: base },
    program: { node: '/bin/node', script: '/opt/savepoint.js', hookScript: null, path: '', windows: false },
  };
  return hooksForRun(AGENTS[name], { args, env }, around, join(base, 'store'));
}

it('adds hooks to the settings on the command line of Claude Code', () => {
  const found = startOf('claude', ['--model', 'm', '--settings={"env":{"A":"b"}}', '--', '--settings', 'x']);
  if (found.kind !== 'added') throw new Error(found.kind);
  const [option, settings = '', ...rest] = found.start.args;
  expect([option, rest]).toEqual(['--settings', ['--model', 'm', '--', '--settings', 'x']]);
  expect(JSON.parse(settings)).toMatchObject({
    env: { A: 'b' },
    hooks: { PreToolUse: [{ hooks: [{ command: '/bin/node /opt/savepoint.js hook claude' }] }] },
  });
  expect(startOf('claude', ['--settings', '{'])).toMatchObject({ kind: 'none' });
});

describe('leaves the settings of Claude Code as the user gives them, and says why', () => {
  const reasonOf = (...args: readonly string[]) => {
    const found = startOf('claude', args);
    return found.kind === 'none' ? found.reason : found.kind;
  };
  const folder = () => {
    const made = mkdtempSync(join(tmpdir(), 'savepoint-test-'));
    onTestFinished(() => rmSync(made, { recursive: true, force: true }));
    return made;
  };

  it('if the file does not exist, or is not a plain one', () => {
    const base = folder();
    expect(reasonOf('--settings', join(base, 'missing.json'), '-p', 'x')).toMatch(/missing\.json" does not exist$/);
    expect(reasonOf('--settings', join(base, 'none/missing.json'))).toMatch(/does not exist$/);
    expect(reasonOf('--settings=')).toMatch(/does not exist$/);
    expect(reasonOf('--settings', '--', 'x')).toMatch(/does not exist$/);
    expect(reasonOf('--settings', base)).toMatch(/is not a plain file$/);
    const pipe = join(base, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(reasonOf('--settings', pipe)).toMatch(/is not a plain file$/);
    const long = join(base, 'long.json');
    writeFileSync(long, '');
    truncateSync(long, 5 * 1024 * 1024);
    expect(reasonOf('--settings', long)).toMatch(/is longer than/);
    writeFileSync(long, '{"env":{"A":"b"}}');
    expect(reasonOf('--settings', long)).toBe('added');
  });

  it('if the option has no value', () => {
    expect(reasonOf('-p', '--settings')).toBe('the option --settings has no value');
  });

  it('if they are no option: after --, and as the value of another one', () => {
    for (const args of [
      ['-p', '--', '--settings', 'missing.json'],
      ['-p', '--append-system-prompt', '--settings', 'missing.json'],
    ]) {
      const found = startOf('claude', args);
      if (found.kind !== 'added') throw new Error(found.kind);
      expect(found.start.args.slice(2)).toEqual(args);
    }
  });
});

it('leaves hooks in the options of Codex as the user gives them', () => {
  const own = { kind: 'none', reason: 'the command line has hooks of its own' };
  for (const args of [
    ['-c', 'hooks.Stop=[]'],
    ['-chooks={}'],
    ['--config=hooks . Stop=[]'],
    ['-c', '"hooks".state={}'],
  ])
    expect(startOf('codex', args)).toEqual(own);
  for (const args of [
    ['-c', 'model="hooks"'],
    ['--', '-c', 'hooks={}'],
    ['-m', '-c', 'hooks={}'],
  ])
    expect(startOf('codex', args).kind).toBe('added');
});

it('leaves settings of opencode that cannot be extended as the user gives them', () => {
  for (const text of ['{', '[]', '{"plugin":"mine"}'])
    expect(startOf('opencode', [], { OPENCODE_CONFIG_CONTENT: text }).kind).toBe('none');
});

it('adds hooks to the options of Codex, and says that these are trusted', () => {
  const found = startOf('codex', ['do it']);
  if (found.kind !== 'added') throw new Error(found.kind);
  const { args } = found.start;
  expect(args.at(-1)).toBe('do it');
  expect(args.filter((arg) => arg === '-c').length).toBe((args.length - 1) / 2);
  const { Stop } = { Stop: args.find((arg) => arg.startsWith('hooks.Stop=')) };
  expect(Stop).toBe(
    'hooks.Stop=[{hooks=[{type="command",command="/bin/node /opt/savepoint.js hook codex",timeout=600}]}]',
  );
  const state = args.find((arg) => arg.startsWith('hooks.state='));
  // sha256sum of {"event_name":"stop","hooks":[{"async":false,"command":"…","timeout":600,"type":"command"}]}
  expect(state).toContain(
    '"/<session-flags>/config.toml:stop:0:0"={trusted_hash="sha256:b511bd114e74c3f64773bb037affd3fa3c45b642c4f00308a11fc479e622e68b"}',
  );
  expect(state).toContain('subagent_stop:0:0');
});

it('adds a plugin to the settings of opencode in its environment', () => {
  const given = { OPENCODE_CONFIG_CONTENT: '{"plugin":["mine"],"model":"m"}' };
  const found = startOf('opencode', ['-c'], given);
  if (found.kind !== 'added') throw new Error(found.kind);
  expect(found.start.args).toEqual(['-c']);
  const config = JSON.parse(found.start.env['OPENCODE_CONFIG_CONTENT'] ?? '') as { readonly plugin: readonly string[] };
  expect(config).toMatchObject({ model: 'm', plugin: ['mine', expect.stringMatching(/^file:\/\/.*store\/agents\//)] });
  expect(readFileSync(fileURLToPath(config.plugin[1] ?? ''), 'utf8')).toContain('savepoint.js');
});

it('says why there are none', () => {
  expect(startOf('gemini', [])).toEqual({ kind: 'none', reason: 'Gemini CLI accepts no hooks for a single run' });
});

it('keeps options of a start that hold for its continuation, and leaves out prompts and sessions', () => {
  const args = ['--model', 'm', '--resume', 's', '-p', '--add-dir=x', 'a prompt', '--verbose', '--', '--model', 'n'];
  expect(keptOptions('claude', args)).toEqual(['--model', 'm', '--add-dir=x', '--verbose']);
  expect(keptOptions('codex', ['resume', 'id', '-m', 'x', '-s', 'read-only', 'go'])).toEqual([
    '-m',
    'x',
    '-s',
    'read-only',
  ]);
});
