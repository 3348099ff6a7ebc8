import { expect, test } from 'vitest';
import { AgentAtWork } from './driver.ts';
import { claudeEvents } from './fixtures/claude.ts';

/** Some models number the calls of each turn or of each sub-agent alike. Then an id does not tell calls apart. */

const WITH_ID = { tool_use_id: 'call_0' };

function authorsOf(p: AgentAtWork) {
  return p
    .checkpoints()
    .then((all) =>
      all
        .flatMap((one) => one.changes ?? [])
        .map(({ path, by }) => [path, by.grade, by.authors.map(({ actor }) => actor.id ?? actor.name).join()]),
    );
}

test.each([
  ['other', ['echo 1 > 1.txt', 'echo 2 > 2.txt']],
  ['the same', ['make', 'make']],
])('a second call with an id that was used before and %s input is recorded', async (_, commands) => {
  const p = new AgentAtWork('claude');
  const e = claudeEvents(p.dir);
  await p.tell(e.start());
  for (const [at, command] of commands.entries()) {
    const bash = e.call('Bash', { command });
    await p.tell({ ...bash.pre, ...WITH_ID });
    p.write(`${at}.txt`, 'x');
    await p.tell({ ...bash.post({ stdout: '' }), ...WITH_ID });
    // Another settings file has our hook as well.
    await p.tell({ ...bash.post({ stdout: '' }), ...WITH_ID });
  }
  await p.open().checkpoint();
  expect(await authorsOf(p)).toEqual([
    ['0.txt', 'likely', 'claude'],
    ['1.txt', 'likely', 'claude'],
  ]);
});

test('a call whose end was not reported does not hide another one with its id', async () => {
  const p = new AgentAtWork('claude');
  const e = claudeEvents(p.dir);
  await p.tell(e.start());
  const edit = e.call('Write', { file_path: p.at('declared.txt'), content: 'x' });
  await p.tell({ ...edit.pre, ...WITH_ID });
  const bash = e.call('Bash', { command: 'make' });
  await p.tell({ ...bash.pre, ...WITH_ID });
  p.write('made.txt', 'x');
  await p.tell({ ...bash.post({ stdout: '' }), ...WITH_ID });
  expect(await authorsOf(p)).toEqual([['made.txt', 'likely', 'claude']]);
});

test('sub-agents whose calls have the same id each have a record', async () => {
  const p = new AgentAtWork('claude');
  const e = claudeEvents(p.dir);
  await p.tell(e.start());
  const [one, two] = [e.call('mcp__build__generate', { x: 1 }, 'A'), e.call('mcp__build__generate', { x: 1 }, 'B')];
  await p.tell({ ...one.pre, ...WITH_ID });
  await p.tell({ ...two.pre, ...WITH_ID });
  await p.tell({ ...one.post({}), ...WITH_ID });
  p.write('made.txt', 'x');
  await p.open().checkpoint();
  await p.tell({ ...two.post({}), ...WITH_ID });
  const [change] = await authorsOf(p);
  expect(change).toEqual(['made.txt', 'likely', 'B']);
});
