/** Plans of the uncommitted changes of a git worktree, compared with what git itself says of it. */

import type { DiskPath, SavepointError } from '@savepoint/core';
import { workingFiles } from '@savepoint/testkit/command';
import { expect, test } from 'vitest';
import { GIT, GitPlace } from './git-place.ts';

const LINES = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`);

/** With a linked worktree beside it. */
function repository(): GitPlace {
  const p = new GitPlace();
  for (const name of ['a.txt', 'b.txt', 'gone/x.txt', 'run.sh']) p.write(name, LINES.join(''));
  p.write('é.txt', 'other text\n'.repeat(9));
  p.write('.gitignore', '*.log\nbuild/\n');
  // New files get their permissions from the folder.
  p.shell(
    `chmod 755 . && ${GIT} init -q && ${GIT} add . && ${GIT} commit -qm first && ${GIT} worktree add -q ../other`,
  );
  return p;
}

const other = (p: GitPlace): string => p.at('../other');
const inOther = (p: GitPlace, script: string): void => p.shell(`cd ../other && ${script}`);

/** Staged, staged and changed again, unstaged, untracked, renamed, ignored; staged and reverted on disk. */
const CHANGES =
  'sed -i "s/line 2$/staged/" a.txt && git add a.txt && sed -i "s/line 18/unstaged/" a.txt && git rm -q gone/x.txt' +
  ' && chmod +x run.sh && git mv é.txt new.txt && mkdir -p deep/er build && echo u > deep/er/u.txt && echo l > deep/x.log' +
  ' && echo b > build/out && echo i > i.log && ln -s a.txt link && printf "#!/bin/sh\\n" > tool && chmod +x tool' +
  ' && sed -i s/1/2/ b.txt && git add b.txt && git show HEAD:b.txt > b.txt';

test('staged, unstaged and untracked changes are planned as they lie on disk, without what git ignores', async () => {
  const p = repository();
  inOther(p, CHANGES);
  const [before, there] = [workingFiles(p.at('')), workingFiles(other(p))];
  const savepoint = p.open();
  const view = await savepoint.proposeFrom({ worktree: other(p) }, { intent: 'From there' });
  const { plan, changes } = view;
  expect([workingFiles(p.at('')), workingFiles(other(p))]).toEqual([before, there]);
  expect(plan).toMatchObject({ source: 'worktree', sourceName: other(p) });
  expect(changes.map(({ change }) => [change.operation, change.path, change.from])).toEqual([
    ['write', 'a.txt', null],
    ['create', 'deep/er/u.txt', null],
    ['delete', 'gone/x.txt', null],
    ['create', 'link', null],
    ['rename', 'new.txt', Buffer.from('é.txt').toString('latin1')],
    ['mode', 'run.sh', null],
    ['create', 'tool', null],
  ]);
  await savepoint.approvePlan(plan.id, view.fingerprint);
  await p.open().applyPlan(plan.id);
  inOther(p, 'rm -rf build *.log deep/x.log');
  expect(workingFiles(p.at(''))).toEqual(workingFiles(other(p)));
});

test('they are merged into the folder, which may have changes of its own; what conflicts is refused', async () => {
  const p = repository();
  p.write('a.txt', LINES.with(18, 'mine\n').join(''));
  inOther(p, 'sed -i "s/line 2$/theirs/" a.txt');
  const savepoint = p.open();
  const { plan, fingerprint } = await savepoint.proposeFrom({ worktree: other(p) }, { intent: 'x' });
  await savepoint.approvePlan(plan.id, fingerprint);
  const { checkpoint } = await savepoint.applyPlan(plan.id);
  expect(p.read('a.txt')).toBe(LINES.with(18, 'mine\n').with(1, 'theirs\n').join(''));
  // Who wrote it there is not known.
  expect(checkpoint?.changes).toMatchObject([{ by: { grade: 'open', authors: [{}, { actor: { kind: 'outside' } }] } }]);
  p.write('a.txt', LINES.with(1, 'mine\n').join(''));
  await expect(savepoint.proposeFrom({ worktree: other(p) }, { intent: 'x' })).rejects.toMatchObject({
    code: 'CONFLICT',
  });
});

test('the main folder of the repository is a worktree, too, and one may be inside of the workspace', async () => {
  const p = repository();
  p.shell(`${GIT} worktree add -q .trees/one`);
  p.write('.trees/one/b.txt', 'of one\n');
  const fromInside = await p.open().proposeFrom({ worktree: p.at('.trees/one') }, { intent: 'x' });
  expect(fromInside.changes.map(({ change }) => change.path)).toEqual(['b.txt']);
  // Seen from the other worktree.
  p.write('b.txt', 'of main\n');
  const there = p.open({ dir: other(p) as DiskPath, here: true });
  const fromMain = await there.proposeFrom({ worktree: p.at('') }, { intent: 'x' });
  expect(fromMain.changes.map(({ change }) => change.path)).toEqual(['b.txt']);
});

test.each([
  ['nothing there', 'true', '../none', 'USAGE', 'is not another worktree'],
  ['the folder itself', 'true', '.', 'USAGE', 'is not another worktree'],
  ['a plain folder', 'mkdir ../plain', '../plain', 'USAGE', 'is not another worktree'],
  ['another repository', `${GIT} init -q ../foreign`, '../foreign', 'USAGE', 'is not another worktree'],
  ['no changes', 'true', '../other', 'USAGE', 'would change nothing'],
  [
    'a file that git converts',
    'echo "a.txt filter=x" > .git/info/attributes; echo x >> ../other/a.txt; git -C ../other add a.txt',
    '../other',
    'GIT_REFUSED',
    'a.txt is converted by git',
  ],
  [
    'a file that git may convert',
    'echo "a.txt filter=x" > .git/info/attributes; echo x >> ../other/a.txt',
    '../other',
    'GIT_REFUSED',
    'cannot be compared without git (a.txt)',
  ],
  [
    'a merge conflict',
    'cd ../other && for n in 1 2; do git checkout -q --detach main; echo $n > a.txt; git -c user.name=T -c user.email=t@x ' +
      'commit -qam $n; git tag t$n; done; git -c user.name=T -c user.email=t@x merge -q t1 >/dev/null || true',
    '../other',
    'GIT_REFUSED',
    'a.txt has a merge conflict',
  ],
  ['an index that cannot be read', 'echo x > .git/worktrees/other/index', '../other', 'GIT_REFUSED', 'index'],
  ['a pipe', 'rm ../other/a.txt && mkfifo ../other/a.txt', '../other', 'GIT_REFUSED', 'a.txt is not a file'],
  [
    'packages that git does not ignore',
    'mkdir -p ../other/node_modules/x && echo "{}" > ../other/package.json && echo 1 > ../other/node_modules/x/index.js',
    '../other',
    'GIT_REFUSED',
    'node_modules',
  ],
])('%s is refused', async (_, prepare, folder, code, message) => {
  const p = repository();
  p.shell(prepare);
  const asked = p.open().proposeFrom({ worktree: p.at(folder) }, { intent: 'x' });
  const refused = await asked.then(
    () => null,
    (error: SavepointError) => [error.code, error.message],
  );
  expect(refused).toEqual([code, expect.stringContaining(message)]);
  expect((await p.open().plans()).plans).toEqual([]);
});

test('what is beyond a link is not planned, and a relative path is refused', async () => {
  const p = repository();
  p.shell('mkdir ../outside && echo secret > ../outside/x.txt');
  inOther(p, 'rm -r gone && ln -s ../outside gone');
  const { changes } = await p.open().proposeFrom({ worktree: other(p) }, { intent: 'x' });
  expect(changes.map(({ change }) => [change.operation, change.path])).toEqual([
    ['kind', 'gone'],
    ['delete', 'gone/x.txt'],
  ]);
  await expect(p.open().proposeFrom({ worktree: 'other' }, { intent: 'x' })).rejects.toMatchObject({ code: 'USAGE' });
});
