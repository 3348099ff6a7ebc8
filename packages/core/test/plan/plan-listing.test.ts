/** The listing that is kept with a plan, and what a review decides while it goes on. */

import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Savepoint } from '@savepoint/core';
import { expect, test } from 'vitest';
import { numberedLines } from '../numbered-lines.ts';
import { Place } from '../place.ts';
import { write } from './write.ts';

const text = (changed: Readonly<Record<number, string>>): string => numberedLines(40, changed);

type Written = Readonly<Record<string, string>>;

const edits = (files: Written) => Object.entries(files).map(([path, content]) => write(path, content));

async function planned(files: Written = { 'a.txt': text({ 2: 'two', 38: 'LAST' }), 'b.txt': 'B\n', 'c.txt': 'c\n' }) {
  const p = new Place();
  p.write('a.txt', text({}));
  p.write('b.txt', 'b\n');
  const savepoint = p.open();
  const view = await savepoint.proposeEdits(edits(files), { intent: 'Spell the numbers' });
  return { p, savepoint, view, id: view.plan.id, git: storeGit(await p.store()) };
}

/** Git on the store. Trees have their entries by name. */
function storeGit(dir: string) {
  const git = (args: readonly string[], input?: string): string =>
    execFileSync('git', ['--git-dir', join(dir, 'objects.git'), ...args], { input, encoding: 'utf8' }).trim();
  return { dir, git, ref: (id: string) => `refs/savepoint/plan/${id.slice('plan_'.length)}` };
}

/** Replaces the listing in the store, as a program that can write there could. */
function forge({ git, ref }: ReturnType<typeof storeGit>, id: string, change: (listing: string) => string): void {
  const entries = git(['ls-tree', ref(id)]);
  const old = /blob (\w+)\tlisting\.json/.exec(entries)?.[1] ?? '';
  const blob = git(['hash-object', '-w', '--stdin'], change(git(['cat-file', 'blob', old])));
  const tree = git(['mktree'], `${entries.replace(old, blob)}\n`);
  const names = ['-c', 'user.name=x', '-c', 'user.email=x@example.invalid'];
  git(['update-ref', ref(id), git([...names, 'commit-tree', '-m', 'forged', tree])]);
}

const decided = async (savepoint: Savepoint, id: string) =>
  (await savepoint.plan(id)).changes.map(({ change, accepted, hunks }) => [
    change.path,
    accepted,
    hunks?.map((hunk) => hunk.accepted),
  ]);

