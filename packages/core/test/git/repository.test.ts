import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { FaultyFs, fsWith, git, gitFingerprint, seededRandom, testEffort, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findRepository, type GitState, readRepository } from '../../src/git/repository.ts';
import { nodeFs } from '../../src/io/node/fs.ts';
import { bytesFromText, type DiskPath } from '../../src/model/names.ts';

const disk = (text: string): DiskPath => bytesFromText(text) as DiskPath;

function repository(...args: readonly string[]): string {
  const { workspace } = world(onTestFinished);
  git(workspace, 'init', '-q', '-b', 'main', ...args);
  return workspace;
}

function commit(folder: string, file: string, content: string): string {
  writeFileSync(`${folder}/${file}`, content);
  git(folder, 'add', file);
  git(folder, 'commit', '-q', '-m', content);
  return git(folder, 'rev-parse', 'HEAD').trim();
}

function state(folder: string): GitState {
  const repository = readRepository(nodeFs, disk(folder));
  if (repository === null || 'problem' in repository) throw new Error(JSON.stringify(repository));
  return repository;
}

/** The exit status is ignored: these commands stop midway on purpose. */
function tryGit(folder: string, ...args: readonly string[]): void {
  try {
    git(folder, ...args);
  } catch {}
}

function whyBroken(folder: string): string | null {
  const repository = readRepository(nodeFs, disk(folder));
  return repository !== null && 'problem' in repository ? repository.problem.why : null;
}

