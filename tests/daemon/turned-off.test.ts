/** `SAVEPOINT=off` with a daemon: each hook is answered without another process, and as the command answers it. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { AGENTS } from '@savepoint/agents';
import { hookScript, main } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { claudeEvents } from '../../packages/agents/test/fixtures/claude.ts';
import {
  clineEvents,
  codexEvents,
  copilotEvents,
  cursorEvents,
  geminiEvents,
} from '../../packages/agents/test/fixtures/others.ts';
import { daemonProject } from './daemon-project.ts';

const OFF = { env: { SAVEPOINT: 'off' } };

/** For each agent, the argument of its hook and a call that is about to run. */
function callsIn(dir: string): Readonly<Record<string, readonly [event: string | null, call: object]>> {
  return {
    claude: [null, claudeEvents(dir).call('Bash', { command: 'x' }).pre],
    gemini: [null, geminiEvents(dir).before('run_shell_command', { command: 'x' })],
    codex: [null, codexEvents(dir).pre('Bash', 'x', 't-1')],
    copilot: ['preToolUse', copilotEvents(dir).pre('bash', { command: 'x' })],
    opencode: [
      null,
      { event: 'tool.execute.before', sessionID: 's', directory: dir, tool: 'bash', callID: 'c', args: {} },
    ],
    cline: [null, clineEvents(dir).pre('run_commands', { commands: ['x'] }, 't-1')],
    cursor: [null, cursorEvents(dir).pre('Shell', { command: 'x' }, 't-1')],
  };
}

it('the daemon answers the hooks of all agents, no program is started, and the calls are known', async () => {
  const p = daemonProject();
  p.write('a.txt', 'one\n');
  p.ok('checkpoint');
  await p.startDaemon();
  const started = p.at('../started');
  const program = p.at('../program');
  fs.writeFileSync(program, `#!/bin/sh\necho "$@" >> '${started}'\n`, { mode: 0o755 });
  const calls = callsIn(p.dir);
  expect(Object.keys(calls).sort()).toEqual(Object.keys(AGENTS).sort());
  for (const [agent, [event, call]] of Object.entries(calls)) {
    const args = event === null ? [] : [event];
    const { status, stdout, stderr } = spawnSync(hookScript, [program, main, 'hook', agent, ...args], {
      cwd: '/',
      env: p.environment(OFF),
      input: JSON.stringify(call),
      encoding: 'utf8',
    });
    expect({ status, signal: null, stdout, stderr }, agent).toEqual(p.tellPlainly(agent, call, { ...OFF, args }));
  }
  expect(fs.existsSync(started)).toBe(false);
  // What changes now may be by any of these calls.
  p.write('a.txt', 'two\n');
  p.ok('checkpoint');
  const [change] = JSON.parse(p.ok('history', '--json').stdout).changes;
  expect(change.grade).toBe('open');
  expect(new Set(change.authors.map((author: { actor: { name: string } }) => author.actor.name))).toEqual(
    new Set([...Object.keys(AGENTS), 'outside']),
  );
});
