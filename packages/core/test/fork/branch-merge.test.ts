/** Commits in the repositories of forks: a merge brings files and names them, and a drop does not destroy them unasked. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Savepoint } from '@savepoint/core';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';
import { folderOf } from './folder-of.ts';

function git(folder: string, ...args: string[]): string {
  const own = ['-c', 'user.name=x', '-c', 'user.email=x@x'];
  return execFileSync('git', [...own, ...args], { cwd: folder, encoding: 'utf8' });
}

/** A repository with one commit, opened with git on its PATH. */
function repository(): { readonly savepoint: Savepoint; readonly top: string } {
  const p = new Place();
  p.write('a.txt', 'a\n');
  const top = p.at('');
  git(top, 'init', '-q', '-b', 'main');
  git(top, 'add', '.');
  git(top, 'commit', '-q', '-m', 'first');
  const savepoint = p.open({ places: { ...p.world.places, searchPath: process.env['PATH'] ?? '' } });
  return { savepoint, top };
}

test('a merge says which commits it does not bring, and how to get them', async () => {
  const { savepoint, top } = repository();
  const [made] = await savepoint.createForks(['f'], { rungs: ['copy'], branch: 'topic' });
  const folder = Buffer.from(made?.files ?? '', 'latin1').toString();
  writeFileSync(join(folder, 'a.txt'), 'uncommitted\n');
  expect((await savepoint.previewMerge('f')).plan.notes).toEqual([]);
  git(folder, 'commit', '-q', '-am', 'one');
  writeFileSync(join(folder, 'b.txt'), 'b\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'two');
  const why = expect.stringMatching(/^gets files only: the fork has 2 commits on topic.*`git merge topic`/);
  const { plan } = await savepoint.mergeFork('f');
  expect(plan.notes).toEqual([{ path: '', why }]);
  // The files are there, and uncommitted.
  expect(git(top, 'status', '--short')).toBe(' M a.txt\n?? b.txt\n');
  // As it says.
  await savepoint.undo();
  git(top, 'merge', '-q', 'topic');
  const again = await savepoint.mergeFork('f');
  expect([again.checkpoint, again.plan.notes]).toEqual([null, []]);
  // A name that a shell would not take as one word is not part of a command.
  git(folder, 'checkout', '-q', '-b', 'x;reboot');
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'three');
  const [note] = (await savepoint.previewMerge('f')).plan.notes ?? [];
  expect(note?.why).toMatch(/^gets files only: the fork has 1 commit on [0-9a-f]{10},.*`git merge [0-9a-f]{10}`/);
});

