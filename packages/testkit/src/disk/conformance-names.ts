/** Conformance cases: folders, links, names and times. */

import { deepEqual, equal, ok } from 'node:assert/strict';
import type { DiskPath } from '@savepoint/core';
import { FsError, kindOf, permissions, type Stat } from '@savepoint/core/ports';

import type { Check } from './conformance-bench.ts';

export const NAME_CASES: Readonly<Record<string, Check>> = {
  'openFolder refuses links and files': (bench) => {
    const { fs } = bench;
    bench.makeFolder('folder');
    bench.makeLink('folder', 'link');
    bench.put('file');
    bench.fails('ELOOP ENOTDIR', 'openFolder', () => fs.openFolder(bench.at('link')));
    bench.fails('ENOTDIR', 'openFolder', () => fs.openFolder(bench.at('file')));
    bench.fails('ENOENT', 'openFolder', () => fs.openFolder(bench.at('missing')));
    const folder = fs.openFolder(bench.at('folder'));
    equal(fs.fstat(folder).ino, bench.stat('folder').ino);
    fs.sync(folder);
    fs.close(folder);
  },

  'a path through a handle leads to that folder whatever becomes of its name': (bench) => {
    const { fs } = bench;
    const folder = fs.openFolder(bench.makeFolder('folder'));
    const through = fs.folderPath(folder, bench.at('folder'));
    const child = (name: string): DiskPath => `${through}/${name}` as DiskPath;
    fs.makeFolder(child('inner'), 0o755);
    const inner = fs.openFolder(child('inner'));
    fs.close(fs.openNew(`${fs.folderPath(inner, child('inner'))}/deep` as DiskPath, 0o644));
    fs.close(inner);
    if (through !== bench.at('folder')) {
      fs.rename(bench.at('folder'), bench.at('moved'));
      bench.makeFolder('folder');
      fs.close(fs.openNew(child('file'), 0o644));
      fs.rename(child('file'), child('renamed'));
      deepEqual(bench.names('folder'), []);
      deepEqual(bench.names('moved'), ['inner', 'renamed']);
      equal(fs.realpath(through), bench.at('moved'));
    }
    deepEqual(fs.list(child('inner')), ['deep']);
    if (through !== bench.at('folder')) {
      // To reach the folder itself through its handle, append `.`.
      equal(kindOf(fs.lstat(through) as Stat), 'link');
      fs.chmod(child('.'), 0o750);
      equal(permissions(fs.lstat(child('.')) as Stat), 0o750);
    }
    const again = fs.openFolder(through);
    equal(fs.fstat(again).ino, fs.fstat(folder).ino);
    fs.close(again);
    fs.close(folder);
  },

  'an open file stays what it was when its name goes or gets another file': (bench) => {
    const { fs } = bench;
    const first = fs.openRead(bench.put('file', 'first'));
    bench.put('other', 'second');
    fs.rename(bench.at('other'), bench.at('file'));
    const second = fs.openRead(bench.at('file'));
    fs.unlink(bench.at('file'));
    equal(bench.contentOf(first), 'first');
    equal(bench.contentOf(second), 'second');
    equal(fs.fstat(first).nlink, 0);
    fs.close(first);
    fs.close(second);
  },

  'modes are set to the bit, and never through a link': (bench) => {
    const { fs } = bench;
    const fd = fs.openNew(bench.at('file'), 0o600);
    equal(permissions(fs.fstat(fd)), 0o600);
    fs.fchmod(fd, 0o444);
    equal(permissions(fs.fstat(fd)), 0o444);
    fs.close(fd);
    fs.chmod(bench.at('file'), 0o000);
    equal(permissions(bench.stat('file')), 0o000);
    fs.chmod(bench.at('file'), 0o751);
    equal(permissions(bench.stat('file')), 0o751);
    fs.chmod(bench.makeFolder('folder'), 0o700);
    equal(permissions(bench.stat('folder')), 0o700);
    fs.chmod(bench.at('folder'), 0o1750);
    equal(permissions(bench.stat('folder')), 0o1750);
    bench.makeLink('file', 'link');
    bench.fails('ELOOP', 'chmod', () => fs.chmod(bench.at('link'), 0o600));
    equal(permissions(bench.stat('file')), 0o751);
    bench.fails('ENOENT', 'chmod', () => fs.chmod(bench.at('missing'), 0o600));
  },

  'links keep their target as it was given': (bench) => {
    const { fs } = bench;
    for (const [number, target] of ['../up/./x//', '/absolute', 'with\nnewline', 'é'].entries()) {
      bench.makeLink(target, `link-${number}`);
      equal(fs.readLink(bench.at(`link-${number}`)), target);
    }
    bench.put('file');
    bench.fails('EEXIST', 'makeLink', () => fs.makeLink('x', bench.at('file')));
    bench.fails('EEXIST', 'makeLink', () => fs.makeLink('x', bench.at('link-1')));
    bench.fails('EINVAL', 'readLink', () => fs.readLink(bench.at('file')));
    bench.fails('ENOENT', 'readLink', () => fs.readLink(bench.at('missing')));
  },

  'makeFolder makes one folder, where nothing is': (bench) => {
    const { fs } = bench;
    fs.makeFolder(bench.at('private'), 0o700);
    equal(permissions(bench.stat('private')), 0o700);
    bench.fails('EEXIST', 'makeFolder', () => fs.makeFolder(bench.at('private'), 0o700));
    bench.fails('ENOENT', 'makeFolder', () => fs.makeFolder(bench.at('a/b'), 0o700));
    bench.put('file');
    bench.fails('EEXIST', 'makeFolder', () => fs.makeFolder(bench.at('file'), 0o700));
  },

  'rename replaces files, and folders only if they are empty': (bench) => {
    const { fs } = bench;
    const rename = (from: string, to: string): void => fs.rename(bench.at(from), bench.at(to));
    bench.put('a', 'A');
    bench.put('b', 'B');
    const { ino } = bench.stat('a');
    rename('a', 'b');
    equal(bench.content('b'), 'A');
    equal(bench.stat('b').ino, ino);
    equal(fs.lstat(bench.at('a')), null);
    bench.makeFolder('full');
    bench.put('full/x');
    bench.makeFolder('empty');
    bench.fails('ENOTEMPTY EEXIST', 'rename', () => rename('empty', 'full'));
    bench.fails('EISDIR', 'rename', () => rename('b', 'empty'));
    bench.fails('ENOTDIR', 'rename', () => rename('full', 'b'));
    bench.fails('ENOENT', 'rename', () => rename('missing', 'b'));
    bench.fails('EINVAL', 'rename', () => rename('full', 'full/inside'));
    rename('full', 'empty');
    deepEqual(bench.names(), ['b', 'empty']);
    deepEqual(bench.names('empty'), ['x']);
    rename('empty/x', 'x');
    deepEqual(bench.names('empty'), []);
  },

  'rename moves a link, not what it leads to, and does nothing between two names of one file': (bench) => {
    const { fs } = bench;
    bench.put('file', 'F');
    bench.makeLink('file', 'link');
    fs.rename(bench.at('link'), bench.at('moved'));
    equal(fs.readLink(bench.at('moved')), 'file');
    bench.put('other', 'O');
    fs.rename(bench.at('other'), bench.at('moved'));
    equal(bench.content('moved'), 'O');
    equal(bench.content('file'), 'F');
    fs.hardLink(bench.at('file'), bench.at('twin'));
    fs.rename(bench.at('file'), bench.at('twin'));
    deepEqual(bench.names(), ['file', 'moved', 'twin']);
  },

  'hardLink gives a second name and never replaces': (bench) => {
    const { fs } = bench;
    bench.put('file', 'F');
    fs.hardLink(bench.at('file'), bench.at('twin'));
    equal(bench.stat('twin').ino, bench.stat('file').ino);
    equal(bench.stat('file').nlink, 2);
    bench.fails('EEXIST', 'hardLink', () => fs.hardLink(bench.at('file'), bench.at('twin')));
    bench.fails('ENOENT', 'hardLink', () => fs.hardLink(bench.at('missing'), bench.at('new')));
    bench.makeFolder('folder');
    bench.fails('EPERM EISDIR', 'hardLink', () => fs.hardLink(bench.at('folder'), bench.at('new')));
    fs.unlink(bench.at('file'));
    equal(bench.content('twin'), 'F');
    equal(bench.stat('twin').nlink, 1);
    bench.makeLink('twin', 'link');
    try {
      fs.hardLink(bench.at('link'), bench.at('linked'));
      equal(kindOf(bench.stat('linked')), 'link');
    } catch (error) {
      ok(error instanceof FsError && error.code === 'EPERM', String(error));
    }
  },

  'unlink removes files and links, not what they lead to, and no folders': (bench) => {
    const { fs } = bench;
    bench.put('file');
    bench.makeLink('file', 'link');
    bench.makeFolder('folder');
    fs.unlink(bench.at('link'));
    deepEqual(bench.names(), ['file', 'folder']);
    bench.fails('EISDIR EPERM', 'unlink', () => fs.unlink(bench.at('folder')));
    bench.fails('ENOENT', 'unlink', () => fs.unlink(bench.at('link')));
    fs.unlink(bench.at('file'));
    deepEqual(bench.names(), ['folder']);
  },

  'removeFolder removes empty folders alone': (bench) => {
    const { fs } = bench;
    bench.makeFolder('full');
    bench.makeFolder('full/empty');
    bench.makeLink('full/empty', 'link');
    bench.put('file');
    bench.fails('ENOTEMPTY EEXIST', 'removeFolder', () => fs.removeFolder(bench.at('full')));
    bench.fails('ENOTDIR', 'removeFolder', () => fs.removeFolder(bench.at('link')));
    bench.fails('ENOTDIR', 'removeFolder', () => fs.removeFolder(bench.at('file')));
    bench.fails('ENOENT', 'removeFolder', () => fs.removeFolder(bench.at('missing')));
    fs.removeFolder(bench.at('full/empty'));
    fs.removeFolder(bench.at('full'));
    deepEqual(bench.names(), ['file', 'link']);
  },

  'nothing can be made in a folder that was removed': (bench) => {
    const { fs } = bench;
    const folder = fs.openFolder(bench.makeFolder('folder'));
    const through = fs.folderPath(folder, bench.at('folder'));
    fs.removeFolder(bench.at('folder'));
    bench.fails('ENOENT', 'openNew', () => fs.openNew(`${through}/file` as DiskPath, 0o644));
    fs.close(folder);
  },

  'touch sets the time of the very thing that is named': (bench) => {
    const { fs } = bench;
    bench.put('file');
    bench.makeLink('file', 'link');
    for (let ms = 1_700_000_000_001; ms < 1_700_000_000_020; ms++) {
      fs.touch(bench.at('file'), ms);
      equal(bench.stat('file').mtimeMs, ms);
    }
    fs.touch(bench.at('file'), 1_234_567_891);
    equal(bench.stat('file').mtimeMs, 1_234_567_891);
    fs.touch(bench.at('link'), 1_000_000_000_567);
    equal(bench.stat('link').mtimeMs, 1_000_000_000_567);
    equal(bench.stat('file').mtimeMs, 1_234_567_891);
    bench.fails('ENOENT', 'touch', () => fs.touch(bench.at('missing'), 0));
  },

  'realpath resolves every link': (bench) => {
    const { fs } = bench;
    bench.makeFolder('folder');
    bench.put('folder/file');
    bench.makeLink('folder', 'to-folder');
    bench.makeLink('to-folder/./file', 'to-file');
    bench.makeLink(bench.at('to-file'), 'absolute');
    bench.makeLink('loop', 'loop');
    bench.makeLink('nothing', 'dangling');
    equal(fs.realpath(bench.at('absolute')), bench.at('folder/file'));
    equal(fs.realpath(bench.at('to-folder/../folder')), bench.at('folder'));
    bench.fails('ENOENT', 'realpath', () => fs.realpath(bench.at('dangling')));
    bench.fails('ELOOP', 'realpath', () => fs.realpath(bench.at('loop')));
    bench.fails('ELOOP', 'lstat', () => fs.lstat(bench.at('loop/below')));
  },

  'impossible paths fail as the system says': (bench) => {
    const { fs } = bench;
    bench.fails('EINVAL', 'lstat', () => fs.lstat(bench.at('a\0b')));
    bench.fails('EINVAL', 'openNew', () => fs.openNew(bench.at('a\0b'), 0o644));
    bench.fails('EINVAL', 'makeLink', () => fs.makeLink('a\0b', bench.at('link')));
    bench.fails('ENAMETOOLONG', 'openNew', () => fs.openNew(bench.at('n'.repeat(256)), 0o644));
    bench.fails('ENAMETOOLONG', 'lstat', () => fs.lstat(bench.at('n'.repeat(256))));
    bench.fails('ENAMETOOLONG', 'lstat', () => fs.lstat(bench.at('n/'.repeat(2100))));
    bench.put('n'.repeat(255));
    deepEqual(bench.names(), ['n'.repeat(255)]);
  },

  'names are bytes': (bench) => {
    const { fs } = bench;
    const names = ['caf\xc3\xa9', 'new\nline', ' "quoted" \\ ', '-rf'];
    if (bench.byteNames) names.push('caf\xe9', '\xff\xfe\x80', 'e\xcc\x81', '\xc3\xa9');
    for (const name of names) bench.put(name, name);
    deepEqual(bench.names(), names.sort());
    for (const name of names) {
      equal(bench.content(name), name);
      equal(fs.realpath(bench.at(name)), bench.at(name));
    }
    if (bench.byteNames) equal(fs.readLink(bench.makeLink('to\xff\xe9', 'link')), 'to\xff\xe9');
  },

  'errors name the path as it was opened, not the handle': (bench) => {
    const { fs } = bench;
    const folder = fs.openFolder(bench.makeFolder('folder'));
    const missing = `${fs.folderPath(folder, bench.at('folder'))}/missing` as DiskPath;
    equal(bench.fails('ENOENT', 'unlink', () => fs.unlink(missing)).path, bench.at('folder/missing'));
    fs.close(folder);
    const file = fs.openNew(bench.at('file'), 0o644);
    equal(bench.fails('EBADF EPERM', 'read', () => fs.read(file, Buffer.alloc(1), 0, 1, 0)).path, bench.at('file'));
    fs.close(file);
  },

  'free space is a number of bytes or unknown': (bench) => {
    const free = bench.fs.freeSpace(bench.folder);
    ok(free === null || (Number.isFinite(free) && free >= 0));
    bench.fails('ENOENT', 'freeSpace', () => bench.fs.freeSpace(bench.at('missing')));
  },
};
