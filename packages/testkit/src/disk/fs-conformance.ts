import { deepEqual, equal, notEqual, ok, rejects } from 'node:assert/strict';
import {
  type DiskPath,
  type Fd,
  type Fs,
  FsError,
  kindOf,
  LISTED_FIELD,
  LISTED_FIELDS,
  type ListedStat,
  permissions,
  type Stat,
  statOf,
} from '@savepoint/core';

/** A driver and an empty folder of its file system. */
export interface FsUnderTest {
  readonly fs: Fs;
  readonly folder: DiskPath;
  /** Whether names may be bytes that are no UTF-8; not so on macOS and Windows. */
  readonly byteNames: boolean;
}

export interface ConformanceCase {
  readonly name: string;
  run(): void | Promise<void>;
}

/**
 * What every driver of the Fs port does, as cases to be registered with any test runner:
 * `for (const { name, run } of fsConformance(make)) test(name, run);`
 *
 * @param make called once per case; the folder must be empty, and another one each time
 */
export function fsConformance(make: () => FsUnderTest): readonly ConformanceCase[] {
  return Object.entries(CASES).map(([name, check]) => ({ name, run: () => check(new Bench(make())) }));
}

class Bench {
  readonly fs: Fs;
  readonly folder: DiskPath;
  readonly byteNames: boolean;

  constructor(driver: FsUnderTest) {
    this.fs = driver.fs;
    this.folder = driver.folder;
    this.byteNames = driver.byteNames;
  }

  at(path: string): DiskPath {
    return `${this.folder}/${path}` as DiskPath;
  }

  /** A new file. */
  put(path: string, content = 'content', mode = 0o644): DiskPath {
    const fd = this.fs.openNew(this.at(path), 0o600);
    this.fs.write(fd, Buffer.from(content, 'latin1'), 0);
    this.fs.fchmod(fd, mode);
    this.fs.close(fd);
    return this.at(path);
  }

  makeFolder(path: string): DiskPath {
    this.fs.makeFolder(this.at(path), 0o755);
    return this.at(path);
  }

  makeLink(target: string, path: string): DiskPath {
    this.fs.makeLink(target, this.at(path));
    return this.at(path);
  }

  stat(path: string): Stat {
    const stat = this.fs.lstat(this.at(path));
    ok(stat !== null, `${path} should be there`);
    return stat;
  }

  content(path: string): string {
    const fd = this.fs.openRead(this.at(path));
    const content = this.contentOf(fd);
    this.fs.close(fd);
    return content;
  }

  contentOf(fd: Fd): string {
    const buffer = Buffer.alloc(10_000);
    return buffer.toString('latin1', 0, this.fs.read(fd, buffer, 0, buffer.length, 0));
  }

  names(path = ''): string[] {
    return this.fs.list(path === '' ? this.folder : this.at(path)).sort();
  }

  /** A folder's listing holds what `list` and `lstat` say one after the other. */
  listsAs(path: DiskPath, expected: readonly string[]): void {
    const listing = this.fs.listWithStats(path);
    deepEqual(listing.names, [...expected].sort());
    equal(listing.failed.size, 0);
    equal(listing.numbers.length, expected.length * LISTED_FIELDS);
    for (const [index, name] of listing.names.entries()) {
      const stat = this.fs.lstat(`${path}/${name}` as DiskPath);
      ok(stat !== null, name);
      const told = statOf(listing, index);
      for (const field of Object.keys(LISTED_FIELD) as (keyof ListedStat)[]) {
        ok(Object.is(told[field], stat[field]), `${field} of ${name}: ${told[field]}, and lstat says ${stat[field]}`);
      }
    }
  }

  /** The act fails with one of the codes, as an FsError that names the operation. */
  fails(codes: string, operation: keyof Fs, act: () => unknown): FsError {
    let failure: unknown = null;
    try {
      act();
    } catch (error) {
      failure = error;
    }
    ok(failure instanceof FsError, `${operation} should fail with ${codes}, not with ${String(failure)}`);
    ok(codes.split(' ').includes(failure.code), `${operation} should fail with ${codes}, not with ${failure.code}`);
    equal(failure.operation, operation);
    return failure;
  }
}

const CASES: Readonly<Record<string, (bench: Bench) => void | Promise<void>>> = {
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

  'syncs many handles together; one that is none is told when the others are done': async (bench) => {
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
      // Whatever stands where it was: a listing by the handle is of what was opened.
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

  'a listing of very many names, and of long ones, is whole and in order': (bench) => {
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
      // Who wants the folder itself by its handle asks for `.` in it.
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
