import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

/** What a turn broke, as agents with hooks read it with the next prompt. */

type Fields = Readonly<Record<string, unknown>>;

/** Sends an event of a session, and returns what the model reads. */
function say(p: Project, agent: string, event: Fields): string {
  const input = JSON.stringify({ session_id: 's', turn_id: 't', cwd: p.dir, ...event });
  const { status, stdout, stderr } = p.run(['hook', agent], { input });
  expect([status, stderr]).toEqual([0, '']);
  return stdout === '' ? '' : (JSON.parse(stdout).hookSpecificOutput?.additionalContext ?? '');
}

const prompt = (p: Project, agent: string, text: string): string =>
  say(p, agent, { hook_event_name: 'UserPromptSubmit', prompt: text });

function runShell(p: Project, agent: string, id: string, work: () => void): void {
  const call = { tool_name: 'Bash', tool_input: { command: 'x' }, tool_use_id: id };
  say(p, agent, { hook_event_name: 'PreToolUse', ...call });
  work();
  say(p, agent, { hook_event_name: 'PostToolUse', ...call, tool_response: {} });
}

/** A name that 20 files import. */
function priced(): Project {
  const p = project();
  p.write('src/price.ts', 'export const price = 1;\n');
  for (let nth = 1; nth <= 20; nth++) p.write(`src/use${nth}.ts`, "import { price } from './price';\n\nprice;\n");
  return p;
}

const BROKEN = 'export const cost = 1;\n';

it.each(['claude', 'codex'])(
  '%s reads with its next prompt what its last turn broke, once, and how to see the rest',
  (agent) => {
    const p = priced();
    mkdirSync(p.store, { recursive: true, mode: 0o700 });
    writeFileSync(join(p.store, 'config.json'), JSON.stringify({ hooks: { findings_after_turn: true } }));
    expect(prompt(p, agent, 'Rename price')).toBe('');
    runShell(p, agent, 'call-1', () => p.write('src/price.ts', BROKEN));
    const told = prompt(p, agent, 'Go on');
    expect(told).toContain('Savepoint: since your last turn began, changes broke other code:\n- src/use');
    expect(told).toMatch(/\.ts:1: src\/price\.ts no longer exports 'price'/);
    expect(told).toMatch(/\n- and \d+ more\n`savepoint findings cp_\d+` lists all of it\./);
    expect(told.length).toBeLessThan(1_700);
    const listed = JSON.parse(p.ok('findings', /cp_\d+/.exec(told)?.[0] ?? '', '--json').stdout);
    expect(listed.findings).toHaveLength(20);
    expect(prompt(p, agent, 'Go on')).toBe('');
  },
);

it('is off unless the user turns it on', () => {
  const p = priced();
  prompt(p, 'claude', 'Rename price');
  runShell(p, 'claude', 'call-1', () => p.write('src/price.ts', BROKEN));
  expect(prompt(p, 'claude', 'Go on')).toBe('');
});
