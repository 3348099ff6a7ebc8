import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { type OpenOptions, open, type Savepoint, type TreePath } from '@savepoint/core';
import { nodeFs } from '@savepoint/core/node';
import type { Ports } from '@savepoint/core/ports';
import {
  FaultyFs,
  type FsCall,
  fakeProcesses,
  git,
  gitFingerprint,
  realPorts,
  testEffort,
  type World,
  world,
} from '@savepoint/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { remember } from './kept-copy.ts';

const GIT = { git: true, mode: 'exact' } as const;

class Place {
  readonly world: World = world(onTestFinished);
  readonly dir = Buffer.from(this.world.workspace, 'latin1').toString();

  /** A folder outside the workspace. */
  get elsewhere(): string {
    const folder = `${this.world.folder}/elsewhere`;
    fs.mkdirSync(folder, { recursive: true });
    return folder;
  }

  open(overrides: Partial<Ports> = {}, options: Partial<OpenOptions> = {}): Savepoint {
    const places = { ...this.world.places, searchPath: process.env['PATH'] ?? '' };
    return open({ dir: this.world.workspace, ports: { ...realPorts(), ...overrides }, places, ...options });
  }

  at(name: string): string {
    return path.join(this.dir, name);
  }

  write(name: string, content: string): void {
    fs.mkdirSync(path.dirname(this.at(name)), { recursive: true });
    fs.writeFileSync(this.at(name), content);
  }

  init(folder: string): void {
    this.write(`${folder}/f.txt`, `${folder} 1\n`);
    git(this.at(folder), 'init', '-q', '-b', 'main');
    this.commit(folder, 'first');
  }

  commit(folder: string, message: string): string {
    git(this.at(folder), 'add', '-A');
    git(this.at(folder), 'commit', '-q', '-m', message);
    return this.head(folder);
  }

  head(folder: string): string {
    return git(this.at(folder), 'rev-parse', 'HEAD').trim();
  }

  /** Everything that --git affects, and the files, as git sees them. */
  state(folder: string): unknown {
    const dir = this.at(folder);
    return {
      head: fs.readFileSync(path.join(dir, '.git/HEAD'), 'utf8'),
      refs: git(dir, 'for-each-ref', '--format=%(refname) %(objectname)'),
      status: git(dir, 'status', '--porcelain'),
      index: git(dir, 'ls-files', '--stage'),
      files: fs
        .readdirSync(dir)
        .filter((name) => name !== '.git')
        .map((name) => [name, fs.readFileSync(path.join(dir, name), 'utf8')]),
      locks: fs.readdirSync(path.join(dir, '.git')).filter((name) => /lock|tmp-/.test(name)),
    };
  }

  store(): string {
    const home = Buffer.from(this.world.places.home, 'latin1').toString();
    return path.join(home, 'workspaces', fs.readdirSync(path.join(home, 'workspaces'))[0] as string);
  }
}

/** Two repositories, then commits, another branch, and a staged change. */
async function moved(): Promise<{ place: Place; first: unknown[]; later: unknown[] }> {
  const place = new Place();
  place.init('one');
  place.init('two');
  await place.open().checkpoint();
  const first = [place.state('one'), place.state('two')];
  place.write('one/f.txt', 'one 2\n');
  place.commit('one', 'second');
  place.write('one/staged.txt', 'staged\n');
  git(place.at('one'), 'add', 'staged.txt');
  git(place.at('two'), 'checkout', '-q', '-b', 'feature');
  place.write('two/f.txt', 'two 2\n');
  place.commit('two', 'on feature');
  return { place, first, later: [place.state('one'), place.state('two')] };
}

function both(place: Place): unknown[] {
  return [place.state('one'), place.state('two')];
}

