/** Forks: created, merged, dropped and restored. */

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';
import { tree } from '../timeline/query/timeline-world.ts';
import { folderOf } from './folder-of.ts';

const LINES = 'a\nb\nc\nd\ne\n';

const place = (): Place => Place.with({ 'a.txt': LINES, 'b.txt': 'b\n' });

test('several forks are merged one after the other, and each merge is one undo', async () => {
  const p = place();
  const savepoint = p.open();
  const created = await savepoint.createForks(['one', 'two'], { rungs: ['copy'] });
  expect(created.map(({ fork }) => [fork.name, fork.port])).toEqual([
    ['one', 20_000],
    ['two', 20_010],
  ]);
  await expect(savepoint.createForks(['one'])).rejects.toMatchObject({
    message: 'There is already a fork one.',
    hint: 'Use another name. `savepoint fork list` shows the forks.',
  });
  await expect(savepoint.check({ only: ['no-such'] })).rejects.toMatchObject({
    code: 'USAGE',
    hint: '`savepoint trust --list` shows the checks.',
  });
  const [one, two] = [await folderOf(savepoint, 'one'), await folderOf(savepoint, 'two')];
  writeFileSync(join(one, 'a.txt'), 'one\nb\nc\nd\ne\n');
  writeFileSync(join(one, 'new.txt'), 'new\n');
  writeFileSync(join(two, 'a.txt'), 'a\nb\nc\nd\ntwo\n');
  unlinkSync(join(two, 'b.txt'));
  p.write('c.txt', 'a person\n');
  expect((await savepoint.forks()).forks.map(({ name, state }) => [name, state])).toEqual([
    ['one', 'changed'],
    ['two', 'changed'],
  ]);
  const { checkpoint } = await savepoint.mergeFork('one');
  expect(checkpoint).toMatchObject({ trigger: 'merge', description: 'Merged fork one' });
  await savepoint.mergeFork('two');
  expect(p.read('a.txt')).toBe('one\nb\nc\nd\ntwo\n');
  expect([p.read('new.txt'), p.read('c.txt'), existsSync(p.at('b.txt'))]).toEqual(['new\n', 'a person\n', false]);
  await savepoint.undo();
  expect(p.read('a.txt')).toBe('one\nb\nc\nd\ne\n');
  expect(p.read('b.txt')).toBe('b\n');
});

test('a second merge brings only what is new, and everything again after an undo', async () => {
  const p = place();
  const savepoint = p.open();
  await savepoint.createForks(['f'], { rungs: ['copy'] });
  const folder = await folderOf(savepoint, 'f');
  writeFileSync(join(folder, 'new.txt'), 'new\n');
  expect((await savepoint.fork('f')).base).toBe('cp_1');
  await savepoint.mergeFork('f');
  expect(await savepoint.fork('f')).toMatchObject({ state: 'merged', base: null });
  rmSync(p.at('new.txt')); // a person rejects it
  writeFileSync(join(folder, 'b.txt'), 'changed\n');
  await savepoint.mergeFork('f');
  expect(p.read('b.txt')).toBe('changed\n');
  expect(existsSync(p.at('new.txt'))).toBe(false);
  await savepoint.undo();
  expect(p.read('b.txt')).toBe('b\n');
  expect((await savepoint.fork('f')).difference.changes.map(({ path }) => path)).toEqual(['b.txt']);
  await savepoint.redo();
  expect((await savepoint.fork('f')).state).toBe('merged');
  await savepoint.restore('cp_1', { mode: 'exact' });
  expect((await savepoint.fork('f')).difference.changes.map(({ path }) => path)).toEqual(['b.txt', 'new.txt']);
  await savepoint.mergeFork('f');
  expect([p.read('b.txt'), p.read('new.txt')]).toEqual(['changed\n', 'new\n']);
});

