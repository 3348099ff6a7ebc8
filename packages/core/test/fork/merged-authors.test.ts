/** After the merge of a fork, conflicts and blame name those who wrote the lines in the fork. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Checkpoint, DiskPath } from '@savepoint/core';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';
import { tree } from '../timeline/query/timeline-world.ts';
import { folderOf } from './folder-of.ts';

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];

function withLine(index: number, text: string): string {
  return `${LINES.map((line, at) => (at === index ? text : line)).join('\n')}\n`;
}

test('the agent of a merged fork, how sure that is, and the merge are named', async () => {
  const p = new Place();
  p.write('a.txt', withLine(0, 'one'));
  p.write('b.txt', withLine(0, 'one'));
  const savepoint = p.open();
  await savepoint.createForks(['first', 'second'], { rungs: ['copy'] });
  const first = await folderOf(savepoint, 'first');
  const session = p.open({ dir: first as DiskPath }).session({ agent: 'mine', id: 's-1' });
  await session.start();
  await session.call({ tool: 'Write', kind: 'write', paths: tree('a.txt'), id: 'c-1' }, () =>
    writeFileSync(join(first, 'a.txt'), withLine(0, 'by the agent')),
  );
  await session.close();
  writeFileSync(join(first, 'b.txt'), withLine(6, 'not recorded'));
  await savepoint.mergeFork('first');
  const second = await folderOf(savepoint, 'second');
  writeFileSync(join(second, 'a.txt'), withLine(0, 'another'));
  writeFileSync(join(second, 'b.txt'), withLine(6, 'another'));
  const { plan } = await savepoint.previewMerge('second');
  expect(plan.conflicts.map(({ path, why }) => [path, why])).toEqual([
    ['a.txt', 'the same lines were changed since by mine (likely), in cp_2 (Merged fork first)'],
    ['b.txt', 'the same lines were changed since by an unknown author, in cp_2 (Merged fork first)'],
  ]);
  const [text = ''] = plan.conflicts.map(({ sides }) => sides?.text?.toString() ?? '');
  expect(text).toContain('>>>>>>> theirs (the lines of the fork)');
  const { ranges } = await savepoint.blame({ path: tree('a.txt')[0] ?? '' });
  expect(ranges[0]).toMatchObject({
    first: 1,
    last: 1,
    origin: { kind: 'change', checkpoint: { id: 'cp_2' }, change: { by: { grade: 'likely' } } },
  });
  // Also when the fork is gone.
  await savepoint.dropFork('first', { force: true });
  expect((await savepoint.previewMerge('second')).plan.conflicts[0]?.why).toContain('by mine (likely)');
});

test('many authors of one place are named without their checkpoints, and lines beside are not to be reverted', async () => {
  const p = new Place();
  for (const name of ['a.txt', 'b.txt']) p.write(name, withLine(0, 'one'));
  const savepoint = p.open();
  await savepoint.createForks(['trial'], { rungs: ['copy'] });
  const folder = await folderOf(savepoint, 'trial');
  writeFileSync(join(folder, 'a.txt'), `a\nb\nc\n${LINES.slice(3).join('\n')}\n`);
  writeFileSync(join(folder, 'b.txt'), withLine(2, 'in the fork'));
  for (const end of [1, 2, 3]) {
    p.write('a.txt', `${LINES.map((line, at) => (at < end ? `${line}!` : line)).join('\n')}\n`);
    await p.open().checkpoint();
  }
  p.write('b.txt', withLine(1, 'beside it'));
  const { plan } = await p.open().previewMerge('trial');
  expect(plan.conflicts.map(({ why }) => why)).toEqual([
    'the same lines were changed since from outside',
    expect.stringMatching(/^lines next to the ones to change were changed since from outside, after cp_\d+$/),
  ]);
});

const RESOLUTIONS = new Map([['a.txt', { content: Buffer.from(withLine(0, 'merged by the person')) }]]) as never;

test('a file that a person merged by hand is not surely the work of the agent', async () => {
  const p = new Place();
  p.write('a.txt', withLine(0, 'one'));
  const savepoint = p.open();
  const agent = p.open({ actor: { kind: 'agent', name: 'mine' } });
  const edit = { op: 'replace', old: 'one\n', new: 'by the agent\n' } as const;
  const { plan, fingerprint } = await agent.proposeEdits([{ path: 'a.txt', edits: [edit] }], { intent: 'x' });
  await savepoint.approvePlan(plan.id, fingerprint);
  await savepoint.createForks(['trial'], { from: plan.id });
  p.write('a.txt', withLine(0, 'by the person'));
  const { checkpoint } = await savepoint.mergeFork('trial', { resolutions: RESOLUTIONS });
  expect(namesIn(checkpoint)).toEqual(['open', 'mine', 'user']);
});

test('the same holds for the changes of an agent in a copy', async () => {
  const p = new Place();
  p.write('a.txt', withLine(0, 'one'));
  const savepoint = p.open();
  const copy = await savepoint.openCopy({ purpose: 'isolated', rungs: ['copy'] });
  writeFileSync(join(Buffer.from(copy.copy.files, 'latin1').toString(), 'a.txt'), withLine(0, 'by the agent'));
  p.write('a.txt', withLine(0, 'by the person'));
  const author = { actor: { kind: 'agent', name: 'mine' }, session: 's1' } as const;
  const { checkpoint } = await savepoint.applyCopy(copy, { author, description: 'x', resolutions: RESOLUTIONS });
  await copy.copy.drop();
  expect(namesIn(checkpoint)).toEqual(['open', 'mine', 'user']);
});

function namesIn(checkpoint: Checkpoint | null): readonly (string | undefined)[] {
  const by = checkpoint?.changes?.[0]?.by;
  return [by?.grade, ...(by?.authors.map(({ actor }) => actor.name) ?? [])];
}