describe('restore --git', () => {
  it('restores branch, HEAD and index of all repositories, and undo and redo revert and reapply it', async () => {
    const { place, first, later } = await moved();
    const second = place.head('one');
    const preview = await place.open().previewRestore('cp_1', GIT);
    expect(preview.plan.heads).toMatchObject([
      { path: 'one', before: { branch: 'main', commit: second }, unreachable: [{ commit: second, subject: 'second' }] },
      { path: 'two', before: { branch: 'feature' }, after: { branch: 'main' }, unreachable: [] },
    ]);
    expect(both(place)).toEqual(later);
    const done = await place.open().restore('cp_1', { ...GIT, expected: preview.fingerprint });
    const feature = git(place.at('two'), 'rev-parse', 'feature');
    expect(feature).not.toBe(place.head('two'));
    git(place.at('two'), 'branch', '-D', 'feature');
    expect(both(place)).toEqual(first);
    git(place.at('two'), 'branch', 'feature', feature.trim());
    expect(done.checkpoint?.roots.find(({ path: root }) => root === 'one')?.commit).toBe(place.head('one'));
    await place.open().undo();
    expect(both(place)).toEqual(later);
    await place.open().redo();
    expect(git(place.at('one'), 'status', '--porcelain')).toBe('');
    expect(place.head('one')).toBe(done.checkpoint?.heads[0]?.after.commit);
  });

  it('is part of going back to a message, if requested', async () => {
    const place = new Place();
    place.init('one');
    const session = place.open().session({ agent: 'mine', id: 's' });
    await session.prompt('first', 'm1');
    await session.call({ tool: 'sh', kind: 'shell', id: 'c1' }, () => place.write('one/f.txt', 'of m1\n'));
    await session.prompt('second', 'm2');
    const first = place.state('one');
    await session.call({ tool: 'sh', kind: 'shell', id: 'c2' }, () => {
      git(place.at('one'), 'commit', '-q', '-a', '-m', 'of m2');
    });
    const later = place.state('one');
    await session.rollbackTo('m1');
    expect(place.state('one')).toEqual(later);
    await session.rollbackTo('m1', { git: true });
    expect(place.state('one')).toEqual(first);
    await place.open().undo();
    expect(place.state('one')).toEqual(later);
  });

  it('keeps unreachable commits completely in the store, as long as the checkpoint exists', async () => {
    const { place } = await moved();
    const second = place.head('one');
    await place.open().restore('cp_1', GIT);
    git(place.at('one'), 'reflog', 'expire', '--expire=now', '--all');
    git(place.at('one'), 'gc', '-q', '--prune=now');
    expect(() => git(place.at('one'), 'cat-file', '-e', second)).toThrow();
    const store = path.join(place.store(), 'objects.git');
    expect(git(store, 'show', `${second}:f.txt`)).toBe('one 2\n');
    git(store, 'fsck', '--strict');
    await place.open().gc({ retention: { maxCheckpoints: 1, keepAtLeast: 1 } });
    expect(git(store, 'for-each-ref', '--format=%(refname)')).toContain('refs/savepoint/kept/3\n');
    expect(git(store, 'show', `${second}:f.txt`)).toBe('one 2\n');
    for (let number = 0; number < 3; number++) await place.open().checkpoint();
    await place.open().gc({ retention: { maxCheckpoints: 1, keepAtLeast: 1 } });
    expect(git(store, 'for-each-ref', '--format=%(refname)')).not.toContain('kept');
    expect(() => git(store, 'cat-file', '-e', second)).toThrow();
    git(store, 'fsck', '--strict');
  });

  it('undo adds commits again that git gc has dropped from the repository, and redo does so, too', async () => {
    const { place, first } = await moved();
    git(place.at('one'), 'reset', '-q', 'staged.txt');
    const later = both(place);
    const second = place.head('one');
    const forget = (): void => {
      git(place.at('one'), 'reflog', 'expire', '--expire=now', '--all');
      git(place.at('one'), 'gc', '-q', '--prune=now');
    };
    await place.open().restore('cp_1', GIT);
    forget();
    expect(() => git(place.at('one'), 'cat-file', '-e', second)).toThrow();
    await place.open().undo();
    expect(both(place)).toEqual(later);
    git(place.at('one'), 'fsck', '--strict', '--full');
    await place.open().redo();
    forget();
    expect(place.state('one')).toEqual(first[0]);
    await place.open().undo();
    expect(both(place)).toEqual(later);
    git(place.at('one'), 'fsck', '--strict', '--full');
  });

  it('undo adds staged contents again that git gc has dropped from the repository, and redo does so, too', async () => {
    const { place, first, later } = await moved();
    const staged = git(place.at('one'), 'rev-parse', ':staged.txt').trim();
    place.write('one/staged.txt', 'other than what is staged\n');
    const before = both(place);
    expect(before).not.toEqual(later);
    const forget = (): void => {
      git(place.at('one'), 'reflog', 'expire', '--expire=now', '--all');
      git(place.at('one'), 'gc', '-q', '--prune=now');
      expect(() => git(place.at('one'), 'cat-file', '-e', staged)).toThrow();
    };
    await place.open().restore('cp_1', GIT);
    forget();
    await place.open().gc();
    await place.open().undo();
    expect(both(place)).toEqual(before);
    expect(git(place.at('one'), 'show', ':staged.txt')).toBe('staged\n');
    git(place.at('one'), 'fsck', '--strict', '--full');
    await place.open().redo();
    expect(place.state('one')).toEqual(first[0]);
    forget();
    await place.open().undo();
    expect(git(place.at('one'), 'show', ':staged.txt')).toBe('staged\n');
    git(path.join(place.store(), 'objects.git'), 'fsck', '--strict');
  });

  it('undo is refused, with the path, if a staged content is neither in the repository nor in the store', async () => {
    const { place } = await moved();
    const open = (): Savepoint => place.open({}, { rules: { exclude: ['one/staged.txt'] } });
    await open().restore('cp_1', GIT);
    git(place.at('one'), 'reflog', 'expire', '--expire=now', '--all');
    git(place.at('one'), 'gc', '-q', '--prune=now');
    const was = manifest(place);
    await expect(open().undo()).rejects.toMatchObject({
      code: 'GIT_REFUSED',
      data: {
        repositories: [{ path: 'one', why: expect.stringMatching(/staged content of staged\.txt .*cp_2 --git/) }],
      },
    });
    expect(manifest(place)).toBe(was);
    await open().restore('cp_2', GIT);
    expect(place.head('one')).not.toBe('');
    expect(git(place.at('one'), 'diff', '--cached', '--name-only')).toBe('');
  });

  it('undo is refused if the repository has also lost the history of a kept commit', async () => {
    const place = new Place();
    place.init('');
    git(place.at(''), 'checkout', '-q', '--orphan', 'other');
    place.commit('', 'base');
    place.write('f.txt', 'side\n');
    const side = place.commit('', 'side');
    git(place.at(''), 'checkout', '-q', 'main');
    await place.open().checkpoint();
    git(place.at(''), 'checkout', '-q', '-B', 'main', side);
    git(place.at(''), 'branch', '-q', '-f', 'other', 'other~1');
    await place.open().restore('cp_1', GIT);
    git(place.at(''), 'branch', '-q', '-D', 'other');
    git(place.at(''), 'reflog', 'expire', '--expire=now', '--all');
    git(place.at(''), 'gc', '-q', '--prune=now');
    const before = manifest(place);
    await expect(place.open().undo()).rejects.toMatchObject({ code: 'GIT_REFUSED' });
    expect(manifest(place)).toBe(before);
  });

  it('drops kept commits after a purge, and an undo works without them', async () => {
    const { place } = await moved();
    const second = place.head('one');
    await place.open().restore('cp_1', GIT);
    await place.open().purge(['one/f.txt' as TreePath]);
    const store = path.join(place.store(), 'objects.git');
    expect(git(store, 'for-each-ref', '--format=%(refname)')).not.toContain('kept');
    expect(() => git(store, 'cat-file', '-e', second)).toThrow();
    git(store, 'fsck', '--strict');
    await place.open().undo();
    expect(place.head('one')).toBe(second);
  });

  it('moves a branch even if no file differs, and only if requested', async () => {
    const place = new Place();
    place.init('');
    await place.open().checkpoint();
    const was = place.head('');
    git(place.at(''), 'commit', '-q', '--allow-empty', '-m', 'empty');
    const now = place.head('');
    expect((await place.open().restore('cp_1')).checkpoint).toBeNull();
    expect(place.head('')).toBe(now);
    await place.open().restore('cp_1', GIT);
    expect(place.head('')).toBe(was);
    await place.open().undo();
    expect(place.head('')).toBe(now);
  });

  it.each([
    ['detached', (dir: string) => git(dir, 'checkout', '-q', '--detach', 'HEAD')],
    ['on a branch that is gone', (dir: string) => git(dir, 'checkout', '-q', '-b', 'gone')],
    ['on a branch without a commit', (dir: string) => git(dir, 'checkout', '-q', '--orphan', 'fresh')],
    ['with packed refs', (dir: string) => git(dir, 'pack-refs', '--all')],
  ])('restores a HEAD that was %s', async (_, change) => {
    const place = new Place();
    place.init('');
    change(place.at(''));
    await place.open().checkpoint();
    const then = [git(place.at(''), 'for-each-ref'), fs.readFileSync(place.at('.git/HEAD'), 'utf8')];
    git(place.at(''), 'checkout', '-q', '-f', 'main');
    if (git(place.at(''), 'branch', '--list', 'gone') !== '') git(place.at(''), 'branch', '-q', '-D', 'gone');
    place.write('f.txt', 'later\n');
    place.commit('', 'later');
    await place.open().restore('cp_1', GIT);
    expect(fs.readFileSync(place.at('.git/HEAD'), 'utf8')).toBe(then[1]);
    await place.open().undo();
    expect(place.head('')).toBe(git(place.at(''), 'rev-parse', 'main').trim());
  });
});

