import type { DiskPath } from '@savepoint/core';
import type { Fd } from '@savepoint/core/ports';
import { describe, expect, test } from 'vitest';
import { fsConformance, SimDisk, seededRandom } from '../src/index.ts';

describe('the simulated disk is a driver like any other', () => {
  const make = () => {
    const fs = new SimDisk();
    fs.makeFolder('/work' as DiskPath, 0o755);
    return { fs, folder: '/work' as DiskPath, byteNames: true };
  };
  for (const { name, run } of fsConformance(make)) test(name, run);
});

const at = (path: string): DiskPath => path as DiskPath;

function put(disk: SimDisk, path: string, content: string): Fd {
  const fd = disk.openNew(at(path), 0o644);
  disk.write(fd, Buffer.from(content), 0);
  return fd;
}

function syncFolder(disk: SimDisk, path: string): void {
  const fd = disk.openFolder(at(path));
  disk.sync(fd);
  disk.close(fd);
}

/** What is visible of a file: its content, `absent`, or its kind. */
function seen(disk: SimDisk, path: string): string {
  const stat = disk.lstat(at(path));
  if (stat === null) return 'absent';
  if ((stat.mode & 0o170000) !== 0o100000) return 'folder';
  const fd = disk.openRead(at(path));
  const buffer = Buffer.alloc(stat.size);
  disk.read(fd, buffer, 0, stat.size, 0);
  disk.close(fd);
  return buffer.toString('latin1');
}

/** All distinct outcomes of a power cut now, for these paths. */
function outcomes(disk: SimDisk, paths: readonly string[], model: 'any-subset' | 'prefix' = 'any-subset'): string[] {
  const found = new Set<string>();
  for (const state of disk.crashStates(model, 100_000, seededRandom(1))) {
    found.add(paths.map((path) => seen(state, path)).join(', '));
  }
  return [...found].sort();
}

