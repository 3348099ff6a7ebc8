import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { DiskPath } from '@savepoint/core';
import type { Stat } from '@savepoint/core/ports';
import { GIT_ENV, type SimDisk } from '@savepoint/testkit';

/** A repository created by git with all its objects in one pack, and its files, for use on a simulated disk. */

const FILES: Readonly<Record<string, string>> = {
  'a.txt': 'line of a\n'.repeat(40),
  'mode.sh': `#!/bin/sh\n${'true\n'.repeat(80)}`,
  'deep/er/x.txt': 'line of x\n'.repeat(40),
  'deep/y.txt': 'line of y\n'.repeat(40),
  'stays/same.txt': 'line of a\n'.repeat(40),
};

interface Packed {
  readonly pack: Buffer;
  readonly index: Buffer;
  /** Ids by path. */
  readonly ids: ReadonlyMap<string, string>;
  readonly commit: string;
}

const packed: Partial<Record<'plain' | 'history', Packed>> = {};

/**
 * HEAD names a branch that does not exist yet.
 * @param put writes a file to the disk, some time after the previous one
 * @param hasHistory most of the pack is needed by no file
 * @returns the id of the newest commit
 */
export function putPackedRepository(
  disk: SimDisk,
  root: DiskPath,
  put: (path: string, content: Buffer, mode: number) => void,
  hasHistory = false,
): string {
  const key = hasHistory ? 'history' : 'plain';
  const made = packed[key] ?? makePack(hasHistory);
  packed[key] = made;
  // Whole seconds could come from a file system with coarse timestamps, and those prove nothing.
  disk.now += 123;
  for (const [path, content] of Object.entries(FILES)) {
    put(path, Buffer.from(content), path.endsWith('.sh') ? 0o755 : 0o644);
  }
  put('.git/HEAD', Buffer.from('ref: refs/heads/main\n'), 0o644);
  put('.git/refs/heads/none', Buffer.from(''), 0o644);
  const name = `pack-${made.pack.subarray(-20).toString('hex')}`;
  // Only a pack that nobody may write is linked; the other one is copied.
  put(`.git/objects/pack/${name}.pack`, made.pack, hasHistory ? 0o444 : 0o644);
  put(`.git/objects/pack/${name}.idx`, made.index, 0o444);
  const entries = [...made.ids].map(([path, id]) => entryOf(path, id, disk.lstat(`${root}/${path}` as DiskPath)));
  disk.now += 60_000;
  put('.git/index', indexOf(entries), 0o644);
  return made.commit;
}

/** So many objects that no state of the files needs that most of the pack is waste. */
const OLD_FILES = 120;

function addHistory(git: (...args: string[]) => string, folder: string): void {
  mkdirSync(join(folder, 'old'));
  for (let nth = 0; nth < OLD_FILES; nth++) writeFileSync(join(folder, `old/${nth}.txt`), `old ${nth}\n`);
  git('add', '-A');
  git('commit', '-q', '-m', 'more');
  git('rm', '-rq', 'old');
  git('commit', '-q', '-m', 'less');
}

function makePack(hasHistory: boolean): Packed {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-test-'));
  try {
    const git = (...args: string[]): string =>
      execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', env: { ...process.env, ...GIT_ENV } });
    for (const [path, content] of Object.entries(FILES)) {
      mkdirSync(join(folder, dirname(path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    git('init', '-q');
    git('add', '-A');
    git('commit', '-q', '-m', 'first');
    if (hasHistory) addHistory(git, folder);
    git('repack', '-adq');
    const rows = git('ls-files', '-s').trimEnd().split('\n');
    const ids = new Map(
      rows.map((row) => {
        const [, id = '', , path = ''] = row.split(/[ \t]/);
        return [path, id];
      }),
    );
    const packs = join(folder, '.git/objects/pack');
    const read = (end: string): Buffer =>
      readFileSync(join(packs, readdirSync(packs).find((name) => name.endsWith(end)) ?? ''));
    return { pack: read('.pack'), index: read('.idx'), ids, commit: git('rev-parse', 'HEAD').trim() };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function entryOf(path: string, id: string, stat: Stat | null): Buffer {
  if (stat === null) throw new Error(`${path} is not there`);
  const bytes = Buffer.alloc(Math.ceil((62 + path.length + 1) / 8) * 8);
  const seconds = (ms: number): number => Math.floor(ms / 1000);
  const nanoseconds = (ms: number): number => (ms % 1000) * 1e6;
  const { ctimeMs, mtimeMs, dev, ino, uid, size } = stat;
  const mode = (stat.mode & 0o100) === 0 ? 0o100644 : 0o100755;
  const numbers = [
    seconds(ctimeMs),
    nanoseconds(ctimeMs),
    seconds(mtimeMs),
    nanoseconds(mtimeMs),
    dev,
    ino,
    mode,
    uid,
    0,
    size,
  ];
  for (const [at, number] of numbers.entries()) bytes.writeUInt32BE(number, at * 4);
  bytes.write(id, 40, 'hex');
  bytes.writeUInt16BE(path.length, 60);
  bytes.write(path, 62, 'latin1');
  return bytes;
}

function indexOf(entries: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(12);
  head.write('DIRC', 'latin1');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(entries.length, 8);
  const body = Buffer.concat([head, ...entries]);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}
