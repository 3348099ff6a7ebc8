import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

/** What an agent works with, and what it reads if somebody else changes it: through the hooks, as processes. */

let ids = 0;

interface Told {
  readonly hookSpecificOutput?: { readonly additionalContext?: string };
}

/** What the model gets; empty if the hook says nothing. */
function hook(p: Project, event: object, agent = 'claude', session = 's'): string {
  const input = JSON.stringify({ session_id: session, cwd: p.dir, ...event });
  const { stdout, stderr, status } = p.run(['hook', agent], { input, env: { SAVEPOINT_DAEMON: 'off' } });
  expect([stderr, status]).toEqual(['', 0]);
  return stdout === '' ? '' : ((JSON.parse(stdout) as Told).hookSpecificOutput?.additionalContext ?? '');
}

function prompt(p: Project, text: string, session = 's'): string {
  return hook(p, { hook_event_name: 'UserPromptSubmit', prompt: text, prompt_id: `p${++ids}` }, 'claude', session);
}

/** One call of the file tool. Returns what the model reads before it and after it. */
function write(p: Project, name: string, content: string, session = 's'): readonly [string, string] {
  const call = { tool_name: 'Write', tool_input: { file_path: p.at(name), content }, tool_use_id: `t${++ids}` };
  const before = hook(p, { hook_event_name: 'PreToolUse', ...call }, 'claude', session);
  p.write(name, content);
  const after = hook(p, { hook_event_name: 'PostToolUse', ...call, tool_response: {} }, 'claude', session);
  return [before, after];
}

function started(): Project {
  const p = project();
  p.write('src/a.ts', 'one\n');
  p.write('b.ts', 'b\n');
  hook(p, { hook_event_name: 'SessionStart', source: 'startup' });
  return p;
}

interface ScopeJson {
  readonly session: string | null;
  readonly paths: readonly { readonly path: string; readonly by: string }[];
  readonly changed: readonly { readonly path: string; readonly authors: readonly unknown[] }[];
  readonly unrecorded: readonly string[];
}

function scopes(p: Project): readonly ScopeJson[] {
  return JSON.parse(p.ok('scope', 'list', '--json').stdout).scopes;
}

const inScope = (p: Project) => scopes(p).map(({ session, paths }) => [session, paths.map(({ path }) => path)]);

describe('@path in a prompt', () => {
  it('puts files and folders into the scope of the session; what is not there, or outside, is ignored', () => {
    const p = started();
    writeFileSync(join(p.base, 'outside.txt'), 'x');
    symlinkSync(join(p.base, 'outside.txt'), p.at('out'));
    symlinkSync('src/a.ts', p.at('link.ts'));
    mkdirSync(p.at('docs'));
    prompt(p, 'look at @src/a.ts, @docs and @nothing.ts; not @../outside.txt, @out, @/etc/passwd, @., or a@b.ts');
    expect(inScope(p)).toEqual([['s', ['src/a.ts', 'docs']]]);
    prompt(p, 'again @src/a.ts, by its link @link.ts, and @b.ts:3');
    expect(inScope(p)).toEqual([['s', ['src/a.ts', 'docs', 'b.ts']]]);
    expect(scopes(p)[0]?.paths[0]?.by).toBe('mention');
  });

  it('may name a file with any name, and text from it cannot control a terminal', () => {
    const p = started();
    const name = 'a\u001b[31m b.ts';
    p.write(name, 'x\n');
    prompt(p, `read @"${name}"`);
    expect(inScope(p)).toEqual([['s', [name]]]);
    p.write(name, 'y\n');
    const [before] = write(p, 'b.ts', 'mine\n');
    expect(before).toContain('a\\033[31m b.ts');
    for (const shown of [p.ok('scope', 'list').stdout, p.ok('status').stdout, before]) {
      expect(shown).not.toContain('\u001b');
    }
  });
});