describe('a state that cannot be restored is refused, and nothing is changed', () => {
  const cases: Record<string, [(place: Place) => void, RegExp]> = {
    'a merge in flight': [
      (p) => {
        git(p.at(''), 'checkout', '-q', '-b', 'side', 'HEAD~1');
        p.write('f.txt', 'side\n');
        p.commit('', 'side');
        fails(() => git(p.at(''), 'merge', 'main'));
      },
      /a merge is in progress/,
    ],
    'a locked index': [(p) => p.write('.git/index.lock', ''), /index\.lock exists/],
    'a locked branch': [(p) => p.write('.git/refs/heads/main.lock', ''), /main\.lock exists/],
    'a branch in use elsewhere': [
      (p) => {
        git(p.at(''), 'checkout', '-q', '-b', 'other');
        git(p.at(''), 'worktree', 'add', '-q', `${p.world.folder}/tree`, 'main');
      },
      /checked out in another worktree/,
    ],
    'a commit that is gone': [
      (p) => {
        git(p.at(''), 'checkout', '-q', '--orphan', 'new');
        p.commit('', 'new');
        git(p.at(''), 'branch', '-q', '-D', 'main');
        git(p.at(''), 'reflog', 'expire', '--expire=now', '--all');
        git(p.at(''), 'gc', '-q', '--prune=now');
      },
      /is not in the repository/,
    ],
    'a sparse checkout': [(p) => git(p.at(''), 'config', 'core.sparseCheckout', 'true'), /sparse checkout/],
    'a repository elsewhere': [
      (p) => {
        fs.renameSync(p.at('.git'), `${p.world.folder}/away.git`);
        p.write('.git', `gitdir: ${p.world.folder}/away.git\n`);
      },
      /does not know this folder/,
    ],
    'a worktree that its repository does not know': [
      (p) => forgeWorktree(p, '.git', true),
      /does not know this folder/,
    ],
    'a .git folder that names the refs of another repository': [
      (p) => forgeWorktree(p, '.git', false),
      /does not know this folder/,
    ],
    'a log of HEAD elsewhere': [(p) => linkElsewhere(p, '.git/logs/HEAD'), /logs\/HEAD is a link/],
    'a log of the branch elsewhere': [
      (p) => linkElsewhere(p, '.git/logs/refs/heads/main'),
      /logs\/refs\/heads\/main is a link/,
    ],
    'a folder of logs elsewhere': [(p) => linkElsewhere(p, '.git/logs/refs'), /logs\/refs is a link/],
    'branches elsewhere': [(p) => linkElsewhere(p, '.git/refs/heads'), /refs\/heads is a link/],
    'packed refs elsewhere': [
      (p) => {
        git(p.at(''), 'pack-refs', '--all');
        linkElsewhere(p, '.git/packed-refs');
      },
      /packed-refs/,
    ],
    'objects elsewhere': [(p) => linkElsewhere(p, '.git/objects'), /objects is a link/],
    'hooks in its configuration': [(p) => git(p.at(''), 'config', 'hook.x.command', 'touch canary'), /names hooks/],
  };

  it.each(Object.entries(cases))('%s', async (_, [change, why]) => {
    const place = new Place();
    place.init('');
    await place.open().checkpoint();
    place.write('f.txt', 'second\n');
    place.commit('', 'second');
    change(place);
    const before = manifest(place);
    const elsewhere = manifest(place, place.elsewhere);
    const preview = await place.open().previewRestore('cp_1', GIT);
    expect(preview.plan.headsRefused?.[0]?.why).toMatch(why);
    await expect(place.open().restore('cp_1', GIT)).rejects.toMatchObject({
      code: 'GIT_REFUSED',
      data: { repositories: [{ path: '' }] },
    });
    expect(manifest(place)).toBe(before);
    expect(manifest(place, place.elsewhere)).toBe(elsewhere);
    await place.open().restore('cp_1', { mode: 'exact' });
  });

  it('a root that became a link to another repository', async () => {
    const { place } = await moved();
    fs.renameSync(place.at('one'), path.join(place.elsewhere, 'one'));
    fs.symlinkSync(path.join(place.elsewhere, 'one'), place.at('one'));
    const elsewhere = manifest(place, place.elsewhere);
    await expect(place.open().restore('cp_1', GIT)).rejects.toBeDefined();
    expect(manifest(place, place.elsewhere)).toBe(elsewhere);
  });

  it('works without git on the machine, and does not run git from the workspace', async () => {
    const { place } = await moved();
    place.write('bin/git', '#!/bin/sh\ntouch "$0.ran"\n');
    fs.chmodSync(place.at('bin/git'), 0o755);
    for (const searchPath of ['', 'relative/bin', place.at('bin')]) {
      const savepoint = open({
        dir: place.world.workspace,
        ports: realPorts(),
        places: { ...place.world.places, searchPath },
      });
      await expect(savepoint.restore('cp_1', GIT)).rejects.toMatchObject({ code: 'GIT_REFUSED' });
    }
    expect(fs.existsSync(place.at('bin/git.ran'))).toBe(false);
  });

  it('a commit after the preview is a conflict, and an undo leaves a branch that was moved since', async () => {
    const { place } = await moved();
    const { fingerprint } = await place.open().previewRestore('cp_1', GIT);
    git(place.at('one'), 'commit', '-q', '-m', 'staged after all');
    await expect(place.open().restore('cp_1', { ...GIT, expected: fingerprint })).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    await place.open().restore('cp_1', GIT);
    place.write('one/more.txt', 'more\n');
    const onTop = place.commit('one', 'on top');
    const undone = await place.open().undo();
    expect(undone.plan.kept).toEqual([{ path: 'one', why: 'its branch has moved since cp_3' }]);
    expect(place.head('one')).toBe(onTop);
    expect(git(place.at('two'), 'branch', '--show-current')).toBe('feature\n');
  });

  it.each([
    ['is gone', 'rm -r one/.git'],
    ['cannot be used', 'rm one/.git/HEAD'],
  ])('an undo leaves a repository alone that %s', async (_, command) => {
    const { place, later } = await moved();
    await place.open().restore('cp_1', GIT);
    execFileSync('sh', ['-c', command], { cwd: place.at('') });
    const undone = await place.open().undo();
    expect(undone.plan.kept).toContainEqual({ path: 'one', why: 'its branch has moved since cp_3' });
    expect(place.state('two')).toEqual(later[1]);
  });
});

