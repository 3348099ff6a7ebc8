/** Turns of agents: what belongs to which prompt, and what of it is still there. */
import type { Savepoint, Session } from '@savepoint/core';
import { expect, test } from 'vitest';
import type { TurnPage } from '../../src/conversation/turns.ts';
import { TimelineWorld, tree } from '../timeline/query/timeline-world.ts';

interface Scene {
  readonly w: TimelineWorld;
  readonly savepoint: Savepoint;
}

async function write({ w }: Scene, session: Session, name: string, content: string, id: string): Promise<void> {
  await session.call({ tool: 'Write', kind: 'write', paths: tree(name), id }, () => w.write(name, content));
}

/** Two sessions whose turns overlap. */
async function twoSessions(): Promise<Scene & { readonly one: Session; readonly two: Session }> {
  const w = new TimelineWorld();
  const savepoint = w.open();
  const scene = { w, savepoint };
  w.write('a.txt', 'as it was\n');
  await savepoint.checkpoint(); // cp_1
  const one = savepoint.session({ agent: 'one', id: 's-one' });
  const two = savepoint.session({ agent: 'two', id: 's-two' });
  await one.start(); // cp_2
  await one.prompt('First words.\nAnd more.', 'm-1'); // cp_3
  await write(scene, one, 'a.txt', 'of one\n', 'c-1'); // cp_4
  w.pass(10);
  await two.prompt('Words for two.', 'm-2'); // cp_5
  await write(scene, two, 'b.txt', 'of two\n', 'c-2'); // cp_6
  await write(scene, one, 'c.txt', 'of one\nagain\n', 'c-3'); // cp_7
  w.pass(10);
  w.write('mine.txt', 'by a person\n');
  await one.prompt('Second words.', 'm-3'); // cp_8, with mine.txt
  await write(scene, one, 'a.txt', 'of one again\n', 'c-4'); // cp_9
  return { ...scene, one, two };
}

/** `before..after by: prompt, files +added −removed, calls [takenBack of changes]` */
function shown({ turns }: TurnPage): readonly string[] {
  return turns.map(
    ({ before, after, actor, prompt, files, added, removed, calls, takenBack, changes, isCurrent }) =>
      `${isCurrent ? '* ' : ''}${before}..${after} ${actor.name}: ${prompt}, ${files} +${added} −${removed}, ${calls} [${takenBack} of ${changes}]`,
  );
}

test('a turn is a prompt with what its session did until its next prompt, beside other sessions', async () => {
  const { savepoint, w } = await twoSessions();
  const page = await savepoint.turns({ limit: 10 });
  expect(shown(page)).toEqual([
    '* cp_8..cp_9 one: Second words., 1 +1 −1, 1 [0 of 1]',
    'cp_5..cp_6 two: Words for two., 1 +1 −0, 1 [0 of 1]',
    'cp_3..cp_7 one: First words.\nAnd more., 2 +3 −1, 2 [0 of 2]',
  ]);
  expect(page).toMatchObject({ here: 'cp_9', more: false, damaged: [] });
  expect(page.turns[2]).toMatchObject({
    session: 's-one',
    messageId: 'm-1',
    began: w.now - 20_000,
    ended: w.now - 10_000,
  });
});

test('pages', async () => {
  const { savepoint } = await twoSessions();
  const first = await savepoint.turns({ limit: 1 });
  const second = await savepoint.turns({ limit: 1, before: 8 });
  const third = await savepoint.turns({ limit: 1, before: 5 });
  expect([first, second, third].map(({ turns, more }) => [turns[0]?.before, more])).toEqual([
    ['cp_8', true],
    ['cp_5', true],
    ['cp_3', false],
  ]);
  const { turns } = await savepoint.turns({ limit: 9, session: 's-t' });
  expect(turns.map(({ before }) => before)).toEqual(['cp_5']);
  await expect(savepoint.turns({ limit: 9, session: 'nobody' })).rejects.toMatchObject({ code: 'UNKNOWN_SESSION' });
});

test('after a restore, later turns are taken back, and the workspace is where the restore went', async () => {
  const { savepoint } = await twoSessions();
  await savepoint.restore('cp_6', { mode: 'exact' });
  const page = await savepoint.turns({ limit: 10 });
  expect(page.here).toBe('cp_6');
  expect(shown(page)).toEqual([
    'cp_8..cp_9 one: Second words., 1 +1 −1, 1 [1 of 1]',
    '* cp_5..cp_6 two: Words for two., 1 +1 −0, 1 [0 of 1]',
    'cp_3..cp_7 one: First words.\nAnd more., 2 +3 −1, 2 [1 of 2]',
  ]);
  await savepoint.undo();
  expect(await savepoint.turns({ limit: 1 })).toMatchObject({ here: 'cp_9', turns: [{ takenBack: 0 }] });
});

test('work without a prompt is a turn without words, and a deleted session has none', async () => {
  const { savepoint, ...scene } = await twoSessions();
  const three = savepoint.session({ agent: 'three', id: 's-three' });
  await write({ ...scene, savepoint }, three, 'd.txt', 'd\n', 'c-5');
  await three.start();
  await write({ ...scene, savepoint }, three, 'e.txt', 'e\n', 'c-6');
  await savepoint.forgetSession('s-one');
  const page = await savepoint.turns({ limit: 10 });
  expect(shown(page)).toEqual([
    '* cp_11..cp_12 three: null, 1 +1 −0, 1 [0 of 1]',
    'cp_5..cp_6 two: Words for two., 1 +1 −0, 1 [0 of 1]',
    'null..cp_10 three: null, 1 +1 −0, 1 [0 of 1]',
  ]);
});

test('a change that several sessions may have made counts for each of them', async () => {
  const { savepoint, w, one, two } = await twoSessions();
  const [first, second] = await Promise.all([one.begin({ tool: 'Bash' }), two.begin({ tool: 'Bash' })]);
  w.write('either.txt', 'x\n');
  await one.end(first.id);
  await two.end(second.id);
  const { turns } = await savepoint.turns({ limit: 10 });
  expect(turns.slice(0, 2).map(({ files, changes }) => [files, changes])).toEqual([
    [2, 2],
    [2, 2],
  ]);
});

test('a session that was started and did nothing is not a turn', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  w.write('a.txt', 'a\n');
  await savepoint.session({ agent: 'one' }).start();
  expect(await savepoint.turns({ limit: 10 })).toEqual({ turns: [], here: 'cp_1', damaged: [], more: false });
});