describe('a file in scope that changes from elsewhere', () => {
  it('is named before the next edit, once, with who changed it; and at the next prompt', () => {
    const p = started();
    prompt(p, 'work on @src/a.ts');
    expect(write(p, 'src/a.ts', 'two\n')).toEqual(['', '']);
    p.write('src/a.ts', 'two of a person\n');
    p.write('b.ts', 'not in scope\n');
    const [before, after] = write(p, 'c.ts', 'mine\n');
    expect(before).toMatch(
      /^Savepoint: files that you work with .*\n- write src\/a\.ts, by the user or another program \(cp_\d+\)\nRead them again/,
    );
    expect(before).not.toContain('b.ts');
    expect(after).toBe('');
    expect(write(p, 'c.ts', 'more\n')).toEqual(['', '']);
    p.write('src/a.ts', 'three of a person\n');
    expect(prompt(p, 'go on')).toContain('- write src/a.ts, by the user or another program');
  });

  it('is not named if it is as it was', () => {
    const p = started();
    prompt(p, 'work on @src/a.ts');
    p.write('src/a.ts', 'other\n');
    p.ok('checkpoint');
    p.write('src/a.ts', 'one\n');
    expect(write(p, 'c.ts', 'mine\n')).toEqual(['', '']);
  });

  it('names another agent, and a deletion below a folder', () => {
    const p = started();
    p.write('docs/x.md', 'x\n');
    prompt(p, 'use @src/a.ts and @docs');
    write(p, 'src/a.ts', 'of the other one\n', 'other');
    p.delete('docs/x.md');
    const [before] = write(p, 'c.ts', 'mine\n');
    expect(before).toContain('- write src/a.ts, by claude in session other');
    expect(before).toContain('- delete docs/x.md, by the user or another program');
    // The other session knows nothing of this scope.
    expect(write(p, 'd.ts', 'd\n', 'other')).toEqual(['', '']);
  });

  it('is shown by status and scope list, with who changed it, until the agent knows', () => {
    const p = started();
    prompt(p, 'work on @src/a.ts');
    p.write('src/a.ts', 'two\n');
    expect(p.ok('status').stdout).toContain(
      'In scope of claude s:\n  changed  src/a.ts  since the last checkpoint, not recorded yet\n',
    );
    expect(scopes(p)).toMatchObject([{ unrecorded: ['src/a.ts'], changed: [] }]);
    p.ok('checkpoint');
    expect(p.ok('status').stdout).toMatch(/In scope of claude s:\n {2}changed {2}src\/a\.ts {2}outside, cp_\d+/);
    expect(scopes(p)).toMatchObject([
      { unrecorded: [], changed: [{ path: 'src/a.ts', authors: [{ actor: { kind: 'outside' } }] }] },
    ]);
    write(p, 'c.ts', 'mine\n');
    expect(p.ok('status').stdout).not.toContain('In scope');
  });

  it('is named to an agent at the events at which its protocol accepts text', () => {
    const p = started();
    const say = (event: object) => hook(p, event, 'codex', 'x');
    say({ hook_event_name: 'UserPromptSubmit', prompt: 'work on @src/a.ts', turn_id: 'u1' });
    p.write('src/a.ts', 'two\n');
    const call = { tool_name: 'Bash', tool_input: { command: 'true' }, tool_use_id: `t${++ids}` };
    expect(say({ hook_event_name: 'PreToolUse', ...call })).toBe('');
    expect(say({ hook_event_name: 'PostToolUse', ...call, tool_response: '' })).toContain('- write src/a.ts');
  });
});