test('a merge of some paths, or without conflicts, leaves the rest to be merged', async () => {
  const p = place();
  const savepoint = p.open();
  await savepoint.createForks(['f'], { rungs: ['copy'] });
  const folder = await folderOf(savepoint, 'f');
  writeFileSync(join(folder, 'a.txt'), 'a\nb\nfork\nd\ne\n');
  writeFileSync(join(folder, 'b.txt'), 'fork\n');
  writeFileSync(join(folder, 'c.txt'), 'fork\n');
  p.write('a.txt', 'a\nb\nperson\nd\ne\n');
  await savepoint.mergeFork('f', { paths: ['c.txt'] });
  await expect(savepoint.mergeFork('f')).rejects.toMatchObject({ code: 'CONFLICT' });
  expect(p.read('b.txt')).toBe('b\n');
  await savepoint.mergeFork('f', { skipConflicts: true });
  expect([p.read('a.txt'), p.read('b.txt')]).toEqual(['a\nb\nperson\nd\ne\n', 'fork\n']);
  expect((await savepoint.fork('f')).difference.changes.map(({ path }) => path)).toEqual(['a.txt']);
  await savepoint.mergeFork('f', { prefer: new Map([['a.txt', 'theirs']]) });
  expect(p.read('a.txt')).toBe('a\nb\nfork\nd\ne\n');
  expect((await savepoint.fork('f')).state).toBe('merged');
});

test('a fork with work that is not merged is not dropped, and a dropped one comes back', async () => {
  const p = place();
  const savepoint = p.open();
  await savepoint.createForks(['f'], { rungs: ['copy'] });
  const folder = await folderOf(savepoint, 'f');
  writeFileSync(join(folder, 'new.txt'), 'new\n');
  await expect(savepoint.dropFork('f')).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  await savepoint.dropFork('f', { force: true });
  expect(existsSync(folder)).toBe(false);
  await expect(savepoint.fork('f')).rejects.toMatchObject({ code: 'UNKNOWN_FORK', data: { known: ['dropped:f'] } });
  await savepoint.gc({ retention: { maxCheckpoints: 1, keepAtLeast: 1 } });
  await savepoint.createForks(['again'], { from: 'dropped:f', rungs: ['copy'] });
  expect(readFileSync(join(await folderOf(savepoint, 'again'), 'new.txt'), 'utf8')).toBe('new\n');
  await savepoint.mergeFork('again');
  expect(p.read('new.txt')).toBe('new\n');
  expect((await savepoint.cleanForks()).dropped).toEqual(['again']);
  expect((await savepoint.forks()).forks).toEqual([]);
});

test('each dropped fork of a name comes back, the newest under the name alone', async () => {
  const p = place();
  const savepoint = p.open();
  for (const text of ['first\n', 'second\n', 'third\n']) {
    await savepoint.createForks(['f'], { rungs: ['copy'] });
    writeFileSync(join(await folderOf(savepoint, 'f'), 'new.txt'), text);
    await savepoint.dropFork('f', { force: true });
  }
  const { dropped } = await savepoint.forks();
  expect(dropped.map(({ from, name }) => [from, name])).toEqual([
    ['dropped:f', 'f'],
    ['dropped:f~1', 'f'],
    ['dropped:f~2', 'f'],
  ]);
  const found: string[] = [];
  for (const [index, { from }] of dropped.entries()) {
    await savepoint.createForks([`g${index}`], { from, rungs: ['copy'] });
    found.push(readFileSync(join(await folderOf(savepoint, `g${index}`), 'new.txt'), 'utf8'));
  }
  expect(found).toEqual(['third\n', 'second\n', 'first\n']);
  const unknown = savepoint.createForks(['x'], { from: 'dropped:f~3' });
  await expect(unknown).rejects.toMatchObject({
    code: 'UNKNOWN_FORK',
    data: { known: ['dropped:f', 'dropped:f~1', 'dropped:f~2'] },
  });
});

