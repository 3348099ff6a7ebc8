import { dieByThrowing, FaultyFs, ProcessDied, SimDisk, seededRandom, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  containingFolder,
  durableCreate,
  durableWrite,
  isTemporaryName,
  readEntireFile,
} from '../../src/io/durable-write.ts';
import { type Fd, type Fs, FsError } from '../../src/io/fs.ts';
import { nodeFs } from '../../src/io/node/fs.ts';
import type { DiskPath } from '../../src/model/names.ts';

const PATH = '/store/record' as DiskPath;
const OLD = Buffer.from('the old record');
const NEW = Buffer.from('the new record, which is longer');

function storeWith(content: Buffer | null): SimDisk {
  const disk = new SimDisk();
  disk.makeFolder('/store' as DiskPath, 0o700);
  if (content !== null) durableWrite(disk, PATH, content, 0o600);
  disk.makeDurable();
  return disk;
}

function contentOf(fs: Fs): string {
  return fs.lstat(PATH) === null ? 'absent' : readEntireFile(fs, PATH, 1000).toString();
}

/** The possible contents of the path after a power cut before each call, and after the last one. */
function outcomes(disk: SimDisk, action: (fs: Fs) => void, fs: Fs = disk): { during: Set<string>; after: Set<string> } {
  const during = new Set<string>();
  const after = new Set<string>();
  const collect = (into: Set<string>): void => {
    for (const model of ['any-subset', 'prefix'] as const) {
      for (const state of disk.crashStates(model, 5000, seededRandom(1))) into.add(contentOf(state));
    }
  };
  disk.onCall = () => collect(during);
  action(fs);
  disk.onCall = null;
  collect(after);
  return { during, after };
}

/** A disk whose `sync` does nothing, for files or for folders. */
function withoutSync(disk: SimDisk, what: 'file' | 'folder'): Fs {
  const folders = new Set<Fd>();
  return new Proxy<Fs>(disk, {
    get(target, property: keyof Fs) {
      if (property === 'openFolder') {
        return (path: DiskPath) => {
          const fd = target.openFolder(path);
          folders.add(fd);
          return fd;
        };
      }
      if (property === 'sync') {
        return (fd: Fd) => (folders.has(fd) ? 'folder' : 'file') !== what && target.sync(fd);
      }
      const method = target[property] as (...args: unknown[]) => unknown;
      return method.bind(target);
    },
  });
}

describe('durableWrite', () => {
  test('leaves the old bytes or the new ones at every crash, and the new ones once it has returned', () => {
    const { during, after } = outcomes(storeWith(OLD), (fs) => durableWrite(fs, PATH, NEW, 0o600));
    expect([...during].sort()).toEqual([`${NEW}`, `${OLD}`].sort());
    expect([...after]).toEqual([`${NEW}`]);
  });

  test('creates in the same way as it replaces', () => {
    const { during, after } = outcomes(storeWith(null), (fs) => durableWrite(fs, PATH, NEW, 0o600));
    expect([...during].sort()).toEqual([`${NEW}`, 'absent'].sort());
    expect([...after]).toEqual([`${NEW}`]);
  });

  test.each(['file', 'folder'] as const)('needs its sync of the %s: without it a crash loses data', (what) => {
    const disk = storeWith(OLD);
    const { during, after } = outcomes(disk, (fs) => durableWrite(fs, PATH, NEW, 0o600), withoutSync(disk, what));
    const fine = [...during].every((content) => content === `${OLD}` || content === `${NEW}`) && after.size === 1;
    expect(fine).toBe(false);
  });

  test('reports the failure, changes nothing and leaves no debris', () => {
    const calls = new FaultyFs(storeWith(OLD));
    durableWrite(calls, PATH, NEW, 0o600);
    expect(calls.log.map((call) => call.operation)).toEqual(
      'openNew write fchmod sync close rename openFolder sync close'.split(' '),
    );
    for (let at = 1; at <= calls.counted; at++) {
      const disk = storeWith(OLD);
      const faulty = new FaultyFs(disk, { at, fault: { fail: 'EIO' }, torn: true });
      expect(() => durableWrite(faulty, PATH, NEW, 0o600)).toThrow(FsError);
      const renamed = at > 5;
      expect(contentOf(disk)).toBe(`${renamed ? NEW : OLD}`);
      const count = (...names: string[]): number => faulty.log.filter((call) => names.includes(call.operation)).length;
      expect(count('close')).toBe(count('openNew', 'openFolder') - (at === 1 || at === 6 ? 1 : 0));
      expect(disk.list('/store' as DiskPath)).toEqual(['record']);
    }
  });

  test('works after any number of deaths, whatever they left', () => {
    const disk = storeWith(OLD);
    for (let death = 0; death < 40; death++) {
      const faulty = new FaultyFs(disk, {
        at: 1 + (death % 4),
        fault: { die: dieByThrowing },
        torn: true,
        counts: (call) => call.changes && call.operation !== 'openNew' && call.operation !== 'unlink',
      });
      expect(() => durableWrite(faulty, PATH, NEW, 0o600)).toThrow(ProcessDied);
      expect(contentOf(disk)).toBe(`${OLD}`);
    }
    const left = disk.list('/store' as DiskPath);
    expect(left.length).toBeLessThanOrEqual(17);
    expect(left.filter((name) => name !== 'record').every(isTemporaryName)).toBe(true);
    durableWrite(disk, PATH, NEW, 0o600);
    expect(contentOf(disk)).toBe(`${NEW}`);
    expect(disk.list('/store' as DiskPath)).toEqual(['record']);
  });

  test('sets the exact mode whatever the umask, and does not follow a link at its path', () => {
    const { workspace } = world(onTestFinished);
    const path = `${workspace}/record` as DiskPath;
    nodeFs.makeLink('victim', path);
    durableWrite(nodeFs, path, NEW, 0o666);
    expect((nodeFs.lstat(path)?.mode ?? 0) & 0o7777).toBe(0o666);
    expect(nodeFs.list(workspace)).toEqual(['record']);
    expect(readEntireFile(nodeFs, path, 100)).toEqual(NEW);
  });
});