test('it counts the lines of every change, and says the same as the files', async () => {
  const many = Object.fromEntries(Array.from({ length: 310 }, (_, n) => [`many/${n}.txt`, `${n}\n${n}\n`]));
  const { p, savepoint, view, id, git } = await planned({
    ...many,
    'a.txt': text({ 2: 'two', 38: 'LAST' }),
    'b.txt': 'B\n',
  });
  expect(view.totals).toEqual({ files: 312, added: 623, removed: 3 });
  const shown = await savepoint.plan(id);
  forge(git, id, () => 'unreadable');
  expect((await p.open().plan(id)).changes).toEqual(shown.changes);
  forge(git, id, (listing) => listing.replace(/"proposal":"\w{8}/, '"proposal":"00000000'));
  expect((await p.open().plan(id)).changes).toEqual(shown.changes);
});

test('a forged listing neither gets approved nor changes what a rejection leaves out', async () => {
  const { savepoint, id, git, p } = await planned();
  const [first] = (await savepoint.planHunks(id, 'a.txt')) ?? [];
  expect(first?.lines).toContain('+two\n');
  // The hunk has another digest, and one of the changes is not listed.
  const whole = (await savepoint.plan(id)).changes;
  const kept: string[] = [];
  forge(git, id, (listing) => {
    kept.push(listing);
    const json = JSON.parse(listing);
    json.changes.splice(1, 1);
    json.changes[0][8][0][6] = '0123456789abcdef';
    kept.push(JSON.stringify(json));
    return kept[1]!;
  });
  expect((await savepoint.plan(id)).changes).toHaveLength(whole.length - 1);
  const { fingerprint } = await savepoint.decidePlan(id, [{ path: 'a.txt', hunk: 1, accepted: false }]);
  await expect(savepoint.approvePlan(id, fingerprint)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  forge(git, id, () => kept[0]!);
  const now = await savepoint.plan(id);
  expect(now.changes[0]?.hunks?.map(({ accepted }) => accepted)).toEqual([false, null]);
  await savepoint.approvePlan(id, now.fingerprint);
  forge(git, id, () => kept[1]!);
  await savepoint.applyPlan(id);
  expect([p.read('a.txt'), p.read('b.txt')]).toEqual([text({ 38: 'LAST' }), 'B\n']);
});

test('decisions of a review are there at once, and become part of the plan with its next change', async () => {
  const { p, savepoint, id, git } = await planned();
  const commit = git.git(['rev-parse', git.ref(id)]);
  await savepoint.recordDecisions(id, 1, [{ path: 'a.txt', hunk: 1, accepted: false }]);
  await savepoint.recordDecisions(id, 1, [{ path: 'a.txt', hunk: 2, accepted: true }]);
  await savepoint.recordDecisions(id, 1, [{ path: 'b.txt', accepted: true }]);
  await savepoint.recordDecisions(id, 1, [{ path: 'b.txt', accepted: false }]);
  expect(git.git(['rev-parse', git.ref(id)])).toBe(commit);
  expect(readdirSync(join(git.dir, 'reviews'))).toHaveLength(1);
  const other = p.open();
  const expected = [
    ['a.txt', null, [false, true]],
    ['b.txt', false, [false]],
    ['c.txt', null, undefined],
  ];
  expect(await decided(other, id)).toEqual(expected);
  expect((await other.plans()).plans[0]?.selected).toEqual({ files: 2, added: 2, removed: 1 });
  expect((await other.verify({ deep: true })).damage).toEqual([]);
  await other.approvePlan(id, (await other.plan(id)).fingerprint);
  expect(readdirSync(join(git.dir, 'reviews'))).toEqual([]);
  expect(await decided(other, id)).toEqual(expected);
  await other.applyPlan(id);
  expect([p.read('a.txt'), p.read('b.txt')]).toEqual([text({ 38: 'LAST' }), 'b\n']);
  await expect(other.recordDecisions(id, 1, [{ path: 'b.txt', accepted: true }])).rejects.toMatchObject({
    code: 'USAGE',
  });
});

test('decisions count for the revision that they were made about', async () => {
  const { savepoint, id } = await planned();
  await savepoint.recordDecisions(id, 1, [
    { path: 'a.txt', hunk: 1, accepted: false },
    { path: 'b.txt', accepted: false },
  ]);
  await savepoint.revisePlan(id, edits({ 'a.txt': text({ 2: 'two' }), 'b.txt': 'BB\n' }));
  expect(await decided(savepoint, id)).toEqual([
    ['a.txt', null, [false]],
    ['b.txt', null, [null]],
  ]);
  await expect(savepoint.recordDecisions(id, 1, [{ path: 'b.txt', accepted: false }])).rejects.toMatchObject({
    code: 'CONFLICT',
  });
  await expect(savepoint.recordDecisions(id, 2, [{ path: 'x.txt', accepted: true }])).rejects.toMatchObject({
    code: 'USAGE',
  });
});

test('what a review decided survives a purge, and an unreadable file of it hides no other plan', async () => {
  const { savepoint, id, git } = await planned();
  await savepoint.recordDecisions(id, 1, [{ path: 'a.txt', hunk: 2, accepted: false }]);
  await savepoint.purge(['b.txt']);
  expect(readdirSync(join(git.dir, 'reviews'))).toEqual([]);
  expect((await decided(savepoint, id))[0]).toEqual(['a.txt', null, [null, false]]);
  const other = await savepoint.proposeEdits(edits({ 'd.txt': 'd\n' }), { intent: 'other' });
  await savepoint.recordDecisions(id, 1, [{ path: 'a.txt', accepted: true }]);
  writeFileSync(join(git.dir, 'reviews', `${id.slice('plan_'.length)}.json`), '{');
  await expect(savepoint.plan(id)).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  const { plans, problems } = await savepoint.plans();
  expect([plans.map(({ plan }) => plan.id), problems]).toEqual([[other.plan.id], [expect.stringContaining(`${id}: `)]]);
});

test('a folder stands for the changes below it', async () => {
  const { savepoint, id } = await planned({ 'x/a': 'a\n', 'x/y/b': 'b\n', 'x.txt': 'x\n', 'b.txt': 'B\n' });
  const { changes } = await savepoint.decidePlan(id, [
    { path: 'x', accepted: false },
    { path: 'x/y', accepted: true },
  ]);
  expect(changes.map(({ change, accepted }) => [change.path, accepted])).toEqual([
    ['b.txt', null],
    ['x/a', false],
    ['x/y/b', true],
    ['x.txt', null],
  ]);
  await expect(savepoint.decidePlan(id, [{ path: 'b.txt', hunk: 2, accepted: true }])).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringContaining('has no hunk 2 of b.txt, which has 1 hunk'),
  });
});
