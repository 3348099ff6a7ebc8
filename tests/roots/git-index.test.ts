import fs from 'node:fs';
import path from 'node:path';
import { type DiskPath, open, type Savepoint, type TreePath } from '@savepoint/core';
import { nodeFs } from '@savepoint/core/node';
import type { CaptureRules, Ports } from '@savepoint/core/ports';
import {
  FaultyFs,
  type FsCall,
  fakeProcesses,
  git,
  realPorts,
  testEffort,
  type World,
  world,
} from '@savepoint/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { remember } from './kept-copy.ts';

const GIT = { git: true, mode: 'exact' } as const;

/** A repository as a workspace. */
class Place {
  readonly world: World = world(onTestFinished);
  readonly dir = Buffer.from(this.world.workspace, 'latin1').toString();

  constructor() {
    for (const name of ['a', 'b', 'c', 'd', 'f', 'g']) this.write(name, `${name} 1\n${'some text\n'.repeat(20)}`);
    this.git('init', '-q', '-b', 'main');
    this.commit('first');
  }

  open(recordIndex = true, rules: Partial<CaptureRules> = {}, overrides: Partial<Ports> = {}): Savepoint {
    const places = { ...this.world.places, searchPath: process.env['PATH'] ?? '' };
    return open({ dir: this.world.workspace, ports: { ...realPorts(), ...overrides }, places, recordIndex, rules });
  }

  at(name: string): string {
    return path.join(this.dir, name);
  }

  write(name: string, content: string): void {
    fs.mkdirSync(path.dirname(this.at(name)), { recursive: true });
    fs.writeFileSync(this.at(name), content);
  }

  git(...args: readonly string[]): string {
    return git(this.dir, ...args);
  }

  commit(message: string): void {
    this.git('add', '-A');
    this.git('commit', '-q', '-m', message);
  }

  /** What a user sees of it, and what git would commit. */
  state(): unknown {
    return {
      head: this.git('rev-parse', 'HEAD'),
      status: this.git('status', '--porcelain'),
      entries: this.git('ls-files', '--stage', '-v'),
      toAdd: this.git('ls-files', '--debug').match(/flags: \w+/g),
      staged: this.git('diff', '--cached'),
      unstaged: this.git('diff'),
    };
  }

  store(): string {
    const home = Buffer.from(this.world.places.home, 'latin1').toString();
    const store = path.join(home, 'workspaces', fs.readdirSync(path.join(home, 'workspaces'))[0] as string);
    return path.join(store, 'objects.git');
  }

  /** Removes objects that were only staged from the repository, as git does over time. */
  forgetStaged(): void {
    this.git('reflog', 'expire', '--expire=now', '--all');
    this.git('gc', '-q', '--prune=now');
  }
}

