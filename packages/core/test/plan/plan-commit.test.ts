/** Commits of applied plans in the user's own repositories, compared with what git itself sees. */

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { bytesFromText, type ChangeId, type DiskPath, type Savepoint } from '@savepoint/core';
import { realPorts } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { processName, processNameText } from '../../src/store/process-name.ts';
import { AUTHOR, appliedPlan, GIT, type GitPlace, repository } from './git-place.ts';
import { write } from './write.ts';

test('only the files of the plan are committed, and what is staged or changed besides stays as it is', async () => {
  const p = repository();
  p.write('mine.txt', 'staged\n');
  p.shell('git -c core.fsmonitor= add mine.txt');
  p.write('mine.txt', 'changed after staging\n');
  p.write('src/b.txt', 'unstaged\n');
  p.write('untracked.txt', 'x\n');
  p.shell('rm -f ../ran');
  const id = await appliedPlan(p);
  const { commits, notes } = await p.open().commitPlan(id, { author: AUTHOR });
  expect(commits).toMatchObject([{ path: '', branch: 'main', files: 3, subject: 'spell the names' }]);
  expect(notes).toEqual(['the folder: the commit is not signed']);
  expect(() => p.read('../ran')).toThrow();
  const config = ['-c', 'core.fsmonitor=', '-c', 'core.hooksPath=/dev/null'];
  expect(p.git(...config, 'show', '--name-status', '--format=%an %ae %s', 'HEAD')).toBe(
    'Ann ann@example.invalid spell the names\n\nD\tgone.txt\nM\tsrc/a.txt\nA\tsrc/new.sh\n',
  );
  expect(p.git(...config, 'status', '--porcelain=v1')).toBe('MM mine.txt\n M src/b.txt\n?? untracked.txt\n');
  expect(p.git(...config, 'show', ':mine.txt')).toBe('staged\n');
  p.git(...config, 'fsck', '--strict');
  // A second time, there is nothing left.
  expect((await p.open().commitPlan(id, { author: AUTHOR })).commits).toEqual([]);
});

test.each([
  ['staged', 'git -c core.fsmonitor= -c core.hooksPath=/dev/null add src/a.txt'],
  ['unstaged', ':'],
])('a file of the plan that had %s changes is refused, and nothing is changed', async (_, stage) => {
  const p = repository();
  p.write('src/a.txt', 'of the user\n');
  p.shell(stage);
  const id = await appliedPlan(p);
  const config = ['-c', 'core.fsmonitor=', '-c', 'core.hooksPath=/dev/null'];
  const before = [p.git('rev-parse', 'HEAD'), p.git(...config, 'ls-files', '--stage')];
  await expect(p.open().commitPlan(id, { author: AUTHOR })).rejects.toMatchObject({
    code: 'GIT_REFUSED',
    message: expect.stringContaining('src/a.txt had changes of yours'),
  });
  expect([p.git('rev-parse', 'HEAD'), p.git(...config, 'ls-files', '--stage')]).toEqual(before);
});

test('what was rolled back of a plan is left out and named, and a file that has a part of it is refused', async () => {
  const p = repository();
  p.write('mine.txt', `one\n${'\n'.repeat(20)}two\n`);
  p.shell(`rm .git/hooks/*; git config --unset core.fsmonitor; ${GIT} commit -qam lines --no-gpg-sign`);
  const savepoint = p.open();
  const { plan, fingerprint } = await savepoint.proposeEdits(
    [write('src/a.txt', 'a\n'), write('src/b.txt', 'b\n'), write('mine.txt', `1\n${'\n'.repeat(20)}2\n`)],
    { intent: 'Three' },
  );
  await savepoint.approvePlan(plan.id, fingerprint);
  const { checkpoint } = await savepoint.applyPlan(plan.id);
  const named = (path: string) => checkpoint?.changes?.find((one) => one.path === path)?.id;
  await savepoint.rollback({ changes: [named('src/a.txt')!] });
  await savepoint.rollback({ hunks: [{ change: named('mine.txt')!, hunk: 1 }] });
  await expect(savepoint.commitPlan(plan.id, { author: AUTHOR })).rejects.toMatchObject({
    code: 'GIT_REFUSED',
    message: expect.stringContaining('mine.txt changed since the plan was applied'),
  });
  await savepoint.rollback({ changes: [named('mine.txt')!] });
  const { commits, notes } = await savepoint.commitPlan(plan.id, { author: AUTHOR });
  expect(commits).toMatchObject([{ files: 1 }]);
  expect(notes).toContain('not committed, because the plan was taken back there: mine.txt, src/a.txt');
  expect(p.git('show', '--name-only', '--format=', 'HEAD')).toBe('src/b.txt\n');
});

