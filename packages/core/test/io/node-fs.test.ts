import { execFileSync } from 'node:child_process';
import {
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
import { isFsError } from '../../src/io/fs.ts';
import { foldersNotSynced, nodeFs, nodeFsOf } from '../../src/io/node-fs.ts';
import type { DiskPath } from '../../src/model/names.ts';

const linux = process.platform === 'linux';
const windows = process.platform === 'win32';

describe('the node driver', () => {
  const make = () => ({ fs: nodeFs, folder: world(onTestFinished).workspace, byteNames: linux });
  for (const { name, run } of fsConformance(make)) test(name, run);

  test.skipIf(windows)('does not wait for a writer at a FIFO', () => {
    const { workspace } = world(onTestFinished);
    execFileSync('mkfifo', [`${workspace}/fifo`]);
    const fd = nodeFs.openRead(`${workspace}/fifo` as DiskPath);
    expect(nodeFs.fstat(fd).mode & constants.S_IFMT).toBe(constants.S_IFIFO);
    nodeFs.close(fd);
  });

  test.skipIf(!linux)('puts up with a file system that cannot sync folders, and tells; a file must be synced', () => {
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
      for (const act of [() => nodeFs.list(path), () => nodeFs.chmod(path, 0o700), () => nodeFs.makeLink('', path)]) {
        try {
          act();
        } catch (error) {
          if (!isFsError(error)) throw error;
        }
      }
    }
    expect(readdirSync('/proc/self/fd')).toHaveLength(before);
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

  test('has handles on folders that stand for the folder alone', () => {
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

  test('refuses a link that is put in the place of a file just before it is opened', () => {
    const { workspace } = world(onTestFinished);
    writeFileSync(`${workspace}/victim`, 'secret');
    symlinkSync('victim', `${workspace}/link`);
    const before = openSync('/dev/null', 'r');
    expect(() => fs.openRead(`${workspace}/link` as DiskPath)).toThrow('ELOOP');
    expect(openSync('/dev/null', 'r')).toBe(before + 1);
  });

  test('waits for a bounded time where another program may hold the file', () => {
    const { workspace } = world(onTestFinished);
    mkdirSync(`${workspace}/folder`);
    const wait = vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
    onTestFinished(() => {
      wait.mockRestore();
    });
    // Linux says EBUSY of a `.` at the end, as Windows does of a file in use.
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
