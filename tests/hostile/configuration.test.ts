import fs from 'node:fs';
import path from 'node:path';
import { gitFingerprint } from '@savepoint/testkit';
import { git, type Project, project, shell } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { runEveryVerb } from './verbs.ts';

/** A program that leaves a canary file named after how it was called. */
function trap(p: Project, name: string): string {
  const file = path.join(p.base, 'traps', name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.mkdirSync(path.join(p.base, 'canaries'), { recursive: true });
  fs.writeFileSync(file, `#!/bin/sh\n: > '${p.base}/canaries/${name}'\ncat\n`, { mode: 0o755 });
  return file;
}

function canaries(p: Project): string[] {
  return fs.readdirSync(path.join(p.base, 'canaries')).sort();
}

const HOOKS = [
  ...['applypatch-msg', 'pre-applypatch', 'post-applypatch', 'pre-commit', 'pre-merge-commit', 'prepare-commit-msg'],
  ...['commit-msg', 'post-commit', 'pre-rebase', 'post-checkout', 'post-merge', 'pre-push', 'pre-receive', 'update'],
  ...['proc-receive', 'post-receive', 'post-update', 'reference-transaction', 'push-to-checkout', 'pre-auto-gc'],
  ...['post-rewrite', 'sendemail-validate', 'fsmonitor-watchman', 'post-index-change'],
];

/** Every setting with which git runs a program that the repository names, and more that other tools might honour. */
function configuration(p: Project): string {
  const of = (name: string): string => trap(p, name);
  return `
[core]
	fsmonitor = ${of('fsmonitor')}
	hooksPath = ${path.join(p.base, 'hooks')}
	pager = ${of('pager')}
	editor = ${of('editor')}
	sshCommand = ${of('ssh')}
	askPass = ${of('askpass')}
	gitProxy = ${of('proxy')}
	alternateRefsCommand = ${of('alternate-refs')}
[filter "x"]
	clean = ${of('clean')}
	smudge = ${of('smudge')}
	required = true
[filter "y"]
	process = ${of('process')}
[diff]
	external = ${of('external-diff')}
[diff "x"]
	textconv = ${of('textconv')}
	command = ${of('diff-command')}
[merge "x"]
	driver = ${of('merge-driver')}
[mergetool "x"]
	cmd = ${of('mergetool')}
[difftool "x"]
	cmd = ${of('difftool')}
[gpg]
	program = ${of('gpg')}
[gpg "ssh"]
	program = ${of('gpg-ssh')}
	defaultKeyCommand = ${of('gpg-key')}
[commit]
	gpgSign = true
[tag]
	gpgSign = true
[log]
	showSignature = true
[credential]
	helper = !${of('credential')}
[alias]
	status = !${of('alias-status')}
	st = !${of('alias-st')}
	gc = !${of('alias-gc')}
[pager]
	status = ${of('pager-status')}
	log = ${of('pager-log')}
[sequence]
	editor = ${of('sequence-editor')}
[interactive]
	diffFilter = ${of('diff-filter')}
[uploadpack]
	packObjectsHook = ${of('pack-objects')}
[trailer "x"]
	command = ${of('trailer')}
[remote "origin"]
	url = ext::${of('remote')}
	uploadpack = ${of('uploadpack')}
	receivepack = ${of('receivepack')}
[gc]
	auto = 1
	recentObjectsHook = ${of('recent-objects')}
[submodule "inner"]
	update = !${of('submodule-update')}
[include]
	path = ${path.join(p.base, 'traps', 'included')}
`;
}

function plant(p: Project, gitDir: string): void {
  fs.appendFileSync(path.join(gitDir, 'config'), configuration(p));
  fs.mkdirSync(path.join(gitDir, 'hooks'), { recursive: true });
  fs.mkdirSync(path.join(p.base, 'hooks'), { recursive: true });
  for (const hook of HOOKS) {
    for (const folder of [path.join(gitDir, 'hooks'), path.join(p.base, 'hooks')]) {
      fs.copyFileSync(trap(p, `hook-${hook}`), path.join(folder, hook));
      fs.chmodSync(path.join(folder, hook), 0o755);
    }
  }
}

/** A repository with a nested one, a bare one in a folder, a submodule and a worktree, all with traps set. */
function hostile(): Project {
  const p = project();
  p.write('a.txt', 'a\n');
  p.write('b.bin', Buffer.from([0, 1, 2]));
  shell(p.base, 'git init -q library && cd library && echo l > l.txt && git add -A && git commit -q -m l');
  p.commitAll();
  p.git('submodule', 'add', '-q', '../library', 'inner');
  p.git('worktree', 'add', '-q', 'tree');
  git(p.dir, 'clone', '-q', '../library', 'nested');
  git(p.dir, 'clone', '-q', '--bare', '../library', 'docs/bare');
  fs.writeFileSync(path.join(p.base, 'traps-included'), '');
  p.write('.gitattributes', '* filter=x diff=x merge=x\n*.bin filter=y\n');
  p.write('nested/.gitattributes', '* filter=x diff=x\n');
  p.write('docs/bare/.gitattributes', '* filter=x diff=x\n');
  p.write('.savepoint.json', JSON.stringify({ test: trap(p, 'own-test'), hooks: { checkpoint: trap(p, 'own-hook') } }));
  p.write('package.json', JSON.stringify({ scripts: { prepare: trap(p, 'npm'), postinstall: trap(p, 'npm') } }));
  p.write('.npmrc', `script-shell=${trap(p, 'npm-shell')}\n`);
  p.write('.envrc', `${trap(p, 'direnv')}\n`);
  const dirs = ['.git', '.git/modules/inner', 'nested/.git', 'docs/bare'];
  for (const dir of dirs) plant(p, p.at(dir));
  fs.writeFileSync(path.join(p.home, '.gitconfig'), configuration(p));
  return p;
}

it('the traps work: an ordinary git triggers them', () => {
  const p = hostile();
  expect(canaries(p)).toEqual([]);
  git(p.dir, 'status');
  expect(canaries(p)).toContain('fsmonitor');
  fs.appendFileSync(p.at('a.txt'), 'changed\n');
  shell(p.dir, 'git -c core.fsmonitor=false add a.txt || true; git diff HEAD > /dev/null 2>&1 || true');
  expect(canaries(p)).toContain('clean');
});

it('no verb runs anything that a repository configures, nested and bare ones included (promise 9)', () => {
  const p = hostile();
  const before = gitFingerprint(p.dir);
  runEveryVerb(p, () => {
    p.write('a.txt', 'by the agent\n');
    p.write('inner/l.txt', 'by the agent\n');
    p.write('nested/l.txt', 'by the agent\n');
    p.write('new/c.txt', 'c\n');
    p.delete('b.bin');
  });
  expect(canaries(p)).toEqual([]);
  expect(gitFingerprint(p.dir)).toEqual(before);
});

it('no verb runs anything from inside the nested, the bare, the submodule and the worktree either (promise 9)', () => {
  const p = hostile();
  const before = gitFingerprint(p.dir);
  for (const folder of ['nested', 'docs/bare', 'inner', 'tree']) {
    for (const args of [
      ['checkpoint', '--here'],
      ['status'],
      ['diff', '--patch'],
      ['restore', 'last', '--yes'],
      ['gc'],
    ]) {
      const outcome = p.run(args, { cwd: p.at(folder) });
      expect([0, 1], `${folder}: ${args.join(' ')}\n${outcome.stderr}`).toContain(outcome.status);
    }
  }
  expect(canaries(p)).toEqual([]);
  expect(gitFingerprint(p.dir)).toEqual(before);
});

/** A git that triggers no traps, for preparing the scene. */
function quietly(folder: string, ...args: string[]): string {
  return git(folder, '-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', ...args).trim();
}

/** Adds a commit to the current branch. */
function commitOnTop(folder: string): string {
  const commit = quietly(folder, 'commit-tree', '-m', 'on top', '-p', 'HEAD', 'HEAD^{tree}');
  quietly(folder, 'update-ref', 'HEAD', commit);
  return commit;
}

it('restore --git and its undo run nothing (promise 9)', () => {
  const p = hostile();
  const folders = ['.', 'inner', 'nested', 'tree'].map((name) => p.at(name));
  p.ok('checkpoint');
  const before = folders.map((folder) => quietly(folder, 'rev-parse', 'HEAD'));
  const after = folders.map(commitOnTop);
  const heads = (): string[] => folders.map((folder) => quietly(folder, 'rev-parse', 'HEAD'));
  expect(canaries(p)).toEqual([]);
  p.ok('restore', 'cp_1', '--git', '--dry-run');
  expect(heads()).toEqual(after);
  p.ok('restore', 'cp_1', '--git', '--yes');
  expect(heads()).toEqual(before);
  p.ok('undo', '--yes');
  expect(heads()).toEqual(after);
  p.ok('redo', '--yes');
  expect(heads()).toEqual(before);
  expect(canaries(p)).toEqual([]);
});

it('nothing is fetched from remotes of a repository (promise 9)', () => {
  const p = hostile();
  const nested = p.at('nested');
  p.ok('checkpoint');
  commitOnTop(nested);
  fs.appendFileSync(
    path.join(nested, '.git/config'),
    '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\tpromisor = true\n',
  );
  fs.writeFileSync(path.join(nested, '.git/refs/heads/elsewhere'), `${'1'.repeat(40)}\n`);
  const outcome = p.run(['restore', 'cp_1', '--git', '--yes']);
  expect([0, 1], outcome.stderr).toContain(outcome.status);
  expect(canaries(p)).toEqual([]);
});
