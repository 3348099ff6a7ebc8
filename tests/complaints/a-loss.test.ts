import fs from 'node:fs';
import path from 'node:path';
import { gitFingerprint, type Manifest, testEffort } from '@savepoint/testkit';
import { git, identity, type Project, project, shell, watchCalls, workingFiles } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

const MiB = 1024 * 1024;

/** A sparse file, which takes no space on disk. */
function sparse(file: string, size: number): void {
  fs.writeFileSync(file, '');
  fs.truncateSync(file, size);
}

/** An ordinary repository: two tracked files, one staged hunk, one unstaged change, one untracked file. */
function repository(): Project {
  const p = project();
  p.write('src/a.ts', 'a\n');
  p.write('src/b.ts', 'b\n');
  p.commitAll();
  p.write('src/a.ts', 'a\nstaged\n');
  p.git('add', 'src/a.ts');
  p.write('src/a.ts', 'a\nstaged\nnot staged\n');
  p.write('new.txt', 'new\n');
  return p;
}

/** Every verb, including those that write. */
const EVERY_VERB: readonly (readonly string[])[] = [
  ['checkpoint', '-m', 'by hand'],
  ['status'],
  ['list'],
  ['show', 'last'],
  ['diff'],
  ['diff', '--patch'],
  ['diff', '--stat', 'cp_1', 'last'],
  ['restore', 'cp_1', '--dry-run'],
  ['restore', 'cp_1', '--yes', '--exact'],
  ['undo', '--yes'],
  ['redo', '--yes'],
  ['verify'],
  ['verify', '--deep'],
  ['recover'],
  ['gc'],
  ['workspaces'],
];

describe('1 · refs', () => {
  it('a restore moves neither branch nor HEAD, and commits made since stay', () => {
    const p = repository();
    const cp = p.checkpoint();
    p.git('commit', '-q', '-am', 'second');
    p.git('checkout', '-q', '-b', 'feature');
    p.write('feature.ts', 'f\n');
    p.git('add', '-A');
    p.git('commit', '-q', '-m', 'third');
    const before = [
      p.git('for-each-ref'),
      p.git('symbolic-ref', 'HEAD'),
      p.git('log', '--format=%H %s'),
      p.git('reflog'),
    ];
    p.restore(cp);
    const after = [
      p.git('for-each-ref'),
      p.git('symbolic-ref', 'HEAD'),
      p.git('log', '--format=%H %s'),
      p.git('reflog'),
    ];
    expect(after).toEqual(before);
    expect(p.read('src/a.ts')).toBe('a\nstaged\nnot staged\n');
    expect(p.git('show', 'feature:feature.ts')).toBe('f\n');
  });

  it('the preview says that HEAD moved since', () => {
    const p = repository();
    const cp = p.checkpoint();
    p.git('checkout', '-q', '-b', 'feature');
    p.write('new.txt', 'newer\n');
    expect(p.ok('restore', cp, '--dry-run').stdout).toMatch(/only files/i);
  });
});

describe('2 · files that are in no checkpoint', () => {
  it('stay: files over the cap, a pipe, dependency folders, a repository cloned later', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    const cp = p.checkpoint();
    p.write('a.txt', 'b\n');
    sparse(p.at('output.bin'), 51 * MiB);
    fs.mkdirSync(p.at('runs'));
    sparse(p.at('runs/output.bin'), 51 * MiB);
    shell(p.dir, 'mkfifo pipe');
    p.write('node_modules/m/index.js', 'm\n');
    shell(p.dir, 'git init -q cloned && cd cloned && echo c > c.txt && git add -A && git commit -q -m c');
    p.restore(cp);
    expect(p.read('a.txt')).toBe('a\n');
    expect(fs.statSync(p.at('output.bin')).size).toBe(51 * MiB);
    expect(fs.statSync(p.at('runs/output.bin')).size).toBe(51 * MiB);
    expect(fs.lstatSync(p.at('pipe')).isFIFO()).toBe(true);
    expect(p.read('node_modules/m/index.js')).toBe('m\n');
    expect(git(p.at('cloned'), 'log', '--format=%s')).toBe('c\n');
    expect(git(p.at('cloned'), 'show', 'HEAD:c.txt')).toBe('c\n');
  });

  it('files that a restore removes are restored by undo', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    const cp = p.checkpoint();
    p.write('made/since/b.txt', 'b\n', 0o640);
    const before = workingFiles(p.dir);
    p.restore(cp);
    expect(p.has('made/since/b.txt')).toBe(false);
    p.ok('undo', '--yes');
    expect(workingFiles(p.dir)).toEqual(before);
  });
});

