/** A whole tree, copied. The oracle is an independent walk. */

import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fsWith, manifest, SimDisk, seededTree, simPorts, world } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { copyTree, type TreeCopyRequest } from '../../../src/copy/folder/copy-tree.ts';
import { nodeFs, nodeFsWithoutNative } from '../../../src/io/node/fs.ts';
import { Pace } from '../../../src/io/pace.ts';
import { type DiskPath, diskChild, type TreePath } from '../../../src/model/names.ts';

type Given = Partial<TreeCopyRequest>;

function setUp() {
  const { workspace: from, folder, ports } = world(onTestFinished);
  const to = join(folder, 'copy') as DiskPath;
  const copy = (given: Given = {}) =>
    copyTree({ fs: ports.fs, from, to, method: 'copy', pace: new Pace(ports.clock), ...given });
  return { from, to, folder, copy, pace: new Pace(ports.clock) };
}

const DRIVERS = [
  ['with the add-on', nodeFs],
  ['without it', nodeFsWithoutNative],
] as const;

test.each(DRIVERS)('a copy has every byte, mode and time, whatever the names (%s)', async (_, fs) => {
  const { from, to, copy } = setUp();
  seededTree(from, 1);
  writeFileSync(join(from, 'large'), Buffer.alloc(3 << 20, 'large'));
  mkdirSync(join(from, 'locked'));
  writeFileSync(join(from, 'locked/file'), 'x');
  utimesSync(join(from, 'locked/file'), 1_234_567_890.123, 1_234_567_890.123);
  chmodSync(join(from, 'locked'), 0o555);
  const before = manifest(from);
  const copied = await copy({ fs });
  expect(manifest(to)).toEqual(before);
  expect(manifest(from)).toEqual(before);
  expect(copied.leftOut).toEqual([]);
  const kinds = Object.values(before).map(({ kind }) => kind);
  expect([copied.files, copied.folders, copied.links]).toEqual(
    ['file', 'folder', 'link'].map((kind) => kinds.filter((found) => found === kind).length),
  );
  for (const name of ['large', 'locked', 'locked/file', '.']) {
    expect(Math.abs(lstatSync(join(to, name)).mtimeMs - lstatSync(join(from, name)).mtimeMs)).toBeLessThan(0.01);
  }
});

test.each(DRIVERS)('hard links stay inside the copy, and setuid is not copied (%s)', async (_, fs) => {
  const { from, to, folder, copy } = setUp();
  writeFileSync(join(folder, 'outside'), 'one');
  linkSync(join(folder, 'outside'), join(from, 'a'));
  linkSync(join(from, 'a'), join(from, 'b'));
  chmodSync(join(from, 'a'), 0o6755);
  mkdirSync(join(from, 'shared'));
  chmodSync(join(from, 'shared'), 0o2775);
  const { files, bytes } = await copy({ fs });
  expect([files, bytes]).toEqual([2, 3]);
  expect([lstatSync(join(to, 'a')).nlink, lstatSync(join(to, 'b')).ino]).toEqual([2, lstatSync(join(to, 'a')).ino]);
  expect(lstatSync(join(to, 'a')).mode & 0o7777).toBe(0o755);
  expect(lstatSync(join(to, 'shared')).mode & 0o7777).toBe(0o2775);
  appendFileSync(join(to, 'a'), 'two');
  expect(readFileSync(join(folder, 'outside'), 'utf8')).toBe('one');
});

test('links are copied, not followed, and may lead elsewhere', async () => {
  const { from, to, folder, copy } = setUp();
  mkdirSync(join(folder, 'outside'));
  writeFileSync(join(folder, 'outside/secret'), 'secret');
  symlinkSync(join(folder, 'outside'), join(from, 'absolute'));
  symlinkSync('../outside/secret', join(from, 'relative'));
  await copy({ linkTarget: (target) => target.replace('outside', 'inside') });
  expect(readlinkSync(join(to, 'absolute'))).toBe(join(folder, 'inside'));
  expect(readlinkSync(join(to, 'relative'))).toBe('../inside/secret');
});

test('FIFOs and what the caller chooses are left out and listed', async () => {
  const { from, to, copy } = setUp();
  execFileSync('mkfifo', [join(from, 'pipe')]);
  mkdirSync(join(from, 'a/b'), { recursive: true });
  writeFileSync(join(from, 'a/b/c'), '');
  const { leftOut } = await copy({ leavesOut: (path) => path === 'a/b' });
  expect(leftOut).toEqual([
    { path: 'pipe', why: 'special' },
    { path: 'a/b', why: 'chosen' },
  ]);
  expect(Object.keys(manifest(to))).toEqual(['a']);
});

test('other mounts are not entered unless they are chosen', async () => {
  const disk = new SimDisk();
  const at = (path: string): DiskPath => path as DiskPath;
  for (const path of ['/from', '/from/mount', '/from/root', '/copies']) disk.makeFolder(at(path), 0o755);
  for (const path of ['/from/mount', '/from/root']) {
    disk.mountAt(at(path));
    disk.close(disk.openNew(at(`${path}/file`), 0o644));
  }
  const { clock } = simPorts(disk);
  const request = {
    fs: disk,
    from: at('/from'),
    to: at('/copies/tree'),
    method: 'copy',
    pace: new Pace(clock),
  } as const;
  const { leftOut } = await copyTree({ ...request, mounts: new Set(['root' as TreePath]) });
  expect(leftOut).toEqual([{ path: 'mount', why: 'mount' }]);
  expect(disk.list(at('/copies/tree'))).toEqual(['root']);
  expect(disk.list(at('/copies/tree/root'))).toEqual(['file']);
});

