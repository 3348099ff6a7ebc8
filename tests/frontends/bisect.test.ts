/** `savepoint bisect` and `savepoint replay`, as a person uses them. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open } from '@savepoint/core/node';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';

/** Three turns; the second one breaks code.txt. */
async function brokenByAnAgent(): Promise<Project> {
  const p = project();
  p.write('code.txt', 'right\n');
  const savepoint = open({ dir: p.dir, home: p.store });
  const session = savepoint.session({ agent: 'claude', id: 's-1' });
  const write = (id: string, name: string, text: string): Promise<void> =>
    session.call({ id, tool: 'Write', kind: 'write', paths: [name] as never }, () => p.write(name, text));
  await session.prompt('Add a title');
  await write('call-1', 'title.txt', 'title\n');
  await session.prompt('Make it \u001b[31mfaster');
  await write('call-2', 'fast.txt', 'fast\n');
  await write('call-3', 'code.txt', 'wrong\n');
  await session.prompt('Write the docs');
  await write('call-4', 'docs.txt', 'docs\n');
  return p;
}

const TEST = ['--', 'grep', '-q', 'right', 'code.txt'];

const copies = (p: Project): readonly string[] => {
  const folder = join(p.store, 'copies');
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('copy_')) : [];
};

it('names the turn, the call and the agent, and a command that rolls the change back', async () => {
  const p = await brokenByAnAgent();
  const found = p.run(['bisect', '--good', 'cp_1', ...TEST]);
  expect(found.status, found.stderr).toBe(0);
  expect(found.stdout).toContain('claude: Make it \\x1b[31mfaster');
  expect(found.stdout).toContain('changed  code.txt  +1 −1  by claude s-1 (likely), call call-3');
  expect(found.stdout).toContain('-right\n+wrong');
  expect(found.stderr).toMatch(/^cp_\d+ {2}(?:good|bad ) {2}exit status [01] after .* \(\d+ states? left\)$/m);
  const [, command = ''] = /To roll this back: `savepoint (.*)`/.exec(found.stdout) ?? [];
  p.ok(...command.split(' '), '--yes');
  expect(p.read('code.txt')).toBe('right\n');
  expect(p.read('docs.txt')).toBe('docs\n');
  expect(copies(p)).toEqual([]);
});

it('goes over turns, prints JSON only, and reports ends that are not as said', async () => {
  const p = await brokenByAnAgent();
  const found = p.run(['bisect', '--good', 'cp_1', '--turns', '--json', ...TEST]);
  expect(found.stderr).toBe('');
  const json = JSON.parse(found.stdout);
  expect(json).toMatchObject({ outcome: 'found', prompts: [{ session: 's-1' }] });
  expect(json.changes.map(({ path }: { path: string }) => path)).toEqual(['fast.txt', 'code.txt']);
  const always = p.run(['bisect', '--good', 'cp_1', '--', 'false']);
  expect([always.status, always.stdout]).toEqual([1, expect.stringContaining('fails at cp_1, which should be good')]);
  const missing = p.run(['bisect', '--good', 'cp_1', '--', 'no-such-program']);
  expect([missing.status, missing.stdout]).toEqual([1, expect.stringContaining('no-such-program')]);
  expect(p.run(['bisect', '--good', 'last', '--bad', 'cp_1', ...TEST]).status).toBe(2);
  expect(p.run(['bisect', '--good', 'cp_1']).stderr).toContain('bisect needs a command after --');
});

it('names bad states before a good one, and states whose test results it used', async () => {
  const p = await brokenByAnAgent();
  p.ok('test-result', 'cp_2', 'fail');
  p.ok('test-result', 'cp_4', 'pass');
  const found = p.run(['bisect', '--good', 'cp_1', ...TEST]);
  expect(found.stdout).toContain('Also bad, but repaired before the good state: cp_2. That is another fault.');
  expect(found.stdout).toMatch(/^Not run, because their test results are known: cp_2 /m);
});

it('replays the states in order', async () => {
  const p = await brokenByAnAgent();
  const replayed = p.run(['replay', 'cp_1..', '--turns', ...TEST]);
  expect(replayed.status).toBe(1);
  expect(
    replayed.stdout.split('\n').map((line) => /Add a title|faster|docs|exit status \d/g.exec(line)?.[0]),
  ).toContain('Add a title');
  expect(p.ok('replay', 'cp_1..last').stdout).toContain('claude  Make it \\x1b[31mfaster  1 file +1 −1');
});

it('ends cleanly with Ctrl-C, and leaves no copy and no command', async () => {
  const p = await brokenByAnAgent();
  const script = join(p.dir, '../wait.sh');
  writeFileSync(script, 'echo $$ > "$1"; exec sleep 600\n');
  const pidFile = join(p.dir, '../pid');
  const running = p.start(['bisect', '--good', 'cp_1', '--', 'sh', script, pidFile]);
  await expect.poll(() => existsSync(pidFile) && p.read('../pid').endsWith('\n'), { timeout: 30_000 }).toBe(true);
  process.kill(running.pid, 'SIGINT');
  expect((await running.done).status).toBe(130);
  expect(() => process.kill(Number(p.read('../pid')), 0)).toThrow();
  expect(copies(p)).toEqual([]);
});