describe('savepoint scope', () => {
  it('of a person is that of the workspace, and counts for every session', () => {
    const p = started();
    expect(p.ok('scope', 'add', 'src', 'new.ts').stdout).toMatch(
      /^Scope of the workspace:\n {2}src {2}added by you, .*\n {2}new\.ts {2}added by you/,
    );
    p.write('src/a.ts', 'two\n');
    expect(prompt(p, 'go on')).toContain('- write src/a.ts, by the user or another program');
    // A session that begins later knows the files as they are.
    hook(p, { hook_event_name: 'SessionStart', source: 'startup' }, 'claude', 'later');
    expect(prompt(p, 'go', 'later')).toBe('');
    p.write('src/a.ts', 'two and a half\n');
    expect(prompt(p, 'go on', 'later')).toContain('- write src/a.ts');
    expect(prompt(p, 'go on')).toContain('- write src/a.ts');
    expect(p.ok('scope', 'drop', 'src').stdout).not.toContain('src');
    p.write('src/a.ts', 'three\n');
    expect(write(p, 'c.ts', 'mine\n')).toEqual(['', '']);
    expect(p.ok('scope', 'drop', '--all').stdout).toBe('Nothing is in scope.\n');
  });

  it('in the shell of an agent is that of its session', () => {
    const p = started();
    p.ok('scope', 'add', 'b.ts');
    const call = { tool_name: 'Bash', tool_input: { command: 'savepoint scope add src' }, tool_use_id: `t${++ids}` };
    const inShell = { SAVEPOINT_HOOK_PARENT: String(process.pid), SAVEPOINT_DAEMON: 'off' };
    const event = { session_id: 's', cwd: p.dir, hook_event_name: 'PreToolUse', ...call };
    p.run(['hook', 'claude'], { input: JSON.stringify(event), env: inShell });
    expect(p.run(['scope', 'add', 'src'], { env: { CLAUDECODE: '1' } }).stdout).toContain('Scope of claude s:');
    hook(p, { hook_event_name: 'PostToolUse', ...call, tool_response: {} });
    expect(inScope(p)).toEqual([
      [null, ['b.ts']],
      ['s', ['src']],
    ]);
    expect(p.ok('scope', 'drop', '--session', 's', '--all').stdout).toBe('Nothing is in scope.\n');
    expect(inScope(p)).toEqual([[null, ['b.ts']]]);
  });

  it('refuses what is outside, too many paths, and a call without any', () => {
    const p = started();
    symlinkSync('/etc', p.at('etc'));
    for (const path of ['../x', 'etc/passwd']) {
      expect(p.run(['scope', 'add', path]).stderr).toMatch(/outside the workspace|link out of the workspace/);
    }
    const many = Array.from({ length: 1_001 }, (_, i) => `f${i}`);
    expect(p.run(['scope', 'add', ...many])).toMatchObject({ status: 2 });
    expect(p.run(['scope', 'drop'])).toMatchObject({ status: 2 });
    expect(p.run(['scope', 'add'])).toMatchObject({ status: 2 });
    expect(scopes(p)).toEqual([]);
  });

  it('goes with its session', () => {
    const p = started();
    prompt(p, 'work on @src/a.ts');
    prompt(p, 'work on @b.ts', 'other');
    expect(inScope(p)).toHaveLength(2);
    p.ok('sessions', 'delete', 'other', '--yes');
    expect(inScope(p)).toEqual([['s', ['src/a.ts']]]);
    hook(p, { hook_event_name: 'SessionEnd', reason: 'other' });
    p.ok('checkpoint');
    p.ok('gc', '--max-checkpoints', '1', '--keep-at-least', '1', '--yes');
    expect(scopes(p)).toEqual([]);
  });

  it('that is damaged is named, disturbs no agent and no other scope, and can be dropped', () => {
    const p = started();
    prompt(p, 'work on @src/a.ts');
    p.ok('scope', 'add', 'b.ts');
    const { store } = JSON.parse(p.ok('status', '--json').stdout).workspace;
    expect(readdirSync(join(store, 'scopes'))).toHaveLength(2);
    writeFileSync(join(store, 'scopes', 'workspace.json'), '{"format":1,"paths":"x"}');
    p.write('src/a.ts', 'two\n');
    expect(write(p, 'c.ts', 'mine\n')[0]).toContain('src/a.ts');
    expect(inScope(p)).toEqual([['s', ['src/a.ts']]]);
    expect(p.ok('status').stdout).toContain('A scope cannot be read');
    expect(p.run(['scope', 'add', 'b.ts']).stderr).toContain('savepoint scope drop --all');
    p.ok('scope', 'drop', '--all');
    expect(p.ok('status').stdout).not.toContain('cannot be read');
  });
});