describe('restore --git with a recorded index', () => {
  const situations: Record<string, [string, (place: Place) => void]> = {
    // A staged file that was changed or removed since; a removal only from the index; `c` renamed to `e`; a mode; `git
    // add -N`.
    'all that git tells of files': [
      'A  new\nMM a\n M f\n?? untracked\nAD staged-only\nD  b\nD  g\n?? g\nR  c -> e\nM  d\n A to-add\n',
      (p) => {
        for (const name of ['new', 'untracked', 'staged-only', 'to-add', 'f']) p.write(name, `${name}\n`);
        p.write('a', 'staged\n');
        fs.chmodSync(p.at('d'), 0o755);
        p.git('add', 'new', 'a', 'staged-only', 'd');
        p.git('add', '-N', 'to-add');
        p.git('rm', '-q', 'b');
        p.git('rm', '-q', '--cached', 'g');
        p.git('mv', 'c', 'e');
        p.write('a', 'later!\n');
        fs.rmSync(p.at('staged-only'));
      },
    ],
    'a conflict': [
      'UU a\n',
      (p) => {
        p.write('a', 'stashed\n');
        p.git('stash', '-q');
        p.write('a', 'another\n');
        p.git('commit', '-q', '-am', 'another');
        expect(() => p.git('stash', 'pop', '-q')).toThrow();
        p.git('stash', 'drop', '-q');
      },
    ],
    'an index of version 4': [
      'A  deep/new\nMM a\n',
      (p) => {
        p.git('update-index', '--index-version', '4');
        p.write('deep/new', 'new\n');
        p.write('a', 'staged\n');
        p.git('add', '.');
        p.write('a', 'later!\n');
      },
    ],
  };

  it.each(Object.entries(situations))('restores %s', async (_, [status, change]) => {
    const place = new Place();
    change(place);
    const { scan } = await place.open().checkpoint();
    expect(scan.problems).toEqual([]);
    const then = place.state();
    expect(sorted(place.git('status', '--porcelain'))).toEqual(sorted(status));
    place.git('reset', '-q', '--hard');
    place.git('clean', '-qfd');
    place.write('a', 'second\n');
    place.commit('second');
    place.write('b', 'third\n');
    place.git('add', 'b');
    place.forgetStaged();
    const later = [place.state(), fs.readFileSync(place.at('.git/index'))];
    await place.open().restore('cp_1', GIT);
    expect(place.state()).toEqual(then);
    place.git('fsck', '--strict');
    await place.open().undo();
    expect(fs.readFileSync(place.at('.git/index'))).toEqual(later[1]);
    expect(place.state()).toEqual(later[0]);
    git(place.store(), 'fsck', '--strict');
  });

  it('restores the index even if no branch moved, and does nothing if it is equal', async () => {
    const place = new Place();
    place.write('a', 'staged\n');
    place.git('add', 'a');
    await place.open().checkpoint();
    // Refreshes the index, and writes it.
    fs.utimesSync(place.at('b'), 1, 1);
    const before = fs.readFileSync(place.at('.git/index'));
    place.git('status');
    expect(fs.readFileSync(place.at('.git/index'))).not.toEqual(before);
    expect((await place.open().restore('cp_1', GIT)).checkpoint).toBeNull();
    const then = place.state();
    place.git('reset', '-q');
    const later = place.state();
    const { plan, fingerprint } = await place.open().previewRestore('cp_1', GIT);
    expect(plan.heads).toMatchObject([{ path: '', movesIndex: true, refs: [], unreachable: [] }]);
    const done = await place.open().restore('cp_1', { ...GIT, expected: fingerprint });
    expect(place.state()).toEqual(then);
    expect(done.checkpoint?.roots[0]?.index).toEqual((await place.open().show('cp_1')).roots[0]?.index);
    await place.open().undo();
    expect(place.state()).toEqual(later);
    await place.open().redo();
    expect(place.state()).toEqual(then);
  });

  it('stores the same index once, and does not read its objects again', async () => {
    const place = new Place();
    place.write('new', 'staged\n');
    place.git('add', 'new');
    const id = place.git('rev-parse', ':new').trim();
    place.write('new', 'later!\n');
    const first = (await place.open().checkpoint()).checkpoint;
    expect(first.roots[0]?.index?.staged).toEqual([id]);
    fs.rmSync(place.at(`.git/objects/${id.slice(0, 2)}/${id.slice(2)}`));
    place.write('b', 'changed\n');
    const second = await place.open().checkpoint();
    expect(second.scan.problems).toEqual([]);
    expect(second.checkpoint.roots[0]?.index).toEqual(first.roots[0]?.index);
    await place.open().gc({ retention: { maxCheckpoints: 1, keepAtLeast: 1 } });
    expect(git(place.store(), 'cat-file', 'blob', id)).toBe('staged\n');
    expect((await place.open().verify({ deep: true })).damage).toEqual([]);
    git(place.store(), 'fsck', '--strict');
  });

  it('without the option nothing is recorded, and the index is reset to the commit', async () => {
    const place = new Place();
    place.write('new', 'staged\n');
    place.git('add', 'new');
    const { checkpoint } = await place.open(false).checkpoint();
    expect(checkpoint.roots[0]).not.toHaveProperty('index');
    expect(git(place.store(), 'ls-tree', '--name-only', 'refs/savepoint/cp/1')).not.toContain('indexes');
    place.commit('second');
    await place.open(false).restore('cp_1', GIT);
    expect(place.git('status', '--porcelain')).toBe('?? new\n');
  });
});

describe('interrupted restores of the index', () => {
  const dies = (): never => {
    throw new Error('died');
  };

  it('after a death at any call, the index is old or new, and names no missing path', async () => {
    const place = new Place();
    place.write('new', 'only staged\n');
    place.git('add', 'new');
    fs.rmSync(place.at('new'));
    await place.open().checkpoint();
    const first = place.state();
    place.git('reset', '-q', '--hard');
    place.write('a', 'second\n');
    place.commit('second');
    place.write('b', 'third\n');
    place.git('add', 'b');
    place.forgetStaged();
    const later = place.state();
    const again = remember(place.world);
    const counted = new FaultyFs(nodeFs, null);
    await place.open(true, {}, { fs: counted }).restore('cp_1', GIT);
    const calls = counted.log.filter(({ changes }) => changes).length;
    const step = Math.ceil(calls / testEffort({ quick: 4, ci: 20, long: calls }));
    for (let at = 1 + (Date.now() % step); at <= calls; at += step) {
      again();
      const faulty = new FaultyFs(nodeFs, { at, fault: { die: dies }, counts: ({ changes }: FsCall) => changes });
      await place
        .open(true, {}, { fs: faulty, processes: fakeProcesses({ pid: 5, startedAt: '5' }) })
        .restore('cp_1', GIT)
        .catch(() => undefined);
      expect(faulty.hit, `call ${at} of ${calls}`).toBe(true);
      // For the next process the first one is dead.
      await place.open(true, {}, { processes: fakeProcesses({ pid: 6, startedAt: '6' }) }).recover();
      const isNew = fs.readFileSync(place.at('a'), 'utf8').startsWith('a 1');
      expect(place.state(), `call ${at} of ${calls}`).toEqual(isNew ? first : later);
      place.git('fsck', '--strict');
    }
  }, 600_000);
});