describe('a power cut', () => {
  test('may lose a new file, its bytes or its entry, until both are synced', () => {
    const disk = new SimDisk();
    const fd = put(disk, '/file', 'bytes');
    expect(outcomes(disk, ['/file'])).toEqual(['', '\0\0\0\0\0', 'absent', 'by', 'bytes']);
    disk.sync(fd);
    expect(outcomes(disk, ['/file'])).toEqual(['absent', 'bytes']);
    syncFolder(disk, '/');
    expect(outcomes(disk, ['/file'])).toEqual(['bytes']);
  });

  test('leaves an empty file if only the entry was synced', () => {
    const disk = new SimDisk();
    put(disk, '/file', 'bytes');
    syncFolder(disk, '/');
    expect(outcomes(disk, ['/file'])).toContain('');
    expect(outcomes(disk, ['/file'])).not.toContain('absent');
  });

  test('keeps a rename inside a folder atomic, and may lose either entry of one between folders', () => {
    const disk = new SimDisk();
    disk.makeFolder(at('/a'), 0o755);
    disk.makeFolder(at('/b'), 0o755);
    disk.sync(put(disk, '/a/x', 'X'));
    disk.makeDurable();
    disk.rename(at('/a/x'), at('/a/y'));
    expect(outcomes(disk, ['/a/x', '/a/y'])).toEqual(['X, absent', 'absent, X']);
    disk.makeDurable();
    disk.rename(at('/a/y'), at('/b/y'));
    expect(outcomes(disk, ['/a/y', '/b/y'])).toEqual(['X, X', 'X, absent', 'absent, X', 'absent, absent']);
    syncFolder(disk, '/b');
    expect(outcomes(disk, ['/a/y', '/b/y'])).toEqual(['X, X', 'absent, X']);
  });

  test('never leaves a folder in two places', () => {
    const disk = new SimDisk();
    for (const folder of ['/a', '/b', '/a/moved']) disk.makeFolder(at(folder), 0o755);
    disk.makeDurable();
    disk.rename(at('/a/moved'), at('/b/moved'));
    expect(outcomes(disk, ['/a/moved', '/b/moved'])).toEqual(['absent, absent', 'absent, folder', 'folder, absent']);
  });

  test('loses the contents of a new folder together with the folder', () => {
    const disk = new SimDisk();
    disk.makeFolder(at('/new'), 0o755);
    disk.sync(put(disk, '/new/file', 'F'));
    syncFolder(disk, '/new');
    expect(outcomes(disk, ['/new', '/new/file'])).toEqual(['absent, absent', 'folder, F']);
    syncFolder(disk, '/');
    expect(outcomes(disk, ['/new/file'])).toEqual(['F']);
  });

  test('may undo a removal, a hard link and a mode until they are synced', () => {
    const disk = new SimDisk();
    disk.sync(put(disk, '/file', 'F'));
    disk.makeDurable();
    disk.hardLink(at('/file'), at('/twin'));
    disk.unlink(at('/file'));
    expect(outcomes(disk, ['/file', '/twin'])).toEqual(['F, F', 'F, absent', 'absent, F', 'absent, absent']);
    disk.makeDurable();
    disk.chmod(at('/twin'), 0o600);
    const modes = [...disk.crashStates('any-subset', 10, seededRandom(1))].map(
      (state) => state.lstat(at('/twin'))?.mode,
    );
    expect(modes).toEqual([0o100644, 0o100600]);
    const file = disk.openRead(at('/twin'));
    disk.sync(file);
    expect(disk.pending).toBe(0);
  });

  test('counts the remaining names of a file', () => {
    const disk = new SimDisk();
    disk.makeFolder(at('/lost'), 0o755);
    disk.sync(put(disk, '/file', 'F'));
    syncFolder(disk, '/');
    disk.makeDurable();
    disk.makeFolder(at('/new'), 0o755);
    disk.hardLink(at('/file'), at('/new/twin'));
    syncFolder(disk, '/new');
    const names = new Set(
      [...disk.crashStates('any-subset', 10, seededRandom(1))].map((s) => s.lstat(at('/file'))?.nlink),
    );
    expect([...names].sort()).toEqual([1, 2]);
  });

  test('does not count a name that was lost with its folder', () => {
    const disk = new SimDisk();
    disk.makeFolder(at('/folder'), 0o755);
    disk.sync(put(disk, '/file', 'F'));
    disk.hardLink(at('/file'), at('/folder/twin'));
    disk.makeDurable();
    disk.unlink(at('/folder/twin'));
    disk.removeFolder(at('/folder'));
    syncFolder(disk, '/');
    const [left] = disk.crashStates('any-subset', 1, seededRandom(1));
    expect(left?.lstat(at('/file'))?.nlink).toBe(1);
  });

  test('keeps the order in the prefix model', () => {
    const disk = new SimDisk();
    for (const name of ['1', '2', '3']) disk.makeFolder(at(`/${name}`), 0o755);
    expect(outcomes(disk, ['/1', '/2', '/3'], 'prefix')).toEqual([
      'absent, absent, absent',
      'folder, absent, absent',
      'folder, folder, absent',
      'folder, folder, folder',
    ]);
    expect(outcomes(disk, ['/1', '/2', '/3'])).toHaveLength(8);
  });

  test('gives the same states for the same seed, at most the requested number', () => {
    const disk = new SimDisk();
    for (let number = 0; number < 30; number++) put(disk, `/file-${number}`, `content ${number}`);
    const paths = Array.from({ length: 30 }, (_, number) => `/file-${number}`);
    const states = (seed: number): string[] => {
      const found = [...disk.crashStates('any-subset', 200, seededRandom(seed))];
      return found.map((state) => paths.map((path) => seen(state, path)).join());
    };
    expect(states(1)).toHaveLength(200);
    expect(states(1)).toEqual(states(1));
    expect(states(2)).not.toEqual(states(1));
    expect(new Set(states(1)).size).toBeGreaterThan(150);
  });

  test('gives disks that share nothing with each other or with the original', () => {
    const disk = new SimDisk();
    const fd = put(disk, '/file', 'before');
    disk.makeDurable();
    disk.write(fd, Buffer.from('AFTER'), 0);
    const [first, second] = disk.crashStates(
      'prefix',
      10,
      seededRandom(1),
    ) as Iterable<SimDisk> as unknown as SimDisk[];
    const states = [first, second].filter((state) => state !== undefined);
    for (const state of states) {
      state.chmod(at('/file'), 0o600);
      state.unlink(at('/file'));
      put(state, '/file', 'other');
      put(state, '/more', 'more');
    }
    disk.write(fd, Buffer.from('!'), 0);
    expect(seen(disk, '/file')).toBe('!FTERe');
    expect(seen(disk, '/more')).toBe('absent');
    for (const state of states) expect(seen(state, '/file')).toBe('other');
  });

  test('gives a disk on which everything is durable', () => {
    const disk = new SimDisk();
    put(disk, '/file', 'F');
    for (const state of disk.crashStates('any-subset', 100, seededRandom(1))) {
      expect(outcomes(state, ['/file'])).toEqual([seen(state, '/file')]);
    }
  });
});

