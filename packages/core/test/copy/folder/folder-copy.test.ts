/** The working folder of a copy, used as commands use it. */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { manifest } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { Place } from '../../place.ts';

test('an absolute link into the folder leads into the copy there, and is not a change', async () => {
  const p = new Place();
  p.write('target', 'original');
  p.write('tool', '#!/bin/sh\n');
  chmodSync(p.at('tool'), 0o4755);
  symlinkSync(p.at('target'), p.at('link'));
  const savepoint = p.open();
  const made = await savepoint.openCopy({ purpose: 'try', rungs: ['copy'] });
  const { files } = made.copy;
  writeFileSync(join(files, 'link'), 'written through the link');
  expect(p.read('target')).toBe('original');
  expect(lstatSync(join(files, 'tool')).mode & 0o7777).toBe(0o755);
  symlinkSync(join(files, 'tool'), join(files, 'second'));
  await savepoint.applyCopy(made, { description: 'Tried it' });
  expect(p.read('target')).toBe('written through the link');
  expect(readlinkSync(p.at('link'))).toBe(p.at('target'));
  expect(readlinkSync(p.at('second'))).toBe(p.at('tool'));
  expect(lstatSync(p.at('tool')).mode & 0o7777).toBe(0o4755);
  await made.copy.drop();
});

test('a copy has the repository without its locks', async () => {
  const p = new Place();
  p.shell('git init -q');
  p.write('a', 'a');
  p.shell('git add .');
  writeFileSync(p.at('.git/index.lock'), '');
  mkdirSync(p.at('own'));
  writeFileSync(p.at('own/yarn.lock'), '');
  const made = await p.open().openCopy({ purpose: 'try', rungs: ['copy'] });
  const { files } = made.copy;
  expect(lstatSync(join(files, '.git/index.lock'), { throwIfNoEntry: false })).toBeUndefined();
  expect(readFileSync(join(files, '.git/HEAD'))).toEqual(readFileSync(p.at('.git/HEAD')));
  expect(lstatSync(join(files, 'own/yarn.lock')).isFile()).toBe(true);
  await made.copy.drop();
});

test('git in a copy writes only there: worktrees, submodules, and core.worktree', async () => {
  const p = new Place();
  const git = 'git -c protocol.file.allow=always -c init.defaultBranch=main';
  p.shell(
    `${git} init -q ../other && cd ../other && git commit -q --allow-empty -m one && git worktree add -q ../linked`,
  );
  p.shell(
    `${git} init -q && ${git} submodule --quiet add ../other sub && git commit -qm one && git worktree add -q ../mine`,
  );
  p.shell('printf "gitdir: $PWD/.git/modules/sub\\n" >sub/.git');
  p.shell('git --git-dir .git/modules/sub config core.worktree "$PWD/sub"');
  p.shell('mv ../linked outside-worktree && git -C outside-worktree worktree repair 2>/dev/null');
  const before = manifest(p.world.folder, { skip: (path) => path.startsWith('home') });
  const made = await p.open().openCopy({ purpose: 'try', rungs: ['copy'] });
  const { files } = made.copy;
  const inCopy = (command: string) =>
    execFileSync('sh', ['-c', command], { cwd: files, encoding: 'utf8', env: p.world.env });
  expect(made.notes).toEqual([expect.stringMatching(/outside-worktree\/\.git.* is not in the copy/)]);
  expect(inCopy('git -C sub rev-parse --show-toplevel').trim()).toBe(`${files}/sub`);
  inCopy('cd sub && echo new >new && git add new && git commit -qm two && git checkout -q HEAD~1');
  inCopy('git commit -q --allow-empty -m moved && git worktree list && git worktree prune && git gc -q');
  expect(manifest(p.world.folder, { skip: (path) => path.startsWith('home') })).toEqual(before);
  await made.copy.drop();
});

test('git in a copy uses no repository but that of the copy', async () => {
  const p = new Place();
  p.write('a', 'a');
  p.shell('git init -q --separate-git-dir=../elsewhere');
  // As that of somebody who keeps the settings of programs in a repository.
  p.shell('git init -q ..');
  const made = await p.open().openCopy({ purpose: 'try', rungs: ['copy'] });
  const variables = {
    GIT_DIR: p.at('../elsewhere'),
    GIT_INDEX_FILE: p.at('../elsewhere/index'),
    GIT_CEILING_DIRECTORIES: '/none',
  };
  const env = { PATH: process.env['PATH'] ?? '', ...variables };
  const { file, args, cwd, env: given } = made.copy.command({ file: 'git', args: ['rev-parse', '--git-dir'], env });
  const run = spawnSync(file, args, { cwd, env: given, encoding: 'utf8' });
  expect(run.stderr).toMatch(/not a git repository/);
  expect(given['GIT_CEILING_DIRECTORIES']).toMatch(/:\/none$/);
  await made.copy.drop();
});
