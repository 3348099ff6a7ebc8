import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENTS } from '@savepoint/agents';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

/** Hooks that `install` wrote stay through every command, and `status` tells how they are. */

interface HookedAgentJson {
  readonly agent: string;
  readonly installed: readonly {
    readonly state: string;
    readonly problems: string[];
    readonly renewal: string | null;
  }[];
  readonly lastEventHere: { readonly event: string } | null;
  readonly missed: boolean;
}

/** A PATH without this program, so that `install` writes full paths. */
const ELSEWHERE = { env: { PATH: [path.dirname(process.execPath), '/usr/bin', '/bin'].join(path.delimiter) } };

function agentIn(p: Project, name: string, options = {}): HookedAgentJson | undefined {
  const { agents } = JSON.parse(p.run(['status', '--json'], options).stdout) as { agents: HookedAgentJson[] };
  return agents.find(({ agent }) => agent === name);
}

const GOOD = { installed: [{ state: 'hooked', problems: [], renewal: null }], missed: false };

it.each(Object.keys(AGENTS))('%s: hooks installed after a checkpoint stay, and are recorded as the user’s', (name) => {
  const p = project();
  p.write('a.txt', '1\n');
  p.run(['checkpoint']);
  expect(p.run(['install', name]).status).toBe(0);
  p.write('a.txt', '2\n');
  const { changes } = JSON.parse(p.run(['history', '--json']).stdout) as {
    changes: { authors: { actor: { kind: string; name: string } }[] }[];
  };
  expect(changes.length).toBeGreaterThan(0);
  for (const { authors } of changes) {
    expect(authors).toMatchObject([{ actor: { kind: 'user', name: 'savepoint install' } }]);
  }
  const preview = p.run(['restore', 'cp_1', '--dry-run']).stdout;
  expect(preview).toContain("keeps Savepoint's hooks.");
  for (const command of [['restore', 'cp_1', '--exact', '--yes'], ['undo'], ['redo'], ['undo']]) {
    expect(p.run(command)).toMatchObject({ status: 0 });
    expect(agentIn(p, name)).toMatchObject(GOOD);
  }
  expect(p.read('a.txt')).toBe('2\n');
  expect(p.run(['uninstall', name]).status).toBe(0);
  p.run(['restore', 'cp_2', '--exact', '--yes']);
  expect(agentIn(p, name)).toBeUndefined();
});

it('install creates no store', () => {
  const p = project();
  expect(p.run(['install', 'claude']).status).toBe(0);
  expect(fs.existsSync(path.join(p.environment({})['SAVEPOINT_HOME'] as string, 'stores'))).toBe(false);
});