describe('whatever interrupts it', () => {
  const dies = (): never => {
    throw new Error('died');
  };

  it('after a death at any call, all repositories and files are old or new, and recover reports which', async () => {
    const { place, first, later } = await moved();
    const again = remember(place.world);
    const counted = new FaultyFs(nodeFs, null);
    await place.open({ fs: counted }).restore('cp_1', GIT);
    const calls = counted.log.filter(({ changes }) => changes).length;
    const step = Math.ceil(calls / testEffort({ quick: 6, ci: 20, long: calls }));
    const ends = new Set<string>();
    for (let at = 1 + (Date.now() % step); at <= calls; at += step) {
      again();
      const faulty = new FaultyFs(nodeFs, { at, fault: { die: dies }, counts: ({ changes }: FsCall) => changes });
      await place
        .open({ fs: faulty, processes: fakeProcesses({ pid: 5, startedAt: '5' }) })
        .restore('cp_1', GIT)
        .catch(() => undefined);
      expect(faulty.hit, `call ${at} of ${calls}`).toBe(true);
      // For the next process the first one is dead.
      await place.open({ processes: fakeProcesses({ pid: 6, startedAt: '6' }) }).recover();
      git(place.at('two'), 'branch', '-f', 'kept-for-comparison', 'feature');
      const after = both(place);
      const isNew = JSON.stringify(after).includes('one 1');
      ends.add(isNew ? 'new' : 'old');
      git(place.at('two'), 'branch', '-D', 'kept-for-comparison');
      if (isNew) {
        git(place.at('two'), 'branch', '-D', 'feature');
        expect(both(place), `call ${at} of ${calls}`).toEqual(first);
      } else expect(both(place), `call ${at} of ${calls}`).toEqual(later);
      expect(fs.readdirSync(path.join(place.store(), 'journal'))).toEqual([]);
    }
    expect([...ends].sort()).toEqual(['new', 'old']);
  }, 600_000);

  it('after one failing call, the answer says what is on the disk', async () => {
    const { place } = await moved();
    const again = remember(place.world);
    const counted = new FaultyFs(nodeFs, null);
    await place.open({ fs: counted }).restore('cp_1', GIT);
    // A lock's temporary file may stay: the next move removes it.
    const shown = (): string => JSON.stringify(both(place), (key, value) => (key === 'locks' ? undefined : value));
    const done = shown();
    again();
    const old = shown();
    // Only the last calls come after the commit point, and the very last ones after everything has changed.
    const keyOf = ({ operation, path: at }: FsCall): string => `${operation} ${at.replace(/[0-9a-f_]{12,}/g, '*')}`;
    const last = counted.log.filter(({ changes }) => changes).slice(-40);
    const step = testEffort({ quick: 4, ci: 4, long: 1 });
    const wrong: string[] = [];
    for (const call of last.filter((_, index) => (last.length - 3 - index) % step === 0)) {
      again();
      const nth = counted.log.filter((other) => keyOf(other) === keyOf(call)).indexOf(call) + 1;
      const counts = (one: FsCall): boolean => keyOf(one) === keyOf(call);
      const faulty = new FaultyFs(nodeFs, { at: nth, fault: { fail: 'EIO' }, counts });
      const answer = await place
        .open({ fs: faulty })
        .restore('cp_1', GIT)
        .then(
          () => 'done',
          (error: { code: string }) => error.code,
        );
      const state = shown();
      const is = state === done ? 'new' : state === old ? 'old' : 'between';
      const isTrue = answer === 'done' ? is === 'new' : answer === 'PENDING' || is === 'old';
      if (!isTrue) wrong.push(`${keyOf(call)}: ${answer}, but the state is ${is}`);
    }
    expect(wrong).toEqual([]);
  }, 600_000);
});