test('the state of a dropped fork is kept as long as a checkpoint of its age, and goes before checkpoints', async () => {
  const p = place();
  const savepoint = p.open();
  await savepoint.createForks(['old', 'new'], { rungs: ['copy'] });
  for (const name of ['old', 'new']) {
    // No compression makes it small.
    writeFileSync(join(await folderOf(savepoint, name), 'own'), randomBytes(200_000));
    await savepoint.dropFork(name, { force: true });
  }
  p.write('c.txt', 'c\n');
  await savepoint.checkpoint();
  const kept = { retention: { maxCheckpoints: 1, maxSessions: 1, keepAtLeast: 1, maxAgeDays: 1 } };
  expect((await savepoint.previewGc(kept)).forks).toEqual([]);
  const tiny = { retention: { maxAgeDays: 0.000_000_001, keepAtLeast: 50 } };
  const full = { retention: { maxStoreBytes: 300_000 } };
  expect(await savepoint.gc(full)).toMatchObject({ forks: ['old'], dropped: [] });
  expect((await savepoint.forks()).dropped.map(({ name }) => name)).toEqual(['new']);
  expect(await savepoint.previewGc(tiny)).toMatchObject({ forks: ['new'], dropped: [] });
  expect(await savepoint.gc(tiny)).toMatchObject({ forks: ['new'], dropped: [] });
  await expect(savepoint.createForks(['x'], { from: 'dropped:new' })).rejects.toMatchObject({ code: 'UNKNOWN_FORK' });
});

test('a fork whose changes the workspace has already is not work that would be lost', async () => {
  const p = place();
  const savepoint = p.open();
  await savepoint.createForks(['f', 'g'], { rungs: ['copy'] });
  writeFileSync(join(await folderOf(savepoint, 'f'), 'new.txt'), 'new\n');
  p.write('new.txt', 'new\n');
  expect((await savepoint.cleanForks()).dropped).toEqual(['f']);
  await savepoint.dropFork('g');
  expect((await savepoint.forks()).forks).toEqual([]);
});

test('the timeline of a fork is its own, and its agents are the authors of what is merged', async () => {
  const p = place();
  const savepoint = p.open();
  await savepoint.createForks(['f'], { rungs: ['copy'] });
  const { folder } = await savepoint.openFork('f');
  const inside = p.open({ dir: folder });
  expect(await inside.currentFork()).toMatchObject({ name: 'f', root: p.world.workspace, checkpoint: 'cp_1' });
  expect(await savepoint.currentFork()).toBeNull();
  await inside.checkpoint();
  const session = inside.session({ agent: 'mine', id: 's-1' });
  await session.start();
  await session.call({ tool: 'Write', kind: 'write', paths: tree('new.txt'), id: 'c-1' }, () =>
    writeFileSync(join(folder, 'new.txt'), 'new\n'),
  );
  await session.close();
  writeFileSync(join(folder, 'b.txt'), 'not recorded\n');
  const made = await inside.status();
  expect(made.workspace.root).toBe(folder);
  expect(Buffer.from(made.workspace.store, 'latin1').toString()).toContain('/copies/copy_');
  expect((await savepoint.status()).checkpoints).toBe(1);
  const { checkpoint } = await savepoint.mergeFork('f');
  expect(checkpoint?.changes?.map(({ path, by }) => [path, by.grade, by.authors[0]?.actor.name])).toEqual([
    ['b.txt', 'likely', 'outside'],
    ['new.txt', 'likely', 'mine'],
  ]);
});

