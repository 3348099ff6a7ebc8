import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { SimDisk, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FolderWalk } from '../../src/io/folder-walk.ts';
import { type Fs, isFsError } from '../../src/io/fs.ts';
import { nodeFs, nodeFsOf } from '../../src/io/node/fs.ts';
import { SavepointError } from '../../src/model/errors.ts';
import type { DiskPath, TreePath } from '../../src/model/names.ts';

const at = (path: string): DiskPath => path as DiskPath;
const tree = (path: string): TreePath => path as TreePath;

/** A disk without paths through handles, as on macOS and Windows. */
function withoutHandlePaths(disk: SimDisk): Fs {
  const fs = Object.create(disk) as Fs;
  return new Proxy(fs, {
    get(_target, property: Exclude<keyof Fs, 'copyFiles' | 'listAside'>) {
      if (property === 'folderPath') return (_folder: unknown, path: DiskPath) => path;
      const method = disk[property] as (...args: unknown[]) => unknown;
      return method.bind(disk);
    },
  });
}

function diskWith(...folders: string[]): SimDisk {
  const disk = new SimDisk();
  for (const folder of ['/work', '/outside', ...folders]) disk.makeFolder(at(folder), 0o755);
  return disk;
}

function touchFile(fs: Fs, path: DiskPath): void {
  fs.close(fs.openNew(path, 0o644));
}

const WAYS = [
  ['through handles', (disk: SimDisk): Fs => disk],
  ['where paths do not go through handles', withoutHandlePaths],
] as const;

