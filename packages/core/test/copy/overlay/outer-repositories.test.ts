/** Git in an overlay whose repository is outside of the folder: the real repository never changes. */

import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { DiskPath, TreePath } from '@savepoint/core';
import { whyNoOverlays } from '@savepoint/testkit';
import { test as always, describe, expect } from 'vitest';
import { type OuterRepository, outerRepositories } from '../../../src/copy/overlay/outer-repositories.ts';
import { ENV, type Scene, scene, USERS } from './scene.ts';
import { treeState } from './tree-state.ts';

const test = always.skipIf(whyNoOverlays() !== null);

const AUTHOR = '-c user.name=a -c user.email=a@b -c commit.gpgsign=false -c protocol.file.allow=always';
// Git looks for a repository around a mounted folder only if it is told to.
const WORK = `export HOME=/nowhere GIT_DISCOVERY_ACROSS_FILESYSTEM=1
git ${AUTHOR} switch -qc other && echo more >> a.txt && git add -A && git ${AUTHOR} commit -qm second &&
git tag mine && git branch -D topic && git config a.b c && echo exit > "$(git rev-parse --git-path hooks/pre-commit)" &&
git ${AUTHOR} stash list && git gc -q && git log --format=%s`;

/** The paths of each kind of repository, relative to the folder of the test. The workspace is `root`. */
const LAYOUTS: Readonly<Record<string, { readonly make: string; readonly access: OuterRepository['access'] }>> = {
  'a linked worktree': {
    make: 'rm -r root && git init -q main && cd main && first && git worktree add -q ../root',
    access: 'edit',
  },
  'a linked worktree in a bare repository': {
    make: 'rm -r root && git init -q main && (cd main && first) && git clone -q --bare main bare && cd bare && git worktree add -q ../bare/root topic && ln -s bare/root ../root-in-bare',
    access: 'edit',
  },
  'a submodule': {
    make: 'rm -r root && git init -q part && (cd part && first) && git init -q main && cd main && git submodule -q add ../part && git -C part branch topic && ln -s main/part ../root-in-main',
    access: 'edit',
  },
  'a repository elsewhere': {
    make: 'rm -r root && mkdir main && git init -q --separate-git-dir=main/git root && cd root && first',
    access: 'edit',
  },
  'a folder in a repository': { make: 'git init -q . && cd root && first', access: 'read' },
};

function laidOut(uid: number, name: keyof typeof LAYOUTS): { readonly s: Scene; readonly root: string } {
  const s = scene(uid, {});
  const own = uid === process.getuid?.() ? {} : { uid, gid: uid };
  if (own.uid !== undefined) chownSync(s.top, uid, uid);
  const first = `first() { git checkout -q -b start 2>/dev/null; echo one > a.txt; git add a.txt; git ${AUTHOR} commit -qm first; git branch topic; }`;
  const git = `git() { command git ${AUTHOR} "$@"; }`;
  const env = { ...ENV, HOME: s.top };
  execFileSync('sh', ['-ec', `${git}\n${first}\n${LAYOUTS[name]?.make}`], { cwd: s.top, env, stdio: 'pipe', ...own });
  const root = ['root-in-bare', 'root-in-main'].find((link) => existsSync(join(s.top, link)));
  const real = realpathSync(join(s.top, root ?? 'root'));
  return { s, root: real };
}

describe.each(USERS)('as $user', ({ uid }) => {
  test.each(Object.keys(LAYOUTS))('%s', async (name) => {
    const { s, root } = laidOut(uid, name);
    const repositories = outerRepositories(s.ports.fs, root as DiskPath, []);
    expect(repositories.map(({ access }) => access)).toEqual([LAYOUTS[name]?.access]);
    const before = [root, ...repositories.map(({ path }) => path)].map(treeState);
    const overlay = await s.opened({ root: root as DiskPath, repositories });
    const command = overlay.enter(root as DiskPath, { file: 'sh', args: ['-c', WORK] });
    const result = await s.ports.programs.run({ ...command, cwd: '/' as DiskPath, env: ENV, timeoutMs: 60_000 });
    const said = `${result.stdout}${result.stderr}`;
    if (LAYOUTS[name]?.access === 'edit') expect(said).toMatch(/second\nfirst\n$/);
    else expect(said).toContain('Read-only file system');
    await overlay.close();
    expect([root, ...repositories.map(({ path }) => path)].map(treeState)).toEqual(before);
  });
});

test('repositories in the folder need no cover, and one that is nested may be elsewhere', () => {
  const s = scene(process.getuid?.() ?? 0, {});
  const env = { ...ENV, HOME: s.top };
  const script = `git init -q root/a; git init -q --separate-git-dir=elsewhere root/b; git init -q root`;
  execFileSync('sh', ['-ec', script], { cwd: s.top, env });
  const folders = ['a', 'b', 'none'] as TreePath[];
  expect(outerRepositories(s.ports.fs, s.root as DiskPath, folders)).toEqual([
    { path: join(s.top, 'elsewhere'), access: 'edit' },
  ]);
});
