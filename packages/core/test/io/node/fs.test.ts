import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { fsConformance, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isFsError, kindOf, permissions, statOf } from '../../../src/io/fs.ts';
import { nodeFs, nodeFsOf, nodeFsWithoutNative } from '../../../src/io/node/fs.ts';
import { foldersNotSynced } from '../../../src/io/node/unsynced-folders.ts';
import type { DiskPath, Name } from '../../../src/model/names.ts';

const linux = process.platform === 'linux';
const windows = process.platform === 'win32';

/** Runs an action as an unprivileged user who owns everything in `folder`. */
function asSomebody<Result>(folder: string, action: () => Result): Result {
  if (process.geteuid?.() !== 0) return action();
  const nobody = 65_534;
  execFileSync('chown', ['-R', `${nobody}`, folder]);
  process.seteuid?.(nobody);
  try {
    return action();
  } finally {
    process.seteuid?.(0);
  }
}

describe('the node driver', () => {
  const make = () => ({ fs: nodeFs, folder: world(onTestFinished).workspace, byteNames: linux });
  for (const { name, run } of fsConformance(make)) test(name, run);

  test.skipIf(windows)('does not wait for a writer of a FIFO', () => {
    const { workspace } = world(onTestFinished);
    execFileSync('mkfifo', [`${workspace}/fifo`]);
    const fd = nodeFs.openRead(`${workspace}/fifo` as DiskPath);
    expect(nodeFs.fstat(fd).mode & constants.S_IFMT).toBe(constants.S_IFIFO);
    nodeFs.close(fd);
  });

  test.skipIf(!linux)('tolerates a file system that cannot sync folders, and reports it; files must be synced', () => {
    const folder = nodeFs.openFolder('/proc' as DiskPath);
    nodeFs.sync(folder);
    nodeFs.close(folder);
    expect(foldersNotSynced()).toContain('/proc');
    const file = nodeFs.openRead('/proc/self/status' as DiskPath);
    expect(() => nodeFs.sync(file)).toThrow('EINVAL: sync /proc/self/status');
    nodeFs.close(file);
  });

  test.skipIf(!linux)('leaves no handle open, whatever fails', () => {
    const { workspace } = world(onTestFinished);
    mkdirSync(`${workspace}/folder`);
    writeFileSync(`${workspace}/file`, '');
    symlinkSync('folder', `${workspace}/link`);
    const before = readdirSync('/proc/self/fd').length;
    for (const name of ['folder', 'file', 'link', 'missing', 'a\0b']) {
      const path = `${workspace}/${name}` as DiskPath;
      for (const action of [
        () => nodeFs.list(path),
        () => nodeFs.listWithStats(path),
        () => nodeFs.chmod(path, 0o700),
        () => nodeFs.makeLink('', path),
      ]) {
        try {
          action();
        } catch (error) {
          if (!isFsError(error)) throw error;
        }
      }
    }
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
  });
});

describe('the node driver without the native add-on', () => {
  const make = () => ({ fs: nodeFsWithoutNative, folder: world(onTestFinished).workspace, byteNames: linux });
  for (const { name, run } of fsConformance(make)) test(name, run);
});