test('an attempt that died after the index continues, and one that is not applied is refused', async () => {
  const p = repository();
  const config = '-c core.fsmonitor= -c core.hooksPath=/dev/null';
  const id = await appliedPlan(p);
  p.shell(`git ${config} add src gone.txt`);
  expect((await p.open().commitPlan(id, { author: AUTHOR })).commits).toMatchObject([{ files: 3 }]);
  await p.open().undo();
  await expect(p.open().commitPlan(id, { author: AUTHOR })).rejects.toMatchObject({ code: 'USAGE' });
});

test('a lock that a killed process of Savepoint left is removed, and one that git made since is not', async () => {
  const p = repository();
  const id = await appliedPlan(p);
  const ports = realPorts();
  const dead = { ...ports.processes.self(), pid: spawnSync('true').pid, startedAt: '1' };
  const own = `.git/index.lock-savepoint_${processNameText(processName(dead))}`;
  p.shell(`cp .git/index ${own}; cp .git/index .git/index.lock`);
  await expect(p.open().commitPlan(id, { author: AUTHOR })).rejects.toMatchObject({ code: 'GIT_REFUSED' });
  p.shell(`mv .git/index.lock ${own}; ln ${own} .git/index.lock; touch ${own}.tmp-0`);
  expect((await p.open().commitPlan(id, { author: AUTHOR })).commits).toHaveLength(1);
  expect(readdirSync(p.at('.git')).filter((name) => name.includes('lock'))).toEqual([]);
});

test('files that git converts, a repository in the middle of a merge, and a missing author are refused', async () => {
  const p = repository();
  const id = await appliedPlan(p);
  const refused = (message: string, options = { author: AUTHOR } as object) =>
    expect(p.open().commitPlan(id, options)).rejects.toMatchObject({
      code: 'GIT_REFUSED',
      message: expect.stringContaining(message),
    });
  await refused('user.name', {});
  p.write('.git/info/attributes', 'src/*.txt filter=lfs\n');
  await refused('convert');
  p.write('.git/info/attributes', '');
  p.write('.git/MERGE_HEAD', p.git('rev-parse', 'HEAD'));
  await refused('merge is in progress');
  p.shell('rm .git/MERGE_HEAD; touch .git/index.lock');
  await refused('index.lock');
  p.shell('rm .git/index.lock');
  expect((await p.open().commitPlan(id, { author: AUTHOR })).commits).toHaveLength(1);
});

test('the author is the one that git names, of the repository before the user, and no planted git runs', async () => {
  const p = repository();
  p.write(
    '../home/.gitconfig',
    `[user]\n  name = Us\u00e9r\n  email = u@example.invalid\n[includeIf "gitdir:**/inner/.git"]\n  path = inner\n`,
  );
  p.write('../home/inner', '[user]\n  email = i@example.invalid\n');
  p.write('node_modules/.bin/git', '#!/bin/sh\ntouch ../ran\necho planted\n');
  p.shell(
    `chmod +x node_modules/.bin/git && mkdir inner && cd inner && ${GIT} init -q && ${GIT} commit -qm i --allow-empty`,
  );
  const id = await appliedPlan(p, 'Both', 'inner/i.txt');
  p.shell('git config user.name Own; rm -f ../ran');
  const searchPath = `${p.at('node_modules/.bin')}:${process.env['PATH']}`;
  const variables = { PATH: searchPath, HOME: p.at('../home'), GIT_CONFIG_NOSYSTEM: '1' };
  const savepoint = p.open({ places: { ...p.world.places, searchPath, variables: () => variables } });
  expect((await savepoint.commitPlan(id)).commits).toHaveLength(2);
  expect(() => p.read('../ran')).toThrow();
  expect(p.git('log', '-1', '--format=%an %ae %cn')).toBe('Own u@example.invalid Own\n');
  expect(p.git('-C', 'inner', 'log', '-1', '--format=%an %ae')).toBe('Us\u00e9r i@example.invalid\n');
});

