/** Where plans come from: patches, branches, forks and copies, and their revisions. */

import type { Savepoint } from '@savepoint/core';
import { workingFiles } from '@savepoint/testkit/command';
import { expect, test } from 'vitest';
import { numberedLines } from '../numbered-lines.ts';
import type { Place } from '../place.ts';
import { GIT, GitPlace } from './git-place.ts';

const text = (changed: Readonly<Record<number, string>>): string => numberedLines(20, changed);

function repository(): Place {
  const p = new GitPlace();
  p.write('a.txt', text({}));
  p.write('run.sh', '#!/bin/sh\n');
  p.write('old name.txt', text({ 3: 'three' }));
  p.write('gone/x.txt', 'x\n');
  p.write('é.txt', 'e\n');
  // New files get their permissions from the folder.
  p.shell(`chmod 755 . && ${GIT} init -q && ${GIT} add . && ${GIT} commit -qm first`);
  return p;
}

/** Changes every kind of thing that a text patch can. */
const CHANGE_ALL =
  'sed -i "s/line 2$/two/;s/line 18/eighteen/" a.txt && git mv "old name.txt" "new name.txt" && sed -i s/three/3/ "new name.txt"' +
  ' && chmod +x run.sh && git rm -q gone/x.txt && mkdir -p new/deep && printf "no end" > new/deep/f.txt && : > empty.txt' +
  ' && printf "f\\n" > é.txt && printf "#!/bin/sh\\n" > tool && chmod +x tool';

async function applied(p: Place, savepoint: Savepoint, id: string, fingerprint: string) {
  await savepoint.approvePlan(id, fingerprint);
  return (await p.open().applyPlan(id)).checkpoint?.changes ?? [];
}

test('a patch of many files is planned as git would apply it', async () => {
  const p = repository();
  p.shell(`${CHANGE_ALL} && git add -A && git diff --cached > ../all.patch`);
  const wanted = workingFiles(p.at(''));
  const patch = p.read('../all.patch');
  p.shell('git reset -q --hard');
  const before = workingFiles(p.at(''));
  const savepoint = p.open();
  const { plan, changes, fingerprint } = await savepoint.proposeFrom({ patch }, { intent: 'all' });
  expect(workingFiles(p.at(''))).toEqual(before);
  expect(plan.source).toBe('patch');
  expect(changes.map(({ change }) => [change.path, change.operation])).toEqual([
    ['a.txt', 'write'],
    ['empty.txt', 'create'],
    ['gone/x.txt', 'delete'],
    ['new/deep/f.txt', 'create'],
    ['new name.txt', 'rename'],
    ['run.sh', 'mode'],
    ['tool', 'create'],
    [Buffer.from('é.txt').toString('latin1'), 'write'],
  ]);
  await applied(p, savepoint, plan.id, fingerprint);
  // An edit that deletes the last file of a folder leaves the folder.
  p.shell('rmdir gone');
  expect(workingFiles(p.at(''))).toEqual(wanted);
});

test.each([
  ['../out.txt', 'leads out'],
  ['/etc/passwd', 'absolute'],
  ['a/../../out.txt', 'leads out'],
  ['.git/hooks/post-commit', '.git'],
  ['sub/.GIT/config', '.git'],
  ['link/out.txt', 'out of the workspace'],
  ['x//y.txt', 'empty component'],
])('a patch that writes to %s is refused', async (path, why) => {
  const p = repository();
  p.shell('ln -s .. link');
  const patch = [`--- /dev/null`, `+++ b/${path}`, '@@ -0,0 +1 @@', '+evil', ''].join('\n');
  const asked = p.open().proposeFrom({ patch }, { intent: 'x' });
  await expect(asked).rejects.toMatchObject({ code: 'EDITS_REFUSED', message: expect.stringContaining(why) });
});

test.each([
  ['GIT binary patch\nliteral 4\nxxxx\n', 'binary'],
  ['Binary files a/x and b/x differ\n', 'binary'],
  ['new file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc/passwd\n', 'symbolic link'],
  ['new file mode 160000\n', 'submodule'],
  ['copy from x\ncopy to y\n', 'copies'],
  ['--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n one\n', 'ends inside'],
  ['--- a/x\n+++ b/x\n@@ -1 +1 @@\n-one\n+two\n+three\n', 'more lines than its header'],
  ['--- a/x\n+++ b/y\n@@ -1 +1 @@\n-one\n+two\n', 'differ'],
  ['@@ -1 +1 @@\n-one\n+two\n', 'names of the file'],
  ['rename from x\n', 'both names'],
  ['', 'changes nothing'],
])('a part that cannot be an edit is refused with its line: %j', async (part, why) => {
  const p = repository();
  const asked = p.open().proposeFrom({ patch: `diff --git a/x b/x\n${part}` }, { intent: 'x' });
  await expect(asked).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(new RegExp(`^Line \\d+ of the patch: .*${why}`)),
  });
});

