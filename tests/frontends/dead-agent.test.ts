/** An agent that is killed during a shell call: what a person does afterwards is not the agent's. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it, onTestFinished } from 'vitest';

const MAIN = fileURLToPath(new URL('../../packages/cli/bundle/savepoint.js', import.meta.url));
const AGENT = fileURLToPath(new URL('./dead-agent.mjs', import.meta.url));

/** No other test has this session: processes are recognised by it. */
const sessionOf = (p: Project): string => `s${p.base.slice(-6)}`;

async function agentIn(p: Project) {
  const child = spawn(process.execPath, [AGENT, process.execPath, MAIN, 'hook', 'claude'], {
    env: { ...p.environment(), SAVEPOINT_DAEMON: 'off' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const answers = createInterface({ input: child.stdout });
  const common = { session_id: sessionOf(p), cwd: p.dir };
  const event = async (hook_event_name: string, more: object = {}): Promise<void> => {
    const answer = once(answers, 'line');
    child.stdin.write(`${JSON.stringify({ ...common, hook_event_name, ...more })}\n`);
    expect((await answer)[0]).toBe('0');
  };
  await event('SessionStart', { source: 'startup' });
  await event('UserPromptSubmit', { prompt: 'Go.' });
  const shell = { tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_use_id: 't-1' };
  await event('PreToolUse', shell);
  return { child, event, shell };
}

const changes = (p: Project): readonly string[] =>
  JSON.parse(p.ok('history', '--json').stdout).changes.map(
    ({ path, authors, grade }: { path: string; authors: { actor: { name: string } }[]; grade: string }) =>
      `${path} by ${authors.map(({ actor }) => actor.name).join(' or ')} (${grade})`,
  );

describe('an agent that died during a shell call', () => {
  for (const signal of ['SIGKILL', 'SIGHUP', 'SIGTERM', 'SIGINT'] as const) {
    it.runIf(process.platform === 'linux')(`by ${signal} is not the author of later changes`, async () => {
      const p = project();
      p.write('a.txt', 'a\n');
      const { child } = await agentIn(p);
      p.write('a.txt', 'by the command\n');
      p.checkpoint();
      p.write('b.txt', 'while it ran, or after it died\n');
      child.kill(signal);
      await once(child, 'exit');
      p.checkpoint();
      p.write('c.txt', 'mine\n');
      p.checkpoint();
      expect(changes(p)).toEqual([
        'c.txt by outside (sure)',
        'b.txt by claude or outside (open)',
        'a.txt by claude (likely)',
      ]);
      // The call no longer blocks a rollback, and the person's file stays.
      expect(p.run(['rollback', '--agent', 'claude', '--yes', '--likely']).status).toBe(5);
      expect([p.read('a.txt'), p.has('b.txt'), p.has('c.txt')]).toEqual(['a\n', true, true]);
    });
  }

  it('is told from one that lives: its call stays open', async () => {
    const p = project();
    const { event, shell } = await agentIn(p);
    p.write('a.txt', 'by the command\n');
    p.checkpoint();
    p.write('b.txt', 'by the command, too\n');
    await event('PostToolUse', { ...shell, tool_response: { stdout: '' } });
    expect(changes(p)).toEqual(['b.txt by claude (likely)', 'a.txt by claude (likely)']);
  });
});