describe('head', () => {
  test('a branch, a branch without commit, a detached head', () => {
    const folder = repository();
    expect(state(folder).head).toEqual({ branch: 'main', commit: null, detached: false, unborn: true });
    const first = commit(folder, 'a', 'one');
    expect(state(folder).head).toEqual({ branch: 'main', commit: first, detached: false, unborn: false });
    git(folder, 'checkout', '-q', '-b', 'feature/b\u00fc');
    expect(state(folder).head?.branch).toBe(bytesFromText('feature/b\u00fc'));
    git(folder, 'checkout', '-q', '--detach');
    expect(state(folder).head).toEqual({ branch: null, commit: first, detached: true, unborn: false });
  });

  test('a branch in the packed refs, next to similar names', () => {
    const folder = repository();
    const first = commit(folder, 'a', 'one');
    git(folder, 'branch', 'amain');
    git(folder, 'branch', 'main2');
    git(folder, 'tag', '-a', 'v1', '-m', 'v1');
    const second = commit(folder, 'a', 'two');
    git(folder, 'pack-refs', '--all', '--prune');
    expect(() => lstatSync(`${folder}/.git/refs/heads/main`)).toThrow();
    expect(state(folder).head?.commit).toBe(second);
    for (const branch of ['amain', 'main2']) {
      git(folder, 'symbolic-ref', 'HEAD', `refs/heads/${branch}`);
      expect(state(folder).head).toMatchObject({ branch, commit: first });
    }
    git(folder, 'branch', 'topic/one');
    git(folder, 'symbolic-ref', 'HEAD', 'refs/heads/topic');
    expect(state(folder)).toMatchObject({ head: { branch: 'topic', unborn: true }, problems: [] });
    git(folder, 'symbolic-ref', 'HEAD', 'refs/heads/mai');
    expect(state(folder).head).toMatchObject({ branch: 'mai', unborn: true });
    // A loose ref takes precedence over a packed one.
    git(folder, 'symbolic-ref', 'HEAD', 'refs/heads/main');
    const third = commit(folder, 'a', 'three');
    expect(state(folder).head?.commit).toBe(third);
  });

  test('refs that point to refs, up to a limit', () => {
    const folder = repository();
    const first = commit(folder, 'a', 'one');
    git(folder, 'symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
    git(folder, 'symbolic-ref', 'HEAD', 'refs/heads/alias');
    expect(state(folder).head).toMatchObject({ branch: 'alias', commit: first });
    git(folder, 'symbolic-ref', 'refs/heads/main', 'refs/heads/alias');
    expect(state(folder).head).toBeNull();
    expect(state(folder).problems).toMatchObject([{ why: 'damaged' }]);
  });

  test('a HEAD that is a symbolic link, as in old versions of git, and one outside refs/heads', () => {
    const folder = repository();
    const first = commit(folder, 'a', 'one');
    git(folder, 'update-ref', 'refs/other/x', 'HEAD');
    rmSync(`${folder}/.git/HEAD`);
    symlinkSync('refs/heads/main', `${folder}/.git/HEAD`);
    expect(state(folder).head).toMatchObject({ branch: 'main', commit: first });
    rmSync(`${folder}/.git/HEAD`);
    writeFileSync(`${folder}/.git/HEAD`, 'ref:refs/other/x \n');
    expect(state(folder).head).toMatchObject({ branch: 'refs/other/x', commit: first });
  });

  test('a repository with SHA-256', () => {
    const folder = repository('--object-format=sha256');
    const first = commit(folder, 'a', 'one');
    expect(first).toHaveLength(64);
    expect(state(folder)).toMatchObject({
      objectFormat: 'sha256',
      head: { branch: 'main', commit: first },
      problems: [],
    });
    git(folder, 'pack-refs', '--all', '--prune');
    expect(state(folder).head?.commit).toBe(first);
  });

  test.each([
    ['empty', ''],
    ['no id', 'hello\n'],
    ['short id', `${'a'.repeat(39)}\n`],
    ['long id', 'a'.repeat(41)],
    ['capital id', `${'A'.repeat(40)}\n`],
    ['leaves the repository', 'ref: refs/heads/../../../../x\n'],
    ['no ref', 'ref: /etc/passwd\n'],
    ['a lock', 'ref: refs/heads/x.lock\n'],
    ['control characters', 'ref: refs/heads/\x1b[31m\n'],
    ['too long', `ref: refs/heads/${'x'.repeat(9000)}\n`],
  ])('a damaged HEAD is reported, and the rest is read: %s', (_, text) => {
    const folder = repository();
    commit(folder, 'a', 'one');
    writeFileSync(`${folder}/.git/HEAD`, text);
    expect(state(folder)).toMatchObject({ head: null, link: 'inside', objectFormat: 'sha1' });
    expect(state(folder).problems).toHaveLength(1);
  });

  test('a damaged ref is not reported as an unborn branch', () => {
    const folder = repository();
    commit(folder, 'a', 'one');
    writeFileSync(`${folder}/.git/refs/heads/main`, '');
    expect(state(folder)).toMatchObject({ head: null, problems: [{ why: 'damaged' }] });
  });

  test('packed refs of hostile sizes and shapes', () => {
    const folder = repository();
    const packed = `${folder}/.git/packed-refs`;
    writeFileSync(packed, `x refs/heads/main\n${'g'.repeat(40)} refs/heads/main\n`);
    expect(state(folder).problems).toMatchObject([{ why: 'damaged' }]);
    writeFileSync(packed, `x refs/heads/main\n${'a'.repeat(40)} refs/heads/main`);
    expect(state(folder).head?.commit).toBe('a'.repeat(40));
    writeFileSync(packed, `${' refs/heads/mainx'.repeat(50_000)}\n`);
    expect(state(folder).head?.unborn).toBe(true);
    truncateSync(packed, 300 * 1024 * 1024);
    expect(state(folder)).toMatchObject({ head: null, problems: [{ why: 'too-large' }] });
  });

  test('a reftable is not read, and that is reported', () => {
    const folder = repository();
    commit(folder, 'a', 'one');
    mkdirSync(`${folder}/.git/reftable`);
    expect(state(folder)).toMatchObject({ head: null, problems: [{ why: 'unsupported' }] });
    rmSync(`${folder}/.git/reftable`, { recursive: true });
    appendFileSync(`${folder}/.git/config`, '[extensions]\nrefStorage = reftable\n');
    expect(state(folder)).toMatchObject({ head: null, problems: [{ why: 'unsupported' }] });
  });
});

describe('operations in progress', () => {
  function conflicting(): string {
    const folder = repository();
    commit(folder, 'a', 'base\n');
    git(folder, 'checkout', '-q', '-b', 'side');
    commit(folder, 'a', 'side\n');
    commit(folder, 'a', 'side again\n');
    git(folder, 'checkout', '-q', 'main');
    commit(folder, 'a', 'main\n');
    return folder;
  }

  test.each([
    ['merge', ['merge', 'side']],
    ['rebase', ['rebase', 'side']],
    ['rebase', ['rebase', '--apply', 'side']],
    ['cherry-pick', ['cherry-pick', 'side']],
    ['revert', ['revert', '--no-edit', 'HEAD~1']],
    ['bisect', ['bisect', 'start']],
  ])('%s', (operation, args) => {
    const folder = conflicting();
    expect(state(folder).operation).toBeNull();
    tryGit(folder, ...args);
    expect(state(folder).operation).toBe(operation);
    expect(state(folder).head?.detached).toBe(operation === 'rebase');
  });

  test('a series between two of its steps', () => {
    const folder = conflicting();
    tryGit(folder, 'cherry-pick', 'side~1', 'side');
    writeFileSync(`${folder}/a`, 'solved\n');
    git(folder, 'commit', '-q', '-a', '-m', 'solved');
    expect(() => lstatSync(`${folder}/.git/CHERRY_PICK_HEAD`)).toThrow();
    expect(state(folder).operation).toBe('cherry-pick');
    const todo = `${folder}/.git/sequencer/todo`;
    writeFileSync(todo, `# note\n\n${readFileSync(todo, 'utf8').replace(/^pick/gm, 'revert')}`);
    expect(state(folder).operation).toBe('revert');
  });
});

describe('configuration', () => {
  test('letter case, bare repositories, unknown versions and formats', () => {
    const folder = repository();
    expect(state(folder)).toMatchObject({ ignoreCase: false, bare: false, problems: [] });
    git(folder, 'config', 'core.ignoreCase', 'yes');
    git(folder, 'config', 'core.bare', 'true');
    expect(state(folder)).toMatchObject({ ignoreCase: true, bare: true, problems: [] });
    git(folder, 'config', 'core.repositoryFormatVersion', '7');
    expect(state(folder).problems).toMatchObject([{ why: 'unsupported' }]);
    appendFileSync(`${folder}/.git/config`, '[core]\nrepositoryformatversion=1\n[extensions]\nobjectFormat=sha3\n');
    expect(state(folder)).toMatchObject({ objectFormat: 'sha1', problems: [{ why: 'unsupported' }] });
  });

  test('includes are not followed', () => {
    const folder = repository();
    writeFileSync(`${folder}/other`, '[core]\nignorecase = true\n');
    appendFileSync(`${folder}/.git/config`, `[include]\npath = ${folder}/other\n`);
    expect(git(folder, 'config', 'core.ignorecase').trim()).toBe('true');
    expect(state(folder)).toMatchObject({ ignoreCase: false, problems: [] });
  });

  test('a damaged, huge or missing configuration is reported, and HEAD is still read', () => {
    const folder = repository();
    const first = commit(folder, 'a', 'one');
    appendFileSync(`${folder}/.git/config`, '[core\n');
    expect(state(folder)).toMatchObject({ head: { commit: first }, problems: [{ why: 'damaged' }] });
    truncateSync(`${folder}/.git/config`, 2 * 1024 * 1024);
    expect(state(folder)).toMatchObject({ head: { commit: first }, problems: [{ why: 'too-large' }] });
    rmSync(`${folder}/.git/config`);
    expect(state(folder)).toMatchObject({ head: { commit: first }, problems: [] });
  });
});

describe('repositories that are elsewhere', () => {
  test('a linked worktree', () => {
    const folder = repository();
    commit(folder, 'a', 'one');
    const tree = `${folder}-tree`;
    git(folder, 'worktree', 'add', '-q', '-b', 'other', tree);
    const second = commit(tree, 'a', 'two');
    expect(state(tree)).toMatchObject({
      gitDir: realpathSync(`${folder}/.git/worktrees/workspace-tree`),
      commonDir: realpathSync(`${folder}/.git`),
      link: 'worktree',
      head: { branch: 'other', commit: second },
      bare: false,
      problems: [],
    });
    // `core.bare` of the main repository does not apply to its worktrees.
    git(folder, 'config', 'core.bare', 'true');
    expect(state(tree).bare).toBe(false);
    git(folder, 'config', 'core.bare', 'false');
    git(tree, 'config', 'extensions.worktreeConfig', 'true');
    git(tree, 'config', '--worktree', 'core.ignorecase', 'true');
    expect([state(tree).ignoreCase, state(folder).ignoreCase]).toEqual([true, false]);
    // Per-worktree refs are not visible in other worktrees.
    git(tree, 'update-ref', 'refs/worktree/own', 'HEAD');
    git(tree, 'symbolic-ref', 'HEAD', 'refs/worktree/own');
    expect(state(tree).head).toMatchObject({ branch: 'refs/worktree/own', commit: second });
    git(folder, 'symbolic-ref', 'HEAD', 'refs/worktree/own');
    expect(state(folder).head?.unborn).toBe(true);
    // The repository's administrative files do not point to a copied worktree.
    cpSync(tree, `${folder}-copy`, { recursive: true });
    expect(state(`${folder}-copy`).link).toBe('elsewhere');
  });

  test('a submodule', () => {
    const { folder: base, workspace } = world(onTestFinished);
    mkdirSync(`${base}/library`);
    git(`${base}/library`, 'init', '-q', '-b', 'main');
    const first = commit(`${base}/library`, 'a', 'one');
    git(workspace, 'init', '-q', '-b', 'main');
    git(workspace, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', `${base}/library`, 'libs/one');
    expect(state(`${workspace}/libs/one`)).toMatchObject({
      gitDir: realpathSync(`${workspace}/.git/modules/libs/one`),
      link: 'submodule',
      head: { branch: 'main', commit: first },
      problems: [],
    });
  });

  test('a repository that does not name the folder: a .git file, a link, a folder with the refs of another', () => {
    const { folder: base, workspace } = world(onTestFinished);
    git(workspace, 'init', '-q', '-b', 'main', '--separate-git-dir', `${base}/separate`);
    const first = commit(workspace, 'a', 'one');
    expect(state(workspace)).toMatchObject({
      gitDir: `${base}/separate`,
      link: 'elsewhere',
      head: { commit: first },
      problems: [],
    });
    mkdirSync(`${base}/linked`);
    symlinkSync('../separate', `${base}/linked/.git`);
    expect(state(`${base}/linked`)).toMatchObject({
      gitDir: `${base}/separate`,
      link: 'elsewhere',
      head: { commit: first },
    });
    mkdirSync(`${base}/pointing`);
    symlinkSync('../workspace/.git', `${base}/pointing/.git`);
    expect(state(`${base}/pointing`)).toMatchObject({ gitDir: `${base}/separate`, link: 'elsewhere' });
    mkdirSync(`${base}/trap/.git`, { recursive: true });
    writeFileSync(`${base}/trap/.git/HEAD`, 'ref: refs/heads/main\n');
    writeFileSync(`${base}/trap/.git/commondir`, '../../separate\n');
    expect(state(`${base}/trap`)).toMatchObject({
      commonDir: `${base}/separate`,
      link: 'elsewhere',
      head: { commit: first },
    });
  });

  test.each([
    ['nothing', ''],
    ['no path', 'gitdir: \n'],
    ['another word', 'gitdirs: x\n'],
    ['a path that is not there', 'gitdir: ../nowhere\n'],
    ['a folder that is not a repository', 'gitdir: ..\n'],
    ['itself', 'gitdir: .git\n'],
    ['a NUL', 'gitdir: a\0b\n'],
    ['a drive, where there are none', 'gitdir: C:/x\n'],
    ['far too much', `gitdir: ${'x'.repeat(20_000)}`],
  ])('a .git file that says %s', (_, text) => {
    const { workspace } = world(onTestFinished);
    writeFileSync(`${workspace}/.git`, text);
    expect(whyBroken(workspace)).toMatch(/damaged|too-large/);
    expect(findRepository(nodeFs, disk(workspace))).toMatchObject({ folder: workspace, repository: { problem: {} } });
  });

  test('a .git that is a dangling link, a loop of links or a FIFO', () => {
    const { workspace } = world(onTestFinished);
    symlinkSync('nowhere', `${workspace}/.git`);
    expect(whyBroken(workspace)).toBe('damaged');
    rmSync(`${workspace}/.git`);
    symlinkSync('.git', `${workspace}/.git`);
    expect(whyBroken(workspace)).toBe('damaged');
    if (process.platform === 'win32') return;
    rmSync(`${workspace}/.git`);
    execFileSync('mkfifo', [`${workspace}/.git`]);
    expect(whyBroken(workspace)).toBe('damaged');
    rmSync(`${workspace}/.git`);
    git(workspace, 'init', '-q');
    rmSync(`${workspace}/.git/HEAD`);
    execFileSync('mkfifo', [`${workspace}/.git/HEAD`]);
    expect(state(workspace)).toMatchObject({ head: null, problems: [{ why: 'damaged' }] });
  });
});

describe('finding', () => {
  test('the nearest folder upwards with a repository', () => {
    const folder = repository();
    mkdirSync(`${folder}/a/b/c`, { recursive: true });
    git(`${folder}/a`, 'init', '-q');
    expect(findRepository(nodeFs, disk(folder))?.folder).toBe(folder);
    expect(findRepository(nodeFs, disk(`${folder}/a`))?.folder).toBe(`${folder}/a`);
    expect(findRepository(nodeFs, disk(`${folder}/a/b/c`))?.folder).toBe(`${folder}/a`);
    expect(findRepository(nodeFs, disk(`${folder}/new/not/there`))?.folder).toBe(folder);
  });

  test('a .git folder that git treats as an ordinary one is ignored', () => {
    const folder = repository();
    for (const parts of [[], ['objects', 'refs'], ['HEAD', 'refs']]) {
      rmSync(`${folder}/a`, { recursive: true, force: true });
      mkdirSync(`${folder}/a/.git`, { recursive: true });
      for (const part of parts) {
        if (part === 'HEAD') writeFileSync(`${folder}/a/.git/HEAD`, 'ref: refs/heads/main\n');
        else mkdirSync(`${folder}/a/.git/${part}`);
      }
      expect(git(`${folder}/a`, 'rev-parse', '--show-toplevel').trim()).toBe(folder);
      expect(readRepository(nodeFs, disk(`${folder}/a`))).toBeNull();
      expect(findRepository(nodeFs, disk(`${folder}/a`))?.folder).toBe(folder);
    }
  });

  test('none up to the root, from the root, and on Windows up to the drive', () => {
    const asked: string[] = [];
    const fs = fsWith(nodeFs, {
      lstat: (path) => {
        asked.push(path);
        return null;
      },
    });
    expect(findRepository(fs, disk('/x/y'))).toBeNull();
    expect(asked).toEqual(['/x/y', '/x/y/.git', '/x', '/x/.git', '/', '/.git']);
    asked.length = 0;
    expect(findRepository(fs, disk('/'))).toBeNull();
    expect(asked).toEqual(['/', '/.git']);
    asked.length = 0;
    expect(findRepository(fs, disk('C:\\x\\y'))).toBeNull();
    expect(asked).toEqual(['C:\\x\\y', 'C:\\x\\y/.git', 'C:\\x', 'C:\\x/.git']);
  });

  test('another file system is not entered', () => {
    const folder = repository();
    mkdirSync(`${folder}/mount/x`, { recursive: true });
    const fs = fsWith(nodeFs, {
      lstat: (path) => {
        const stat = nodeFs.lstat(path);
        return stat !== null && path.startsWith(`${folder}/mount`) ? { ...stat, mode: stat.mode, dev: -1 } : stat;
      },
    });
    expect(findRepository(nodeFs, disk(`${folder}/mount/x`))?.folder).toBe(folder);
    expect(findRepository(fs, disk(`${folder}/mount/x`))).toBeNull();
  });

  test('a failing file-system call is reported as a problem, and reading changes nothing', () => {
    const folder = repository();
    commit(folder, 'a', 'one');
    git(folder, 'pack-refs', '--all', '--prune');
    const tree = `${folder}-tree`;
    git(folder, 'worktree', 'add', '-q', tree);
    const before = gitFingerprint(folder);
    let failed = 0;
    for (let at = 1; at < 60; at++) {
      const fs = new FaultyFs(nodeFs, { at, fault: { fail: 'EIO' } });
      const found = findRepository(fs, disk(tree));
      if (found === null) throw new Error(`call ${at}: absent is not unreadable`);
      const problems = 'problem' in found.repository ? [found.repository.problem] : found.repository.problems;
      if (problems.length > 0) failed += 1;
      else if ('link' in found.repository) expect(found.repository.link).toBe('worktree');
    }
    expect(failed).toBeGreaterThan(25);
    expect(gitFingerprint(folder)).toBe(before);
  });

  test('random bytes in any of the files are not an error', () => {
    const seed = 77;
    const random = seededRandom(seed);
    const folder = repository();
    commit(folder, 'a', 'one');
    git(folder, 'pack-refs', '--all', '--prune');
    tryGit(folder, 'cherry-pick', '--no-commit', 'HEAD');
    mkdirSync(`${folder}/.git/sequencer`);
    rmSync(`${folder}/.git/hooks`, { recursive: true });
    renameSync(`${folder}/.git`, `${folder}/kept`);
    for (let round = 0; round < testEffort({ quick: 40, ci: 200, long: 200 }); round++) {
      rmSync(`${folder}/.git`, { recursive: true, force: true });
      cpSync(`${folder}/kept`, `${folder}/.git`, { recursive: true });
      for (const name of random.sample(
        ['HEAD', 'config', 'packed-refs', 'commondir', 'sequencer/todo', 'refs/heads/main'],
        2,
      )) {
        const start = random.pick(['', 'ref: refs/heads/', '[core]\n', `${'a'.repeat(40)} refs/heads/`, '../', '/']);
        const text = Buffer.concat([Buffer.from(start), random.bytes(random.integer(50))]);
        writeFileSync(`${folder}/.git/${name}`, text);
      }
      expect(() => readRepository(nodeFs, disk(folder)), `seed ${seed}, round ${round}`).not.toThrow();
    }
  });
});