test('all problems of a patch are reported together, and a mail around it is skipped', async () => {
  const p = repository();
  const part = (path: string, old: string) =>
    `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${old}\n+y\n`;
  const mail = `From 123\nSubject: [PATCH] x\n\n---\n a.txt | 2 +-\n\n${part('é.txt', 'e')}-- \n2.40\n\n`;
  expect((await p.open().proposeFrom({ patch: mail }, { intent: 'mail' })).changes).toHaveLength(1);
  const asked = p
    .open()
    .proposeFrom({ patch: part('../a', 'x') + part('nowhere.txt', 'x') + part('a.txt', 'x') }, { intent: 'x' });
  const error = await asked.catch((one) => one);
  expect(error.data.details.map(({ file_path }: { file_path: string }) => file_path)).toEqual([
    '../a',
    'nowhere.txt',
    'a.txt',
  ]);
});

test('a branch is merged into the folder as it is, without git touching anything', async () => {
  const p = repository();
  p.shell(
    `${GIT} checkout -qb topic && ${CHANGE_ALL} && git add -A && ${GIT} commit -qm topic && git checkout -q main` +
      ` && printf "#!/bin/sh\\ntouch ../ran\\n" > .git/hooks/post-checkout && chmod +x .git/hooks/post-checkout` +
      ` && git config core.fsmonitor "touch ../ran" && git config diff.external "touch ../ran"`,
  );
  p.write('a.txt', text({ 10: 'a person' }));
  const head = p.read('.git/HEAD') + p.read('.git/refs/heads/main');
  const before = workingFiles(p.at(''));
  const savepoint = p.open();
  const { plan, changes, fingerprint } = await savepoint.proposeFrom({ branch: 'topic' }, { intent: 'Bring topic' });
  expect([plan.source, plan.sourceName]).toEqual(['branch', 'topic']);
  expect(changes).toHaveLength(8);
  expect(workingFiles(p.at(''))).toEqual(before);
  await applied(p, savepoint, plan.id, fingerprint);
  expect(p.read('a.txt')).toBe(text({ 2: 'two', 10: 'a person', 18: 'eighteen' }));
  expect(p.read('new name.txt')).toBe(text({ 3: '3' }));
  expect(workingFiles(p.at(''))).not.toHaveProperty('gone');
  expect(p.read('.git/HEAD') + p.read('.git/refs/heads/main')).toBe(head);
  expect(() => p.read('../ran')).toThrow();
  // Nobody knows who wrote it, but it is the plan that brought it.
  await savepoint.rollBackPlan(plan.id);
  expect(workingFiles(p.at(''))).toEqual(before);
});

test('who brings a branch or a patch is not surely its author', async () => {
  const p = repository();
  p.shell(
    `${GIT} checkout -qb topic && sed -i "s/line 2$/two/" a.txt && ${GIT} -c user.name=agent commit -qam topic && git checkout -q main`,
  );
  const by = async (origin: { readonly branch: string } | { readonly patch: string }) => {
    const { plan, fingerprint } = await p.open().proposeFrom(origin, { intent: 'x' });
    const [change] = await applied(p, p.open(), plan.id, fingerprint);
    return [change?.by.grade, ...(change?.by.authors.map(({ actor }) => actor.kind) ?? [])];
  };
  expect(await by({ branch: 'topic' })).toEqual(['open', 'user', 'outside']);
  const patch = '--- a/gone/x.txt\n+++ b/gone/x.txt\n@@ -1 +1 @@\n-x\n+y\n';
  expect(await by({ patch })).toEqual(['likely', 'user']);
});

test('a branch is refused if it is unknown, conflicts, or has what git would convert', async () => {
  const p = repository();
  p.shell(
    `${GIT} checkout -qb topic && sed -i "s/line 2$/two/" a.txt && ${GIT} commit -qam topic && git checkout -q main`,
  );
  const savepoint = p.open();
  const from = (branch: string) => p.open().proposeFrom({ branch }, { intent: 'x' });
  for (const name of ['nowhere', '../../HEAD', '-x', ''])
    await expect(from(name)).rejects.toMatchObject({ code: 'USAGE' });
  p.write('a.txt', text({ 2: 'zwei' }));
  await expect(from('topic')).rejects.toMatchObject({ code: 'CONFLICT', data: { paths: [{ path: 'a.txt' }] } });
  p.write('a.txt', text({}));
  p.write('.gitattributes', '*.txt filter=lfs\n');
  await expect(from('topic')).rejects.toMatchObject({
    code: 'GIT_REFUSED',
    message: expect.stringContaining('converted'),
  });
  p.shell('rm .gitattributes; git config core.attributesFile elsewhere');
  await expect(from('topic')).rejects.toMatchObject({ message: expect.stringContaining('converted') });
  expect((await savepoint.plans()).plans).toEqual([]);
});