describe('3 · ignore rules that change', () => {
  it('data that a newer rule protects is kept if the restore removes the rule', () => {
    const p = repository();
    const cp = p.checkpoint();
    p.write('.gitignore', 'data/\nresults/\n');
    p.write('data/precious.csv', '1,2,3\n');
    fs.mkdirSync(p.at('results'));
    sparse(p.at('results/large.bin'), 2 * MiB);
    p.restore(cp);
    expect(p.has('.gitignore')).toBe(false);
    expect(p.read('data/precious.csv')).toBe('1,2,3\n');
    expect(p.has('results/large.bin')).toBe(true);
  });

  it('data that a rule protected at the checkpoint is kept although the rule is gone', () => {
    const p = repository();
    p.write('.gitignore', 'data/\n');
    fs.mkdirSync(p.at('data'));
    sparse(p.at('data/large.bin'), 2 * MiB);
    const cp = p.checkpoint();
    p.delete('.gitignore');
    p.restore(cp);
    expect(p.read('.gitignore')).toBe('data/\n');
    expect(fs.statSync(p.at('data/large.bin')).size).toBe(2 * MiB);
  });
});

describe('4 · your own changes, not committed', () => {
  it('stay after later work is reverted', () => {
    const p = repository();
    p.write('src/b.ts', 'b\nmine, not committed\n');
    const cp = p.checkpoint();
    shell(p.dir, 'echo x > src/a.ts; echo x > src/b.ts; rm new.txt; git checkout -q -- src/b.ts');
    p.restore(cp);
    expect(p.read('src/a.ts')).toBe('a\nstaged\nnot staged\n');
    expect(p.read('src/b.ts')).toBe('b\nmine, not committed\n');
    expect(p.read('new.txt')).toBe('new\n');
  });
});

describe('5 · no more than what changed', () => {
  it('a restore and its undo recreate no file that was deleted before, and touch nothing else', () => {
    const p = repository();
    p.write('other.txt', 'o\n');
    p.checkpoint();
    p.delete('src/b.ts');
    const cp = p.checkpoint();
    const other = identity(p.at('other.txt'));
    p.write('src/a.ts', 'by the agent\n');
    p.restore(cp);
    expect(p.has('src/b.ts')).toBe(false);
    p.ok('undo', '--yes');
    expect(p.has('src/b.ts')).toBe(false);
    expect(p.read('src/a.ts')).toBe('by the agent\n');
    expect(identity(p.at('other.txt'))).toBe(other);
  });
});

describe('6 · edits made after', () => {
  const lines = (first: string, last: string): string => `${first}\n2\n3\n4\n5\n6\n7\n8\n9\n${last}\n`;

  it('undo keeps later edits in other lines of the same file, and in other files', () => {
    const p = project();
    p.write('a.txt', lines('one', 'ten'));
    const cp = p.checkpoint();
    p.write('a.txt', lines('by the agent', 'ten'));
    p.restore(cp);
    p.write('a.txt', lines('one', 'mine'));
    p.write('mine.txt', 'mine\n');
    p.ok('undo', '--yes');
    expect(p.read('a.txt')).toBe(lines('by the agent', 'mine'));
    expect(p.read('mine.txt')).toBe('mine\n');
  });

  it('undo over an edit of the same lines is a conflict that names the file and changes nothing', () => {
    const p = project();
    p.write('a.txt', lines('one', 'ten'));
    p.write('b.txt', 'b\n');
    const cp = p.checkpoint();
    p.write('a.txt', lines('by the agent', 'ten'));
    p.write('b.txt', 'by the agent\n');
    p.restore(cp);
    p.write('a.txt', lines('mine', 'ten'));
    const before = workingFiles(p.dir);
    const undo = p.run(['undo', '--yes']);
    expect(undo.status).toBe(3);
    expect(undo.stderr).toContain('a.txt');
    expect(workingFiles(p.dir)).toEqual(before);
  });

  it('a restore saves them first, and undo restores them', () => {
    const p = project();
    p.write('a.txt', 'one\n');
    const cp = p.checkpoint();
    p.write('a.txt', 'by the agent\nand mine\n');
    p.restore(cp);
    expect(p.read('a.txt')).toBe('one\n');
    p.ok('undo', '--yes');
    expect(p.read('a.txt')).toBe('by the agent\nand mine\n');
  });
});