/** Moves something out of the workspace, and leaves a link to it. */
function linkElsewhere(place: Place, name: string): void {
  const target = path.join(place.elsewhere, path.basename(name));
  fs.renameSync(place.at(name), target);
  fs.symlinkSync(target, place.at(name));
}

/** Makes `.git` a worktree of a repository that does not know it, in the way a workspace from elsewhere could. */
function forgeWorktree(place: Place, name: string, isFile: boolean): void {
  const victim = path.join(place.elsewhere, 'victim.git');
  fs.renameSync(place.at(name), victim);
  const folder = isFile ? 'forged' : name;
  place.write(`${folder}/HEAD`, 'ref: refs/heads/main\n');
  place.write(`${folder}/commondir`, `${victim}\n`);
  place.write(`${folder}/gitdir`, `${place.at(name)}\n`);
  fs.copyFileSync(path.join(victim, 'index'), place.at(`${folder}/index`));
  if (isFile) place.write(name, `gitdir: ${place.at(folder)}\n`);
}

function manifest(place: Place, folder = place.dir): string {
  return execFileSync(
    'sh',
    ['-c', 'find . -path ./.git/index -prune -o -type f -print0 | sort -z | xargs -0 sha1sum'],
    {
      cwd: folder,
    },
  ).toString();
}