test('a fork with commits in a repository of its own is not removed unasked', async () => {
  const { savepoint, top } = repository();
  const made = await savepoint.createForks(['f', 'g', 'h'], { rungs: ['copy'] });
  const [folder = '', stashed = ''] = made.map(({ files }) => Buffer.from(files ?? '', 'latin1').toString());
  git(folder, 'checkout', '-q', '-b', 'side');
  writeFileSync(join(folder, 'p.txt'), 'precious\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'p');
  git(folder, 'checkout', '-q', 'main');
  writeFileSync(join(folder, 'b.txt'), 'b\n');
  writeFileSync(join(stashed, 'a.txt'), 'stashed\n');
  git(stashed, 'stash', '-q');
  writeFileSync(join(stashed, 'c.txt'), 'c\n');
  const command = `git fetch ${folder} side:f-side`;
  const { plan } = await savepoint.mergeFork('f');
  expect(plan.notes).toEqual([{ path: '', why: expect.stringContaining(`has commits on side`) }]);
  expect(plan.notes?.[0]?.why).toContain(`\`${command}\``);
  await savepoint.mergeFork('g');
  await expect(savepoint.dropFork('f')).rejects.toMatchObject({
    code: 'NEEDS_CONFIRMATION',
    message: expect.stringMatching(/commits that the repository .* side \([0-9a-f]{10}\)/),
    hint: expect.stringContaining(`\`${command}\``),
  });
  expect(await savepoint.cleanForks()).toMatchObject({
    dropped: [],
    notes: [expect.stringContaining('side'), expect.stringContaining('refs/stash')],
  });
  expect([existsSync(folder), existsSync(stashed)]).toEqual([true, true]);
  // As it says.
  execFileSync('sh', ['-c', command], { cwd: top, stdio: 'ignore' });
  expect(git(top, 'show', 'f-side:p.txt')).toBe('precious\n');
  await savepoint.dropFork('f');
  expect(await savepoint.dropFork('g', { force: true })).toEqual([
    expect.stringMatching(/^its commits on refs\/stash \([0-9a-f]{10}\) are gone: .* Its files are kept$/),
  ]);
  await savepoint.dropFork('h');
  expect((await savepoint.forks()).forks).toEqual([]);
});

test('commits on a detached HEAD of a worktree are named, and not removed unasked', async () => {
  const { savepoint, top } = repository();
  const made = await savepoint.createForks(['f'], { rungs: ['copy'], branch: 'topic' });
  const folder = Buffer.from(made[0]?.files ?? '', 'latin1').toString();
  git(folder, 'checkout', '-q', '--detach');
  writeFileSync(join(folder, 'p.txt'), 'precious\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-q', '-m', 'detached');
  const commit = git(folder, 'rev-parse', 'HEAD').trim();
  const short = commit.slice(0, 10);
  const { plan } = await savepoint.mergeFork('f');
  expect(plan.notes?.map(({ why }) => why)).toEqual([
    expect.stringMatching(`^gets files only: the fork has 1 commit on ${short}.*\`git merge ${short}\``),
  ]);
  const marks = async () => (await savepoint.copies()).copies.map(({ name, hasCommits }) => [name, hasCommits]);
  expect(await marks()).toEqual([['f', true]]);
  const kept = `commits on a detached HEAD, which no branch has: ${short}`;
  const { dropped, notes } = await savepoint.cleanForks();
  expect([dropped, notes]).toEqual([[], [`f is kept: it has ${kept}`]]);
  await expect(savepoint.dropFork('f')).rejects.toMatchObject({
    code: 'NEEDS_CONFIRMATION',
    message: `Fork f has ${kept}.`,
    hint: expect.stringContaining(`\`git branch f-HEAD ${short}\``),
  });
  expect(await savepoint.dropFork('f', { force: true })).toEqual([
    `no branch has the commit ${short}, which git will remove. \`git branch f-HEAD ${short}\` keeps it`,
  ]);
  // As it says.
  git(top, 'branch', 'f-HEAD', short);
  expect(git(top, 'rev-parse', 'f-HEAD').trim()).toBe(commit);
  // A branch has it: nothing is lost with the fork.
  await savepoint.createForks(['g'], { rungs: ['copy'], branch: 'other' });
  const other = await folderOf(savepoint, 'g');
  git(other, 'checkout', '-q', '-f', '--detach', 'f-HEAD');
  await savepoint.mergeFork('g');
  expect(await marks()).toEqual([['g', false]]);
  expect(await savepoint.dropFork('g')).toEqual([]);
});

test('a dropped fork comes back on its branch with its commits, or without it if the branch is in use', async () => {
  const { savepoint, top } = repository();
  const [made] = await savepoint.createForks(['f'], { rungs: ['copy'], branch: 'topic' });
  const folder = Buffer.from(made?.files ?? '', 'latin1').toString();
  writeFileSync(join(folder, 'a.txt'), 'committed\n');
  git(folder, 'commit', '-q', '-am', 'one');
  writeFileSync(join(folder, 'a.txt'), 'uncommitted\n');
  await savepoint.dropFork('f', { force: true });
  const back = { from: 'dropped:f', rungs: ['copy'] } as const;
  const [again] = await savepoint.createForks(['f'], back);
  const files = Buffer.from(again?.files ?? '', 'latin1').toString();
  expect([again?.fork.branch, again?.notes]).toEqual(['topic', []]);
  expect(git(files, 'log', '--format=%s %D')).toBe('one HEAD -> topic\nfirst main\n');
  expect(git(files, 'status', '--short')).toBe(' M a.txt\n');
  expect(readFileSync(join(files, 'a.txt'), 'utf8')).toBe('uncommitted\n');
  expect((await savepoint.previewMerge('f')).plan.notes).toEqual([
    { path: '', why: expect.stringContaining('1 commit on topic') },
  ]);
  await savepoint.dropFork('f', { force: true });
  git(top, 'checkout', '-q', 'topic');
  const [plain] = await savepoint.createForks(['f'], back);
  expect([plain?.fork.branch, plain?.notes]).toEqual([
    null,
    [expect.stringContaining('it has its files, and not its branch topic: ')],
  ]);
  expect(readFileSync(join(Buffer.from(plain?.files ?? '', 'latin1').toString(), 'a.txt'), 'utf8')).toBe(
    'uncommitted\n',
  );
  await savepoint.dropFork('f', { force: true });
  expect(git(top, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
});