test('what git ignores by any rule of the repository or the user is left out and named, unless git tracks it', async () => {
  const p = repository();
  p.write('.gitignore', '.env\nnode_modules/\n*.log\n');
  p.write('kept.log', 'of git\n');
  p.shell(`rm .git/hooks/*; git config --unset core.fsmonitor; ${GIT} add -f .gitignore kept.log`);
  p.shell(`${GIT} commit -qm ignore --no-gpg-sign; echo /private > .git/info/exclude`);
  p.write('../home/.gitconfig', '[core]\n  excludesFile = ~/excludes\n[user]\n  name = U\n  email = u@x\n');
  p.write('../home/excludes', '*.swp\n');
  const variables = { PATH: process.env['PATH'] ?? '', HOME: p.at('../home'), GIT_CONFIG_NOSYSTEM: '1' };
  const places = { ...p.world.places, searchPath: variables.PATH, variables: () => variables };
  const savepoint = p.open({ places });
  const paths = ['.env', 'node_modules/x/index.js', 'private', 'src/a.swp', 'kept.log', ':(top)*.ts'];
  const files = paths.map((path) => write(path, 'x\n'));
  const first = await savepoint.proposeEdits(files.slice(0, 1), { intent: 'All' });
  const { plan, fingerprint, ...revised } = await savepoint.revisePlan(first.plan.id, files);
  // It is known before.
  const ignored = ['.env', 'node_modules/x/index.js', 'private', 'src/a.swp'];
  expect(first.ignored).toEqual(['.env']);
  expect(revised.ignored).toEqual(ignored);
  expect((await savepoint.plan(plan.id)).ignored).toEqual(ignored);
  expect((await savepoint.previewPlan(plan.id)).plan.notes).toEqual(
    ignored.map((path) => ({ path, why: 'is ignored by git, so a commit leaves it out' })),
  );
  await savepoint.approvePlan(plan.id, fingerprint);
  await savepoint.applyPlan(plan.id);
  const { commits, notes } = await savepoint.commitPlan(plan.id);
  expect(commits).toMatchObject([{ files: 2 }]);
  expect(notes).toContain('not committed, because git ignores them: .env, node_modules/x/index.js, private, src/a.swp');
  expect(p.git('show', '--name-only', '--format=', 'HEAD')).toBe(':(top)*.ts\nkept.log\n');
});

test('the user’s own configuration counts for line ends and signatures', async () => {
  const p = repository();
  p.shell('git config --unset commit.gpgsign; git config --unset core.fsmonitor');
  p.write('../home/.gitconfig', '[core]\n  autocrlf = input\n[commit]\n  gpgsign\n');
  const variables = { PATH: process.env['PATH'] ?? '', HOME: p.at('../home'), GIT_CONFIG_NOSYSTEM: '1' };
  const places = { ...p.world.places, searchPath: variables.PATH, variables: () => variables };
  const savepoint = p.open({ places });
  const { plan, fingerprint } = await savepoint.proposeEdits([write('src/a.txt', 'a\r\n')], { intent: 'Ends' });
  await savepoint.approvePlan(plan.id, fingerprint);
  await savepoint.applyPlan(plan.id);
  await expect(savepoint.commitPlan(plan.id, { author: AUTHOR })).rejects.toMatchObject({
    code: 'GIT_REFUSED',
    message: expect.stringContaining('would convert src/a.txt'),
  });
  p.write('../home/.gitconfig', '[commit]\n  gpgsign\n');
  const { notes } = await savepoint.commitPlan(plan.id, { author: AUTHOR });
  expect(notes).toEqual(['the folder: the commit is not signed']);
});

/** Runs a command of the user just before git gets a command. */
function whileItWorks(p: GitPlace, before: string, command: string): Savepoint {
  const ports = realPorts();
  const run: typeof ports.programs.run = (program) => {
    if (program.args.includes(before)) p.shell(command);
    return ports.programs.run(program);
  };
  return p.open({ ports: { ...ports, programs: { ...ports.programs, run } } });
}

test.each([
  ['write-tree', 'something was staged', 'echo more > mine.txt && git -c core.hooksPath=/dev/null add mine.txt'],
  ['hash-object', 'branch or HEAD changed', 'git -c core.hooksPath=/dev/null checkout -q -b other'],
  [
    'hash-object',
    'branch or HEAD changed',
    `${GIT} -c core.hooksPath=/dev/null commit -q --no-gpg-sign --allow-empty -m x`,
  ],
  ['update-ref', 'cannot lock ref', 'touch .git/refs/heads/main.lock'],
])('before %s, what makes "%s" true is left as it is', async (before, message, command) => {
  const p = repository();
  p.shell('git config --unset core.fsmonitor');
  const id = await appliedPlan(p);
  const staged = (): string => p.git('ls-files', '--stage', 'src', 'gone.txt');
  const [branch, index] = [p.git('rev-parse', 'main'), staged()];
  await expect(whileItWorks(p, before, command).commitPlan(id, { author: AUTHOR })).rejects.toMatchObject({
    code: 'GIT_REFUSED',
    message: expect.stringContaining(message),
  });
  expect(staged()).toBe(index);
  expect(p.git('show', ':mine.txt')).toBe(message.startsWith('something') ? 'more\n' : 'mine.txt\n');
  expect(p.git('log', '--format=%s', 'main')).not.toContain('spell');
  expect(p.git('log', '--format=%s', 'HEAD')).not.toContain('spell');
  expect(p.git('rev-parse', 'main', 'main~0').includes(branch) || command.includes('commit')).toBe(true);
  p.shell('rm -f .git/refs/heads/main.lock');
  expect((await p.open().commitPlan(id, { author: AUTHOR })).commits).toMatchObject([{ files: 3 }]);
  expect(p.git('status', '--porcelain', 'src', 'gone.txt')).toBe('');
});

