import fs from 'node:fs';
import path from 'node:path';
import { gitFingerprint } from '@savepoint/testkit';
import { git, project, shell, watchCalls, workingFiles } from '@savepoint/testkit/command';
import { describe, expect, it } from 'vitest';

describe('25 · shells', () => {
  it('changes by sed, here-documents, scripts, rm, mv and git checkout are restored', () => {
    const p = project();
    for (const name of ['sed', 'heredoc', 'script', 'removed', 'moved', 'checkout', 'appended']) {
      p.write(`src/${name}.txt`, `${name}\none\ntwo\n`);
    }
    p.commitAll();
    p.write('src/checkout.txt', 'not committed\n');
    p.write('untracked/u.txt', 'u\n');
    const before = workingFiles(p.dir);
    const cp = p.checkpoint();
    shell(
      p.dir,
      `sed -i.orig -e s/one/ONE/ src/sed.txt
       cat > src/heredoc.txt <<'TEXT'
rewritten
TEXT
       "${process.execPath}" -e "require('fs').writeFileSync('src/script.txt', 'by a script')"
       rm src/removed.txt
       rm -r untracked
       mv src/moved.txt renamed.txt
       git checkout -q -- src/checkout.txt
       echo more >> src/appended.txt
       chmod 700 src/appended.txt`,
    );
    p.restore(cp);
    expect(workingFiles(p.dir)).toEqual(before);
  });
});

describe('27 · files that git never knew', () => {
  it('are restored in each of their states', () => {
    const p = project();
    p.write('known.txt', 'k\n');
    p.commitAll();
    p.checkpoint();
    p.write('notes/plan.md', 'written\n');
    const written = p.checkpoint();
    p.write('notes/plan.md', 'edited\n');
    const edited = p.checkpoint();
    p.delete('notes');
    p.restore(written);
    expect(p.read('notes/plan.md')).toBe('written\n');
    p.restore(edited);
    expect(p.read('notes/plan.md')).toBe('edited\n');
  });
});

describe('28 · many files', () => {
  it('all of them are restored, and the preview names every one', () => {
    const p = project();
    const names = Array.from({ length: 120 }, (_, i) => `dir${i % 7}/file${i}.txt`);
    for (const name of names) p.write(name, `${name}\n`);
    const before = workingFiles(p.dir);
    const cp = p.checkpoint();
    names.forEach((name, i) => {
      if (i % 3 === 0) p.delete(name);
      else p.write(name, 'changed\n');
    });
    const preview = p.ok('restore', cp, '--dry-run', '--json').stdout;
    for (const name of names) expect(preview).toContain(JSON.stringify(name));
    p.restore(cp);
    expect(workingFiles(p.dir)).toEqual(before);
  });
});

describe('30 · no git', () => {
  it('a folder without git works: checkpoint, list, diff, restore, undo, redo', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    p.write('b/c.txt', 'c\n');
    const first = workingFiles(p.dir);
    const cp = p.checkpoint();
    p.write('a.txt', 'changed\n');
    p.delete('b');
    const second = workingFiles(p.dir);
    expect(p.ok('list').stdout).toContain(cp);
    expect(p.ok('diff').stdout).toContain('a.txt');
    p.restore(cp);
    expect(workingFiles(p.dir)).toEqual(first);
    p.ok('undo', '--yes');
    expect(workingFiles(p.dir)).toEqual(second);
    p.ok('redo', '--yes');
    expect(workingFiles(p.dir)).toEqual(first);
    expect(p.has('.git')).toBe(false);
  });
});

describe('31 · only restored files are reported as restored', () => {
  it('a restore that changes nothing, a refused one and a conflict each say so', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    const cp = p.checkpoint();
    expect(p.restore(cp).stdout).toMatch(/nothing/i);
    p.write('a.txt', 'b\n');
    const refused = p.run(['restore', cp]);
    expect(refused.status).toBe(1);
    expect(refused.stderr).toContain('--yes');
    expect(p.read('a.txt')).toBe('b\n');
    p.restore(cp);
    p.write('a.txt', 'c\n');
    expect(p.run(['undo', '--yes']).status).toBe(3);
    expect(p.read('a.txt')).toBe('c\n');
  });

  it('paths that are in neither state are an error, not a success', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    const cp = p.checkpoint();
    p.write('a.txt', 'b\n');
    expect(p.run(['restore', cp, '--yes', '--', 'no-such-file']).status).not.toBe(0);
    expect(p.read('a.txt')).toBe('b\n');
  });
});

