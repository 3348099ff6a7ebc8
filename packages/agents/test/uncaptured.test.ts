/** What an agent does while nothing is captured is never recorded as surely somebody else's. */
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { AgentAtWork } from './driver.ts';
import { claudeEvents } from './fixtures/claude.ts';

async function scene() {
  const p = new AgentAtWork('claude');
  const e = claudeEvents(p.dir);
  await p.tell(e.start());
  return { p, e };
}

/** `path by author (grade)` for each change of a checkpoint that is taken now. */
async function captured(p: AgentAtWork): Promise<readonly string[]> {
  const { checkpoint } = await p.open().checkpoint();
  return (checkpoint.changes ?? []).map(
    ({ path: changed, by: { authors, grade } }) =>
      `${changed} by ${[...new Set(authors.map(({ actor }) => actor.name))].join(' or ')} (${grade})`,
  );
}

describe('while recording is off', () => {
  test.each([
    ['in the user’s settings', { config: { enabled: false } }],
    ['in the environment', { env: 'off' }],
    ['for shell commands', { config: { triggers: { before_bash: false } } }],
  ] as const)('%s, a call is known', async (_, { config, env }: { config?: object; env?: string }) => {
    const { p, e } = await scene();
    const home = Buffer.from(p.world.places.home, 'latin1').toString();
    if (config !== undefined) writeFileSync(path.join(home, 'config.json'), JSON.stringify(config));
    if (env !== undefined) p.env['SAVEPOINT'] = env;
    const bash = e.call('Bash', { command: 'make' });
    await p.tell(bash.pre);
    p.write('made.txt', '1\n');
    await p.tell(bash.post({ stdout: '' }));
    expect(await captured(p)).toEqual(['made.txt by claude or outside (open)']);
    p.write('mine.txt', '1\n');
    expect(await captured(p)).toEqual(['mine.txt by outside (sure)']);
  });

  test('a call that has not ended is open until its session ends', async () => {
    const { p, e } = await scene();
    p.env['SAVEPOINT'] = 'off';
    await p.tell(e.call('Bash', { command: 'make' }).pre);
    await p.open().checkpoint();
    p.write('made.txt', '1\n');
    expect(await captured(p)).toEqual(['made.txt by claude (likely)']);
    await p.tell(e.end('other'));
    await p.open().checkpoint();
    p.write('mine.txt', '1\n');
    expect(await captured(p)).toEqual(['mine.txt by outside (sure)']);
  });
});

test('a project’s file that an agent breaks hides none of its calls', async () => {
  const { p, e } = await scene();
  const first = e.call('Bash', { command: 'echo { > .savepoint.json' });
  await p.tell(first.pre);
  p.write('.savepoint.json', '{');
  expect((await p.send(first.post({ stdout: '' }))).stderr).toContain('.savepoint.json');
  const second = e.call('Bash', { command: 'make' });
  expect((await p.send(second.pre)).stderr).toContain('.savepoint.json');
  p.write('made.txt', '1\n');
  await p.tell(second.post({ stdout: '' }));
  rmSync(p.at('.savepoint.json'));
  expect(await captured(p)).toEqual(['made.txt by claude or outside (open)']);
});

test('the record of a call that is damaged is replaced at the end of the call', async () => {
  const { p, e } = await scene();
  const bash = e.call('Bash', { command: 'make' });
  await p.tell(bash.pre);
  p.damageCalls();
  p.write('made.txt', '1\n');
  await p.tell(bash.post({ stdout: '' }));
  const [last] = (await p.open().list({ limit: 1 })).checkpoints;
  expect(last?.changes?.map(({ by }) => [by.authors.map(({ actor }) => actor.name), by.grade])).toEqual([
    [['claude', 'outside'], 'open'],
  ]);
  p.write('mine.txt', '1\n');
  expect(await captured(p)).toEqual(['mine.txt by outside (sure)']);
});