describe.each(WAYS)('a walk %s', (_way, fsOf) => {
  test('reaches children of folders at any depth, and the workspace itself', () => {
    const disk = diskWith('/work/a', '/work/a/b');
    const walk = new FolderWalk(fsOf(disk), at('/work'));
    for (const path of ['x', 'a/x', 'a/b/x']) touchFile(disk, walk.child(tree(path)) as DiskPath);
    expect(disk.list(at('/work')).sort()).toEqual(['a', 'x']);
    expect(disk.list(at('/work/a')).sort()).toEqual(['b', 'x']);
    expect(disk.list(walk.folder(tree('a/b')) as DiskPath)).toEqual(['x']);
    expect(disk.list(walk.child(tree('')) as DiskPath).sort()).toEqual(['a', 'x']);
    walk.close();
  });

  test('returns null where nothing can exist, and refuses links', () => {
    const disk = diskWith('/work/a');
    touchFile(disk, at('/work/file'));
    disk.makeLink('a', at('/work/inward'));
    disk.makeLink('/outside', at('/work/a/outward'));
    disk.makeLink('nothing', at('/work/dangling'));
    const walk = new FolderWalk(fsOf(disk), at('/work'));
    expect(walk.child(tree('missing/x'))).toBeNull();
    expect(walk.child(tree('missing/below/x'))).toBeNull();
    expect(walk.child(tree('file/x'))).toBeNull();
    expect(walk.child(tree('file/below/x'))).toBeNull();
    expect(walk.folder(tree('file'))).toBeNull();
    const throughLinks = {
      'inward/x': 'inward',
      'a/outward/x': 'a/outward',
      'a/outward/y/x': 'a/outward',
      'dangling/x': 'dangling',
    };
    for (const [path, link] of Object.entries(throughLinks)) {
      let thrown: unknown = null;
      try {
        walk.child(tree(path));
      } catch (error) {
        thrown = error;
      }
      expect(thrown).toBeInstanceOf(SavepointError);
      expect(thrown).toMatchObject({ code: 'PATH_REFUSED', data: { path: link, why: 'is a link' } });
    }
    expect(walk.child(tree('inward'))).not.toBeNull();
    walk.close();
  });

  test('detects a folder that was replaced since the last visit', () => {
    const disk = diskWith('/work/a', '/work/a/b');
    const walk = new FolderWalk(fsOf(disk), at('/work'));
    touchFile(disk, walk.child(tree('a/b/first')) as DiskPath);
    disk.rename(at('/work/a'), at('/work/moved'));
    expect(walk.child(tree('a/b/x'))).toBeNull();
    disk.makeLink('/outside', at('/work/a'));
    expect(() => walk.child(tree('a/x'))).toThrow('is a link');
    expect(() => walk.child(tree('a/b/x'))).toThrow('is a link');
    disk.unlink(at('/work/a'));
    for (const folder of ['/work/a', '/work/a/b']) disk.makeFolder(at(folder), 0o755);
    touchFile(disk, walk.child(tree('a/b/second')) as DiskPath);
    expect(disk.list(at('/work/moved/b'))).toEqual(['first']);
    expect(disk.list(at('/work/a/b'))).toEqual(['second']);
    expect(disk.list(at('/outside'))).toEqual([]);
    walk.close();
  });

  test('makes entries durable, and returns whether the folder existed', () => {
    const disk = diskWith('/work/a');
    disk.makeDurable();
    const walk = new FolderWalk(fsOf(disk), at('/work'));
    touchFile(disk, walk.child(tree('a/x')) as DiskPath);
    touchFile(disk, walk.child(tree('x')) as DiskPath);
    expect(disk.pending).toBe(2);
    expect(walk.sync(tree('a'))).toBe(true);
    expect(disk.pending).toBe(1);
    expect(walk.sync(tree(''))).toBe(true);
    expect(disk.pending).toBe(0);
    expect(walk.sync(tree('missing'))).toBe(false);
    walk.close();
  });

  test('detects whether the workspace is still in place', () => {
    const disk = diskWith();
    const walk = new FolderWalk(fsOf(disk), at('/work'));
    expect(walk.isRootUnchanged()).toBe(true);
    disk.rename(at('/work'), at('/elsewhere'));
    expect(walk.isRootUnchanged()).toBe(false);
    disk.makeFolder(at('/work'), 0o755);
    expect(walk.isRootUnchanged()).toBe(false);
    disk.removeFolder(at('/work'));
    disk.makeLink('/elsewhere', at('/work'));
    expect(walk.isRootUnchanged()).toBe(false);
    walk.close();
  });

  test('refuses to start at a link, a file or a missing path', () => {
    const disk = diskWith();
    disk.makeLink('/work', at('/link'));
    touchFile(disk, at('/file'));
    for (const root of ['/link', '/file', '/missing']) expect(() => new FolderWalk(fsOf(disk), at(root))).toThrow();
  });

  test('cannot be used after it is closed', () => {
    const disk = diskWith('/work/a');
    const walk = new FolderWalk(fsOf(disk), at('/work'));
    walk.child(tree('a/x'));
    walk.close();
    walk.close();
    expect(() => walk.child(tree('a/x'))).toThrow('EBADF');
    expect(() => walk.sync(tree('a'))).toThrow('EBADF');
  });
});

