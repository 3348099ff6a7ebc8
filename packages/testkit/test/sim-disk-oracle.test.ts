import type { DiskPath } from '@savepoint/core';
import { nodeFs } from '@savepoint/core/node';
import { type Fs, FsError, permissions, type Stat } from '@savepoint/core/ports';
import { expect, onTestFinished, test } from 'vitest';
import { type SeededRandom, SimDisk, seededRandom, world } from '../src/index.ts';

const SEQUENCES = 150;
const STEPS = 40;
const NAMES = ['a', 'b', 'c', 'a/a', 'a/b', 'b/a', 'b/c', 'a/b/a', 'c/x', 'a/../b', 'b/.'];
const TARGETS = ['a', '../b', 'nothing', '.', 'loop', 'b/c'];

/** One random operation. Its result, a value or an error, is compared. */
function action(random: SeededRandom, folder: DiskPath): (fs: Fs) => unknown {
  const path = (): DiskPath => `${folder}/${random.pick(NAMES)}` as DiskPath;
  const [one, other, target, mode] = [path(), path(), random.pick(TARGETS), random.pick([0o600, 0o644, 0o755, 0o500])];
  const bytes = random.bytes(random.integer(20));
  const position = random.integer(10);
  return random.pick<(fs: Fs) => unknown>([
    (fs) => withNew(fs, one, mode, (fd) => fs.write(fd, bytes, position)),
    (fs) => withNew(fs, one, mode, (fd) => fs.fchmod(fd, mode)),
    (fs) => fs.makeFolder(one, 0o755),
    (fs) => fs.makeFolder(one, 0o755),
    (fs) => fs.makeLink(target, one),
    (fs) => fs.rename(one, other),
    (fs) => fs.rename(one, other),
    (fs) => fs.hardLink(one, other),
    (fs) => fs.unlink(one),
    (fs) => fs.removeFolder(one),
    (fs) => fs.chmod(one, mode | 0o700),
    (fs) => fs.list(one).sort(),
    (fs) => fs.readLink(one),
    (fs) => fs.realpath(one).slice(folder.length),
    (fs) => fs.realpath(other).slice(folder.length),
  ]);
}

function withNew(fs: Fs, path: DiskPath, mode: number, use: (fd: ReturnType<Fs['openNew']>) => void): void {
  const fd = fs.openNew(path, mode);
  use(fd);
  fs.close(fd);
}

function reported(fs: Fs, step: (fs: Fs) => unknown): string {
  try {
    return JSON.stringify(step(fs) ?? null);
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
    return error.code;
  }
}

/** Lists everything below a folder. Inodes are numbered in the order in which they are found. */
function tree(fs: Fs, folder: DiskPath): string[] {
  const inodes = new Map<number, number>();
  const lines: string[] = [];
  const line = (path: DiskPath, stat: Stat): string => {
    if (!inodes.has(stat.ino)) inodes.set(stat.ino, inodes.size);
    const kind = stat.mode & 0o170000;
    const head = `${path.slice(folder.length)} ${inodes.get(stat.ino)} ${permissions(stat).toString(8)}`;
    if (kind === 0o120000) return `${head} -> ${fs.readLink(path)}`;
    if (kind !== 0o100000) return head;
    const fd = fs.openRead(path);
    const buffer = Buffer.alloc(stat.size + 1);
    const length = fs.read(fd, buffer, 0, buffer.length, 0);
    fs.close(fd);
    return `${head} ${stat.nlink} ${buffer.toString('hex', 0, length)}`;
  };
  const walk = (path: DiskPath): void => {
    for (const name of fs.list(path).sort()) {
      const child = `${path}/${name}` as DiskPath;
      const stat = fs.lstat(child) as Stat;
      lines.push(line(child, stat));
      if ((stat.mode & 0o170000) === 0o040000) walk(child);
    }
  };
  walk(folder);
  return lines;
}

function foldersDownTo(folder: DiskPath): DiskPath[] {
  const names = folder.split('/');
  return names.slice(1).map((_, index) => names.slice(0, index + 2).join('/') as DiskPath);
}

test.skipIf(process.platform !== 'linux')(
  'the simulated disk returns the same results as the real one, and ends in the same state',
  { timeout: 60_000 },
  () => {
    const { workspace } = world(onTestFinished);
    const seed = Math.floor(Math.random() * 2 ** 31);
    const answers = new Set<string>();
    for (let sequence = 0; sequence < SEQUENCES; sequence++) {
      const random = seededRandom(seed + sequence);
      const disk = new SimDisk({ umask: process.umask() });
      // Some links lead upwards, so the parent folders belong to the sequence, too.
      const top = `${workspace}/${sequence}` as DiskPath;
      const folder = `${top}/up/up/up` as DiskPath;
      for (const path of foldersDownTo(folder)) {
        disk.makeFolder(path, 0o755);
        if (path.startsWith(top)) nodeFs.makeFolder(path, 0o755);
      }
      for (let step = 0; step < STEPS; step++) {
        const next = action(random, folder);
        const [real, simulated] = [reported(nodeFs, next), reported(disk, next)];
        expect(simulated, `seed ${seed + sequence}, step ${step}, ${next}`).toBe(real);
        answers.add(real);
      }
      expect(tree(disk, top), `seed ${seed + sequence}`).toEqual(tree(nodeFs, top));
      disk.makeDurable();
      for (const state of disk.crashStates('any-subset', 1, random)) {
        expect(tree(state, top)).toEqual(tree(nodeFs, top));
      }
    }
    for (const code of ['EEXIST', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EISDIR', 'EINVAL', 'ELOOP', 'EPERM']) {
      expect([...answers], 'every kind of refusal must come up').toContain(code);
    }
  },
);
