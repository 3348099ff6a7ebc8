/** Conformance cases: reading, writing and listing. */

import { deepEqual, equal, notEqual, rejects } from 'node:assert/strict';
import type { DiskPath } from '@savepoint/core';
import { type Fd, FsError, kindOf, type ListedStat, permissions, statOf } from '@savepoint/core/ports';

import type { Check } from './conformance-bench.ts';

export const FILE_CASES: Readonly<Record<string, Check>> = {
  'writes at positions, fills holes with zeros and reads parts': (bench) => {
    const { fs } = bench;
    const fd = fs.openNew(bench.at('file'), 0o644);
    fs.write(fd, Buffer.from('world'), 6);
    fs.write(fd, Buffer.from('hello'), 0);
    fs.write(fd, Buffer.alloc(0), 100);
    equal(fs.fstat(fd).size, 11);
    fs.write(fd, Buffer.from('W'), 6);
    fs.sync(fd);
    fs.close(fd);
    equal(bench.content('file'), 'hello\0World');
    const reader = fs.openRead(bench.at('file'));
    const into = Buffer.alloc(8, '.');
    equal(fs.read(reader, into, 2, 3, 1), 3);
    equal(into.toString(), '..ell...');
    equal(fs.read(reader, into, 0, 8, 9), 2);
    equal(fs.read(reader, into, 0, 8, 11), 0);
    equal(fs.read(reader, into, 0, 8, 1000), 0);
    bench.fails('EINVAL', 'read', () => fs.read(reader, into, 0, 8, -8));
    fs.close(reader);
  },

  'syncs many handles together; an invalid one is reported after the others are synced': async (bench) => {
    const { fs } = bench;
    const files = ['a', 'b', 'c'].map((name) => fs.openNew(bench.at(name), 0o644));
    const folder = fs.openFolder(bench.folder);
    for (const fd of files) fs.write(fd, Buffer.from('text'), 0);
    await fs.syncAll([...files, folder]);
    await fs.syncAll([]);
    const none = 900_000 as Fd;
    await rejects(
      () => fs.syncAll([none, ...files]),
      (error) => error instanceof FsError && error.code === 'EBADF' && error.operation === 'sync',
    );
    for (const fd of [...files, folder]) fs.close(fd);
    for (const name of ['a', 'b', 'c']) equal(bench.content(name), 'text');
  },

  'syncs a file system as a whole, where that is possible': async (bench) => {
    const { fs } = bench;
    const folder = fs.openFolder(bench.folder);
    const sync = fs.wholeSync?.(folder, 10_000) ?? null;
    const file = fs.openNew(bench.at('file'), 0o644);
    fs.write(file, Buffer.from('text'), 0);
    fs.close(file);
    await sync?.();
    equal(fs.wholeSync?.(folder, 0) ?? null, null);
    fs.close(folder);
    equal(bench.content('file'), 'text');
    if (sync === null) return;
    await rejects(sync, (error) => error instanceof FsError && error.operation === 'wholeSync');
  },

  'copies an open file to a new one, whatever became of its name': async (bench) => {
    const { fs } = bench;
    bench.put('from', 'text');
    const from = fs.openRead(bench.at('from'));
    fs.fchmod(from, 0o400);
    const copy = await fs.copyFile(from, bench.at('to'), 0o640, 'copy');
    equal(permissions(fs.fstat(copy)), 0o640);
    fs.write(copy, Buffer.from('T'), 0);
    fs.sync(copy);
    fs.close(copy);
    equal(bench.content('to'), 'Text');
    equal(bench.content('from'), 'text');
    for (const how of ['copy', 'clone'] as const) {
      await rejects(
        () => fs.copyFile(from, bench.at('to'), 0o640, how),
        (error) => error instanceof FsError && error.operation === 'copyFile',
      );
    }
    equal(bench.content('to'), 'Text');
    await rejects(
      () => fs.copyFile(from, bench.at('none/to'), 0o640, 'copy'),
      (error) => error instanceof FsError && error.code === 'ENOENT',
    );
    fs.close(from);
  },

  'handles read or write, as they were opened for': (bench) => {
    const { fs } = bench;
    const writer = fs.openNew(bench.at('file'), 0o644);
    bench.fails('EBADF EPERM', 'read', () => fs.read(writer, Buffer.alloc(1), 0, 1, 0));
    fs.close(writer);
    const reader = fs.openRead(bench.at('file'));
    bench.fails('EBADF EPERM', 'write', () => fs.write(reader, Buffer.from('x'), 0));
    fs.close(reader);
  },

  'openNew never touches what is there': (bench) => {
    const { fs } = bench;
    bench.put('file', 'old');
    bench.makeFolder('folder');
    bench.makeLink('nothing', 'dangling');
    bench.makeLink('file', 'link');
    for (const taken of ['file', 'folder', 'dangling', 'link']) {
      bench.fails('EEXIST', 'openNew', () => fs.openNew(bench.at(taken), 0o644));
    }
    bench.fails('ENOENT', 'openNew', () => fs.openNew(bench.at('missing/file'), 0o644));
    bench.fails('ENOTDIR ENOENT', 'openNew', () => fs.openNew(bench.at('file/file'), 0o644));
    equal(bench.content('file'), 'old');
    equal(fs.lstat(bench.at('nothing')), null);
  },

  'lstat says null for what is not there, and looks at links themselves': (bench) => {
    const { fs } = bench;
    bench.put('file', 'four');
    bench.makeFolder('folder');
    bench.makeLink('file', 'link');
    equal(fs.lstat(bench.at('missing')), null);
    equal(fs.lstat(bench.at('missing/below')), null);
    equal(fs.lstat(bench.at('file/below')), null);
    equal(kindOf(bench.stat('file')), 'file');
    equal(bench.stat('file').size, 4);
    equal(bench.stat('file').nlink, 1);
    equal(kindOf(bench.stat('folder')), 'folder');
    equal(kindOf(bench.stat('link')), 'link');
    equal(bench.stat('link').size, 4);
    equal(bench.stat('file').dev, bench.stat('folder').dev);
    notEqual(bench.stat('file').ino, bench.stat('folder').ino);
    bench.makeLink('../folder', 'folder/up');
    equal(kindOf(bench.stat('folder/up/up')), 'link');
  },

  'list gives the names of a folder and follows no link': (bench) => {
    const { fs } = bench;
    bench.makeFolder('folder');
    bench.put('folder/b');
    bench.put('folder/.a');
    bench.makeLink('folder', 'link');
    bench.put('file');
    deepEqual(bench.names('folder'), ['.a', 'b']);
    deepEqual(bench.names(), ['file', 'folder', 'link']);
    bench.fails('ENOTDIR ELOOP', 'list', () => fs.list(bench.at('link')));
    bench.fails('ENOTDIR', 'list', () => fs.list(bench.at('file')));
    bench.fails('ENOENT', 'list', () => fs.list(bench.at('missing')));
  },

  'a listing holds what lstat says of every kind of entry': (bench) => {
    const { fs } = bench;
    bench.listsAs(bench.folder, []);
    bench.put('file', 'four');
    bench.put('shut', 'x', 0o000);
    bench.put('old');
    fs.touch(bench.at('old'), 1_234_567_891);
    bench.makeFolder('folder');
    bench.put('folder/inside');
    fs.chmod(bench.makeFolder('closed'), 0o000);
    bench.makeLink('file', 'link');
    bench.makeLink('nothing', 'dangling');
    bench.makeLink('folder', 'to-folder');
    fs.hardLink(bench.at('file'), bench.at('twin'));
    const names = ['file', 'shut', 'old', 'folder', 'closed', 'link', 'dangling', 'to-folder', 'twin'];
    bench.listsAs(bench.folder, names);
    const listing = fs.listWithStats(bench.folder);
    const of = (name: string): ListedStat => statOf(listing, [...names].sort().indexOf(name));
    equal(of('file').size, 4);
    equal(of('file').nlink, 2);
    equal(of('twin').ino, of('file').ino);
    equal(of('old').mtimeMs, 1_234_567_891);
    deepEqual(
      ['file', 'folder', 'link', 'to-folder'].map((name) => kindOf(of(name))),
      ['file', 'folder', 'link', 'link'],
    );
    equal(permissions(of('shut')), 0);
    equal(permissions(of('closed')), 0);
    fs.chmod(bench.at('closed'), 0o700);
  },

  'a listing is of the folder itself: links and files are refused, handles lead there': (bench) => {
    const { fs } = bench;
    bench.makeFolder('folder');
    bench.put('folder/inside');
    bench.makeLink('folder', 'link');
    bench.put('file');
    const operation = 'listWithStats';
    bench.fails('ELOOP ENOTDIR', operation, () => fs.listWithStats(bench.at('link')));
    bench.fails('ENOTDIR', operation, () => fs.listWithStats(bench.at('file')));
    bench.fails('ENOENT', operation, () => fs.listWithStats(bench.at('missing')));
    bench.fails('ENOENT ENOTDIR', operation, () => fs.listWithStats(bench.at('file/below')));
    bench.fails('EINVAL', operation, () => fs.listWithStats(bench.at('a\0b')));
    bench.fails('ENAMETOOLONG', operation, () => fs.listWithStats(bench.at('n'.repeat(256))));
    const folder = fs.openFolder(bench.at('folder'));
    const through = fs.folderPath(folder, bench.at('folder'));
    bench.listsAs(through, ['inside']);
    bench.listsAs(`${through}/.` as DiskPath, ['inside']);
    if (through !== bench.at('folder')) {
      // A listing through the handle shows the opened folder, even if another folder now has its old name.
      fs.rename(bench.at('folder'), bench.at('moved'));
      bench.listsAs(through, ['inside']);
      bench.makeFolder('folder');
      bench.put('folder/other');
      bench.listsAs(through, ['inside']);
      equal(
        bench.fails('ENOENT', operation, () => fs.listWithStats(`${through}/no` as DiskPath)).path,
        bench.at('folder/no'),
      );
      fs.unlink(bench.at('moved/inside'));
      fs.removeFolder(bench.at('moved'));
      deepEqual(fs.listWithStats(through).names, []);
    }
    fs.close(folder);
  },

  'a listing of very many names, and of long ones, is complete and in order': (bench) => {
    const { fs } = bench;
    bench.makeFolder('many');
    const names = Array.from({ length: 2500 }, (_, number) =>
      `${(number * 7919) % 2500}`.padEnd(1 + (number % 240), '-'),
    );
    for (const name of names) fs.close(fs.openNew(bench.at(`many/${name}`), 0o644));
    bench.listsAs(bench.at('many'), names);
  },

  'names of a listing are bytes, in the order of bytes': (bench) => {
    const names = ['a', 'A', 'a b', 'caf\xc3\xa9', 'new\nline', '.hidden', '-', '\x7f'];
    names.push('...', '..a');
    if (bench.byteNames) names.push('caf\xe9', '\xff\xfe\x80', 'e\xcc\x81', '\xff', '\x01');
    for (const name of names) bench.put(name);
    bench.listsAs(bench.folder, names);
    const folder = bench.byteNames ? 'f\xff' : 'f\xc3\xa9';
    bench.makeFolder(folder);
    bench.put(`${folder}/a`);
    bench.put(`${folder}/\xc3\xa9`);
    bench.listsAs(bench.at(folder), ['a', '\xc3\xa9']);
  },

  'openRead refuses links and what is not there': (bench) => {
    const { fs } = bench;
    bench.put('file');
    bench.makeLink('file', 'link');
    bench.fails('ELOOP', 'openRead', () => fs.openRead(bench.at('link')));
    bench.fails('ENOENT', 'openRead', () => fs.openRead(bench.at('missing')));
    bench.fails('ENOTDIR ENOENT', 'openRead', () => fs.openRead(bench.at('file/below')));
  },
};