describe('status', () => {
  const event = (p: Project): string =>
    JSON.stringify({ session_id: 's', cwd: p.dir, hook_event_name: 'UserPromptSubmit', prompt: 'Go.' });

  it('says when the last event came from here, and that the hooks are gone', () => {
    const p = project();
    p.run(['install', 'claude']);
    expect(p.run(['status']).stdout).toContain('hooks have not fired yet\n');
    const other = path.join(p.base, 'other');
    fs.mkdirSync(other);
    p.run(['hook', 'claude'], { input: event(p).replace(JSON.stringify(p.dir), JSON.stringify(other)) });
    expect(p.run(['status']).stdout).toMatch(
      /hooks have not fired yet here; elsewhere, they last fired .*UserPromptSubmit/,
    );
    p.run(['hook', 'claude'], { input: event(p) });
    expect(agentIn(p, 'claude')?.lastEventHere).toMatchObject({ event: 'UserPromptSubmit' });
    fs.rmSync(p.at('.claude'), { recursive: true });
    expect(p.run(['status']).stdout).toMatch(/claude: no hooks here any more.*Run `savepoint install claude`\.\n/);
    expect(agentIn(p, 'claude')).toMatchObject({ installed: [], missed: true });
    p.run(['install', 'claude']);
    p.run(['uninstall', 'claude']);
    expect(agentIn(p, 'claude')).toBeUndefined();
  });

  it('does not miss the hooks that `run` brought for one run', () => {
    const p = project();
    p.write('event.json', event(p));
    const main = fileURLToPath(new URL('../../packages/cli/bundle/savepoint.js', import.meta.url));
    p.write('claude', `#!/bin/sh\nexec '${process.execPath}' '${main}' hook claude <event.json`, 0o755);
    expect(p.run(['run', '--', './claude'])).toMatchObject({ status: 0 });
    expect(p.ok('turns').stdout).toContain('Go.');
    expect(agentIn(p, 'claude')).toBeUndefined();
    expect(p.ok('status').stdout).not.toContain('no hooks here');
  });

  it('finds the hooks of the workspace from a subfolder', () => {
    const p = project();
    p.run(['checkpoint']);
    p.run(['install', 'claude']);
    fs.mkdirSync(p.at('sub'));
    expect(p.run(['-C', p.at('sub'), 'status']).stdout).toContain('claude: hooks installed (project, ');
  });

  it.each([
    ['claude', '.claude/settings.local.json'],
    ['copilot', '.github/hooks/savepoint.json'],
    ['cline', '.clinerules/hooks/PreToolUse'],
    ['opencode', '.opencode/plugin/savepoint.js'],
  ])('%s: names programs that do not exist any more', (name, file) => {
    const p = project();
    p.run(['install', name], ELSEWHERE);
    const text = p.read(file);
    p.write(file, text.replaceAll(/[^" ']*savepoint\.js(?=['" ]+(?:, ?")?hook)/g, '/gone/savepoint.js'));
    expect(p.read(file)).not.toBe(text);
    expect(agentIn(p, name, ELSEWHERE)?.installed[0]?.problems).toEqual([
      '/gone/savepoint.js, which they run, does not exist',
    ]);
    expect(p.run(['status'], ELSEWHERE).stdout).toContain(
      `they do not work: /gone/savepoint.js, which they run, does not exist. Run \`savepoint install ${name}\`.\n`,
    );
    p.run(['install', name], ELSEWHERE);
    expect(agentIn(p, name, ELSEWHERE)).toMatchObject(GOOD);
  });

  it('names a program that is not executable', () => {
    const p = project();
    fs.writeFileSync(`${p.base}/not-executable`, '', { mode: 0o600 });
    const command = `${p.base}/not-executable ${process.execPath} ${p.base}/savepoint.js hook claude`;
    fs.writeFileSync(`${p.base}/savepoint.js`, '');
    fs.mkdirSync(p.at('.claude'));
    p.write('.claude/settings.local.json', JSON.stringify({ hooks: { Stop: [{ hooks: [{ command }] }] } }));
    expect(agentIn(p, 'claude')?.installed[0]?.problems).toEqual([
      `${p.base}/not-executable, which they run, is not executable`,
    ]);
  });

  it('says what renewing hooks of an older version brings', () => {
    const p = project();
    p.run(['install', 'claude'], ELSEWHERE);
    const settings = JSON.parse(p.read('.claude/settings.local.json'));
    delete settings.hooks.SubagentStop;
    p.write('.claude/settings.local.json', JSON.stringify(settings));
    expect(p.run(['status'], ELSEWHERE).stdout).toContain(
      'they work; `savepoint install claude` would add SubagentStop\n',
    );
    for (const groups of Object.values(settings.hooks) as { hooks: { command: string }[] }[][]) {
      for (const { hooks } of groups)
        for (const hook of hooks) hook.command = hook.command.replace(/^\S+savepoint-hook /, '');
    }
    p.write('.claude/settings.local.json', JSON.stringify(settings));
    expect(p.run(['status'], ELSEWHERE).stdout).toMatch(
      /`savepoint install claude` would add SubagentStop, and run .*savepoint-hook/,
    );
  });
});