function fails(action: () => unknown): void {
  expect(action).toThrow();
}

describe('without --git', () => {
  it('no file of any .git is touched by any verb, with repositories, submodules and worktrees', async () => {
    const place = new Place();
    for (const folder of ['one', 'two', 'two/nested']) place.init(folder);
    git(
      place.at('one'),
      '-c',
      'protocol.file.allow=always',
      'submodule',
      '--quiet',
      'add',
      place.at('two/nested'),
      'lib',
    );
    place.commit('one', 'with a submodule');
    git(place.at('two'), 'worktree', 'add', '-q', place.at('tree'), '-b', 'side');
    await place.open().checkpoint();
    for (const folder of ['one', 'one/lib', 'two', 'two/nested', 'tree']) place.write(`${folder}/f.txt`, 'changed\n');
    git(place.at('two'), 'checkout', '-q', '-b', 'feature');
    place.commit('two', 'on feature');
    const before = gitFingerprint(place.dir);
    const savepoint = place.open();
    await savepoint.repositories();
    await savepoint.context({ checkpoints: 5, depth: 3 });
    await savepoint.checkpoint();
    await savepoint.restore('cp_1', { mode: 'exact' });
    await savepoint.undo();
    await savepoint.redo();
    await savepoint.restore('cp_2', { root: 'two' as TreePath, mode: 'exact' });
    await savepoint.gc();
    expect(gitFingerprint(place.dir)).toEqual(before);
  });
});
