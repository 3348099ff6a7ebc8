/** A fork that starts with a plan: it is tried there, and the merge applies it to the workspace. */

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Savepoint } from '@savepoint/core';
import { expect, test } from 'vitest';
import { folderOf } from '../fork/folder-of.ts';
import { Place } from '../place.ts';
import { AUTHOR, repository } from './git-place.ts';
import { write } from './write.ts';

const PLANNED = [
  { given: 'a.txt', path: 'a.txt', edits: [{ op: 'delete' }], expectedHash: null, force: false },
  {
    ...{ given: 'new.txt', path: 'new.txt', expectedHash: null, force: false },
    edits: [{ op: 'create', content: 'new\n', mode: null }],
  },
] as const;

const place = (): Place => Place.with({ 'a.txt': 'a\n', 'b.txt': 'b\n' });

async function proposed(savepoint: Savepoint) {
  const { plan, fingerprint } = await savepoint.proposeEdits(PLANNED, { intent: 'Try it' });
  return { id: plan.id, fingerprint };
}

const statusOf = async (savepoint: Savepoint, id: string) => (await savepoint.plan(id)).status;

test('the merge of the fork applies the plan, with its authors, and takes what was done in the fork along', async () => {
  const p = place();
  const savepoint = p.open();
  const { id, fingerprint } = await proposed(savepoint);
  await expect(savepoint.createForks(['trial'], { from: id })).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  await savepoint.approvePlan(id, fingerprint);
  p.write('later.txt', 'later\n');
  await savepoint.createForks(['trial'], { from: id });
  expect([existsSync(p.at('a.txt')), existsSync(p.at('new.txt'))]).toEqual([true, false]);
  const folder = await folderOf(savepoint, 'trial');
  expect(['b.txt', 'new.txt', 'later.txt'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
    'b\n',
    'new\n',
    'later\n',
  ]);
  const fork = await savepoint.fork('trial');
  expect(fork).toMatchObject({ plan: id, state: 'changed' });
  expect(await statusOf(savepoint, id)).toBe('approved');

  writeFileSync(join(folder, 'b.txt'), 'by a person\n');
  const { checkpoint: after } = await savepoint.mergeFork('trial');
  expect([existsSync(p.at('a.txt')), p.read('new.txt'), p.read('b.txt')]).toEqual([false, 'new\n', 'by a person\n']);
  expect(after?.description).toBe(`Merged fork trial with ${id}`);
  const by = Object.fromEntries(
    after?.changes?.map(({ path, by: { authors } }) => [path, authors[0]?.actor.kind]) ?? [],
  );
  const { kind } = (await savepoint.plan(id)).plan.proposedBy;
  expect(by).toEqual({ 'a.txt': kind, 'new.txt': kind, 'b.txt': 'outside' });
  expect(await statusOf(savepoint, id)).toBe('applied');

  await savepoint.undo();
  expect([p.read('a.txt'), existsSync(p.at('new.txt')), await statusOf(savepoint, id)]).toEqual([
    'a\n',
    false,
    'rolled-back',
  ]);
});

test('only the files of the plan are committed, and what the user staged in others stays staged', async () => {
  const p = repository();
  const savepoint = p.open();
  const { plan, fingerprint } = await savepoint.proposeEdits([write('src/a.txt', 'plan\n')], { intent: 'Try it' });
  await savepoint.approvePlan(plan.id, fingerprint);
  p.write('mine.txt', 'staged\n');
  p.git('-c', 'core.fsmonitor=false', 'add', 'mine.txt');
  await savepoint.createForks(['trial'], { from: plan.id });
  const folder = await folderOf(savepoint, 'trial');
  writeFileSync(join(folder, 'src/b.txt'), 'of the fork\n');
  writeFileSync(join(folder, 'new.txt'), 'of the fork\n');
  await savepoint.mergeFork('trial');
  expect(await statusOf(savepoint, plan.id)).toBe('applied');
  const { commits, notes } = await savepoint.commitPlan(plan.id, { author: AUTHOR });
  expect(commits).toMatchObject([{ files: 1 }]);
  expect(notes).toContain('not committed, because the merge brought them, and not the plan: new.txt, src/b.txt');
  expect(p.git('show', '--name-only', '--format=', 'HEAD')).toBe('src/a.txt\n');
  expect(p.git('-c', 'core.fsmonitor=false', 'status', '--porcelain')).toBe('M  mine.txt\n M src/b.txt\n?? new.txt\n');
});

