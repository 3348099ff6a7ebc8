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

test.each([
  ['with the add-on', nodeFs],
  ['without it', nodeFsWithoutNative],
])('a copy has every byte, mode and time, whatever the names (%s)', async (_, fs) => {
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

test('hard links become files of their own, and setuid is not copied', async () => {
  const { from, to, folder, copy } = setUp();
  writeFileSync(join(folder, 'outside'), 'one');
  linkSync(join(folder, 'outside'), join(from, 'a'));
  linkSync(join(from, 'a'), join(from, 'b'));
  chmodSync(join(from, 'a'), 0o6755);
  mkdirSync(join(from, 'shared'));
  chmodSync(join(from, 'shared'), 0o2775);
  await copy();
  expect([lstatSync(join(to, 'a')).nlink, lstatSync(join(to, 'b')).nlink]).toEqual([1, 1]);
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

test('a tree that changes meanwhile is copied as far as it is there', async () => {
  const { from, to, folder, copy } = setUp();
  for (const name of ['gone-folder', 'swapped-folder', 'kept']) mkdirSync(join(from, name));
  for (const name of ['gone', 'swapped', 'kept/file', 'gone-folder/file', 'swapped-folder/secret']) {
    writeFileSync(join(from, name), 'original');
  }
  mkdirSync(join(folder, 'outside'));
  writeFileSync(join(folder, 'outside/secret'), 'secret');
  let isChanged = false;
  const fs = fsWith(nodeFs, {
    listWithStats: (path) => {
      const listing = nodeFs.listWithStats(path);
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
  const full = fsWith(nodeFs, {
    write: (fd, bytes, position) => {
      if (bytes.length > 0) throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      nodeFs.write(fd, bytes, position);
    },
  });
  await expect(copy({ fs: full, to: diskChild(folder as DiskPath, 'second') })).rejects.toMatchObject({
    code: 'ENOSPC',
  });
});
