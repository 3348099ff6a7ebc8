import type { DiskPath } from '@savepoint/core';
import { type Fs, FsError } from '@savepoint/core/ports';
import { expect, test } from 'vitest';
import { dieByThrowing, FaultyFs, fsConformance, isUnder, ProcessDied, SimDisk } from '../src/index.ts';

const at = (path: string): DiskPath => path as DiskPath;

/** Writes a file through a temporary file, and cleans up after a failure, like the engine. */
function save(fs: Fs): void {
  const folder = fs.openFolder(at('/work'));
  const through = fs.folderPath(folder, at('/work'));
  try {
    const file = fs.openNew(at(`${through}/new`), 0o600);
    try {
      fs.write(file, Buffer.from('12345678'), 0);
      fs.sync(file);
    } finally {
      fs.close(file);
    }
    fs.rename(at(`${through}/new`), at(`${through}/file`));
  } catch (error) {
    if (fs.lstat(at('/work/new')) !== null) fs.unlink(at('/work/new'));
    throw error;
  } finally {
    fs.close(folder);
  }
}

function disk(): SimDisk {
  const fs = new SimDisk();
  fs.makeFolder(at('/work'), 0o755);
  return fs;
}

test('without a plan it passes every call to its driver, and records it', async () => {
  for (const { run } of fsConformance(() => ({ fs: new FaultyFs(disk()), folder: at('/work'), byteNames: true })))
    await run();
  const fs = new FaultyFs(disk());
  save(fs);
  expect(fs.log.map(({ operation, path, changes }) => `${operation} ${path}${changes ? ' !' : ''}`)).toEqual([
    'openFolder /work',
    'openNew /work/new !',
    'write /work/new !',
    'sync /work/new !',
    'close /work/new',
    'rename /work/file !',
    'close /work',
  ]);
  expect(fs.counted).toBe(5);
  expect(fs.hit).toBe(false);
});

test('fails each call once with the errno, and later calls succeed', () => {
  for (let number = 1; number <= 5; number++) {
    const real = disk();
    const fs = new FaultyFs(real, { at: number, fault: { fail: 'EIO' } });
    let failure: unknown = null;
    try {
      save(fs);
    } catch (error) {
      failure = error;
    }
    expect(failure).toBeInstanceOf(FsError);
    expect(failure).toMatchObject({
      code: 'EIO',
      operation: ['openFolder', 'openNew', 'write', 'sync', 'rename'][number - 1],
    });
    expect(fs.hit).toBe(true);
    expect(real.list(at('/work'))).toEqual([]);
  }
});

test('keeps failing if the fault is sticky', () => {
  const real = disk();
  const fs = new FaultyFs(real, { at: 3, fault: { fail: 'EROFS', sticky: true }, counts: (call) => call.changes });
  expect(() => save(fs)).toThrow('EROFS: unlink /work/new');
  expect(real.list(at('/work'))).toEqual(['new']);
});

test('counts the calls that the plan selects', () => {
  const fs = new FaultyFs(disk(), {
    at: 1,
    fault: { fail: 'ENOSPC' },
    counts: (call) => isUnder(call, at('/work/file')) && call.operation === 'rename',
  });
  expect(() => save(fs)).toThrow('ENOSPC: rename /work/file');
  expect(fs.counted).toBe(1);
  expect(isUnder({ operation: 'rename', path: at('/work/file'), changes: true }, at('/work/fil'))).toBe(false);
  expect(isUnder({ operation: 'rename', path: at('/work/file'), changes: true }, at('/work'))).toBe(true);
});

test('dies before a changing call, and later clean-up has no effect', () => {
  const left = [[], ['new'], ['new'], ['new']];
  for (const [index, names] of left.entries()) {
    const real = disk();
    const fs = new FaultyFs(real, { at: index + 1, fault: { die: dieByThrowing } });
    expect(() => save(fs)).toThrow(ProcessDied);
    expect(real.list(at('/work'))).toEqual(names);
    expect(fs.counted).toBe(index + 1);
    expect(() => fs.lstat(at('/work'))).toThrow(ProcessDied);
    expect(() => fs.close(3 as never)).toThrow(ProcessDied);
  }
  const fs = new FaultyFs(disk(), { at: 5, fault: { die: dieByThrowing } });
  save(fs);
  expect(fs.hit).toBe(false);
});

test('performs half of the write at which it fails or dies', () => {
  for (const fault of [{ fail: 'ENOSPC' }, { die: dieByThrowing }]) {
    const real = disk();
    const fs = new FaultyFs(real, { at: 1, fault, torn: true, counts: ({ operation }) => operation === 'write' });
    const file = fs.openNew(at('/work/file'), 0o600);
    expect(() => fs.write(file, Buffer.from('12345678'), 0)).toThrow();
    expect(real.lstat(at('/work/file'))?.size).toBe(4);
  }
});

test('a handle is always closed', () => {
  const real = disk();
  const fs = new FaultyFs(real, { at: 2, fault: { fail: 'EIO', sticky: true } });
  const folder = fs.openFolder(at('/work'));
  fs.close(folder);
  expect(() => real.fstat(folder)).toThrow('EBADF');
  expect(() => fs.lstat(at('/work'))).toThrow('EIO');
});
