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
  expect(page).toMatchObject({ here: 'cp_9', more: false, next: null, damaged: [] });
  expect(page.turns[2]).toMatchObject({
    session: 's-one',
    messageId: 'm-1',
    began: w.now - 20_000,
    ended: w.now - 10_000,
  });
});

test('a turn has the test result of the state after it', async () => {
  const { savepoint, one, w } = await twoSessions();
  const results = async () => (await savepoint.turns({ limit: 10 })).turns.map(({ testResult }) => testResult);
  expect(await results()).toEqual([null, null, null]);
  await savepoint.setTestResult('cp_6', 'fail');
  // In the middle of the first turn, and before the second.
  await savepoint.setTestResult('cp_4', 'pass');
  await savepoint.setTestResult('cp_8', 'pass');
  expect(await results()).toEqual([null, 'fail', null]);
  // Nothing changed since the turn, so this is the state after it.
  await savepoint.checkpoint({ testResult: 'pass' }); // cp_10
  expect(await results()).toEqual(['pass', 'fail', null]);
  w.write('mine.txt', 'once more\n');
  await savepoint.checkpoint({ testResult: 'fail' }); // cp_11
  expect(await results()).toEqual(['pass', 'fail', null]);
  await savepoint.setTestResult('cp_9', 'fail');
  expect(await results()).toEqual(['fail', 'fail', null]);
  await one.prompt('Third words.', 'm-4');
  expect(await results()).toEqual([null, 'fail', 'fail', null]);
  const { turns } = await savepoint.overview({ view: 'turns', limit: 10 });
  expect(turns.map(({ testResult }) => testResult)).toEqual([null, 'fail', 'fail', null]);
});