test.each(DRIVERS)('a tree that changes meanwhile is copied as far as it is there (%s)', async (_, driver) => {
  const { from, to, folder, copy } = setUp();
  for (const name of ['gone-folder', 'swapped-folder', 'kept']) mkdirSync(join(from, name));
  for (const name of ['gone', 'swapped', 'kept/file', 'gone-folder/file', 'swapped-folder/secret']) {
    writeFileSync(join(from, name), 'original');
  }
  mkdirSync(join(folder, 'outside'));
  writeFileSync(join(folder, 'outside/secret'), 'secret');
  let isChanged = false;
  const fs = fsWith(driver, {
    listWithStats: (path) => {
      const listing = driver.listWithStats(path);
      if (isChanged) return listing;
      isChanged = true;
      const shell = (command: string): unknown => execFileSync('sh', ['-c', command], { cwd: from });
      shell('rm -r gone gone-folder swapped swapped-folder');
      shell('ln -s ../outside/secret swapped; ln -s ../outside swapped-folder');
      return listing;
    },
  });
  const { leftOut } = await copy({ fs });
  expect(leftOut).toEqual([{ path: 'swapped-folder', why: 'changed' }]);
  expect(Object.keys(manifest(to))).toEqual(['kept', 'kept/file', 'swapped-folder']);
});

test('it can be cancelled, and a failure of the copy is thrown once all files are closed', async () => {
  const { from, to, folder, copy } = setUp();
  for (let n = 0; n < 20; n++) writeFileSync(join(from, `file-${n}`), Buffer.alloc(n % 2 === 0 ? 2 << 20 : 10));
  const { ports } = world(onTestFinished);
  const stop = new AbortController();
  const monotonic = (): number => {
    stop.abort();
    return Number.MAX_VALUE;
  };
  const clock = { ...ports.clock, monotonic };
  await expect(copy({ pace: new Pace(clock, stop.signal) })).rejects.toMatchObject({ code: 'CANCELLED' });
  expect(existsSync(to)).toBe(true);
  const full = fsWith(nodeFsWithoutNative, {
    write: (fd, bytes, position) => {
      if (bytes.length > 0) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      nodeFs.write(fd, bytes, position);
    },
  });
  await expect(copy({ fs: full, to: diskChild(folder as DiskPath, 'second') })).rejects.toMatchObject({
    code: 'ENOSPC',
  });
});

test('a file that is replaced while it is copied is not given to the other names of the old one', async () => {
  const { from, to, copy } = setUp();
  writeFileSync(join(from, 'a'), 'old');
  linkSync(join(from, 'a'), join(from, 'b'));
  let isChanged = false;
  const fs = fsWith(nodeFs, {
    listWithStats: (path) => {
      const listing = nodeFs.listWithStats(path);
      if (!isChanged) execFileSync('sh', ['-c', 'echo new >c; mv c a'], { cwd: from });
      isChanged = true;
      return listing;
    },
  });
  await copy({ fs });
  expect([readFileSync(join(to, 'a'), 'utf8'), readFileSync(join(to, 'b'), 'utf8')]).toEqual(['new\n', 'old']);
});

test.runIf(nodeFs.copyFiles !== undefined)('holes and attributes of users are kept, with the add-on', async () => {
  const { from, to, copy } = setUp();
  writeFileSync(join(from, 'sparse'), 'begin');
  truncateSync(join(from, 'sparse'), 64 << 20);
  appendFileSync(join(from, 'sparse'), 'end');
  writeFileSync(join(from, 'only-a-hole'), '');
  truncateSync(join(from, 'only-a-hole'), 16 << 20);
  writeFileSync(join(from, 'marked'), 'x');
  const python = (code: string, path: string): string =>
    execFileSync('python3', ['-c', `import os, sys\n${code}`, path], { encoding: 'utf8' }).trim();
  const mark = "try: os.setxattr(sys.argv[1], 'user.note', b'kept')\nexcept OSError as error: print(error)";
  const mayMark = python(mark, join(from, 'marked')) === '';
  await copy();
  for (const name of ['sparse', 'only-a-hole']) {
    expect(readFileSync(join(to, name)).equals(readFileSync(join(from, name)))).toBe(true);
    expect(lstatSync(join(to, name)).blocks).toBeLessThan(1000);
  }
  if (mayMark) expect(python("print(os.getxattr(sys.argv[1], 'user.note').decode())", join(to, 'marked'))).toBe('kept');
});

test.runIf(nodeFs.copyFiles !== undefined)(
  'what cannot be read or written says so, and leaves nothing half',
  async () => {
    const { from, to, copy } = setUp();
    for (const name of ['a', 'b', 'c']) writeFileSync(join(from, name), name);
    const answering = (of: 'original' | 'copy', code: string) =>
      fsWith(nodeFs, {
        copyFiles: async (_, names) =>
          names.map((name) => (name === 'b' ? { kind: 'failed', code, of } : { kind: 'copied', size: 1, ino: 1 })),
      });
    const unreadable = await copy({ fs: answering('original', 'EIO') });
    expect(unreadable).toMatchObject({ files: 2, leftOut: [{ path: 'b', why: 'unreadable' }] });
    const gone = await copy({ fs: answering('original', 'ESTALE'), to: `${to}-2` as DiskPath });
    expect(gone).toMatchObject({ files: 2, leftOut: [] });
    const full = copy({ fs: answering('copy', 'ENOSPC'), to: `${to}-3` as DiskPath });
    await expect(full).rejects.toMatchObject({ code: 'ENOSPC', path: `${to}-3/b` });
  },
);