test('a command runs in a fork in the background, with its variables, and its output is kept', async () => {
  const p = place();
  const savepoint = p.open();
  const command = ['sh', '-c', 'echo "$SAVEPOINT_FORK $SAVEPOINT_FORK_PORT"; pwd; echo run > run.txt; exit 3'];
  await savepoint.createForks(['f'], {
    rungs: ['copy'],
    command: { command, variables: { PATH: process.env['PATH'] ?? '' } },
  });
  await expect
    .poll(async () => (await savepoint.fork('f')).runs[0], { timeout: 20_000 })
    .toMatchObject({ number: 1, command, state: 'exited', exit: 3 });
  const view = await savepoint.fork('f');
  expect(readFileSync(view.runs[0]?.output ?? '', 'utf8')).toBe(`f 20000\n${view.folder}\n`);
  expect(view.difference.changes.map(({ path }) => path)).toEqual(['run.txt']);
  await savepoint.runInFork('f', { command: ['sleep', '600'], variables: { PATH: process.env['PATH'] ?? '' } });
  expect((await savepoint.fork('f')).runs[0]?.state).toBe('running');
  const note = {
    path: '',
    why: expect.stringMatching(/^gets what fork f has now, while .* still runs there: sleep 600\. .*`kill [\d ]+`/),
  };
  expect((await savepoint.previewMerge('f')).plan.notes).toEqual([note]);
  const dropped = savepoint.dropFork('f');
  await expect(dropped).rejects.toMatchObject({
    code: 'NEEDS_CONFIRMATION',
    message: 'A command runs in fork f: sleep 600.',
    hint: expect.stringMatching(/^Wait until it ends, end it with `kill [\d ]+`, or repeat with --force/),
  });
  expect((await savepoint.mergeFork('f')).plan.notes).toEqual([note]);
  const [, pids = ''] = /`kill ([\d ]+)`/.exec(await dropped.catch((error) => error.hint)) ?? [];
  for (const pid of pids.split(' ')) process.kill(Number(pid));
  await expect
    .poll(async () => (await savepoint.fork('f')).runs[0]?.state, { timeout: 20_000 })
    .toMatch(/^(exited|killed)$/);
  await savepoint.runInFork('f', { command: ['sleep', '600'], variables: { PATH: process.env['PATH'] ?? '' } });
  await savepoint.dropFork('f', { force: true });
});

test('with a branch, the fork is a worktree in which git merges as usual, and no hook of the repository runs', async () => {
  const p = place();
  const git = (folder: string, ...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd: folder, encoding: 'utf8' });
  const top = p.at('');
  git(top, 'init', '-q', '-b', 'main');
  git(top, 'add', '.');
  git(top, 'commit', '-q', '-m', 'first');
  for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change']) {
    p.write(`.git/hooks/${hook}`, '#!/bin/sh\ntouch "$(dirname "$0")/ran"\n');
    p.shell(`chmod +x .git/hooks/${hook}`);
  }
  p.shell('git config filter.x.smudge "touch /tmp/never"; git config core.fsmonitor "touch ran"');
  p.write('untracked.txt', 'mine\n');
  const savepoint = p.open({ places: { ...p.world.places, searchPath: process.env['PATH'] ?? '' } });
  await savepoint.createForks(['f'], { rungs: ['copy'], branch: 'topic' });
  expect(existsSync(p.at('.git/hooks/ran'))).toBe(false);
  const folder = await folderOf(savepoint, 'f');
  expect(git(folder, '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', 'status', '--short')).toBe(
    '?? untracked.txt\n',
  );
  writeFileSync(join(folder, 'b.txt'), 'fork\n');
  git(folder, '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', 'commit', '-q', '-am', 'in the fork');
  git(top, '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', 'merge', '-q', 'topic');
  expect(p.read('b.txt')).toBe('fork\n');
  const notes = await savepoint.dropFork('f', { force: true });
  expect(notes).toEqual(['The folder: the branch topic and its commits stay']);
  expect(git(top, 'worktree', 'list').trim().split('\n')).toHaveLength(1);
  await savepoint.createForks(['g'], { rungs: ['copy'], branch: 'other' });
  await savepoint.dropFork('g', { force: true });
  expect(git(top, 'branch', '--format=%(refname:short)').trim()).toBe('main\ntopic');
});

