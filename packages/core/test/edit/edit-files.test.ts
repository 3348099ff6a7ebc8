import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { SavepointError } from '@savepoint/core';
import { type InputOf, type OutputOf, VERBS } from '@savepoint/core/frontend';
import { manifest } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { VerbsWorld } from '../verbs/verbs-world.ts';

/** Edits of many files in a real folder: their effects, results and refusals. */

type Request = InputOf<typeof VERBS.edit>;
type File = Request['files'][number];

class Workspace extends VerbsWorld {
  edit(...files: readonly File[]): Promise<OutputOf<typeof VERBS.edit>> {
    return this.call(VERBS.edit, { files: [...files] });
  }

  read(file: string): string {
    return readFileSync(this.at(file), 'utf8');
  }

  /** Returns the error's code and the problems per file. The folder must be unchanged. */
  async refused(request: Request | readonly File[]): Promise<{ code: string; files: readonly (readonly string[])[] }> {
    const before = manifest(this.dir);
    const input = 'files' in request ? request : { files: [...request] };
    const error = await this.call(VERBS.edit, input).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(SavepointError);
    expect(manifest(this.dir)).toEqual(before);
    const { code, details } = (error as SavepointError).toJSON();
    const reported = (details ?? []) as {
      file_path: string;
      code: string;
      edit_status: { error?: { code: string } }[];
    }[];
    return {
      code,
      files: reported.map(({ file_path, code: why, edit_status }) => [
        file_path,
        why,
        ...edit_status.flatMap(({ error: failed }) => (failed == null ? [] : [failed.code])),
      ]),
    };
  }
}

const replace = (file_path: string, old_string: string, new_string: string): File => ({
  file_path,
  edits: [{ old_string, new_string }],
});
const create = (file_path: string, content = 'new\n'): File => ({ file_path, edits: [{ op: 'create', content }] });