describe('32 · the first use', () => {
  it('every verb works in a new folder, and the first checkpoint can be restored', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    for (const verb of ['status', 'list', 'workspaces']) p.ok(verb);
    for (const verb of [['diff'], ['show', 'last'], ['restore', 'last', '--yes'], ['undo', '--yes']]) {
      const outcome = p.run(verb);
      expect(outcome.status, verb.join(' ')).toBe(1);
      expect(outcome.stderr, verb.join(' ')).toContain('savepoint');
    }
    const cp = p.checkpoint();
    p.delete('a.txt');
    p.restore(cp);
    expect(p.read('a.txt')).toBe('a\n');
  });
});

describe('33 · repositories inside', () => {
  it('working files of a nested repository, a submodule and a worktree are restored', () => {
    const p = project();
    shell(
      p.base,
      `git init -q library && cd library && mkdir deep && echo l > l.txt && echo d > deep/d.txt && git add -A && git commit -q -m l`,
    );
    p.write('a.txt', 'a\n');
    p.commitAll();
    p.git('submodule', 'add', '-q', '../library', 'vendor/library');
    p.git('commit', '-q', '-m', 'submodule');
    git(p.dir, 'clone', '-q', '../library', 'nested');
    p.git('worktree', 'add', '-q', 'trees/feature');
    p.write('nested/deep/not-committed.txt', 'n\n');
    expect(fs.statSync(p.at('vendor/library/.git')).isFile()).toBe(true);
    expect(fs.statSync(p.at('trees/feature/.git')).isFile()).toBe(true);
    const before = workingFiles(p.dir);
    const traces = gitFingerprint(p.dir);
    const cp = p.checkpoint();
    shell(
      p.dir,
      `echo x >> nested/l.txt; rm nested/deep/not-committed.txt
       echo x >> vendor/library/deep/d.txt; rm vendor/library/l.txt
       echo x >> trees/feature/a.txt; echo new > trees/feature/new.txt`,
    );
    p.restore(cp);
    expect(workingFiles(p.dir)).toEqual(before);
    expect(gitFingerprint(p.dir)).toEqual(traces);
  });

  it('a worktree is a workspace of its own', () => {
    const p = project();
    p.write('a.txt', 'a\n');
    p.commitAll();
    p.git('worktree', 'add', '-q', '../worktree');
    const worktree = path.join(p.base, 'worktree');
    fs.writeFileSync(path.join(worktree, 'w.txt'), 'w\n');
    const taken = p.run(['checkpoint'], { cwd: worktree });
    expect(taken.status).toBe(0);
    fs.rmSync(path.join(worktree, 'w.txt'));
    const restored = p.run(['restore', 'last', '--yes'], { cwd: worktree });
    expect(restored.status).toBe(0);
    expect(fs.readFileSync(path.join(worktree, 'w.txt'), 'utf8')).toBe('w\n');
    expect(p.ok('list').stdout).not.toContain('cp_1');
  });
});

describe('34 · part of a repository, or a folder of several', () => {
  it('a folder inside a repository can be a workspace of its own with --here', () => {
    const p = project();
    p.write('sub/a.txt', 'a\n');
    p.write('b.txt', 'b\n');
    p.commitAll();
    const sub = { cwd: p.at('sub') };
    expect(p.run(['checkpoint', '--here'], sub).status).toBe(0);
    p.write('sub/a.txt', 'changed\n');
    p.write('b.txt', 'changed\n');
    expect(p.run(['restore', 'last', '--yes', '--all'], sub).status).toBe(0);
    expect(p.read('sub/a.txt')).toBe('a\n');
    expect(p.read('b.txt')).toBe('changed\n');
  });

  it('a folder that contains several repositories and is not one itself', () => {
    const p = project();
    for (const name of ['frontend', 'backend']) {
      p.write(`${name}/main.ts`, `${name}\n`);
      shell(p.at(name), 'git init -q && git add -A && git commit -q -m first');
    }
    p.write('notes.md', 'n\n');
    const before = workingFiles(p.dir);
    const cp = p.checkpoint();
    for (const file of ['frontend/main.ts', 'backend/main.ts', 'notes.md']) p.write(file, 'changed\n');
    p.write('backend/new.ts', 'new\n');
    p.restore(cp);
    expect(workingFiles(p.dir)).toEqual(before);
  });
});

