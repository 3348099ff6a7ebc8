import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { gitFingerprint, type Manifest } from '@savepoint/testkit';
import { git, identity, Project, project, shell, workingFiles } from '@savepoint/testkit/command';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/**
 * One scene with everything that today's agents do to a tree. It has a repository with every known problem, a
 * checkpoint, an agent that changes everything through a shell, and a restore. Meanwhile a user edits, commits and
 * switches branches. Each test checks one aspect of the result.
 */
describe('the scene', () => {
  let p: Project;
  let captured: Manifest;
  let beforeRestore: Manifest;
  let traces: string;
  let untouched: string;
  let restored: Manifest;
  let keptId: string;

  const odd = [
    'new\nline',
    'quote"name',
    "apostrophe'",
    'tab\tname',
    ' leading',
    'trailing ',
    'back\\slash',
    '$&',
    '*?[x]',
    '-rf',
  ];
  const latin1 = Buffer.from('caf\xe9.txt', 'latin1');
  const inFolder = (dir: string, name: Buffer): Buffer => Buffer.concat([Buffer.from(`${dir}/`), name]);
  const binary = randomBytes(3 * 1024 * 1024);

  beforeAll(() => {
    p = new Project();
    p.write(
      '.gitattributes',
      '* text=auto\nident.txt ident\nutf16.txt working-tree-encoding=UTF-16\nsecret.txt filter=absent\n',
    );
    p.write('.gitignore', '*.log\n.env\nlocal/\n');
    p.write('crlf.txt', 'one\r\ntwo\r\n');
    p.write('mixed.txt', 'one\r\ntwo\nthree');
    p.write('ident.txt', '$Id$\n');
    p.write('utf16.txt', Buffer.from('\ufeffh\u00e9llo\n', 'utf16le'));
    p.write('secret.txt', 'through a filter\n');
    p.write('user_edit.md', 'line 1\n');
    p.write('run.sh', '#!/bin/sh\n', 0o755);
    p.write('deleted.txt', 'd\n');
    p.write('staged.txt', 's\n');
    p.write('tracked.log', 'tracked, and ignored\n');
    p.git('init', '-q', '-b', 'main');
    p.git('add', '-A');
    p.git('add', '-f', 'tracked.log');
    p.git('commit', '-q', '-m', 'first');
    // Uncommitted changes, staged changes, and untracked files.
    p.write('ident.txt', '$Id: expanded by hand $\n');
    p.write('staged.txt', 's\nstaged\n');
    p.git('add', 'staged.txt');
    p.write('staged.txt', 's\nstaged\nnot staged\n');
    for (const name of ['a.dat', 'a.png', 'a.lock', 'a.csv', 'vendor/lib.c']) p.write(name, `${name}\n`);
    p.write('.env', 'TOKEN=1\n', 0o600);
    p.write('debug.log', 'log\n');
    p.write('local/cache.txt', 'l\n');
    p.write('random.bin', binary);
    shell(
      p.dir,
      'git init -q nested && cd nested && echo n > n.txt && git add -A && git commit -q -m n && echo u > u.txt',
    );
    for (const name of odd) p.write(`odd/${name}`, `${name}\n`);
    fs.writeFileSync(inFolder(p.at('odd'), latin1), 'latin-1\n');
    fs.mkdirSync(p.at('empty/inner'), { recursive: true });
    p.write('private.key', 'k\n', 0o600);
    p.write('readonly.txt', 'r\n', 0o444);
    fs.symlinkSync('crlf.txt', p.at('link'));
    fs.symlinkSync('nowhere/at all', p.at('dangling'));
    fs.symlinkSync(Buffer.from('caf\xe9.txt', 'latin1'), p.at('latin1-link'));
    p.write('untouched.txt', 'u\n');
    p.write('file-then-folder', 'f\n');
    p.write('folder-then-file/x.txt', 'x\n');
    p.write('file-then-link.txt', 'l\n');

    captured = workingFiles(p.dir);
    untouched = identity(p.at('untouched.txt'));
    keptId = p.checkpoint();

    shell(
      p.dir,
      `printf 'agent\\n' | tee crlf.txt mixed.txt ident.txt utf16.txt secret.txt staged.txt tracked.log a.dat a.png a.lock a.csv >/dev/null
       rm -r vendor deleted.txt odd local empty
       echo TOKEN=2 > .env; chmod 644 .env private.key; rm debug.log; chmod -x run.sh; chmod 644 readonly.txt
       head -c 1000 random.bin > r && mv r random.bin
       echo agent > nested/n.txt; rm nested/u.txt
       ln -sf mixed.txt link; rm dangling latin1-link
       rm file-then-folder && mkdir file-then-folder && echo x > file-then-folder/x
       rm -r folder-then-file && echo f > folder-then-file
       ln -sf crlf.txt file-then-link.txt
       mkdir -p made/by/agent && echo a > made/by/agent/a.txt
       rm .gitattributes`,
    );
    // Meanwhile, the user works.
    p.write('user_edit.md', 'line 1\nand mine\n');
    p.write('user_new.md', 'new\n');
    p.git('add', 'user_edit.md');
    p.git('commit', '-q', '-m', 'mine');
    p.git('checkout', '-q', '-b', 'feature');
    p.write('feature.ts', 'f\n');
    p.git('add', 'feature.ts');
    p.git('commit', '-q', '-m', 'feature');
    shell(p.dir, 'git init -q cloned && cd cloned && echo c > c.txt && git add -A && git commit -q -m c');
    fs.appendFileSync(p.at('.gitignore'), 'precious/\n');
    p.write('precious/data.bin', Buffer.alloc(2 * 1024 * 1024, 1));
    p.write('precious/small.txt', 'small\n');
    fs.writeFileSync(p.at('.git/index.lock'), '');
    traces = gitFingerprint(p.dir);

    beforeRestore = workingFiles(p.dir);
    p.restore(keptId);
    restored = workingFiles(p.dir);
  }, 120_000);

  afterAll(() => p.remove());

  const same = (name: string): void => {
    expect(captured[name], `${name} was there`).toBeDefined();
    expect(restored[name], name).toEqual(captured[name]);
  };

  it.each(['crlf.txt', 'mixed.txt', 'ident.txt', 'utf16.txt', 'secret.txt'])(
    '%s is restored byte for byte, whatever .gitattributes says',
    same,
  );
  it.each(['a.dat', 'a.png', 'a.lock', 'a.csv', 'vendor/lib.c'])('%s is restored', same);
  it.each(['.env', 'debug.log', 'local/cache.txt', 'tracked.log'])(
    '%s, which an ignore rule covers, is restored',
    same,
  );
  it('an untracked binary file of 3 MB is restored', () => {
    expect(fs.readFileSync(p.at('random.bin')).equals(binary)).toBe(true);
  });
  it.each(['nested/n.txt', 'nested/u.txt'])('%s, inside a nested repository, is restored', same);
  it.each(odd)('a file called %j is restored', (name) => same(`odd/${name}`));
  it('a file whose name is not UTF-8 is restored', () => {
    expect(fs.readFileSync(inFolder(p.at('odd'), latin1), 'utf8')).toBe('latin-1\n');
  });
  it('empty folders are restored', () => same('empty/inner'));
  it.each(['private.key', 'readonly.txt', '.env', 'run.sh'])('%s has its permission bits again', same);
  it.each(['link', 'dangling', 'latin1-link'])('%s is the link that it was', same);
  it('a deleted file is restored', () => same('deleted.txt'));
  it.each(['file-then-folder', 'folder-then-file/x.txt', 'file-then-link.txt'])('%s has its former kind again', same);
  it('files that the agent created are removed, and so are their folders', () => {
    expect(p.has('made')).toBe(false);
    expect(p.has('file-then-folder/x')).toBe(false);
  });
  it('staged and unstaged content is restored to the file, and the index keeps what was staged', () => {
    expect(p.read('staged.txt')).toBe('s\nstaged\nnot staged\n');
    expect(p.git('show', ':staged.txt')).toBe('s\nstaged\n');
  });
  it("the user's commits and branches survive", () => {
    expect(p.git('log', '--format=%s', 'feature')).toBe('feature\nmine\nfirst\n');
    expect(p.git('symbolic-ref', 'HEAD')).toBe('refs/heads/feature\n');
    expect(p.git('show', 'feature:feature.ts')).toBe('f\n');
  });
  it('a repository cloned since is kept, with its .git', () => {
    expect(git(p.at('cloned'), 'log', '--format=%s')).toBe('c\n');
    expect(git(p.at('cloned'), 'show', 'HEAD:c.txt')).toBe('c\n');
  });
  it('data that an ignore rule added since protects is kept', () => {
    expect(fs.statSync(p.at('precious/data.bin')).size).toBe(2 * 1024 * 1024);
    expect(p.read('precious/small.txt')).toBe('small\n');
  });
  it('a filter that is configured but missing does not matter', () => same('secret.txt'));
  it('index.lock of git was ignored and is still there, and nothing in any .git was touched', () => {
    expect(p.has('.git/index.lock')).toBe(true);
    expect(gitFingerprint(p.dir)).toEqual(traces);
  });
  it('an untouched untracked file keeps inode and times', () => {
    expect(identity(p.at('untouched.txt'))).toBe(untouched);
  });
  it('every path of the checkpoint is restored, and nothing else differs except kept files', () => {
    const kept = /^(cloned|precious)(\/|$)/;
    const rest = Object.fromEntries(Object.entries(restored).filter(([name]) => !kept.test(name)));
    expect(rest).toEqual(captured);
  });
  it('undo restores the edit and the new file of the user, with everything else', () => {
    p.ok('undo', '--yes');
    expect(workingFiles(p.dir)).toEqual(beforeRestore);
    expect(p.read('user_edit.md')).toBe('line 1\nand mine\n');
    expect(p.read('user_new.md')).toBe('new\n');
    p.ok('redo', '--yes');
    expect(workingFiles(p.dir)).toEqual(restored);
  });
});