test('forks are compared: sizes, paths in common, and what does not merge', async () => {
  const p = place();
  const savepoint = p.open();
  await savepoint.createForks(['one', 'two', 'three'], { rungs: ['copy'] });
  const folders = await Promise.all(['one', 'two', 'three'].map((name) => folderOf(savepoint, name)));
  const [one, two, three] = folders as [string, string, string];
  writeFileSync(join(one, 'a.txt'), 'one\nb\nc\nd\ne\n');
  writeFileSync(join(two, 'a.txt'), 'two\nb\nc\nd\ne\n');
  writeFileSync(join(two, 'b.txt'), 'two\n');
  writeFileSync(join(three, 'a.txt'), 'a\nb\nc\nd\nthree\n');
  p.write('b.txt', 'a person\n');
  const before = readFileSync(p.at('a.txt'), 'utf8');
  const { forks, pairs } = await savepoint.compareForks(['one', 'two', 'three']);
  expect(
    forks.map(({ name, difference, conflicts }) => [name, difference.totals.files, conflicts.map(({ path }) => path)]),
  ).toEqual([
    ['one', 1, []],
    ['two', 2, ['b.txt']],
    ['three', 1, []],
  ]);
  expect(
    pairs.map(({ forks: pair, common, conflicts }) => [...pair, common, conflicts.map(({ path }) => path)]),
  ).toEqual([
    ['one', 'two', ['a.txt'], ['a.txt']],
    ['one', 'three', ['a.txt'], []],
    ['two', 'three', ['a.txt'], []],
  ]);
  expect(readFileSync(p.at('a.txt'), 'utf8')).toBe(before);
  // As it says: the merge of one after the other.
  await savepoint.mergeFork('one');
  await expect(savepoint.mergeFork('two', { paths: tree('a.txt') })).rejects.toMatchObject({ code: 'CONFLICT' });
  await savepoint.mergeFork('three');
  await expect(savepoint.compareForks(['one', 'one'])).rejects.toMatchObject({ code: 'USAGE' });
});

test('the files of two forks are compared, and those of a fork with the workspace, without ignored files', async () => {
  const p = place();
  p.write('.gitignore', 'built\n');
  const savepoint = p.open();
  await savepoint.createForks(['one', 'two'], { rungs: ['copy'] });
  const [one, two] = [await folderOf(savepoint, 'one'), await folderOf(savepoint, 'two')];
  writeFileSync(join(one, 'a.txt'), 'one\nb\nc\nd\ne\n');
  writeFileSync(join(two, 'a.txt'), 'two\nb\nc\nd\ne\n');
  for (const folder of [one, two]) {
    writeFileSync(join(folder, 'both.txt'), 'the same\n');
    writeFileSync(join(folder, 'built'), folder);
  }
  p.write('person.txt', 'of a person\n');
  p.write('built', 'of a person\n');
  const forks = await savepoint.diffForks('one', 'two', { patch: true });
  expect(forks.changes.map(({ path, operation }) => [path, operation])).toEqual([['a.txt', 'write']]);
  expect(String(forks.patch?.text)).toContain('-one\n+two\n');
  expect((await savepoint.diffForks('one', 'two', { paths: tree('built') })).changes).toHaveLength(1);
  const now = await savepoint.diffForks('one', null, { patch: true });
  expect(now.changes.map(({ path, operation }) => [path, operation])).toEqual([
    ['a.txt', 'write'],
    ['both.txt', 'delete'],
    ['person.txt', 'create'],
  ]);
  expect(String(now.patch?.text)).toContain('+of a person\n');
  for (const other of ['one', 'three']) await expect(savepoint.diffForks('one', other)).rejects.toThrow();
  await expect(savepoint.diffForks('one', 'one')).rejects.toMatchObject({ code: 'USAGE' });
});