describe('a walk through handles', () => {
  /** Counts the open handles. */
  function counting(disk: SimDisk): { open: () => number; most: () => number } {
    const open = new Set<number>();
    let most = 0;
    const { openFolder, close } = disk;
    disk.openFolder = (path) => {
      const fd = openFolder.call(disk, path);
      open.add(fd);
      most = Math.max(most, open.size);
      return fd;
    };
    disk.close = (fd) => {
      close.call(disk, fd);
      open.delete(fd);
    };
    return { open: () => open.size, most: () => most };
  }

  test('operates in the folder that it opened, even if its name then refers to another one', () => {
    const disk = diskWith('/work/a');
    const walk = new FolderWalk(disk, at('/work'));
    const path = walk.child(tree('a/x')) as DiskPath;
    disk.rename(at('/work/a'), at('/work/moved'));
    disk.makeLink('/outside', at('/work/a'));
    touchFile(disk, path);
    expect(disk.list(at('/outside'))).toEqual([]);
    expect(disk.list(at('/work/moved'))).toEqual(['x']);
    walk.close();
  });

  test('keeps few handles, opens a folder once for many children, and closes all handles', () => {
    const disk = diskWith();
    const folders = Array.from({ length: 100 }, (_, number) => `f${number}`);
    for (const folder of folders) disk.makeFolder(at(`/work/${folder}`), 0o755);
    const { open, most } = counting(disk);
    const walk = new FolderWalk(disk, at('/work'), 20);
    const calls: string[] = [];
    const { openFolder } = disk;
    disk.openFolder = (path) => {
      calls.push(path);
      return openFolder.call(disk, path);
    };
    for (const folder of folders)
      for (const name of 'abc') touchFile(disk, walk.child(tree(`${folder}/${name}`)) as DiskPath);
    expect(calls).toHaveLength(100);
    expect(most()).toBeLessThanOrEqual(21);
    for (const folder of folders) expect(disk.list(at(`/work/${folder}`)).sort()).toEqual(['a', 'b', 'c']);
    walk.close();
    expect(open()).toBe(0);
  });

  test('keeps the most recently used folders, however deep the next one is', () => {
    const disk = diskWith();
    const deep = (letter: string): string => Array.from({ length: 30 }, (_, level) => `${letter}${level}`).join('/');
    for (const letter of 'abcdefgh') {
      for (let depth = 1; depth <= 30; depth++) {
        disk.makeFolder(at(`/work/${deep(letter).split('/').slice(0, depth).join('/')}`), 0o755);
      }
    }
    const walk = new FolderWalk(disk, at('/work'), 10);
    const paths = [...'abcdefgh'].map((letter) => walk.child(tree(`${deep(letter)}/x`)) as DiskPath);
    for (const path of paths) touchFile(disk, path);
    for (const letter of 'abcdefgh') expect(disk.list(at(`/work/${deep(letter)}`))).toEqual(['x']);
    walk.close();
  });

  test('closes a folder and everything below it, and nothing else', () => {
    const disk = diskWith('/work/a', '/work/a/b', '/work/ab');
    const { open } = counting(disk);
    const walk = new FolderWalk(disk, at('/work'));
    for (const path of ['a/b/x', 'ab/x']) walk.child(tree(path));
    expect(open()).toBe(4);
    walk.release(tree('a'));
    expect(open()).toBe(2);
    walk.close();
    expect(open()).toBe(0);
  });

  test('closes its handles if it cannot start', () => {
    const disk = diskWith();
    const { open } = counting(disk);
    disk.fstat = () => {
      throw new Error('no');
    };
    expect(() => new FolderWalk(disk, at('/work'))).toThrow('no');
    expect(open()).toBe(0);
  });

  test('gives up on a folder that keeps changing', () => {
    const disk = diskWith('/work/a');
    const walk = new FolderWalk(disk, at('/work'));
    const { openFolder } = disk;
    disk.openFolder = (path) => {
      disk.rename(at('/work/a'), at('/work/b'));
      disk.makeLink('/outside', at('/work/a'));
      try {
        return openFolder.call(disk, path);
      } finally {
        disk.unlink(at('/work/a'));
        disk.rename(at('/work/b'), at('/work/a'));
      }
    };
    expect(() => walk.child(tree('a/x'))).toThrow('was replaced meanwhile');
    walk.close();
  });
});