describe('8 and 19 · your repositories', () => {
  it('no verb changes an outer or nested .git, not even by a temporary lock', () => {
    const p = repository();
    shell(
      p.dir,
      'git init -q inner && cd inner && echo i > i.txt && git add -A && git commit -q -m i && echo j >> i.txt',
    );
    shell(p.dir, 'git worktree add -q ../tree && echo "gitdir: ../elsewhere" > src/.git');
    p.checkpoint();
    p.write('src/a.ts', 'by the agent\n');
    p.delete('inner/i.txt');
    p.write('inner/k.txt', 'k\n');
    const before = gitFingerprint(p.dir);
    for (const verb of EVERY_VERB) {
      p.ok(...verb);
      expect(gitFingerprint(p.dir), verb.join(' ')).toEqual(before);
    }
    expect(p.git('stash', 'list')).toBe('');
  });
});

describe('9 · files outside the workspace', () => {
  it('are not rewound, whether next to it, in the home folder or behind a link', () => {
    const p = project();
    fs.mkdirSync(path.join(p.base, 'beside'));
    const outside = [path.join(p.base, 'beside/settings.json'), path.join(p.home, '.settings.json')];
    for (const file of outside) fs.writeFileSync(file, 'old');
    fs.symlinkSync('../beside', p.at('folder'));
    fs.symlinkSync('../home/.settings.json', p.at('file'));
    p.write('a.txt', 'a\n');
    const cp = p.checkpoint();
    p.write('a.txt', 'b\n');
    for (const file of outside) fs.writeFileSync(file, 'new');
    p.restore(cp);
    for (const file of outside) expect(fs.readFileSync(file, 'utf8')).toBe('new');
    expect(fs.readlinkSync(p.at('folder'))).toBe('../beside');
  });

  it('a path that leaves the workspace is refused, by name or through a link', () => {
    const p = project();
    const outside = path.join(p.base, 'outside.txt');
    p.write('a.txt', 'a\n');
    const cp = p.checkpoint();
    fs.writeFileSync(outside, 'o');
    fs.symlinkSync('..', p.at('up'));
    for (const file of ['../outside.txt', outside, 'up/outside.txt', 'a/../../outside.txt']) {
      const outcome = p.run(['restore', cp, '--yes', '--', file]);
      expect(outcome.status, file).toBe(outcome.status === 2 ? 2 : 1);
      expect(fs.readFileSync(outside, 'utf8')).toBe('o');
    }
  });
});

describe('10 · a damaged store', () => {
  it('a file whose content is lost stays as it is on disk, and the restore says so', () => {
    const p = project();
    p.write('a.txt', 'first\n');
    const cp = p.checkpoint();
    p.write('a.txt', 'second\n');
    p.write('b.txt', 'b\n');
    const objects = fs.readdirSync(p.store, { recursive: true, withFileTypes: true });
    for (const entry of objects) {
      const file = path.join(entry.parentPath, entry.name);
      if (!entry.isFile() || !/objects[/\\](pack|[0-9a-f]{2})([/\\]|$)/.test(path.relative(p.store, file))) continue;
      const bytes = fs.readFileSync(file);
      for (let i = 12; i < bytes.length; i += 3) bytes[i] = (bytes[i] ?? 0) ^ 0xff;
      fs.chmodSync(file, 0o600);
      fs.writeFileSync(file, bytes);
    }
    const before = workingFiles(p.dir);
    const outcome = p.run(['restore', cp, '--yes', '--json']);
    expect(outcome.status).toBe(1);
    expect(`${outcome.stdout}${outcome.stderr}`).toContain('STORE_DAMAGED');
    expect(workingFiles(p.dir)).toEqual(before);
  });
});