test('a fork is not removed unasked while it has files that were not captured', async () => {
  const p = new Place();
  p.write('a', 'a');
  p.write('big.0', Buffer.alloc(60_000, 1));
  const savepoint = p.open({ rules: { maxFileBytes: 50_000 } });
  const made = await savepoint.createForks(['f', 'g'], { rungs: ['copy'] });
  for (const [index, { fork }] of made.entries()) {
    const files = await folderOf(savepoint, fork.name);
    writeFileSync(join(files, `b${index}`), 'b');
    if (index === 0) writeFileSync(join(files, 'big'), Buffer.alloc(60_000, 2));
    await savepoint.mergeFork(['f', 'g'][index]!);
  }
  expect((await savepoint.fork('f')).uncaptured).toEqual(['big']);
  await expect(savepoint.dropFork('f')).rejects.toMatchObject({ code: 'NEEDS_CONFIRMATION' });
  // A file that was too large all along, and is as in the workspace, holds nothing up.
  expect(await savepoint.cleanForks()).toMatchObject({ dropped: ['g'], notes: [expect.stringContaining('big')] });
  expect(readFileSync(join(await folderOf(savepoint, 'f'), 'big')).length).toBe(60_000);
  await savepoint.dropFork('f', { force: true });
  expect((await savepoint.forks()).forks).toEqual([]);
});

test('a fork whose folder is gone does not stop the others, and is dropped with its last recorded state', async () => {
  const p = place();
  const savepoint = p.open();
  await savepoint.createForks(['gone', 'silent', 'one', 'two'], { rungs: ['copy'] });
  const { folder } = await savepoint.openFork('gone');
  const inside = p.open({ dir: folder });
  writeFileSync(join(folder, 'new.txt'), 'recorded\n');
  unlinkSync(join(folder, 'b.txt'));
  await inside.checkpoint();
  writeFileSync(join(await folderOf(savepoint, 'one'), 'new.txt'), 'one\n');
  const silent = await folderOf(savepoint, 'silent');
  for (const each of [folder, silent]) rmSync(each, { recursive: true });

  const { forks, problems } = await savepoint.forks();
  expect(forks.map(({ name }) => name)).toEqual(['one', 'two']);
  expect(problems).toEqual([
    expect.stringMatching(/^gone: its folder is not there\. `savepoint fork drop gone` removes it/),
    expect.stringMatching(/^silent: /),
  ]);
  const refused = { code: 'IO', message: expect.stringContaining('The folder of fork gone is not there') };
  for (const call of [savepoint.fork('gone'), savepoint.openFork('gone'), savepoint.mergeFork('gone')]) {
    await expect(call).rejects.toMatchObject(refused);
  }
  await expect(savepoint.compareForks(['gone', 'one'])).rejects.toMatchObject(refused);
  const compared = await savepoint.compareForks([]);
  expect(compared.forks.map(({ name }) => name)).toEqual(['one', 'two']);
  expect(compared.problems).toEqual(problems);

  expect(await savepoint.dropFork('gone')).toEqual([
    'gone: its folder was not there any more: what is kept is its own last checkpoint, cp_1',
  ]);
  await savepoint.createForks(['gone'], { from: 'dropped:gone', rungs: ['copy'] });
  const again = await folderOf(savepoint, 'gone');
  expect(readFileSync(join(again, 'new.txt'), 'utf8')).toBe('recorded\n');
  expect([existsSync(join(again, 'a.txt')), existsSync(join(again, 'b.txt'))]).toEqual([true, false]);

  const cleaned = await savepoint.cleanForks();
  expect(cleaned.notes).toEqual([
    expect.stringMatching(/^silent: .* nothing was recorded in it: what is kept is where/),
  ]);
  expect(cleaned.dropped).toEqual(['silent']);
  await savepoint.createForks(['silent'], { from: 'dropped:silent', rungs: ['copy'] });
  const back = await folderOf(savepoint, 'silent');
  expect(readFileSync(join(back, 'b.txt'), 'utf8')).toBe('b\n');
  rmSync(back, { recursive: true });
  expect((await savepoint.cleanCopies()).removed).toHaveLength(1);
  expect((await savepoint.forks()).problems).toEqual([]);
});