test('the death of a process closes its handles and changes nothing else', () => {
  const disk = new SimDisk();
  const fd = put(disk, '/file', 'F');
  const after = disk.afterProcessDeath();
  expect(seen(after, '/file')).toBe('F');
  expect(() => after.fstat(fd)).toThrow('EBADF');
  expect(outcomes(after, ['/file'])).toContain('absent');
  after.unlink(at('/file'));
  expect(seen(disk, '/file')).toBe('F');
});

test('handle numbers are never reused, so that a stale path leads nowhere', () => {
  const disk = new SimDisk();
  disk.makeFolder(at('/folder'), 0o755);
  const first = disk.openFolder(at('/folder'));
  const stale = disk.folderPath(first, at('/folder'));
  disk.close(first);
  disk.openFolder(at('/folder'));
  expect(() => disk.list(stale)).toThrow('ENOENT');
  expect(() => disk.close(first)).toThrow('EBADF');
});

test('onCall gets every changing or syncing call before it happens', () => {
  const disk = new SimDisk();
  const reported: string[] = [];
  disk.onCall = ({ number, operation, path }) => reported.push(`${number} ${operation} ${path} ${seen(disk, '/a')}`);
  const fd = put(disk, '/a', 'A');
  disk.sync(fd);
  disk.close(fd);
  disk.rename(at('/a'), at('/b'));
  expect(reported).toEqual(['1 openNew /a absent', '2 write /a ', '3 sync /a A', '4 rename /b A']);
});

test('mounts are other devices', () => {
  const disk = new SimDisk();
  disk.makeFolder(at('/mount'), 0o755);
  disk.mountAt(at('/mount'));
  put(disk, '/file', 'F');
  put(disk, '/mount/file', 'M');
  expect(disk.lstat(at('/mount/file'))?.dev).not.toBe(disk.lstat(at('/file'))?.dev);
  expect(() => disk.rename(at('/file'), at('/mount/other'))).toThrow('EXDEV');
  expect(() => disk.hardLink(at('/file'), at('/mount/other'))).toThrow('EXDEV');
  disk.unlink(at('/mount/file'));
  expect(() => disk.removeFolder(at('/mount'))).toThrow('EBUSY');
});

test('times are those of the test clock', () => {
  const disk = new SimDisk({ now: 1000 });
  const fd = put(disk, '/file', 'F');
  disk.now = 2000;
  disk.fchmod(fd, 0o600);
  expect(disk.lstat(at('/file'))).toMatchObject({ birthtimeMs: 1000, mtimeMs: 1000, ctimeMs: 2000 });
  disk.now = 3000;
  disk.write(fd, Buffer.from('G'), 0);
  expect(disk.lstat(at('/file'))).toMatchObject({ birthtimeMs: 1000, mtimeMs: 3000, ctimeMs: 3000 });
  disk.now = 4000;
  disk.rename(at('/file'), at('/other'));
  expect(disk.lstat(at('/'))).toMatchObject({ mtimeMs: 4000, ctimeMs: 4000 });
});

test('a disk that folds names keeps their spelling and finds them under any spelling', () => {
  const disk = new SimDisk({ folds: true });
  put(disk, '/ReadMe', 'R');
  expect(seen(disk, '/README')).toBe('R');
  expect(() => disk.openNew(at('/readme'), 0o644)).toThrow('EEXIST');
  disk.rename(at('/readme'), at('/README'));
  expect(disk.list(at('/'))).toEqual(['README']);
  put(disk, `/${Buffer.from('\u00e9').toString('latin1')}`, 'e');
  expect(seen(disk, `/${Buffer.from('E\u0301').toString('latin1')}`)).toBe('e');
});

test('a FIFO is special', () => {
  const disk = new SimDisk();
  disk.makeSpecial(at('/fifo'), 0o600);
  expect((disk.lstat(at('/fifo'))?.mode ?? 0) & 0o170000).toBe(0o010000);
});