describe('11 · the exact state', () => {
  it('each of many quick checkpoints restores its own, though sizes and times are the same', () => {
    const p = project();
    const when = new Date(1_700_000_000_000);
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) {
      p.write('a.txt', `state ${i}\n`);
      fs.utimesSync(p.at('a.txt'), when, when);
      ids.push(p.checkpoint());
    }
    for (const i of [3, 0, 5, 1]) {
      p.restore(ids[i] ?? '');
      expect(p.read('a.txt')).toBe(`state ${i}\n`);
    }
  });

  it('a checkpoint taken after a restore contains what was restored', () => {
    const p = project();
    p.write('a.txt', 'one\n');
    const first = p.checkpoint();
    p.write('a.txt', 'two\n');
    p.checkpoint();
    p.restore(first);
    const third = p.checkpoint();
    p.write('a.txt', 'four\n');
    p.restore(third);
    expect(p.read('a.txt')).toBe('one\n');
  });
});

describe('12 · a subfolder', () => {
  function monorepo(): { p: Project; cp: string } {
    const p = project();
    p.write('packages/a/x.ts', 'x\n');
    p.write('packages/b/y.ts', 'y\n');
    p.write('packages/ab/z.ts', 'z\n');
    p.commitAll();
    const cp = p.checkpoint();
    for (const file of ['packages/a/x.ts', 'packages/b/y.ts', 'packages/ab/z.ts']) p.write(file, 'changed\n');
    p.write('packages/a/new.ts', 'new\n');
    p.write('packages/b/new.ts', 'new\n');
    return { p, cp };
  }

  it('a restore from a subfolder touches that folder only', () => {
    const { p, cp } = monorepo();
    const outcome = p.run(['restore', cp, '--yes'], { cwd: p.at('packages/a') });
    expect(outcome.status).toBe(0);
    expect(p.read('packages/a/x.ts')).toBe('x\n');
    expect(p.has('packages/a/new.ts')).toBe(false);
    expect(p.read('packages/b/y.ts')).toBe('changed\n');
    expect(p.read('packages/ab/z.ts')).toBe('changed\n');
    expect(p.has('packages/b/new.ts')).toBe(true);
  });

  it('with --all it takes the whole workspace', () => {
    const { p, cp } = monorepo();
    const outcome = p.run(['restore', cp, '--yes', '--all'], { cwd: p.at('packages/a') });
    expect(outcome.status).toBe(0);
    expect(p.read('packages/b/y.ts')).toBe('y\n');
    expect(p.has('packages/b/new.ts')).toBe(false);
  });
});

describe('13 · two working copies', () => {
  it('a worktree, a clone and a copied folder do not know the checkpoints of the first', () => {
    const p = repository();
    const cp = p.checkpoint();
    const commit = /\b[0-9a-f]{40}\b/.exec(p.ok('show', cp, '--json').stdout)?.[0];
    expect(commit).toBeDefined();
    p.git('worktree', 'add', '-q', '../worktree');
    git(p.base, 'clone', '-q', p.dir, 'clone');
    shell(p.base, 'cp -a project copy');
    for (const other of ['worktree', 'clone', 'copy']) {
      const dir = path.join(p.base, other);
      fs.writeFileSync(path.join(dir, 'new.txt'), 'here\n');
      const before = workingFiles(dir);
      for (const id of [cp, commit ?? '']) {
        const outcome = p.run(['restore', id, '--yes'], { cwd: dir });
        expect(outcome.status, `${other} ${id}`).toBe(1);
        expect(workingFiles(dir)).toEqual(before);
      }
    }
  });
});

describe('14 · nothing to revert', () => {
  it('restoring the current state touches no file', () => {
    const p = repository();
    const cp = p.checkpoint();
    const before = ['src/a.ts', 'src/b.ts', 'new.txt', 'src'].map((file) => identity(p.at(file)));
    p.restore(cp);
    expect(['src/a.ts', 'src/b.ts', 'new.txt', 'src'].map((file) => identity(p.at(file)))).toEqual(before);
  });

  it('undo and redo with nothing to revert say so and change nothing', () => {
    const p = repository();
    p.checkpoint();
    const before = workingFiles(p.dir);
    for (const [verb, code] of [
      ['undo', 'NOTHING_TO_UNDO'],
      ['redo', 'NOTHING_TO_REDO'],
    ] as const) {
      const outcome = p.run([verb, '--yes', '--json']);
      expect(outcome.status).toBe(1);
      expect(`${outcome.stdout}${outcome.stderr}`).toContain(code);
    }
    expect(workingFiles(p.dir)).toEqual(before);
  });
});