test('what an agent did in a copy is its own also after the plan is applied by a person', async () => {
  const p = repository();
  const savepoint = p.open();
  const copy = await savepoint.openCopy({ purpose: 'isolated', rungs: ['copy'] });
  const folder = Buffer.from(copy.copy.files, 'latin1').toString();
  p.shell(`printf changed > '${folder}/a.txt'`);
  const author = { actor: { kind: 'agent' as const, name: 'tester' }, session: 's1' };
  const { plan, fingerprint } = await savepoint.proposeFrom({ copy, author }, { intent: 'In a copy' });
  await copy.copy.drop();
  expect([plan.source, plan.proposedBy.name]).toEqual(['isolated', 'tester']);
  const [change] = await applied(p, savepoint, plan.id, fingerprint);
  expect(change?.by).toMatchObject({ grade: 'sure', authors: [{ actor: { name: 'tester' }, session: 's1' }] });
});

test('the changes of a fork are planned, and the fork stays as it was', async () => {
  const p = repository();
  const savepoint = p.open();
  const [fork] = await savepoint.createForks(['idea'], { rungs: ['copy'] });
  p.shell(`printf 'f\\n' > '${Buffer.from(fork!.files ?? '', 'latin1').toString()}/é.txt'`);
  const { plan, fingerprint } = await savepoint.proposeFrom({ fork: 'idea' }, { intent: 'The idea' });
  expect([plan.source, plan.sourceName]).toEqual(['fork', 'idea']);
  expect((await savepoint.fork('idea')).state).toBe('changed');
  const [change] = await applied(p, savepoint, plan.id, fingerprint);
  expect(p.read('é.txt')).toBe('f\n');
  // Nothing was recorded in the fork, so it is not the change of whoever applied the plan.
  expect(change?.by).toMatchObject({ grade: 'likely', authors: [{ actor: { kind: 'outside' } }] });
  await savepoint.cleanForks();
  expect((await savepoint.forks()).forks).toEqual([]);
});

test('a conflict with a fork names what helps there', async () => {
  const p = repository();
  const savepoint = p.open();
  const [fork] = await savepoint.createForks(['idea'], { rungs: ['copy'] });
  p.shell(`printf 'f\\n' > '${Buffer.from(fork!.files ?? '', 'latin1').toString()}/é.txt'`);
  p.write('é.txt', 'of a person\n');
  const error = await savepoint.proposeFrom({ fork: 'idea' }, { intent: 'x' }).catch((cause: unknown) => cause);
  expect(error).toMatchObject({ code: 'CONFLICT', hint: expect.stringContaining('savepoint fork merge idea') });
  expect(error).toMatchObject({ hint: expect.not.stringContaining('--ours') });
});

test('a revision keeps what was decided about hunks that did not change', async () => {
  const p = repository();
  const savepoint = p.open();
  const edit = (path: string, ...pairs: readonly (readonly [string, string])[]) => ({
    path,
    edits: pairs.map(([old, now]) => ({ op: 'replace' as const, old: `${old}\n`, new: `${now}\n` })),
  });
  const first = await savepoint.proposeEdits(
    [
      edit('a.txt', ['line 2', 'two'], ['line 18', 'eighteen']),
      edit('é.txt', ['e', 'f']),
      edit('gone/x.txt', ['x', 'y']),
    ],
    { intent: 'x' },
  );
  const { id } = first.plan;
  const decided = await savepoint.decidePlan(id, [
    { path: 'a.txt', hunk: 2, accepted: false },
    { path: 'a.txt', hunk: 1, accepted: true },
    { path: 'é.txt', accepted: false },
    { path: 'gone/x.txt', accepted: true },
  ]);
  await savepoint.approvePlan(id, decided.fingerprint);
  await savepoint.notePlan(id, 'Use words for all of them');
  expect((await savepoint.plan(id)).status).toBe('approved');
  // Lines above move the hunks, and another author gives the new revision.
  p.write('a.txt', `top\n${text({})}`);
  const { plan, changes, status } = await p
    .open({ actor: { kind: 'agent', name: 'other' } })
    .revisePlan(id, [
      edit('a.txt', ['line 10', 'ten'], ['line 18', 'eighteen']),
      edit('é.txt', ['e', 'f']),
      edit('gone/x.txt', ['x', 'z']),
    ]);
  expect([plan.revision, plan.id, status, plan.words.length]).toEqual([2, id, 'pending', 1]);
  expect(
    changes.map(({ change, accepted, hunks }) => [change.path, accepted, hunks?.map((one) => one.accepted)]),
  ).toEqual([
    ['a.txt', null, [null, false]],
    ['gone/x.txt', null, [null]],
    [Buffer.from('é.txt').toString('latin1'), false, [false]],
  ]);
  const names = (path: string) =>
    plan.authors.find(({ paths }) => paths.some((one) => one === path))?.authors.map(({ actor }) => actor.name);
  expect(names(Buffer.from('é.txt').toString('latin1'))).toEqual(['user']);
  expect(names('a.txt')).toEqual(['user', 'other']);
  await expect(savepoint.revisePlan('plan_00000000', { patch: '' })).rejects.toMatchObject({ code: 'USAGE' });
  await savepoint.cancelPlan(id);
  await expect(savepoint.revisePlan(id, [edit('é.txt', ['e', 'g'])])).rejects.toMatchObject({ code: 'USAGE' });
});