describe('an index that is not recorded is reported, and nothing of it is in the store', () => {
  const cases: Record<string, [(place: Place) => void, RegExp, Partial<CaptureRules>?]> = {
    'a split index': [(p) => p.git('update-index', '--split-index'), /is a split index/],
    'a sparse index': [
      (p) => {
        p.write('folder/f', 'f\n');
        p.commit('folder');
        p.git('sparse-checkout', 'set', '--cone', '--sparse-index', 'other');
      },
      /sparse checkout/,
    ],
    'what was staged and is gone': [
      (p) => {
        const id = p.git('rev-parse', ':new').trim();
        fs.rmSync(p.at(`.git/objects/${id.slice(0, 2)}/${id.slice(2)}`));
      },
      /is not in the repository/,
    ],
    'an index that cannot be read': [(p) => fs.appendFileSync(p.at('.git/index'), 'x'), /checksum/],
    'what is too large': [() => undefined, /new is too large/, { maxFileBytes: 3 }],
    'what is left out': [() => undefined, /new is excluded/, { exclude: ['new'] }],
  };

  it.each(Object.entries(cases))('%s', async (_, [change, why, rules]) => {
    const place = new Place();
    place.write('new', 'only staged\n');
    place.git('add', 'new');
    place.write('new', 'x');
    const id = place.git('rev-parse', ':new').trim();
    change(place);
    const { checkpoint, scan } = await place.open(true, rules).checkpoint();
    expect(checkpoint.roots[0]).not.toHaveProperty('index');
    expect(scan.problems).toEqual(expect.arrayContaining([expect.stringMatching(why)]));
    expect(() => git(place.store(), 'cat-file', '-e', id)).toThrow();
  });
});

describe('a recorded index', () => {
  it('is removed by a purge of a path or content that it names, other indexes are not', async () => {
    const place = new Place();
    place.write('other', 'a secret that was staged\n');
    await place.open().checkpoint();
    fs.rmSync(place.at('other'));
    place.write('secret', 'a secret that was staged\n');
    place.git('add', 'secret');
    const id = place.git('rev-parse', ':secret').trim();
    fs.rmSync(place.at('secret'));
    await place.open().checkpoint();
    place.git('reset', '-q');
    await place.open().checkpoint();
    const has = async (): Promise<boolean[]> =>
      Promise.all([1, 2, 3].map(async (n) => 'index' in ((await place.open().show(`cp_${n}`)).roots[0] ?? {})));
    expect(await has()).toEqual([true, true, true]);
    expect((await place.open().previewPurge(['secret' as TreePath])).sameBytes).toEqual(['other']);
    await place.open().purge(['other' as TreePath]);
    expect(await has()).toEqual([true, false, true]);
    expect(() => git(place.store(), 'cat-file', '-e', id)).toThrow();
    place.write('b', 'staged\n');
    place.git('add', 'b');
    const only = place.git('rev-parse', ':b').trim();
    place.write('b', 'x');
    await place.open().checkpoint();
    await place.open().purge(['b' as TreePath]);
    expect(await has()).toEqual([false, false, false]);
    expect(() => git(place.store(), 'cat-file', '-e', only)).toThrow();
    git(place.store(), 'fsck', '--strict');
    await place.open().restore('cp_1', GIT);
  });

  it('is never part of a bundle', async () => {
    const place = new Place();
    place.write('new', 'only staged\n');
    place.git('add', 'new');
    const id = place.git('rev-parse', ':new').trim();
    place.write('new', 'x');
    await place.open().checkpoint();
    const file = `${place.world.folder}/it.bundle`;
    await place.open().createBundle(file as DiskPath, { private: true });
    const into = `${place.world.folder}/into`;
    fs.mkdirSync(into);
    git(into, 'init', '-q', '--bare');
    git(into, 'fetch', '-q', file, 'refs/*:refs/*');
    expect(() => git(into, 'cat-file', '-e', id)).toThrow();
    const elsewhere = `${place.world.folder}/elsewhere` as DiskPath;
    await place.open().restoreBundle(file as DiskPath, elsewhere);
    expect(fs.readFileSync(`${elsewhere}/new`, 'utf8')).toBe('x');
  });
});

function sorted(lines: string): string[] {
  return lines.split('\n').sort();
}