test.each([
  ['e', 'mkdir e && echo x > e/f && git add e/f && rm -r e', 'e/f had changes of yours'],
  ['g/h', 'echo x > g && git add g && rm g', 'g had changes of yours'],
  ['e', 'mkdir e && echo x > e/f && git add e/f && git commit -qm f && git rm -rqf e', 'e/f had changes of yours'],
  ['src/a.txt', 'git update-index --assume-unchanged src/a.txt', 'assume-unchanged'],
  ['src/a.txt', 'git update-index --skip-worktree src/a.txt', 'assume-unchanged'],
])('a plan for %s after `%s` is refused, and the index stays', async (path, command, message) => {
  const p = repository();
  p.shell(
    `rm .git/hooks/*; git config --unset core.fsmonitor; git config --unset commit.gpgsign; git() { ${GIT.replace('git', 'command git')} "$@"; }; ${command}`,
  );
  const id = await appliedPlan(p, 'Make it.', path);
  const staged = p.git('ls-files', '--stage', '-v');
  await expect(p.open().commitPlan(id, { author: AUTHOR })).rejects.toMatchObject({
    code: 'GIT_REFUSED',
    message: expect.stringContaining(message),
  });
  expect(p.git('ls-files', '--stage', '-v')).toBe(staged);
});

test('a plan that puts a folder in place of a file of git is committed', async () => {
  const p = repository();
  p.shell(
    `rm .git/hooks/*; git config --unset core.fsmonitor; git config --unset commit.gpgsign; ${GIT} checkout -qb x;` +
      ` rm gone.txt; mkdir gone.txt; echo x > gone.txt/new; ${GIT} add -A; ${GIT} commit -qm x; ${GIT} checkout -q main`,
  );
  const { plan, fingerprint } = await p.open().proposeFrom({ branch: 'x' }, { intent: 'Move it' });
  await p.open().approvePlan(plan.id, fingerprint);
  await p.open().applyPlan(plan.id);
  expect((await p.open().commitPlan(plan.id, { author: AUTHOR })).commits).toMatchObject([{ files: 2 }]);
});

test('files that the attributes of the user or of core.attributesFile convert are refused', async () => {
  const p = repository();
  const id = await appliedPlan(p);
  const attributes = bytesFromText(p.at('../attributes')) as DiskPath;
  const places = { ...p.world.places, searchPath: process.env['PATH'] ?? '' };
  const commit = (files: readonly DiskPath[] | null) =>
    p.open({ places: { ...places, gitAttributes: () => files } }).commitPlan(id, { author: AUTHOR });
  p.write('../attributes', '*.txt filter=lfs\n');
  await expect(commit([attributes])).rejects.toMatchObject({ message: expect.stringContaining('would convert') });
  await expect(commit(null)).rejects.toMatchObject({ message: expect.stringContaining('attributes') });
  p.shell('git config core.attributesFile ../attributes');
  await expect(commit([])).rejects.toMatchObject({ message: expect.stringContaining('would convert') });
  p.shell('git config --unset core.attributesFile');
  p.write('../attributes', '*.other filter=lfs\n');
  expect((await commit([attributes])).commits).toHaveLength(1);
});