test('a merge of some paths, or of a plan that is no longer approved, does not count as an application', async () => {
  const p = place();
  const savepoint = p.open();
  const { id, fingerprint } = await proposed(savepoint);
  await savepoint.approvePlan(id, fingerprint);
  await savepoint.createForks(['trial'], { from: id });
  await savepoint.mergeFork('trial', { paths: ['new.txt'] });
  expect([existsSync(p.at('a.txt')), p.read('new.txt'), await statusOf(savepoint, id)]).toEqual([
    true,
    'new\n',
    'approved',
  ]);
  // What is left of the fork is not the whole plan.
  const { plan } = await savepoint.previewMerge('trial');
  expect(plan.notes?.map(({ why }) => why)).toEqual([
    `gets files of fork trial, but that does not apply ${id}: the fork is merged in parts`,
  ]);
  await savepoint.mergeFork('trial');
  expect([existsSync(p.at('a.txt')), await statusOf(savepoint, id)]).toEqual([false, 'approved']);
  await savepoint.undo();
  await savepoint.cancelPlan(id);
  await savepoint.mergeFork('trial');
  expect([existsSync(p.at('a.txt')), await statusOf(savepoint, id)]).toEqual([false, 'cancelled']);
});

test('a merge does not count as an application of what the fork does not have', async () => {
  const p = place();
  const savepoint = p.open();
  const { id, fingerprint } = await proposed(savepoint);
  await savepoint.approvePlan(id, fingerprint);
  await savepoint.createForks(['changed', 'revised'], { from: id });
  rmSync(join(await folderOf(savepoint, 'changed'), 'new.txt'));
  const { checkpoint, plan } = await savepoint.mergeFork('changed');
  expect(checkpoint?.description).toBe('Merged fork changed');
  expect(plan.notes?.[0]?.why).toContain('new.txt is not as it says after the merge');
  expect([existsSync(p.at('a.txt')), await statusOf(savepoint, id)]).toEqual([false, 'approved']);
  await savepoint.undo();

  // The fork has both changes, and the plan only one of them by now.
  const decided = await savepoint.decidePlan(id, [{ path: 'new.txt', accepted: false }]);
  await savepoint.approvePlan(id, decided.fingerprint);
  const merged = await savepoint.mergeFork('revised');
  expect(merged.plan.notes?.[0]?.why).toContain('it is not what the fork started with');
  expect([p.read('new.txt'), await statusOf(savepoint, id)]).toEqual(['new\n', 'approved']);
});

test('a plan that does not merge with the folder makes no fork', async () => {
  const p = place();
  const savepoint = p.open();
  const { id, fingerprint } = await proposed(savepoint);
  await savepoint.approvePlan(id, fingerprint);
  p.write('a.txt', 'changed\n');
  await expect(savepoint.createForks(['trial'], { from: id })).rejects.toMatchObject({ code: 'CONFLICT' });
  expect((await savepoint.forks()).forks).toEqual([]);
});

test('a fork revises only the revision that it started with, or that was made of it', async () => {
  const p = place();
  const savepoint = p.open();
  const { id, fingerprint } = await proposed(savepoint);
  await savepoint.approvePlan(id, fingerprint);
  await savepoint.createForks(['one', 'two'], { from: id });
  const work = async (fork: string) => writeFileSync(join(await folderOf(savepoint, fork), `${fork}.txt`), 'x\n');
  await work('one');
  await work('two');
  expect((await savepoint.revisePlan(id, { fork: 'one' })).plan.revision).toBe(2);
  await expect(p.open().revisePlan(id, { fork: 'two' })).rejects.toMatchObject({
    code: 'CONFLICT',
    message: `The fork two goes on from revision 1 of ${id}, which has revision 2 now.`,
    hint: expect.stringContaining('`savepoint plan new --from-fork two`'),
  });
  writeFileSync(join(await folderOf(savepoint, 'one'), 'more.txt'), 'x\n');
  const { plan, changes } = await p.open().revisePlan(id, { fork: 'one' });
  expect([plan.revision, changes.map(({ change }) => change.path)]).toEqual([
    3,
    ['a.txt', 'more.txt', 'new.txt', 'one.txt'],
  ]);
  // What the other has can be kept.
  expect((await p.open().proposeFrom({ fork: 'two' }, { intent: 'Of its own' })).plan.revision).toBe(1);
});