describe('15 · a capture that fails', () => {
  it('makes no checkpoint when the folder cannot be listed', () => {
    const p = repository();
    const cp = p.checkpoint();
    p.write('src/a.ts', 'changed\n');
    const outcome = p.run(
      ['checkpoint'],
      watchCalls({ below: p.dir, calls: ['readdirSync'], action: { error: 'EIO' } }),
    );
    expect(outcome.status).toBe(1);
    expect(p.ok('list').stdout.match(/cp_\d+/g)).toEqual([cp]);
  });

  it('names the file that it could not read, and a restore leaves that file alone', () => {
    const p = repository();
    const fault = { below: p.at('src/b.ts'), calls: ['openSync'], action: { error: 'EACCES' } };
    const outcome = p.run(['checkpoint'], watchCalls(fault));
    expect(outcome.status).toBe(0);
    expect(`${outcome.stdout}${outcome.stderr}`).toContain('src/b.ts');
    const cp = /cp_\d+/.exec(outcome.stdout)?.[0] ?? '';
    expect(p.ok('list').stdout).toMatch(/partial/i);
    p.write('src/a.ts', 'changed\n');
    p.write('src/b.ts', 'changed\n');
    expect(p.ok('restore', cp, '--dry-run').stdout).toContain('src/b.ts');
    p.restore(cp);
    expect(p.read('src/a.ts')).toBe('a\nstaged\nnot staged\n');
    expect(p.read('src/b.ts')).toBe('changed\n');
  });
});

describe('16 · over the size cap', () => {
  it('a file too large at the checkpoint and small today is left alone and not called restored', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    sparse(p.at('grown.bin'), 51 * MiB);
    const cp = p.checkpoint();
    p.write('grown.bin', 'small now\n');
    p.write('a.txt', 'b\n');
    const restore = p.restore(cp);
    expect(p.read('grown.bin')).toBe('small now\n');
    expect(p.read('a.txt')).toBe('a\n');
    expect(restore.stdout).not.toMatch(/restored.*grown\.bin/i);
  });

  it('a file small at the checkpoint and too large today is restored, and undo restores the large one', () => {
    const p = project();
    p.write('grown.bin', 'small\n');
    const cp = p.checkpoint();
    sparse(p.at('grown.bin'), 51 * MiB);
    fs.appendFileSync(p.at('grown.bin'), 'end');
    const outcome = p.run(['restore', cp, '--yes']);
    if (outcome.status === 0) {
      expect(p.read('grown.bin')).toBe('small\n');
      p.ok('undo', '--yes');
    } else {
      expect(outcome.stderr).toContain('grown.bin');
    }
    expect(fs.statSync(p.at('grown.bin')).size).toBe(51 * MiB + 3);
    expect(p.read('grown.bin').slice(-3)).toBe('end');
  });
});