test('a copy revises only the revision that it goes on from, also after it was rebased or opened again', async () => {
  const p = repository();
  const savepoint = p.open();
  const { plan } = await savepoint.proposeFrom(
    { patch: patchOf('run.sh', '#!/bin/sh', '#!/bin/bash') },
    { intent: 'x' },
  );
  const copies = [];
  for (let at = 0; at < 2; at++)
    copies.push(await savepoint.openCopy({ purpose: 'try', plan: plan.id, rungs: ['copy'] }));
  const [mine, other] = copies as [(typeof copies)[0], (typeof copies)[0]];
  const work = (copy: typeof mine, name: string): void =>
    p.shell(`echo x > '${Buffer.from(copy.copy.files, 'latin1').toString()}/${name}'`);
  const paths = async () => (await p.open().plan(plan.id)).changes.map(({ change }) => change.path);
  work(mine, 'mine.txt');
  work(other, 'other.txt');
  expect((await savepoint.revisePlan(plan.id, { copy: mine })).plan.revision).toBe(2);
  const refused = {
    code: 'CONFLICT',
    message: `The copy ${other.copy.record.id} goes on from revision 1 of ${plan.id}, which has revision 2 now.`,
    hint: expect.stringContaining(`savepoint try --continue ${other.copy.record.id} --plan`),
  };
  await expect(p.open().revisePlan(plan.id, { copy: other })).rejects.toMatchObject(refused);
  expect(await paths()).toEqual(['mine.txt', 'run.sh']);

  // It goes on from its own revision, whatever the caller holds of the copy.
  p.write('a.txt', text({ 1: 'one' }));
  const { copy: rebased } = await savepoint.rebaseCopy(mine);
  work(rebased, 'more.txt');
  expect((await savepoint.revisePlan(plan.id, { copy: rebased })).plan.revision).toBe(3);
  await rebased.copy.close();
  const again = await p.open().reopenCopy(rebased.copy.record.id);
  work(again, 'last.txt');
  expect((await p.open().revisePlan(plan.id, { copy: again })).plan.revision).toBe(4);
  expect(await paths()).toEqual(['last.txt', 'mine.txt', 'more.txt', 'run.sh']);

  // Its changes can still be kept, and then are a plan that it goes on from.
  const own = await p.open().proposeFrom({ copy: other }, { intent: 'Of its own' });
  work(other, 'second.txt');
  expect((await p.open().revisePlan(own.plan.id, { copy: other })).plan.revision).toBe(2);
  for (const { copy } of [again, other]) await copy.drop();
});

test('edits and words for another revision than the one that was seen are refused', async () => {
  const p = repository();
  const savepoint = p.open();
  const { plan } = await savepoint.proposeFrom(
    { patch: patchOf('run.sh', '#!/bin/sh', '#!/bin/bash') },
    { intent: 'x' },
  );
  const change = { patch: patchOf('run.sh', '#!/bin/sh', '#!/bin/dash') };
  expect((await savepoint.revisePlan(plan.id, change, { revision: 1 })).plan.revision).toBe(2);
  const refused = { code: 'CONFLICT', message: expect.stringContaining('it has changed since') };
  await expect(savepoint.revisePlan(plan.id, change, { revision: 1 })).rejects.toMatchObject(refused);
  await expect(savepoint.notePlan(plan.id, 'no', { revision: 1 })).rejects.toMatchObject(refused);
  expect((await savepoint.plan(plan.id)).plan).toMatchObject({ revision: 2, words: [] });
  expect((await savepoint.notePlan(plan.id, 'yes', { revision: 2 })).plan.words).toHaveLength(1);
});

function patchOf(path: string, old: string, now: string): string {
  return `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${old}\n+${now}\n`;
}