describe('durableCreate', () => {
  test('creates the complete file or nothing, durably', () => {
    const { during, after } = outcomes(storeWith(null), (fs) => durableCreate(fs, PATH, NEW, 0o600));
    expect([...during].sort()).toEqual([`${NEW}`, 'absent'].sort());
    expect([...after]).toEqual([`${NEW}`]);
  });

  test('never replaces', () => {
    const disk = storeWith(OLD);
    expect(() => durableCreate(disk, PATH, NEW, 0o600)).toThrow('EEXIST');
    expect(contentOf(disk)).toBe(`${OLD}`);
    expect(disk.list('/store' as DiskPath)).toEqual(['record']);
  });

  test('works without hard links, where a crash may leave an empty file but never half of one', () => {
    const disk = storeWith(null);
    const isLink = (call: { operation: string }): boolean => call.operation === 'hardLink';
    const faulty = new FaultyFs(disk, { at: 1, fault: { fail: 'EPERM', sticky: true }, counts: isLink });
    const { during, after } = outcomes(disk, (fs) => durableCreate(fs, PATH, NEW, 0o600), faulty);
    expect(faulty.hit).toBe(true);
    expect([...during].sort()).toEqual(['', `${NEW}`, 'absent'].sort());
    expect([...after]).toEqual([`${NEW}`]);
    expect(() => durableCreate(faulty, PATH, OLD, 0o600)).toThrow('EEXIST');
    expect(contentOf(disk)).toBe(`${NEW}`);
    expect(disk.list('/store' as DiskPath)).toEqual(['record']);
  });
});

describe('readWhole', () => {
  test('reads up to the limit and refuses more', () => {
    const disk = storeWith(OLD);
    expect(readEntireFile(disk, PATH, OLD.length)).toEqual(OLD);
    expect(() => readEntireFile(disk, PATH, OLD.length - 1)).toThrow('EFBIG');
    expect(() => readEntireFile(disk, '/store' as DiskPath, 100)).toThrow('EINVAL');
    expect(() => readEntireFile(disk, '/store/none' as DiskPath, 100)).toThrow('ENOENT');
    disk.makeLink('record', '/store/link' as DiskPath);
    expect(() => readEntireFile(disk, '/store/link' as DiskPath, 100)).toThrow('ELOOP');
  });

  test.skipIf(process.platform !== 'linux')('reads files that report no size, within the limit', () => {
    const stat = '/proc/self/status' as DiskPath;
    expect(nodeFs.lstat(stat)?.size).toBe(0);
    expect(readEntireFile(nodeFs, stat, 100_000).toString()).toMatch(/^Name:.*\nPid:/s);
    expect(() => readEntireFile(nodeFs, stat, 100)).toThrow('EFBIG');
  });

  test('allocates nothing for a file over the limit', () => {
    const path = `${world(onTestFinished).workspace}/huge` as DiskPath;
    const file = nodeFs.openNew(path, 0o600);
    nodeFs.write(file, Buffer.from('x'), 2 ** 36);
    nodeFs.close(file);
    expect(() => readEntireFile(nodeFs, path, 100)).toThrow('EFBIG');
  });

  test('closes the file, also when it fails', () => {
    const disk = storeWith(OLD);
    for (let at = 1; at <= 3; at++) {
      const faulty = new FaultyFs(disk, { at, fault: { fail: 'EIO' } });
      expect(() => readEntireFile(faulty, PATH, 100)).toThrow(FsError);
      const opened = faulty.log.filter(({ operation }, index) => operation === 'openRead' && index + 1 !== at).length;
      expect(faulty.log.filter(({ operation }) => operation === 'close')).toHaveLength(opened);
    }
  });
});

test.each([
  ['/a/b', '/a'],
  ['/a', '/'],
  ['/a\\b/c', '/a\\b'],
  ['/a/b\\c', '/a'],
  ['C:\\a\\b', 'C:\\a'],
  ['C:\\a', 'C:\\'],
  ['C:\\a/b', 'C:\\a'],
  ['\\\\host\\share\\a', '\\\\host\\share'],
])('the folder of %s is %s', (path, folder) => {
  expect(containingFolder(path as DiskPath)).toBe(folder);
});
