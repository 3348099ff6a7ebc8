/**
 * Copies on file systems that share blocks. Each is made in a file and mounted. That blocks are shared is measured by the
 * space that is left: a copy that only claims to share them would need as much as the original.
 */

import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from '@savepoint/core';
import { manifest, realPorts, type World, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { testProgramsInCopies } from '../../packages/core/test/copy/programs.ts';
import { Place } from '../../packages/core/test/place.ts';

const MB = 1 << 20;
const LARGE = 48 * MB;
/** By the smallest size that their tools accept. */
const SIZES = { xfs: 400 * MB, btrfs: 400 * MB, ext4: 200 * MB } as const;
type FileSystem = keyof typeof SIZES;

function tool(name: string, ...args: readonly string[]): void {
  execFileSync(name, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** @returns where it is mounted */
function mounted(type: FileSystem, atEnd: (work: () => void) => void): string {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-disk-'));
  atEnd(() => rmSync(folder, { recursive: true }));
  const [image, at] = [join(folder, 'image'), join(folder, 'disk')];
  const file = openSync(image, 'w');
  ftruncateSync(file, SIZES[type]);
  closeSync(file);
  tool(`mkfs.${type}`, type === 'xfs' || type === 'btrfs' ? '-f' : '-F', image);
  mkdirSync(at);
  tool('mount', '-o', 'loop', image, at);
  atEnd(() => tool('umount', at));
  return at;
}

function whyNot(type: FileSystem): string | null {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it takes root on Linux';
  const cleanUps: (() => void)[] = [];
  try {
    mounted(type, (work) => cleanUps.unshift(work));
    return null;
  } catch (error) {
    return error instanceof Error ? error.message.split('\n').slice(0, 2).join(' ') : String(error);
  } finally {
    for (const work of cleanUps) work();
  }
}

const why = { xfs: whyNot('xfs'), btrfs: whyNot('btrfs'), ext4: whyNot('ext4') };
for (const [type, reason] of Object.entries(why)) {
  if (reason !== null) console.error(`NOT TESTED: copies on ${type}: ${reason}`);
}

function onDisk(type: FileSystem): World {
  // Unmounted after the folder is removed: cleanups run in reverse order.
  return world(onTestFinished, mounted(type, onTestFinished));
}

function savepointIn({ workspace, places }: Pick<World, 'workspace' | 'places'>) {
  return open({ dir: workspace, ports: realPorts(), places });
}

/** In bytes, after everything that is not allocated yet was. */
function used(folder: string): number {
  tool('sync', '-f', folder);
  const { blocks, bfree, bsize } = statfsSync(folder);
  return (blocks - bfree) * bsize;
}

test.skipIf(why.xfs !== null)('a copy shares its blocks until they are written: xfs', () => shares('xfs'));
test.skipIf(why.btrfs !== null)('a copy shares its blocks until they are written: btrfs', () => shares('btrfs'));

describe.skipIf(why.xfs !== null)('in a copy that shares its blocks', () => {
  testProgramsInCopies({ rung: 'reflink', place: () => new Place(onDisk('xfs')) });
});

async function shares(type: FileSystem): Promise<void> {
  const w = onDisk(type);
  const { workspace } = w;
  mkdirSync(join(workspace, 'node_modules/package'), { recursive: true });
  for (let n = 0; n < 20; n++) writeFileSync(join(workspace, `node_modules/package/${n}`), `${n}`.repeat(1000 * n));
  // Not captured, so only the copy can need space for it.
  writeFileSync(join(workspace, 'node_modules/large'), Buffer.alloc(LARGE, 'large '));
  writeFileSync(join(workspace, 'a'), 'one');
  const savepoint = savepointIn(w);
  await savepoint.checkpoint();
  const original = manifest(workspace);
  const before = used(w.folder);
  const made = await savepoint.openCopy({ purpose: 'try', rungs: ['reflink', 'copy'] });
  const { copy } = made;
  expect([copy.record.rung, copy.record.bytes]).toEqual(['reflink', 0]);
  expect(used(w.folder) - before).toBeLessThan(LARGE / 4);
  expect(manifest(copy.files)).toEqual(original);
  appendFileSync(join(copy.files, 'node_modules/large'), 'more');
  writeFileSync(join(copy.files, 'a'), 'two');
  expect(manifest(workspace)).toEqual(original);
  // The oracle works: a plain copy of the file needs its space.
  tool('cp', '--reflink=never', join(workspace, 'node_modules/large'), join(w.folder, 'plain'));
  expect(used(w.folder) - before).toBeGreaterThan(LARGE / 2);
  await savepoint.applyCopy(made, { description: 'Tried it' });
  expect(readFileSync(join(workspace, 'a'), 'utf8')).toBe('two');
  await copy.drop();
}

test.skipIf(why.ext4 !== null)(
  'where blocks cannot be shared, or from another file system, files are copied',
  async () => {
    const w = onDisk('ext4');
    writeFileSync(join(w.workspace, 'a'), 'one');
    const elsewhere = world(onTestFinished);
    for (const places of [w.places, elsewhere.places]) {
      const { copy } = await savepointIn({ ...w, places }).openCopy({ purpose: 'try', rungs: ['reflink'] });
      expect(copy.record.rung).toBe('copy');
      expect(readFileSync(join(copy.files, 'a'), 'utf8')).toBe('one');
      await copy.drop();
    }
  },
);

test.skipIf(why.ext4 !== null)(
  'a copy that the disk has no room for is not there, and the folder is as before',
  async () => {
    const w = onDisk('ext4');
    mkdirSync(join(w.workspace, 'node_modules'));
    for (let n = 0; n < 3; n++) writeFileSync(join(w.workspace, `node_modules/${n}`), Buffer.alloc(LARGE));
    writeFileSync(join(w.workspace, 'a'), 'one');
    const savepoint = savepointIn(w);
    await savepoint.checkpoint();
    const original = manifest(w.workspace);
    const before = used(w.folder);
    await expect(savepoint.openCopy({ purpose: 'fork', rungs: ['copy'] })).rejects.toMatchObject({ code: 'NO_SPACE' });
    expect(readdirSync(join(w.places.home, 'copies'))).toEqual([]);
    expect(used(w.folder) - before).toBeLessThan(MB);
    expect(manifest(w.workspace)).toEqual(original);
    expect(existsSync(join(w.places.home, 'workspaces'))).toBe(true);
  },
);
