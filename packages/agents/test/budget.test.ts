import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sessionIn } from '../src/fields.ts';
import { healthOf } from '../src/hook/health.ts';
import { runHook } from '../src/hook/index.ts';
import { runJob } from '../src/hook/run-job.ts';
import { AgentAtWork } from './driver.ts';
import { claudeEvents } from './fixtures/claude.ts';

/** Work that exceeds the agent's time limit, and hook failures: the agent must be able to continue in either case. */

/** Runs a hook that has no time left when it starts, as after a daemon that did not answer. It still reads the event. */
async function tooLate(p: AgentAtWork, event: object): Promise<string> {
  const { Readable } = await import('node:stream');
  async function* slowly(): AsyncGenerator<Buffer> {
    await new Promise((resolve) => setTimeout(resolve, 20));
    yield Buffer.from(JSON.stringify(event));
  }
  const { stdout, stderr, exit } = await runHook({
    args: ['claude'],
    env: p.env,
    input: Readable.from(slowly()),
    script: '/nowhere/savepoint.js',
    sinceStart: () => 1_000_000,
  });
  expect([exit, stderr]).toEqual([0, '']);
  return stdout;
}

test('if a call starts before its capture ends, its changes are uncertain and the catch-up is late', async () => {
  const p = new AgentAtWork('claude');
  const e = claudeEvents(p.dir);
  await p.tell(e.start());
  // Enough files that no capture finishes before the first time check.
  p.shell('for i in $(seq 400); do echo $i > before-$i; done');
  const bash = e.call('Bash', { command: 'make' });
  expect(await tooLate(p, bash.pre)).toBe('');
  const [open] = await p.open().session({ agent: 'claude', id: e.session }).openCalls();
  expect(open).toMatchObject({ id: 'toolu_01', late: true });
  p.write('during', 'x\n');
  // Run the job of the background process.
  await runJob(
    {
      dir: p.world.workspace,
      agent: { kind: 'agent', name: 'claude' },
      session: sessionIn(e, 'session') ?? expect.fail('no session'),
      actor: { kind: 'agent', name: 'claude' },
      work: { kind: 'catch-up' },
    },
    { ports: p.world.ports, places: p.world.places },
  );
  const late = (await p.checkpoints()).at(-1);
  expect(late).toMatchObject({ late: true, trigger: 'before' });
  expect(late?.changes?.every(({ by }) => by.grade === 'open')).toBe(true);
  p.write('after', 'x\n');
  await p.tell(bash.post({}));
  expect((await p.timelineLines()).at(-1)).toMatch(/^call: .*after by claude\/toolu_01$/);
});

test('a hook that takes long takes no change from the call', async () => {
  const { Readable } = await import('node:stream');
  const { open } = await import('@savepoint/core');
  const p = new AgentAtWork('claude');
  const e = claudeEvents(p.dir);
  await p.tell(e.start());
  const bash = e.call('Bash', { command: 'make' });
  await p.tell(bash.pre);
  p.write('its', 'x\n');
  // A minute later when the session gets the event.
  const now = (): number => Date.now() + 60_000;
  await runHook({
    args: ['claude'],
    env: p.env,
    input: Readable.from([Buffer.from(JSON.stringify(bash.post({})))]),
    script: '/nowhere/savepoint.js',
    sinceStart: () => 0,
    open: ({ ports = p.world.ports, ...options }) =>
      open({ ...options, ports: { ...ports, clock: { ...ports.clock, now } } }),
  });
  expect((await p.timelineLines()).at(-1)).toMatch(/^call: .*its by claude\/toolu_01$/);
});

test('an internal failure exits with 0 and is reported on standard error and in the notes; strict denies the call', async () => {
  const p = new AgentAtWork('claude', { env: {} });
  const e = claudeEvents('/');
  const { pre } = e.call('Bash', { command: 'ls' });
  const { stdout, stderr, exit } = await p.send(pre);
  expect([stdout, exit]).toEqual(['', 0]);
  expect(stderr).toMatch(/^savepoint hook claude: .*root of the file system/);
  const home = p.world.places.home;
  expect(healthOf(home, 'claude').lastFailure?.message).toContain('root of the file system');
  const { writeFileSync } = await import('node:fs');
  writeFileSync(`${home}/config.json`, JSON.stringify({ hooks: { strict: true } }), { mode: 0o600 });
  const strict = await p.send(pre);
  expect(strict.exit).toBe(0);
  expect(JSON.parse(strict.stdout)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
});

test('no event, invalid JSON or an unknown agent: status 0', async () => {
  const p = new AgentAtWork('claude');
  for (const text of ['', '[]', 'null', '{"hook_event_name":"PreToolUse"}', '{'.repeat(1_000)]) {
    expect((await p.send(text)).exit).toBe(0);
  }
  expect((await new AgentAtWork('nobody', { world: p.world }).send('{}')).exit).toBe(0);
});

test('SAVEPOINT=off: the hook does nothing', async () => {
  const p = new AgentAtWork('claude', { env: { SAVEPOINT: 'off' } });
  const e = claudeEvents(p.dir);
  await p.tell(e.start());
  await p.tell(e.call('Bash', { command: 'x' }).pre);
  await expect(p.open().list()).rejects.toMatchObject({ code: 'NO_WORKSPACE' });
});

test('the hook loads neither the command parser nor the schemas', () => {
  const folder = new URL('../../cli/bundle/', import.meta.url);
  const seen = new Set<string>();
  const textOf = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
  const visit = (name: string): void => {
    if (seen.has(name)) return;
    seen.add(name);
    for (const [, next] of textOf(name).matchAll(/^(?:import|export)\b[^;]*?["']\.\/([\w.-]+\.js)["']/gm))
      visit(next as string);
  };
  visit('savepoint.js');
  const ways = [...textOf('savepoint.js').matchAll(/import\("\.\/([^"]+)"\)/g)].map(([, name]) => name as string);
  const hook = ways.filter((name) => name.startsWith('hook-'));
  expect(hook).toHaveLength(1);
  for (const name of hook) visit(name);
  const loaded = [...seen].map(textOf).join('\n');
  expect(loaded).toMatch(/Engine = class|class Engine\b/);
  expect(loaded).not.toMatch(/class Commander\b|CommanderError|class ZodError|\$ZodType/);
  expect(loaded).not.toMatch(/function (?:prepareEdits|restoreBundle|exportTimeline|verifyStore|previewPurge|serve)\(/);
});
