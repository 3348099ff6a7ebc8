/** What people approved and trusted is in Savepoint's home, so no agent writes there with its edit tools. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { AgentName } from '../src/event.ts';
import { AgentAtWork } from './driver.ts';
import { claudeEvents } from './fixtures/claude.ts';
import { ONE_WRITE } from './fixtures/one-write.ts';

const REFUSED = 'the folder where Savepoint keeps its records. Agents must not write there';

const homeOf = (p: AgentAtWork): string => p.env['SAVEPOINT_HOME'] ?? '';

/** What the hook answers to a call of `Write`. */
async function writes(p: AgentAtWork, file: string): Promise<string> {
  const { pre } = claudeEvents(p.dir).call('Write', { file_path: file, content: '{}' });
  return (await p.send(pre)).stdout;
}

test.each(Object.keys(ONE_WRITE) as AgentName[])('%s is denied a write there', async (name) => {
  const p = new AgentAtWork(name);
  const [begun] = ONE_WRITE[name](p.dir, path.join(homeOf(p), 'workspaces', 'x', 'trust.json'));
  p.args = begun.hint === null ? [] : [begun.hint];
  const { stdout, exit } = await p.send(begun.event);
  expect(exit).toBe(0);
  expect(stdout).toMatch(/"(?:deny|permissionDecision|permission|decision|cancel)":/);
  expect(stdout).toContain(REFUSED);
});

test('by whatever name, also if recording is off', async () => {
  const p = new AgentAtWork('claude');
  const [home, user] = [homeOf(p), p.env['HOME'] ?? ''];
  const around = path.dirname(home);
  symlinkSync(home, p.at('to-home'));
  symlinkSync(path.join(home, 'new', 'trust.json'), p.at('dangling'));
  p.write('savepoint.toml', '[automatic]\nenabled = false\n');
  for (const file of [
    path.join(home, 'plan-mode.json'),
    `${around}/./${path.basename(p.dir)}/../${path.basename(home)}/a/b`,
    `../${path.basename(home)}/a`,
    `~/${path.relative(user, home)}/a`,
    'to-home/a',
    p.at('to-home/new/folder/a'),
    'dangling',
    '/proc/self/cwd/a',
  ])
    expect([file, await writes(p, file)]).toEqual([file, expect.stringContaining(REFUSED)]);
  for (const file of ['a', p.at('new/a'), path.join(around, 'a'), `${home}-2/a`, 'to-home-2/a'])
    expect([file, await writes(p, file)]).toEqual([file, expect.not.stringContaining(REFUSED)]);
});

test('the files of a copy are not part of it, but its records are', async () => {
  const p = new AgentAtWork('claude');
  const copy = path.join(homeOf(p), 'copies', 'copy_01234567');
  mkdirSync(path.join(copy, 'tree'), { recursive: true });
  writeFileSync(path.join(copy, 'copy.json'), '{}');
  expect(await writes(p, path.join(copy, 'tree', 'src', 'a.ts'))).not.toContain(REFUSED);
  for (const file of ['copy.json', 'home/workspaces/x/trust.json', 'tree/../copy.json', 'tree-2/a'])
    expect([file, await writes(p, path.join(copy, file))]).toEqual([file, expect.stringContaining(REFUSED)]);
});
