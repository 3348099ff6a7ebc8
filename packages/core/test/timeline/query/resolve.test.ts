import { expect, test } from 'vitest';
import { TimelineWorld, tree } from './timeline-world.ts';

async function twoSessions() {
  const w = new TimelineWorld();
  w.write('a.txt', '0\n');
  const savepoint = w.open();
  await savepoint.checkpoint(); // cp_1
  const one = savepoint.session({ agent: 'one', id: 's-one' });
  const write = (session: typeof one, content: string): Promise<void> =>
    session.call({ tool: 'Write', kind: 'write', paths: tree('a.txt') }, () => w.write('a.txt', content));
  await one.start(); // cp_2
  await one.prompt('First'); // cp_3
  await write(one, '1\n'); // cp_4
  await one.prompt('Second'); // cp_5
  await write(one, '2\n'); // cp_6
  const two = savepoint.session({ agent: 'two', id: 's-two' });
  await two.start(); // cp_7
  await two.prompt('Third'); // cp_8
  await write(two, '3\n'); // cp_9
  await savepoint.restore('@prompt~2'); // cp_10
  return { w, savepoint, write };
}

test('@prompt and @session name the start of recent work, whatever operations follow', async () => {
  const { w, savepoint } = await twoSessions();
  expect(w.read('a.txt').toString()).toBe('1\n');
  const idOf = async (name: string): Promise<string> => (await savepoint.show(name)).id;
  expect(await idOf('last')).toBe('cp_10');
  expect(await idOf('@prompt')).toBe('cp_8');
  expect(await idOf('@prompt~1')).toBe('cp_8');
  expect(await idOf('@prompt~2')).toBe('cp_5');
  expect(await idOf('@prompt~3')).toBe('cp_3');
  expect(await idOf('@session')).toBe('cp_7');
  expect(await idOf('@session~2')).toBe('cp_2');
  expect(await savepoint.moment('@session')).toEqual({ checkpoint: 7 });
});

test('a resumed session starts where it first started', async () => {
  const { savepoint } = await twoSessions();
  await savepoint.session({ agent: 'one', id: 's-one' }).start(); // cp_11
  expect((await savepoint.show('@session')).id).toBe('cp_2');
  expect((await savepoint.show('@session~2')).id).toBe('cp_7');
});

test('a session without a recorded start starts before its first checkpoint', async () => {
  const { savepoint, write } = await twoSessions();
  await write(savepoint.session({ agent: 'late', id: 's-late' }), '4\n'); // cp_11
  expect((await savepoint.show('@session')).id).toBe('cp_10');
});

test.each([
  ['@prompt~4', 'UNKNOWN_CHECKPOINT'],
  ['@session~3', 'UNKNOWN_CHECKPOINT'],
  ['@prompt~0', 'BAD_ID'],
  ['@prompt~', 'BAD_ID'],
  ['@prompts', 'BAD_ID'],
])('%s is %s', async (name, code) => {
  const { savepoint } = await twoSessions();
  await expect(savepoint.show(name)).rejects.toMatchObject({ code });
});

test('without agents there is no prompt and no session', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  await savepoint.checkpoint();
  await expect(savepoint.show('@prompt')).rejects.toMatchObject({ code: 'UNKNOWN_CHECKPOINT' });
  await expect(savepoint.show('@session')).rejects.toMatchObject({ code: 'UNKNOWN_CHECKPOINT' });
});

test('last~N counts what lists show: an automatic checkpoint only if it is the newest', async () => {
  const w = new TimelineWorld();
  w.write('a.txt', '0\n');
  const savepoint = w.open();
  await savepoint.checkpoint(); // cp_1
  await savepoint.checkpoint(); // cp_2
  w.delete('a.txt');
  await savepoint.restore('cp_1'); // cp_3 before it, cp_4
  const idOf = async (name: string): Promise<string> => (await savepoint.show(name)).id;
  expect([await idOf('last'), await idOf('last~0'), await idOf('last~1'), await idOf('last~2')]).toEqual([
    'cp_4',
    'cp_4',
    'cp_2',
    'cp_1',
  ]);
  await expect(savepoint.show('last~3')).rejects.toMatchObject({ code: 'UNKNOWN_CHECKPOINT' });
  w.write('b.txt', 'b\n');
  await savepoint.session({ agent: 'one' }).begin({ tool: 'Bash' }); // cp_5 before it
  expect([await idOf('last'), await idOf('last~1')]).toEqual(['cp_5', 'cp_4']);
});
