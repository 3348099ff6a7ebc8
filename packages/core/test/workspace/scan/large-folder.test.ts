/** A very large folder is listed in the background. Nothing else differs for the scan. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { type DiskPath, open, type Savepoint } from '@savepoint/core';
import { type Fs, FsError } from '@savepoint/core/ports';
import { fsWith, realPorts, type World, world } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { LISTED_FIELD, LISTED_FIELD_COUNT } from '../../../src/io/fs.ts';

const LARGE = 1024 * 1024;

/** The real file system, but the folder `big` itself appears to have this many bytes. */
function seenAs(bytes: number, asked: DiskPath[], aside?: Fs['listAside']): Fs {
  const { fs } = realPorts();
  return fsWith(fs, {
    listWithStats: (path) => {
      const listing = fs.listWithStats(path);
      const at = (listing.names as readonly string[]).indexOf('big') * LISTED_FIELD_COUNT + LISTED_FIELD.size;
      if (at >= 0) listing.numbers[at] = bytes;
      return listing;
    },
    listAside: (path) => {
      asked.push(path);
      return (aside ?? fs.listAside?.bind(fs))?.(path) as ReturnType<NonNullable<Fs['listAside']>>;
    },
  });
}

function filled(): World {
  const w = world(onTestFinished);
  mkdirSync(`${w.workspace}/big/below`, { recursive: true });
  for (let nth = 0; nth < 200; nth++) writeFileSync(`${w.workspace}/big/file ${nth}.txt`, `${nth % 7}\n`);
  writeFileSync(`${w.workspace}/big/below/deep.txt`, 'deep');
  writeFileSync(`${w.workspace}/big/.gitignore`, 'file 1*.txt\n');
  chmodSync(`${w.workspace}/big/file 3.txt`, 0o755);
  symlinkSync('nowhere', `${w.workspace}/big/link`);
  return w;
}

function savepointOf(w: World, home: string, fs: Fs): Savepoint {
  mkdirSync(`${w.folder}/${home}`, { mode: 0o700 });
  const places = { ...w.places, home: `${w.folder}/${home}` as DiskPath };
  return open({ dir: w.workspace, ports: { ...w.ports, fs }, places });
}

test('the checkpoint is the same', async () => {
  const w = filled();
  const asked: DiskPath[] = [];
  const large = (await savepointOf(w, 'a', seenAs(LARGE, asked)).checkpoint()).checkpoint;
  expect(asked).toEqual([`${w.workspace}/big`]);
  const small = (await savepointOf(w, 'b', seenAs(LARGE - 1, asked)).checkpoint()).checkpoint;
  expect(asked).toHaveLength(1);
  expect(large.counts).toEqual(small.counts);
  expect(large.snapshot).toEqual(small.snapshot);
  expect(large.counts.files).toBeGreaterThan(80);
});

test('a folder that cannot be listed is skipped, and one that vanished is scanned again', async () => {
  const w = filled();
  const failing = (code: string): Fs['listAside'] => {
    return async (path) => {
      throw new FsError(code, 'listAside', path);
    };
  };
  const unreadable = await savepointOf(w, 'a', seenAs(LARGE, [], failing('EACCES'))).checkpoint();
  expect(unreadable.scan.partial).toEqual([{ path: 'big', skip: { reason: 'unreadable', code: 'EACCES' } }]);
  const moved = await savepointOf(w, 'b', seenAs(LARGE, [], failing('ENOENT'))).checkpoint();
  // It is back, but smaller than before.
  expect(moved.scan.partial).toEqual([]);
  expect(moved.checkpoint.counts.files).toBeGreaterThan(80);
  await expect(savepointOf(w, 'c', seenAs(LARGE, [], failing('EMFILE'))).checkpoint()).rejects.toMatchObject({
    code: 'IO',
  });
});