describe('an edit of many files', () => {
  it('of every kind is applied completely and reported, and undo reverts it', async () => {
    const w = new Workspace();
    w.write('a.txt', 'one\ntwo\nthree\n', 0o640);
    w.write('run.sh', '#!/bin/sh\n');
    w.write('old/name.txt', 'moved\n');
    w.write('gone.txt', 'gone\n');
    w.write('crlf.txt', 'x\r\ny\r\n');
    const before = manifest(w.dir);
    const done = await w.call(VERBS.edit, {
      files: [
        {
          file_path: 'a.txt',
          edits: [
            { old_string: 'two', new_string: 'TWO' },
            { op: 'insert', line: 3, text: 'four\n' },
          ],
        },
        { file_path: 'run.sh', edits: [{ op: 'mode', mode: '0755' }] },
        { file_path: 'old/name.txt', edits: [{ op: 'rename', to: 'new/place/name.txt' }] },
        { file_path: 'gone.txt', edits: [{ op: 'delete' }] },
        { file_path: 'crlf.txt', edits: [{ old_string: 'x\ny', new_string: 'x\nbetween\ny' }] },
        create('made/here.txt'),
      ],
      include_content: true,
    });
    expect(w.read('a.txt')).toBe('one\nTWO\nthree\nfour\n');
    expect(statSync(w.at('a.txt')).mode & 0o777).toBe(0o640);
    expect(statSync(w.at('run.sh')).mode & 0o777).toBe(0o755);
    expect(w.read('new/place/name.txt')).toBe('moved\n');
    expect(existsSync(w.at('old/name.txt')) || existsSync(w.at('gone.txt'))).toBe(false);
    expect(w.read('crlf.txt')).toBe('x\r\nbetween\r\ny\r\n');
    expect(done.files.map(({ operation }) => operation)).toEqual([
      'write',
      'mode',
      'rename',
      'delete',
      'write',
      'create',
    ]);
    expect(done).toMatchObject({ total_files: 6, files_succeeded: 6, files_failed: 0, total_edits: 7, dry_run: false });
    expect(done.files[0]).toMatchObject({ edits_applied: 2, final_content: 'one\nTWO\nthree\nfour\n' });
    expect(done.files[0]?.edit_status).toMatchObject([
      { outcome: 'applied', lines: [2, 2], added: 1, removed: 1 },
      { outcome: 'applied', lines: [4, 4], added: 1, removed: 0 },
    ]);
    expect(done.checkpoint_after?.description).toMatch(/^Edit 6 files: a\.txt \(\+2 −1\)/);
    const { trigger, changes } = await w.open().show(done.checkpoint_after?.id ?? '');
    expect(trigger).toBe('edit');
    expect(changes?.find(({ path }) => path === 'a.txt')).toMatchObject({
      operation: 'write',
      lines: { first: 2, last: 4 },
      added: 2,
      removed: 1,
      beforeSize: 14,
      afterSize: 19,
    });
    expect(changes?.find(({ path }) => path === 'made/here.txt')).toMatchObject({
      operation: 'create',
      beforeSize: null,
    });
    await w.open().undo();
    expect(manifest(w.dir)).toEqual(before);
    await w.open().redo();
    expect(w.read('a.txt')).toBe('one\nTWO\nthree\nfour\n');
  });

  it('keeps plain copies of replaced files, as long as the checkpoint before it', async () => {
    const w = new Workspace();
    w.write('src/a.txt', 'before\n');
    const { files } = await w.edit(replace('src/a.txt', 'before', 'after'), create('b.txt'));
    const copy = files[0]?.backup_path as string;
    expect(readFileSync(copy, 'utf8')).toBe('before\n');
    expect(copy.endsWith('/src/a.txt')).toBe(true);
    expect(files[1]?.backup_path).toBeNull();
    for (let i = 0; i < 4; i++) {
      w.write('b.txt', `${i}\n`);
      await w.open().checkpoint();
    }
    await w.open().gc({ retention: { maxCheckpoints: 2, keepAtLeast: 2 } });
    expect(existsSync(copy)).toBe(false);
  });

  it('as a dry run returns the diff, and needs no store', async () => {
    const w = new Workspace();
    w.write('a.txt', 'one\n');
    const seen = await w.call(VERBS.edit, { files: [replace('a.txt', 'one', 'two'), create('n.txt')], dry_run: true });
    expect(seen.diff?.text).toContain('-one\n+two\n');
    expect(seen.diff?.text).toContain('new file mode 100644');
    expect(seen.checkpoint_after).toBeNull();
    expect(w.read('a.txt')).toBe('one\n');
    expect((await w.open().workspaces()).records).toEqual([]);
  });

  it('without changes is not an operation', async () => {
    const w = new Workspace();
    w.write('a.txt', 'one\n');
    const { checkpoint_after, undo } = await w.edit({ file_path: 'a.txt', edits: [{ op: 'mode', mode: '0644' }] });
    expect([checkpoint_after, undo]).toEqual([null, null]);
    await expect(w.open().undo()).rejects.toMatchObject({ code: 'NOTHING_TO_UNDO' });
  });

  it('can swap two names, and create a file where one was deleted', async () => {
    const w = new Workspace();
    w.write('a', 'A');
    w.write('b', 'B');
    w.write('c', 'C');
    await w.edit(
      { file_path: 'a', edits: [{ op: 'rename', to: 'b' }] },
      { file_path: 'b', edits: [{ op: 'rename', to: 'a' }] },
    );
    expect([w.read('a'), w.read('b')]).toEqual(['B', 'A']);
    await w.edit({ file_path: 'a', edits: [{ op: 'rename', to: 'c' }] }, { file_path: 'c', edits: [{ op: 'delete' }] });
    expect([existsSync(w.at('a')), w.read('c')]).toEqual([false, 'B']);
  });

  it('saves files that no checkpoint would contain before changing them', async () => {
    const w = new Workspace();
    w.write('node_modules/p/index.js', 'original\n');
    w.write('node_modules/p/other.js', 'other\n');
    await w.edit(replace('node_modules/p/index.js', 'original', 'patched'), create('node_modules/p/new.js'));
    expect(w.read('node_modules/p/index.js')).toBe('patched\n');
    await w.open().undo();
    expect(w.read('node_modules/p/index.js')).toBe('original\n');
    expect(existsSync(w.at('node_modules/p/new.js'))).toBe(false);
    expect(w.read('node_modules/p/other.js')).toBe('other\n');
  });

  it('follows links inside the workspace to the file itself', async () => {
    const w = new Workspace();
    w.write('real/file.txt', 'one\n');
    symlinkSync('real', w.at('folder'));
    symlinkSync('real/file.txt', w.at('link'));
    await w.edit(replace('link', 'one', 'two'), create('folder/new.txt'));
    expect(w.read('real/file.txt')).toBe('two\n');
    expect(readlinkSync(w.at('link'))).toBe('real/file.txt');
    expect(w.read('real/new.txt')).toBe('new\n');
    await w.edit({ file_path: 'link', edits: [{ op: 'rename', to: 'other' }] });
    expect(readlinkSync(w.at('other'))).toBe('real/file.txt');
    await w.edit({ file_path: 'other', edits: [{ op: 'delete' }] });
    expect(w.read('real/file.txt')).toBe('two\n');
  });

  it('keeps new files and folders in a private folder private', async () => {
    const w = new Workspace();
    mkdirSync(w.at('private'));
    chmodSync(w.at('private'), 0o700);
    await w.edit(create('private/deep/secret.txt'), {
      file_path: 'private/run.sh',
      edits: [{ op: 'create', content: '#!/bin/sh\n', mode: '0755' }],
    });
    expect(statSync(w.at('private/deep')).mode & 0o777).toBe(0o700);
    expect(statSync(w.at('private/deep/secret.txt')).mode & 0o777).toBe(0o600);
    expect(statSync(w.at('private/run.sh')).mode & 0o777).toBe(0o755);
  });

  it.each([
    [0o022, 0o755, { file: 0o644, folder: 0o755 }],
    [0o077, 0o755, { file: 0o600, folder: 0o700 }],
    [0o002, 0o755, { file: 0o664, folder: 0o775 }],
    [0o022, 0o700, { file: 0o600, folder: 0o700 }],
    [0o022, 0o2775, { file: 0o664, folder: 0o2775 }],
    [0o077, 0o2775, { file: 0o600, folder: 0o2700 }],
    [0o022, 0o2755, { file: 0o644, folder: 0o2755 }],
  ])('gives new files what umask %o leaves, in a folder with %o', async (umask, mode, expected) => {
    const w = new Workspace({ umask: () => umask });
    mkdirSync(w.at('in'));
    chmodSync(w.at('in'), mode);
    await w.edit(create('in/new.txt'), create('in/deep/er/new.txt'), create('in/deep/two.txt'));
    const modeOf = (name: string): number => statSync(w.at(name)).mode & 0o7777;
    const { file, folder } = expected;
    expect(['in/new.txt', 'in/deep/er/new.txt', 'in/deep/two.txt'].map(modeOf)).toEqual([file, file, file]);
    expect(['in/deep', 'in/deep/er'].map(modeOf)).toEqual([folder, folder]);
  });
});