describe.each([
  ['the node driver', nodeFs],
  ['the node driver without the native add-on', nodeFsWithoutNative],
])('a listing of %s', (_which, nodeFs) => {
  test.skipIf(!linux)('in a folder that may be read but not entered, reports for each name why it has no stat', () => {
    const { workspace, folder: all } = world(onTestFinished);
    mkdirSync(`${workspace}/folder`);
    for (const name of ['a', 'b\xff']) writeFileSync(Buffer.from(`${workspace}/folder/${name}`, 'latin1'), '');
    const folder = nodeFs.openFolder(`${workspace}/folder` as DiskPath);
    const through = nodeFs.folderPath(folder, `${workspace}/folder` as DiskPath);
    chmodSync(`${workspace}/folder`, 0o444);
    onTestFinished(() => chmodSync(`${workspace}/folder`, 0o700));
    const listings = asSomebody(all, () => [
      nodeFs.listWithStats(through),
      nodeFs.listWithStats(`${workspace}/folder` as DiskPath),
    ]);
    nodeFs.close(folder);
    for (const { names, numbers, failed } of listings) {
      expect(names).toEqual(['a', 'b\xff']);
      expect([...numbers]).toEqual(Array.from({ length: 14 }, () => 0));
      expect([...failed].map(([index, failure]) => [index, failure.message])).toEqual([
        [0, `EACCES: listWithStats ${workspace}/folder/a`],
        [1, `EACCES: listWithStats ${workspace}/folder/b\xff`],
      ]);
    }
  });

  test.skipIf(!linux)('fails for an unreadable folder, and uses the handle if parents cannot be entered', () => {
    const { workspace, folder: all } = world(onTestFinished);
    mkdirSync(`${workspace}/outer/folder`, { recursive: true });
    writeFileSync(`${workspace}/outer/folder/a`, 'four');
    const path = `${workspace}/outer/folder` as DiskPath;
    const folder = nodeFs.openFolder(path);
    const through = nodeFs.folderPath(folder, path);
    chmodSync(`${workspace}/outer`, 0);
    onTestFinished(() => chmodSync(`${workspace}/outer`, 0o700));
    asSomebody(all, () => {
      expect(() => nodeFs.listWithStats(path)).toThrow('EACCES: listWithStats');
      const listing = nodeFs.listWithStats(through);
      expect(listing.names).toEqual(['a']);
      expect(statOf(listing, 0).size).toBe(4);
      expect(listing.failed.size).toBe(0);
    });
    nodeFs.close(folder);
  });

  test.skipIf(!linux)('uses the handle if the path is too long for a call', () => {
    const { workspace } = world(onTestFinished);
    const handles = [nodeFs.openFolder(workspace as DiskPath)];
    const through = () => nodeFs.folderPath(handles.at(-1)!, workspace as DiskPath);
    for (let depth = 0; depth < 20; depth++) {
      const below = `${through()}/${'n'.repeat(250)}` as DiskPath;
      nodeFs.makeFolder(below, 0o755);
      handles.push(nodeFs.openFolder(below));
    }
    nodeFs.close(nodeFs.openNew(`${through()}/a` as DiskPath, 0o640));
    const listing = nodeFs.listWithStats(through());
    for (const handle of handles) nodeFs.close(handle);
    execFileSync('rm', ['-rf', `${workspace}/${'n'.repeat(250)}`]);
    expect(listing.names).toEqual(['a']);
    expect(permissions(statOf(listing, 0))).toBe(0o640);
  });

  test.skipIf(!linux)('omits entries that vanish during the listing, and reports none twice or half', async () => {
    const { workspace } = world(onTestFinished);
    writeFileSync(`${workspace}/kept`, 'kept');
    const code = `
      const { mkdirSync, renameSync, rmdirSync, unlinkSync, writeFileSync } = require('node:fs');
      process.chdir(process.argv[1]);
      console.log('ready');
      for (;;) {
        for (let n = 0; n < 50; n++) writeFileSync('come' + n, 'x');
        mkdirSync('folder');
        for (let n = 0; n < 50; n++) if (n % 2) unlinkSync('come' + n); else renameSync('come' + n, 'gone');
        rmdirSync('folder');
      }`;
    const other = spawn(process.execPath, ['-e', code, workspace], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      await once(other.stdout, 'data');
      for (let round = 0; round < 300; round++) {
        const listing = nodeFs.listWithStats(workspace as DiskPath);
        expect(listing.failed.size).toBe(0);
        expect(new Set(listing.names).size).toBe(listing.names.length);
        expect(statOf(listing, listing.names.indexOf('kept' as Name)).size).toBe(4);
        for (const [index, name] of listing.names.entries()) {
          const kind = name === 'folder' ? 'folder' : 'file';
          expect(kindOf(statOf(listing, index)), name).toBe(kind);
        }
      }
    } finally {
      other.kill('SIGKILL');
      await once(other, 'close');
    }
  });
});

describe.skipIf(windows)('the node driver as it behaves on macOS', () => {
  const make = () => ({ fs: nodeFsOf('darwin'), folder: world(onTestFinished).workspace, byteNames: linux });
  for (const { name, run } of fsConformance(make)) test(name, run);
});

describe.skipIf(windows)('the node driver as it behaves on Windows', () => {
  const fs = nodeFsOf('win32');
  const make = () => ({ fs, folder: world(onTestFinished).workspace, byteNames: linux });
  for (const { name, run } of fsConformance(make)) test(name, run);

  test('has handles that refer only to the folder itself', () => {
    const { workspace } = world(onTestFinished);
    const path = `${workspace}/folder` as DiskPath;
    fs.makeFolder(path, 0o755);
    const folder = fs.openFolder(path);
    expect(fs.fstat(folder).ino).toBe(fs.lstat(path)?.ino);
    fs.sync(folder);
    renameSync(path, `${workspace}/moved`);
    expect(() => fs.fstat(folder)).toThrow('ESTALE');
    mkdirSync(path);
    expect(() => fs.sync(folder)).toThrow('ESTALE');
    rmdirSync(path);
    renameSync(`${workspace}/moved`, path);
    fs.sync(folder);
    fs.close(folder);
    expect(() => fs.sync(folder)).toThrow('EBADF');
    expect(() => fs.close(folder)).toThrow('EBADF');
  });

  test('refuses a link that replaces a file just before it is opened', () => {
    const { workspace } = world(onTestFinished);
    writeFileSync(`${workspace}/victim`, 'secret');
    symlinkSync('victim', `${workspace}/link`);
    const free = openSync('/dev/null', 'r');
    closeSync(free);
    expect(() => fs.openRead(`${workspace}/link` as DiskPath)).toThrow('ELOOP');
    // The system returns the lowest free number, so no handle leaked.
    const next = openSync('/dev/null', 'r');
    closeSync(next);
    expect(next).toBe(free);
  });

  test('waits for a limited time if another program holds the file', () => {
    const { workspace } = world(onTestFinished);
    mkdirSync(`${workspace}/folder`);
    const wait = vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
    onTestFinished(() => {
      wait.mockRestore();
    });
    // Linux returns EBUSY for a trailing `.`; Windows does for a file in use.
    expect(() => fs.rename(`${workspace}/folder/.` as DiskPath, `${workspace}/other` as DiskPath)).toThrow(
      'EBUSY: rename',
    );
    const waited = wait.mock.calls.map(([, , , ms]) => ms ?? 0);
    expect(waited).toHaveLength(8);
    expect(waited.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(2000);
    wait.mockClear();
    expect(() => fs.rename(`${workspace}/missing` as DiskPath, `${workspace}/other` as DiskPath)).toThrow('ENOENT');
    expect(() => nodeFs.rename(`${workspace}/folder/.` as DiskPath, `${workspace}/other` as DiskPath)).toThrow('EBUSY');
    expect(wait).not.toHaveBeenCalled();
  });
});