describe('unusual repositories', () => {
  it('a branch without a commit: checkpoint and restore work', () => {
    const p = project();
    p.git('init', '-q');
    p.write('a.txt', 'a\n');
    p.git('add', 'a.txt');
    const cp = p.checkpoint();
    p.write('a.txt', 'b\n');
    p.restore(cp);
    expect(p.read('a.txt')).toBe('a\n');
    expect(p.git('ls-files')).toBe('a.txt\n');
  });

  it('a required filter whose program is missing empties no file', () => {
    const p = project();
    p.write('.gitattributes', '*.txt filter=crypt\n');
    p.write('a.txt', 'a\n');
    p.write('b/c.txt', 'c\n');
    p.commitAll();
    for (const [key, value] of [
      ['clean', 'no-such-program'],
      ['smudge', 'no-such-program'],
      ['required', 'true'],
    ]) {
      p.git('config', `filter.crypt.${key}`, value ?? '');
    }
    const before = workingFiles(p.dir);
    const cp = p.checkpoint();
    p.write('a.txt', 'changed\n');
    p.delete('b');
    p.restore(cp);
    expect(workingFiles(p.dir)).toEqual(before);
  });

  it('a sparse checkout and files marked unchanged or skipped are captured as they are on disk', () => {
    const p = project();
    for (const name of ['in/a.txt', 'out/b.txt', 'assumed.txt', 'skipped.txt']) p.write(name, 'committed\n');
    p.commitAll();
    p.git('update-index', '--assume-unchanged', 'assumed.txt');
    p.git('update-index', '--skip-worktree', 'skipped.txt');
    p.write('assumed.txt', 'on disk\n');
    p.write('skipped.txt', 'on disk\n');
    fs.rmSync(path.join(p.dir, 'out'), { recursive: true });
    const before = workingFiles(p.dir);
    const cp = p.checkpoint();
    p.write('assumed.txt', 'x\n');
    p.write('skipped.txt', 'x\n');
    p.restore(cp);
    expect(workingFiles(p.dir)).toEqual(before);
  });
});
