/** Processes that a call leaves behind: as long as they live, a change between calls is not surely from outside. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { type Project, project } from '@savepoint/testkit/command';
import { describe, expect, it, onTestFinished } from 'vitest';

const MAIN = fileURLToPath(new URL('../../packages/cli/bundle/savepoint.js', import.meta.url));
const HOOK_SCRIPT = fileURLToPath(new URL('../../packages/cli/bundle/savepoint-hook', import.meta.url));
const THROUGH_DAEMON = process.env['SAVEPOINT_TEST_WITH'] === 'daemon' ? [HOOK_SCRIPT] : [];
const AGENT = fileURLToPath(new URL('./dead-agent.mjs', import.meta.url));

/** No other test has this session: processes are recognised by it. */
const sessionOf = (p: Project): string => `s${p.base.slice(-6)}`;

interface FakeAgent {
  /** A shell call, from its start to its end. @param during what others do meanwhile */
  readonly shell: (command: string, during?: () => void) => Promise<void>;
  /** Starts a process of the agent itself. */
  readonly serve: (command: string) => Promise<void>;
  readonly kill: () => Promise<void>;
  readonly event: (name: string, more?: object) => Promise<void>;
}

async function agentIn(p: Project): Promise<FakeAgent> {
  const hook = [...THROUGH_DAEMON, process.execPath, MAIN, 'hook', 'claude'];
  const child = spawn(process.execPath, [AGENT, ...hook], {
    env: p.environment(),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const answers = createInterface({ input: child.stdout });
  const ask = async (line: object): Promise<string> => {
    const answer = once(answers, 'line');
    child.stdin.write(`${JSON.stringify(line)}\n`);
    return String((await answer)[0]);
  };
  const event = async (hook_event_name: string, more: object = {}): Promise<void> => {
    expect(await ask({ session_id: sessionOf(p), cwd: p.dir, hook_event_name, ...more })).toBe('0');
  };
  await event('SessionStart', { source: 'startup' });
  await event('UserPromptSubmit', { prompt: 'Go.' });
  let calls = 0;
  return {
    event,
    shell: async (command, during = () => {}) => {
      calls += 1;
      const call = { tool_name: 'Bash', tool_input: { command }, tool_use_id: `t-${calls}` };
      await event('PreToolUse', call);
      during();
      expect(await ask({ run: `cd '${p.dir}'; ${command}` })).toBe('0');
      await event('PostToolUse', { ...call, tool_response: { stdout: '' } });
    },
    serve: async (command) => void (await ask({ serve: command })),
    kill: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** A command that writes its process id, stays until the test allows it to end, and then writes a file. */
function staying(p: Project): string {
  onTestFinished(() => {
    if (p.has('../pid')) endOf(p, 'SIGKILL');
  });
  const loop = 'echo $$ > ../pid; while [ ! -e ../go ]; do sleep 0.05; done; echo late > late.txt';
  return `sh -c '${loop}' > /dev/null 2>&1 & while [ ! -s ../pid ]; do sleep 0.02; done`;
}

function endOf(p: Project, signal: 'SIGKILL' | 0): boolean {
  try {
    process.kill(Number(readFileSync(p.at('../pid'), 'utf8')), signal);
    return false;
  } catch {
    return true;
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000 && !isTrue(); tries++) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(isTrue()).toBe(true);
}

/** Lets the command write its file, and waits until it has ended. */
async function finish(p: Project): Promise<void> {
  p.write('../go', '');
  await until(() => existsSync(p.at('late.txt')) && endOf(p, 0));
}

interface Change {
  readonly path: string;
  readonly checkpoint: string;
  readonly authors: readonly { readonly actor: { readonly name: string }; readonly call: string | null }[];
  readonly grade: string;
  readonly evidence: string;
}

const changesOf = (p: Project): readonly Change[] => JSON.parse(p.ok('history', '--json').stdout).changes;

const changes = (p: Project): readonly string[] =>
  changesOf(p).map(
    ({ path, authors, grade, evidence }) =>
      `${path} by ${authors.map(({ actor }) => actor.name).join(' or ')} (${grade}, ${evidence})`,
  );

/** What explains the authors of the changes: the calls, the checkpoints, the calls still on record, and live processes. */
function explained(p: Project): string {
  const session = `CLAUDE_CODE_SESSION_ID=${sessionOf(p)}`;
  const living = readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && readIfExists(`/proc/${pid}/environ`).includes(session))
    .map((pid) => `${pid}: ${readIfExists(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`);
  const { store } = JSON.parse(p.ok('status', '--json').stdout).workspace;
  const recorded = readdirSync(store, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\bcalls\/[^/]+\.json$/.test(file))
    .map((file) => readIfExists(`${store}/${file}`));
  const { checkpoints } = JSON.parse(p.ok('list', '--json').stdout);
  const taken = checkpoints.map(
    ({ id, time, trigger, toolCall }: Record<string, unknown>) => `${id} at ${time}: ${trigger}, call ${toolCall}`,
  );
  const by = changesOf(p).map(
    ({ path, checkpoint, authors, evidence }) =>
      `${path} in ${checkpoint}: ${authors.map(({ actor, call }) => `${actor.name}/${call}`).join(', ')} (${evidence})`,
  );
  return ['changes:', ...by, 'checkpoints:', ...taken, 'calls:', ...recorded, 'processes:', ...living].join('\n  ');
}

function readIfExists(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

function expectChanges(p: Project, expected: readonly string[]): void {
  const found = changes(p);
  expect(found, isDeepStrictEqual(found, expected) ? '' : explained(p)).toEqual(expected);
}

const OPEN = 'by claude or outside (open, left-behind)';
const SURE = 'by outside (sure, no-call)';

/** While the process lives, and in what it wrote, it may be the author; afterwards, it is not. */
async function expectDoubtUntilItEnds(p: Project): Promise<void> {
  p.write('b.txt', 'mine\n');
  p.checkpoint();
  await finish(p);
  p.checkpoint();
  p.write('c.txt', 'mine\n');
  p.checkpoint();
  expectChanges(p, [`c.txt ${SURE}`, `late.txt ${OPEN}`, `b.txt ${OPEN}`]);
}

describe.runIf(process.platform === 'linux')('a process that a call left behind', () => {
  for (const [how, prefix] of [
    ['that ignores hang-ups', 'nohup'],
    ['that was adopted by another process', 'setsid'],
  ]) {
    it(`${how} may have written what changes between calls, until it has ended`, async () => {
      const p = project();
      p.write('a.txt', 'a\n');
      const agent = await agentIn(p);
      await agent.shell(`${prefix} ${staying(p)}`);
      p.write('b.txt', 'mine\n');
      await agent.shell('true');
      p.write('c.txt', 'mine\n');
      await finish(p);
      p.checkpoint();
      p.write('d.txt', 'mine\n');
      p.checkpoint();
      // It had written late.txt and was gone when the checkpoint was taken.
      expectChanges(p, [`d.txt ${SURE}`, `late.txt ${OPEN}`, `c.txt ${OPEN}`, `b.txt ${OPEN}`]);
      expect(p.run(['rollback', '--agent', 'claude', '--yes']).status).toBe(5);
      expect(['b.txt', 'c.txt', 'd.txt'].map((file) => p.read(file))).toEqual(['mine\n', 'mine\n', 'mine\n']);
    });
  }

  it('was started while recording was turned off', async () => {
    const p = project();
    const agent = await agentIn(p);
    p.write('.savepoint.json', '{"enabled":false}');
    await agent.shell(`setsid ${staying(p)}`);
    p.write('.savepoint.json', '{}');
    p.checkpoint();
    await finish(p);
    p.checkpoint();
    expect(changes(p)[0]).toBe(`late.txt ${OPEN}`);
  });

  it('outlives its session and its agent', async () => {
    const p = project();
    const agent = await agentIn(p);
    await agent.shell(`setsid ${staying(p)}`);
    await agent.event('SessionEnd', { reason: 'exit' });
    await agent.kill();
    await expectDoubtUntilItEnds(p);
  });

  it('is found when its agent was killed during the call', async () => {
    const p = project();
    const agent = await agentIn(p);
    await agent.event('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'x' }, tool_use_id: 't-0' });
    await agent.serve(`cd '${p.dir}'; setsid ${staying(p)}`);
    await until(() => p.has('../pid'));
    await agent.kill();
    p.checkpoint();
    await expectDoubtUntilItEnds(p);
  });

  it('was started by a command of `savepoint run`', async () => {
    const p = project();
    p.ok('run', '--', 'sh', '-c', `setsid ${staying(p)}`);
    p.write('b.txt', 'mine\n');
    p.checkpoint();
    await finish(p);
    p.checkpoint();
    p.write('c.txt', 'mine\n');
    p.checkpoint();
    const open = 'by sh or outside (open, left-behind)';
    expectChanges(p, [`c.txt ${SURE}`, `late.txt ${open}`, `b.txt ${open}`]);
  });

  it('is the server of an agent that goes on with a call whose end was not reported', async () => {
    const p = project();
    p.write('a.txt', 'a\n');
    const agent = await agentIn(p);
    const call = { tool_name: 'mcp__files__convert', tool_input: {}, tool_use_id: 'm-1' };
    await agent.event('PreToolUse', call);
    await agent.event('UserPromptSubmit', { prompt: 'Never mind.' });
    p.write('b.txt', 'by whom?\n');
    p.checkpoint();
    await agent.event('PostToolUse', { ...call, tool_response: 'done' });
    p.write('c.txt', 'mine\n');
    p.checkpoint();
    expectChanges(p, [`c.txt ${SURE}`, `b.txt ${OPEN}`]);
    await agent.event('PreToolUse', { ...call, tool_use_id: 'm-2' });
    await agent.event('Stop');
    p.write('d.txt', 'by whom?\n');
    p.checkpoint();
    await agent.kill();
    p.write('e.txt', 'by whom?\n');
    p.checkpoint();
    p.write('f.txt', 'mine\n');
    p.checkpoint();
    const [f, e, d] = changes(p);
    expect([f, d]).toEqual([`f.txt ${SURE}`, `d.txt ${OPEN}`]);
    // It may have written before it was killed.
    expect(e).toBe(`e.txt ${OPEN}`);
  });

  it('does not keep the call open for a rollback, or for its session', async () => {
    const p = project();
    const agent = await agentIn(p);
    await agent.shell(`echo x > x.txt; nohup ${staying(p)}`);
    expect(p.run(['rollback', '--agent', 'claude', '--yes', '--likely']).status).toBe(0);
    expect(p.has('x.txt')).toBe(false);
    await finish(p);
  });

  it('is not one that the agent itself started before, or that somebody else started meanwhile', async () => {
    const p = project();
    const agent = await agentIn(p);
    await agent.serve('exec sleep 600');
    // Start times are compared with a tolerance of 50 ms.
    await new Promise((resolve) => setTimeout(resolve, 100));
    const own: ReturnType<typeof spawn>[] = [];
    onTestFinished(() => {
      for (const one of own) one.kill('SIGKILL');
    });
    await agent.shell('true', () => own.push(spawn('sleep', ['600'], { stdio: 'ignore', cwd: p.dir })));
    p.write('b.txt', 'mine\n');
    p.checkpoint();
    expectChanges(p, [`b.txt ${SURE}`]);
  });

  it('is missed if it cleared its environment', async () => {
    const p = project();
    const agent = await agentIn(p);
    await agent.shell(`env -i PATH="$PATH" ${staying(p)}`);
    p.write('b.txt', 'mine\n');
    p.checkpoint();
    await finish(p);
    expectChanges(p, [`b.txt ${SURE}`]);
  });
});
