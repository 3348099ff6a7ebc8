/** Commands of Savepoint that an agent with hooks runs in its own shell: they are steps of the agent. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it, onTestFinished } from 'vitest';

const MAIN = fileURLToPath(new URL('../../packages/cli/bundle/savepoint.js', import.meta.url));
const AGENT = fileURLToPath(new URL('./shell-agent.mjs', import.meta.url));

interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** An agent whose process runs hooks and shell commands. */
async function agentIn(p: Project, inside: readonly string[] = []) {
  const [file = '', ...args] = [...inside, process.execPath, AGENT, process.execPath, MAIN];
  const child = spawn(file, args, {
    cwd: p.dir,
    env: { ...p.environment(), SAVEPOINT_DAEMON: 'off' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const answers = createInterface({ input: child.stdout });
  const ask = async (request: object): Promise<Ran> => {
    const answer = once(answers, 'line');
    child.stdin.write(`${JSON.stringify(request)}\n`);
    return JSON.parse((await answer)[0]) as Ran;
  };
  const common = { session_id: 's-1', cwd: p.dir };
  const event = async (hook_event_name: string, more: object = {}): Promise<void> => {
    expect(await ask({ event: { ...common, hook_event_name, ...more } })).toMatchObject({ status: 0, stderr: '' });
  };
  await event('SessionStart', { source: 'startup' });
  await event('UserPromptSubmit', { prompt: 'Go.' });
  return {
    child,
    event,
    /** Runs a shell command as a hooked call of the agent. */
    async shell(command: string, id: string): Promise<Ran> {
      const call = { tool_name: 'Bash', tool_input: { command }, tool_use_id: id };
      await event('PreToolUse', call);
      const ran = await ask({ command });
      await event('PostToolUse', { ...call, tool_response: { stdout: '' } });
      return ran;
    },
  };
}

interface Listed {
  readonly trigger: string;
  readonly actor: { readonly name: string };
  readonly session: string | null;
  readonly toolCall: string | null;
}

const operations = (p: Project): readonly string[] =>
  (JSON.parse(p.ok('list', '--all', '--json').stdout) as { readonly checkpoints: readonly Listed[] }).checkpoints
    .filter(({ trigger }) => !['before', 'session', 'prompt', 'call'].includes(trigger))
    .map(({ trigger, actor, session, toolCall }) => `${trigger} by ${actor.name}/${session}/${toolCall}`)
    .reverse();

const changes = (p: Project): readonly string[] =>
  JSON.parse(p.ok('history', '--json').stdout).changes.map(
    ({ path, authors, grade }: { path: string; authors: { actor: { name: string } }[]; grade: string }) =>
      `${path} by ${[...new Set(authors.map(({ actor }) => actor.name))].join(' or ')} (${grade})`,
  );

const SP = `'${process.execPath}' '${MAIN}'`;

describe.runIf(process.platform === 'linux')('in the shell of an agent with hooks', () => {
  it('a server of Studio that it started refuses what only a person may do, also after the call', async () => {
    const p = project();
    p.write('a.txt', 'a\n');
    p.ok('install', 'claude');
    const { shell } = await agentIn(p);
    p.ok('pin', 'last');
    const out = `${p.base}/studio.json`;
    const start = `${SP} studio --no-open --json > '${out}' 2>&1 & while ! grep -q pid '${out}'; do sleep 0.1; done`;
    expect(await shell(start, 't-1')).toMatchObject({ status: 0 });
    const { address, open, startedBy, pid } = JSON.parse(readFileSync(out, 'utf8'));
    onTestFinished(() => void process.kill(pid, 'SIGKILL'));
    expect(startedBy).toBe('claude');
    const post = async (path: string, body: object, more: object = {}) => {
      const headers = { Origin: address.slice(0, -1), 'Content-Type': 'application/json', ...more };
      return (await fetch(`${address}api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
    };
    const { session } = await post('session', { token: open.split('#token=')[1] });
    const authorization = { Authorization: `Bearer ${session}` };
    const answer = await post('workspaces/here/verbs/unpin', { checkpoint: 'last' }, authorization);
    expect(answer).toMatchObject({ error: { code: 'NEEDS_CONFIRMATION' } });
    p.write('a.txt', 'b\n');
    expect(await post('workspaces/here/verbs/checkpoint', {}, authorization)).toMatchObject({ status: 0 });
    expect(operations(p).at(-1)).toBe('manual by claude/null/null');
  });

  it('operations belong to its call, and what only a person may do is refused', async () => {
    const p = project();
    p.write('a.txt', 'a\n');
    p.write('frozen.txt', 'a\n');
    p.ok('install', 'claude');
    const { shell } = await agentIn(p);
    p.ok('freeze', 'frozen.txt');
    p.ok('pin', 'last');
    const done = await shell(
      `echo b > a.txt; ${SP} checkpoint && ${SP} restore last~1 --yes && ${SP} undo --yes`,
      't-1',
    );
    expect(done).toMatchObject({ status: 0 });
    expect(operations(p)).toEqual(['manual by claude/s-1/t-1', 'restore by claude/s-1/t-1', 'undo by claude/s-1/t-1']);
    expect(changes(p).every((change) => !change.includes('user'))).toBe(true);

    const refused = [
      ['unfreeze frozen.txt', 'unfreeze'],
      ['unpin last', 'unpin'],
      ['workspaces delete . --yes', 'deleteWorkspace'],
      ['workspace link elsewhere', 'linkWorkspace'],
      ['recover --back', 'recover'],
      ['install claude', 'install'],
      ['uninstall claude', 'uninstall'],
      ['-C / uninstall claude --user', 'uninstall'],
      ['-C / workspaces delete "$PWD" --yes', 'deleteWorkspace'],
      ['gc', 'gc'],
      ['drop last~1 --yes', 'drop'],
      ['purge frozen.txt --yes', 'purge'],
      ['sessions delete s-1 --yes', 'deleteSession'],
      ['restore last~1 --yes --force', 'restore'],
      ['rollback --agent claude --likely --yes --force', 'rollback'],
    ] as const;
    const { stderr } = await shell(refused.map(([command]) => `${SP} ${command} --json`).join('; '), 't-2');
    const errors = stderr.trim().split('\n');
    expect(errors).toHaveLength(refused.length);
    for (const [at, [, verb]] of refused.entries()) {
      expect(JSON.parse(errors[at] ?? '').error).toMatchObject({ code: 'NEEDS_CONFIRMATION', data: { verb } });
      expect(errors[at]).toContain('terminal of their own');
    }
    expect(p.read('.claude/settings.local.json')).toContain('savepoint');
    expect(JSON.parse(p.ok('list', '--all', '--json').stdout).pinned).toHaveLength(1);
    for (const command of ['unfreeze frozen.txt', 'gc', 'unpin last', 'uninstall claude']) p.ok(...command.split(' '));
  });

  it('a rollback of its own work does not wait for the call that runs it', async () => {
    const p = project();
    p.write('a.txt', 'a\n');
    const { shell } = await agentIn(p);
    await shell('echo b > a.txt', 't-1');
    const ran = await shell(`${SP} rollback --session s-1 --likely --yes`, 't-2');
    expect(ran).toMatchObject({ status: 0 });
    expect(p.read('a.txt')).toBe('a\n');
    expect(operations(p)).toEqual(['rollback by claude/s-1/t-2']);
  });

  it('hosted by `savepoint run`: the run is not the author of what the agent did', async () => {
    const p = project();
    p.write('a.txt', 'a\n');
    const { shell, child } = await agentIn(p, [process.execPath, MAIN, 'run', '--']);
    await shell('echo b > b.txt', 't-1');
    p.write('c.txt', 'between its calls\n');
    await shell('true', 't-2');
    expect(changes(p)).toEqual(['c.txt by node (likely)', 'b.txt by claude (likely)']);
    child.stdin.end();
    await once(child, 'exit');
    p.write('d.txt', 'mine\n');
    p.checkpoint();
    expect(changes(p)[0]).toBe('d.txt by outside (sure)');
  });
});

describe('a variable that an agent sets for its shell', () => {
  it('names the agent, if no call is known', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    p.checkpoint();
    const env = { CLAUDECODE: '1' };
    expect(p.run(['checkpoint'], { env }).status).toBe(0);
    expect(operations(p)).toEqual(['manual by user/null/null', 'manual by claude/null/null']);
    for (const command of ['gc', 'uninstall claude', 'workspaces delete . --yes'])
      expect(p.run([...command.split(' '), '--json'], { env }).stderr).toContain('NEEDS_CONFIRMATION');
    expect(p.run(['checkpoint'], { env: { ...env, GEMINI_CLI: '1' } }).status).toBe(0);
    expect(operations(p).at(-1)).toBe('manual by unknown/null/null');
    expect(p.run(['gc'], { env: { CLAUDECODE: '0' } })).toMatchObject({ status: 0 });
  });
});