describe('17 and 24 · an interrupted operation', () => {
  /** A checkpoint of one state, and a folder in the other: a change, a deletion, a new file, a new folder, a link. */
  function twoStates(): { p: Project; cp: string } {
    const p = project();
    p.write('a.txt', 'a1\n');
    p.write('b.txt', 'b1\n');
    p.write('old/c.txt', 'c1\n', 0o755);
    fs.symlinkSync('a.txt', p.at('link'));
    const cp = p.checkpoint();
    p.write('a.txt', 'a2\n');
    p.delete('b.txt');
    p.delete('old');
    p.write('old', 'a file now\n');
    p.delete('link');
    p.write('link/d.txt', 'd2\n');
    p.write('new/e.txt', 'e2\n');
    return { p, cp };
  }

  const CHANGING = [
    'renameSync',
    'linkSync',
    'unlinkSync',
    'rmdirSync',
    'mkdirSync',
    'symlinkSync',
    'openSync',
    'fsyncSync',
  ];

  it.each([
    ['fails with EIO', { error: 'EIO' }, false],
    ['fails with ENOSPC from then on', { error: 'ENOSPC' }, true],
    ['is killed', { kill: true }, false],
  ] as const)('a restore that %s at a call on your files leaves all old or all new', (_how, action, sticky) => {
    const { p, cp } = twoStates();
    const old = workingFiles(p.dir);
    p.restore(cp);
    const wanted = workingFiles(p.dir);
    p.ok('undo', '--yes');
    expect(workingFiles(p.dir)).toEqual(old);
    const record = path.join(p.base, 'calls');
    p.run(['restore', cp, '--yes'], watchCalls({ below: p.dir, calls: CHANGING, record }));
    p.ok('undo', '--yes');
    const calls = fs.readFileSync(record, 'utf8').trim().split('\n').length;
    expect(calls).toBeGreaterThan(5);
    // A sample that includes the last call. tests/crash covers every call of every verb.
    const step = Math.max(1, Math.floor(calls / testEffort({ quick: 4, ci: 8, long: 8 })));
    for (let nth = calls; nth >= 1; nth -= step) {
      const outcome = p.run(
        ['restore', cp, '--yes', '--json'],
        watchCalls({ below: p.dir, calls: CHANGING, nth, sticky, action }),
      );
      // Also after a success: the next writer removes what could not be removed while the disk refused.
      if (outcome.status === null || outcome.status === 4 || sticky) p.ok('recover');
      const now = workingFiles(p.dir);
      if (outcome.status === 0) {
        // What could not be read is left untouched, with the folder that contains it, and both are reported.
        const { capture, plan } = JSON.parse(outcome.stdout) as Record<
          'capture' | 'plan',
          Record<string, { path: string }[]>
        >;
        const left = [...(capture['partial'] ?? []), ...(plan['kept'] ?? [])].map(({ path }) => path);
        const outside = (found: Manifest): Manifest =>
          Object.fromEntries(Object.entries(found).filter(([name]) => !left.some((at) => isBelow(name, at))));
        expect(outside(now), `call ${nth}`).toEqual(outside(wanted));
      } else if (outcome.status === 1) expect(now, `call ${nth}`).toEqual(old);
      else expect([old, wanted], `call ${nth}`).toContainEqual(now);
      // Go back to the old state for the next round.
      if (!same(now, old)) p.ok('undo', '--yes');
      expect(workingFiles(p.dir), `call ${nth}, undone`).toEqual(old);
    }
    p.ok('verify', '--deep');
  });

  function isBelow(name: string, folder: string): boolean {
    return name === folder || name.startsWith(`${folder}/`);
  }

  function same(a: unknown, b: unknown): boolean {
    return JSON.stringify(a) === JSON.stringify(b);
  }
});

describe('18 · the index', () => {
  it('staged hunks are still staged', () => {
    const p = repository();
    const before = { staged: p.git('diff', '--cached'), index: identity(p.at('.git/index')) };
    const cp = p.checkpoint();
    p.write('src/a.ts', 'by the agent\n');
    p.restore(cp);
    p.ok('undo', '--yes');
    expect(identity(p.at('.git/index'))).toBe(before.index);
    expect(p.git('diff', '--cached')).toBe(before.staged);
  });
});

describe('20 · untouched files', () => {
  it('keep inode and times, and so do their folders', () => {
    const p = repository();
    p.write('far/away/file.txt', 'f\n');
    const untouched = ['src/b.ts', 'new.txt', 'far', 'far/away', 'far/away/file.txt'];
    const before = untouched.map((file) => identity(p.at(file)));
    const cp = p.checkpoint();
    p.write('src/a.ts', 'by the agent\n');
    p.restore(cp);
    p.ok('undo', '--yes');
    p.ok('redo', '--yes');
    expect(untouched.map((file) => identity(p.at(file)))).toEqual(before);
  });
});

describe('22 · read-only verbs', () => {
  it('no read-only verb, and no new checkpoint, restores an old state', () => {
    const p = repository();
    const cp = p.checkpoint();
    p.write('src/a.ts', 'by the agent\n');
    p.restore(cp);
    p.write('src/a.ts', 'mine\n');
    p.delete('new.txt');
    const before = workingFiles(p.dir);
    for (const verb of EVERY_VERB.filter(([name]) => !/^(restore|undo|redo)$/.test(name ?? ''))) {
      p.ok(...verb);
      expect(workingFiles(p.dir), verb.join(' ')).toEqual(before);
    }
  });
});