describe('confirm, where paths do not go through handles', () => {
  const swap = (disk: SimDisk): void => {
    disk.rename(at('/work/a'), at('/work/moved'));
    disk.makeLink('/outside', at('/work/a'));
  };

  test('detects that a parent was swapped during the operation', () => {
    const disk = diskWith('/work/a', '/work/a/b');
    const walk = new FolderWalk(withoutHandlePaths(disk), at('/work'));
    const path = walk.child(tree('a/x')) as DiskPath;
    walk.assertParentsUnchanged(tree('a/x'));
    swap(disk);
    touchFile(disk, path);
    expect(disk.list(at('/outside'))).toEqual(['x']);
    expect(() => walk.assertParentsUnchanged(tree('a/x'))).toThrow(SavepointError);
    walk.close();
  });

  test('detects that a parent was replaced by another folder, or is gone', () => {
    const disk = diskWith('/work/a', '/work/a/b', '/work/other');
    const walk = new FolderWalk(withoutHandlePaths(disk), at('/work'));
    walk.child(tree('a/b/x'));
    disk.rename(at('/work/a'), at('/work/moved'));
    expect(() => walk.assertParentsUnchanged(tree('a/b/x'))).toThrow('was replaced');
    disk.makeFolder(at('/work/a'), 0o755);
    disk.makeFolder(at('/work/a/b'), 0o755);
    expect(() => walk.assertParentsUnchanged(tree('a/b/x'))).toThrow('was replaced');
    expect(() => walk.assertParentsUnchanged(tree('other/never/asked'))).toThrow('was replaced');
    walk.close();
  });

  test('detects that the workspace itself was replaced', () => {
    const disk = diskWith();
    const walk = new FolderWalk(withoutHandlePaths(disk), at('/work'));
    walk.child(tree('x'));
    disk.rename(at('/work'), at('/elsewhere'));
    disk.makeLink('/outside', at('/work'));
    expect(() => walk.child(tree('x'))).toThrow('workspace that was replaced');
    expect(() => walk.assertParentsUnchanged(tree('x'))).toThrow('workspace that was replaced');
    walk.close();
  });

  test('works on the driver for macOS', () => {
    const { workspace } = world(onTestFinished);
    mkdirSync(`${workspace}/a`);
    const walk = new FolderWalk(nodeFsOf('darwin'), workspace);
    const path = walk.child(tree('a/x')) as DiskPath;
    expect(path).toBe(`${workspace}/a/x`);
    touchFile(nodeFs, path);
    walk.assertParentsUnchanged(tree('a/x'));
    walk.close();
  });
});

/** Swaps a folder for a link to a place outside and back, as fast as possible. */
const ATTACKER = `
  import * as fs from 'node:fs';
  const work = process.argv[2];
  process.send('ready');
  for (;;) {
    try {
      fs.renameSync(work + '/d', work + '/real');
      fs.symlinkSync('../outside', work + '/d');
      fs.unlinkSync(work + '/d');
      fs.renameSync(work + '/real', work + '/d');
    } catch {}
  }
`;

describe.skipIf(process.platform !== 'linux')('with an attacker who swaps a folder for a link', () => {
  const WRITES = 20_000;

  async function underAttack(action: (workspace: DiskPath) => void): Promise<string[]> {
    const { folder, workspace } = world(onTestFinished);
    mkdirSync(`${workspace}/d`);
    mkdirSync(`${folder}/outside`);
    writeFileSync(`${folder}/attacker.mjs`, ATTACKER);
    const attacker = fork(`${folder}/attacker.mjs`, [workspace]);
    try {
      await once(attacker, 'message');
      action(workspace);
    } finally {
      attacker.kill('SIGKILL');
      await once(attacker, 'exit');
    }
    return readdirSync(`${folder}/outside`);
  }

  test('none of 20,000 writes gets outside', { timeout: 60_000 }, async () => {
    let [written, refused] = [0, 0];
    const escaped = await underAttack((workspace) => {
      const walk = new FolderWalk(nodeFs, workspace);
      for (let number = 0; number < WRITES; number++) {
        try {
          const temporary = walk.child(tree(`d/t${number}`));
          if (temporary === null)
            throw new SavepointError('PATH_REFUSED', 'gone for a moment', { path: 'd', why: 'gone' });
          const file = nodeFs.openNew(temporary, 0o600);
          nodeFs.write(file, Buffer.from('X'), 0);
          nodeFs.close(file);
          const final = walk.child(tree(`d/f${number}`));
          if (final !== null) nodeFs.rename(temporary, final);
          written++;
        } catch (error) {
          if (!(error instanceof SavepointError) && !isFsError(error, 'ENOENT')) throw error;
          refused++;
        }
        if (number % 100 === 0) walk.release(tree('d'));
      }
      walk.close();
    });
    expect(escaped).toEqual([]);
    expect(written + refused).toBe(WRITES);
    expect(written).toBeGreaterThan(0);
    expect(refused, 'the attacker must have been at work').toBeGreaterThan(0);
  });
});