describe('what is wrong', () => {
  it('is reported completely, in the order of the list, and nothing is changed', async () => {
    const w = new Workspace();
    w.write('a.txt', 'one\none\n');
    w.write('ro.txt', 'one\n', 0o444);
    mkdirSync(w.at('folder'));
    execFileSync('mkfifo', [w.at('pipe')]);
    writeFileSync(w.at('binary'), Buffer.from([0, 1, 2]));
    writeFileSync(w.at('latin1'), Buffer.from([0xe9, 0x0a]));
    symlinkSync('/etc', w.at('out'));
    symlinkSync('nowhere', w.at('dangling'));
    const { code, files } = await w.refused([
      replace('a.txt', 'one', 'two'),
      replace('ro.txt', 'one', 'two'),
      replace('folder', 'one', 'two'),
      replace('pipe', 'one', 'two'),
      replace('binary', 'one', 'two'),
      replace('latin1', 'one', 'two'),
      replace('out/passwd', 'root', 'toor'),
      replace('dangling', 'one', 'two'),
      replace('missing.txt', 'one', 'two'),
      create('a.txt/below'),
      replace('../outside', 'one', 'two'),
      replace('.git/config', 'one', 'two'),
      replace(`${'x'.repeat(5_000)}`, 'one', 'two'),
    ]);
    expect(code).toBe('EDITS_REFUSED');
    expect(files).toEqual([
      ['a.txt', 'EDIT_FAILED', 'SEVERAL_MATCHES'],
      ['ro.txt', 'READ_ONLY'],
      ['folder', 'NOT_A_FILE'],
      ['pipe', 'NOT_A_FILE'],
      ['binary', 'EDIT_FAILED', 'NOT_TEXT'],
      ['latin1', 'EDIT_FAILED', 'NOT_TEXT'],
      ['out/passwd', 'PATH_REFUSED'],
      ['dangling', 'PATH_REFUSED'],
      ['missing.txt', 'EDIT_FAILED', 'NOT_THERE'],
      ['a.txt/below', 'NOT_A_FILE'],
      ['../outside', 'PATH_REFUSED'],
      ['.git/config', 'PATH_REFUSED'],
      ['x'.repeat(5_000), 'PATH_REFUSED'],
    ]);
    expect((await w.open().workspaces()).records).toEqual([]);
  });

  it('two entries for one file, under any names, and two that create one file', async () => {
    const w = new Workspace();
    w.write('a.txt', 'one\n');
    w.write('b.txt', 'one\n');
    symlinkSync('a.txt', w.at('link'));
    const twice = await w.refused([
      replace('a.txt', 'one', '1'),
      replace('./a.txt', 'one', '2'),
      replace('link', 'one', '3'),
    ]);
    expect(twice.files).toEqual([
      ['./a.txt', 'DUPLICATE'],
      ['link', 'DUPLICATE'],
    ]);
    const same = await w.refused([
      { file_path: 'a.txt', edits: [{ op: 'rename', to: 'c.txt' }] },
      { file_path: 'b.txt', edits: [{ op: 'rename', to: 'c.txt' }] },
    ]);
    expect(same.files).toEqual([['b.txt', 'DUPLICATE']]);
    expect((await w.refused([create('x'), create('x/y')])).files).toEqual([['x/y', 'NOT_A_FILE']]);
    const onto = await w.refused([{ file_path: 'a.txt', edits: [{ op: 'rename', to: 'b.txt' }] }]);
    expect(onto.files).toEqual([['a.txt', 'ALREADY_THERE']]);
  });

  it('two names of one file are two files, edited separately', async () => {
    const w = new Workspace();
    w.write('a.txt', 'one\n');
    linkSync(w.at('a.txt'), w.at('b.txt'));
    await w.edit(replace('a.txt', 'one', 'A'), replace('b.txt', 'one', 'B'));
    expect([w.read('a.txt'), w.read('b.txt')]).toEqual(['A\n', 'B\n']);
  });

  it('a file that changed since it was read is a conflict; both kinds of hash are accepted', async () => {
    const w = new Workspace();
    w.write('a.txt', 'one\n');
    const sha256 = createHash('sha256').update('one\n').digest('hex');
    const blob = createHash('sha1').update('blob 4\0one\n').digest('hex');
    const wrong = { ...replace('a.txt', 'one', 'two'), expected_hash: '0'.repeat(64) };
    expect(await w.refused([wrong])).toEqual({ code: 'CONFLICT', files: [['a.txt', 'CHANGED']] });
    const gone = { ...replace('b.txt', 'one', 'two'), expected_hash: sha256 };
    expect(await w.refused([gone])).toEqual({ code: 'CONFLICT', files: [['b.txt', 'CHANGED']] });
    await w.edit({ ...replace('a.txt', 'one', 'two'), expected_hash: sha256.toUpperCase() });
    await w.open().undo();
    await w.edit({ ...replace('a.txt', 'one', 'two'), expected_hash: blob });
    expect(w.read('a.txt')).toBe('two\n');
  });

  it('`force` edits a read-only file, which stays read-only', async () => {
    const w = new Workspace();
    w.write('ro.txt', 'one\n', 0o444);
    await w.edit({ ...replace('ro.txt', 'one', 'two'), force: true });
    expect(w.read('ro.txt')).toBe('two\n');
    expect(statSync(w.at('ro.txt')).mode & 0o777).toBe(0o444);
  });

  it('a failed edit also cancels the edits before it, and says so', async () => {
    const w = new Workspace();
    w.write('a.txt', 'one\n');
    const { files } = await w.refused([
      {
        file_path: 'a.txt',
        edits: [{ old_string: 'one', new_string: 'two' }, { old_string: 'one', new_string: 'three' }, { op: 'delete' }],
      },
    ]);
    expect(files).toEqual([['a.txt', 'EDIT_FAILED', 'NO_MATCH']]);
  });
});