test('going back says that the commit stays, as long as the branch has it', async () => {
  const p = repository();
  const id = await appliedPlan(p);
  await p.open().commitPlan(id, { author: AUTHOR });
  const commit = p.git('rev-parse', 'HEAD').trim().slice(0, 10);
  const note = { path: '', why: expect.stringContaining(`keeps commit ${commit} of ${id}`) };
  expect((await p.open().previewUndo()).plan.notes).toEqual([note]);
  expect((await p.open().previewRollBackPlan(id)).plan.notes).toEqual([note]);
  const [applied = ''] = (await p.open().plan(id)).applied;
  expect((await p.open().previewRollback({ changes: [`${applied}.1` as ChangeId] })).plan.notes).toEqual([note]);
  expect((await p.open().rollBackPlan(id)).plan.notes).toEqual([note]);
  // What the note says to do.
  p.shell(`${GIT} commit -qm back --no-gpg-sign -a && git add -A && test -z "$(git diff HEAD~2 -- src gone.txt)"`);
  await p.open().undo();
  p.git('reset', '-q', '--soft', 'HEAD~2');
  expect((await p.open().previewRollBackPlan(id)).plan.notes ?? []).toEqual([]);
});

test('a commit after checks that found new failures says so', async () => {
  const p = repository();
  p.write('check.sh', 'grep -rh "^changed" src; test $? = 1\n');
  p.write('.savepoint.json', JSON.stringify({ checks: { own: { command: ['sh', 'check.sh'], kind: 'lint' } } }));
  const searchPath = process.env['PATH'] ?? '';
  const places = { ...p.world.places, searchPath, variables: () => ({ PATH: searchPath }) };
  const savepoint = p.open({ places, settings: { savepoint: null } });
  await savepoint.trustChecks((await savepoint.listChecks()).digest);
  const { plan, fingerprint } = await savepoint.proposeEdits([write('src/a.txt', 'changed\n')], { intent: 'Fix' });
  await savepoint.approvePlan(plan.id, fingerprint);
  await savepoint.runPlan(plan.id, { rungs: ['copy'], validate: [] });
  const { notes } = await savepoint.commitPlan(plan.id, { author: AUTHOR });
  expect(notes).toContain('after it was applied, these checks found new failures or gave no answer: own');
});

test.each([
  [
    'Fix\u202e it\x9b31m\n\nWhy\x07\n\nSigned-off-by: A <a@x>\nco-authored-by : B <b@x>\n(cherry picked from commit 1)',
    'fix it 31m\n\nWhy \n\n  Signed-off-by: A <a@x>\n  co-authored-by : B <b@x>\n  (cherry picked from commit 1)\n',
  ],
])('the message of %j has no control characters and no trailers', async (intent, message) => {
  const { messageInStyle } = await import('../../src/plan/commit-message.ts');
  expect(messageInStyle(intent, ['add x'], [])).toBe(message);
});

test('several repositories get one commit each', async () => {
  const p = repository();
  p.shell(`mkdir inner && cd inner && ${GIT} init -q && echo one > i.txt && ${GIT} add . && ${GIT} commit -qm inner`);
  const id = await appliedPlan(p, 'Both', 'inner/i.txt');
  const { commits } = await p.open().commitPlan(id, { author: AUTHOR, message: 'Own words\n\nbody' });
  expect(commits).toMatchObject(
    [
      { path: 'inner', files: 1, subject: 'Own words' },
      { path: '', files: 2, subject: 'Own words' },
    ].sort((a, b) => (a.path < b.path ? -1 : 1)),
  );
  expect(p.git('-C', 'inner', 'show', '--name-only', '--format=%B', 'HEAD')).toBe('Own words\n\nbody\n\n\ni.txt\n');
});

test.each([
  [['Add x', 'Fix y', 'Use z'], 'spell it.', 'Spell it'],
  [['add x', 'fix y', 'use z'], 'Spell it.', 'spell it'],
  [['add x', 'fix y', 'use z'], 'JSON is spelled', 'JSON is spelled'],
  [['fix: a', 'feat(x): b', 'fix: c'], 'Spell it', 'chore: spell it'],
  [['fix: a', 'feat(x): b', 'fix: c', 'd'], 'Spell it', 'spell it'],
  [['fix: a', 'feat(x): b', 'fix: c'], 'feat: spell it', 'feat: spell it'],
  [['core: a', 'src: b', 'core: c'], 'Spell it', 'src: spell it'],
  [['core: a', 'cli: b', 'core: c'], 'Spell it', 'spell it'],
  [['core: a', 'cli: b'], 'docs: Spell it', 'docs: Spell it'],
  [['core: a', 'src: b', 'c', 'd'], 'Spell it', 'spell it'],
])('after subjects like %j, %j becomes %j', async (subjects, intent, subject) => {
  const { messageInStyle } = await import('../../src/plan/commit-message.ts');
  const paths = ['src/a.txt', 'src/deep/b.txt'] as unknown as Parameters<typeof messageInStyle>[2];
  expect(messageInStyle(intent, subjects, paths)).toBe(`${subject}\n`);
});