describe('35 · odd surroundings', () => {
  it.each(['with space ', 'quote"and\'more', 'line\nbreak', 'ünïcode-日本', '-rf', '$(echo x)`y`', 'a\\b', '%2e%2e'])(
    'a project folder called %j',
    (name) => {
      const p = project(name);
      p.write('a.txt', 'a\n');
      p.commitAll();
      const cp = p.checkpoint();
      p.write('a.txt', 'b\n');
      p.restore(cp);
      expect(p.read('a.txt')).toBe('a\n');
      expect(p.ok('workspaces', '--json').stdout).toContain(JSON.stringify(p.dir).slice(1, -1));
    },
  );

  it('no identity, signing required, templates and hooks configured: a checkpoint needs none of it', () => {
    const p = project();
    fs.mkdirSync(path.join(p.home, 'template/hooks'), { recursive: true });
    fs.writeFileSync(path.join(p.home, 'template/hooks/pre-commit'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    fs.writeFileSync(
      path.join(p.home, '.gitconfig'),
      `[init]\n\ttemplateDir = ${p.home}/template\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = /bin/false\n[user]\n\tuseConfigOnly = true\n`,
    );
    p.write('a.txt', 'a\n');
    p.commitAll();
    const cp = p.checkpoint();
    p.write('a.txt', 'b\n');
    p.restore(cp);
    expect(p.read('a.txt')).toBe('a\n');
  });
});

describe('36 · an empty folder', () => {
  it('has a checkpoint, which can be restored, and the restore undone', () => {
    const p = project();
    const cp = p.checkpoint();
    p.write('a.txt', 'a\n');
    fs.mkdirSync(p.at('empty'));
    const before = workingFiles(p.dir);
    p.restore(cp);
    expect(fs.readdirSync(p.dir)).toEqual([]);
    p.ok('undo', '--yes');
    expect(workingFiles(p.dir)).toEqual(before);
  });
});

describe('37 · ignore rules that cannot be used', () => {
  const files = ['keep.txt', 'sub/keep.txt', 'debug.log'];

  it.each([
    ['a folder', (at: string) => fs.mkdirSync(at)],
    ['a dangling link', (at: string) => fs.symlinkSync('nowhere', at)],
    ['a link out of the project', (at: string) => fs.symlinkSync('/etc/hostname', at)],
    [
      'bytes without meaning',
      (at: string) => fs.writeFileSync(at, Buffer.from([0xff, 0x00, 0x5b, 0x0a, 0x5b, 0x5d, 0x2f])),
    ],
    ['a pattern that takes for ever', (at: string) => fs.writeFileSync(at, `${'a*'.repeat(60)}b\n`)],
  ])('.gitignore is %s: the same files are captured and restored', (_what, make) => {
    const p = project();
    p.commitAll();
    for (const file of files) p.write(file, `${file}\n`);
    p.write('a'.repeat(120), 'long name\n');
    make(p.at('.gitignore'));
    const cp = p.checkpoint();
    for (const file of files) p.delete(file);
    p.delete('a'.repeat(120));
    p.restore(cp);
    for (const file of files) expect(p.read(file)).toBe(`${file}\n`);
    expect(p.read('a'.repeat(120))).toBe('long name\n');
  });

  it('an unreadable .gitignore is named, and the files it covered are not removed', () => {
    const p = project();
    p.write('.gitignore', '*.log\n');
    p.write('keep.txt', 'k\n');
    p.commitAll();
    const cp = p.checkpoint();
    p.write('debug.log', 'd\n');
    const fault = { below: p.at('.gitignore'), calls: ['openSync', 'readFileSync'], action: { error: 'EIO' } };
    const outcome = p.run(['checkpoint'], watchCalls(fault));
    expect(`${outcome.stdout}${outcome.stderr}`).toContain('.gitignore');
    p.restore(cp);
    expect(p.read('debug.log')).toBe('d\n');
  });
});

describe('38 · secrets', () => {
  it('everything in the store is private, whatever the umask', () => {
    const p = project();
    p.write('.env', 'TOKEN=secret\n', 0o600);
    p.checkpoint();
    p.write('a.txt', 'a\n');
    p.checkpoint();
    p.restore('cp_1');
    p.ok('gc', '--yes');
    expect(fs.statSync(p.store).mode & 0o777).toBe(0o700);
    const open = fs
      .readdirSync(p.store, { recursive: true, withFileTypes: true })
      .map((entry) => path.join(entry.parentPath, entry.name))
      .filter((file) => (fs.lstatSync(file).mode & 0o077) !== 0);
    expect(open).toEqual([]);
  });

  it('a secret is restored with its mode, and never printed by a restore', () => {
    const p = project();
    p.write('.gitignore', '.env\n');
    p.write('.env', 'TOKEN=secret\n', 0o600);
    p.commitAll();
    const cp = p.checkpoint();
    p.delete('.env');
    const outcome = p.restore(cp);
    expect(p.read('.env')).toBe('TOKEN=secret\n');
    expect(fs.statSync(p.at('.env')).mode & 0o777).toBe(0o600);
    expect(outcome.stdout + outcome.stderr).not.toContain('TOKEN');
  });
});