test('pages', async () => {
  const { savepoint } = await twoSessions();
  const first = await savepoint.turns({ limit: 1 });
  const second = await savepoint.turns({ limit: 1, before: 8 });
  const third = await savepoint.turns({ limit: 1, before: 5 });
  expect([first, second, third].map(({ turns, next }) => [turns[0]?.before, next])).toEqual([
    ['cp_8', 'cp_8'],
    ['cp_5', 'cp_5'],
    ['cp_3', null],
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
    'null..cp_10 three: null, 1 +1 −0, 1 [0 of 1]',
    'cp_5..cp_6 two: Words for two., 1 +1 −0, 1 [0 of 1]',
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

test('of work without prompts that several sessions may have done, one turn is the current one', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  w.write('a.txt', 'a\n');
  await savepoint.checkpoint();
  const [one, two] = [savepoint.session({ agent: 'one' }), savepoint.session({ agent: 'two' })];
  const [first, second] = await Promise.all([one.begin({ tool: 'Bash' }), two.begin({ tool: 'Bash' })]);
  w.write('either.txt', 'x\n');
  await one.end(first.id);
  await two.end(second.id);
  const { turns } = await savepoint.turns({ limit: 10 });
  expect(turns.map(({ isCurrent, files }) => [isCurrent, files])).toEqual([
    [true, 1],
    [false, 1],
  ]);
});

test('a session that was started and did nothing is not a turn', async () => {
  const w = new TimelineWorld();
  const savepoint = w.open();
  w.write('a.txt', 'a\n');
  await savepoint.session({ agent: 'one' }).start();
  expect(await savepoint.turns({ limit: 10 })).toEqual({
    turns: [],
    here: 'cp_1',
    damaged: [],
    more: false,
    next: null,
  });
});

test('the pages together have each turn once, in order, and only one is current', async () => {
  const { savepoint, ...scene } = await twoSessions();
  // Without a prompt, between others: its place is that of its oldest checkpoint.
  const three = savepoint.session({ agent: 'three', id: 's-three' });
  await write({ ...scene, savepoint }, three, 'd.txt', 'd\n', 'c-5'); // cp_10
  await scene.one.prompt('Third words.', 'm-4'); // cp_11
  const all = await savepoint.turns({ limit: 10 });
  expect(shown(all)).toEqual([
    '* cp_11..null one: Third words., 0 +0 −0, 0 [0 of 0]',
    'cp_9..cp_10 three: null, 1 +1 −0, 1 [0 of 1]',
    'cp_8..cp_9 one: Second words., 1 +1 −1, 1 [0 of 1]',
    'cp_5..cp_6 two: Words for two., 1 +1 −0, 1 [0 of 1]',
    'cp_3..cp_7 one: First words.\nAnd more., 2 +3 −1, 2 [0 of 2]',
  ]);
  for (const limit of [1, 2, 3, 4]) {
    const paged: string[] = [];
    let before: number | undefined;
    do {
      const page = await savepoint.turns(before === undefined ? { limit } : { limit, before });
      paged.push(...shown(page));
      before = page.next === null ? undefined : Number(page.next.slice(3));
    } while (before !== undefined);
    expect(paged).toEqual(shown(all));
  }
});

/** Each row of the view `turns`: its place and its trigger or words. */
async function listed(savepoint: Savepoint, query: { readonly limit: number; readonly before?: number }) {
  const { rows, turns, position, hidden, next } = await savepoint.overview({ view: 'turns', ...query });
  const all = [
    ...turns.map(({ place, prompt, before, isCurrent }) => ({ place, isCurrent, text: `${before} ${prompt}` })),
    ...rows.map(({ checkpoint: { number, trigger } }) => ({
      place: number,
      isCurrent: number === position?.place && !turns.some((turn) => turn.isCurrent),
      text: trigger as string,
    })),
  ].sort((a, b) => b.place - a.place);
  const shownRows = all.map(({ place, isCurrent, text }) => `${isCurrent ? '* ' : ''}${place} ${text}`);
  return { rows: shownRows, hidden, next };
}

test('in a list, the steps of a turn are folded into it, and all other checkpoints have rows', async () => {
  const { savepoint, w, one } = await twoSessions();
  await savepoint.checkpoint(); // cp_10, by hand
  w.write('mine.txt', 'before an operation\n');
  await savepoint.restore('cp_8', { mode: 'exact' }); // cp_11, cp_12
  const rows = [
    '12 restore',
    '11 before',
    '10 manual',
    '8 cp_8 Second words.',
    // With a person's file that the prompt found: the restore went back to it.
    '* 8 prompt',
    '5 cp_5 Words for two.',
    '3 cp_3 First words.\nAnd more.',
    '2 session',
    '1 manual',
  ];
  expect(await listed(savepoint, { limit: 20 })).toEqual({ rows, hidden: 0, next: null });
  const paged: string[] = [];
  for (let before: number | undefined = 99; before !== undefined; ) {
    const page = await listed(savepoint, { limit: 3, before });
    paged.push(...page.rows);
    before = page.next === null ? undefined : Number(page.next.slice(3));
  }
  expect(paged).toEqual(rows);
  await one.prompt('Now this.', 'm-9');
  expect((await listed(savepoint, { limit: 1 })).rows).toEqual(['* 13 cp_13 Now this.']);
});

test('a call with too many changes to list is in its turn and its session, as uncertain', async () => {
  const { savepoint, w, one } = await twoSessions();
  w.dropList('cp_9');
  const { turns } = await savepoint.turns({ limit: 1 });
  expect(turns[0]).toMatchObject({ before: 'cp_8', files: 10_001, changes: 10_001, counted: 300, calls: 1 });
  const { sessions } = await savepoint.sessions();
  expect(sessions.find(({ id }) => id === one.id)).toMatchObject({ changes: 10_003, unsure: 10_001, counted: 302 });
  const { details } = await savepoint.previewRollback({ session: 's-one', after: { checkpoint: 8 } });
  expect(details.skipped.map(({ why }) => why)).toEqual(['cp_9 has too many changes to record the author of each']);
});
