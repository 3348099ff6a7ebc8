import type { DiskPath } from '@savepoint/core';
import { FaultyFs, type FsCall, SimDisk } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import { codeOf, engine, put, ROOT, tell, treeOf } from '../simulated.ts';

/**
 * The disk is full at any call of making a copy that is a folder: nothing of it is left, the error says so, and the next
 * copy is made as if nothing had been.
 */
const COPIES = '/home/copies' as DiskPath;
const LARGE = 'x'.repeat((1 << 20) + 1);
const at = (path: string): DiskPath => `${ROOT}/${path}` as DiskPath;

/** The calls that need space. */
const NEEDS_SPACE: ReadonlySet<FsCall['operation']> = new Set([
  'openNew',
  'write',
  'copyFile',
  'makeFolder',
  'makeLink',
  'hardLink',
  'rename',
]);
/** File systems may tell only then that what was written had no space. */
const WITH_SYNC: typeof NEEDS_SPACE = new Set([...NEEDS_SPACE, 'sync']);
const FAULTS = [
  { sticky: false, of: WITH_SYNC },
  // Where syncs fail for good, the removal of what was made cannot be made durable, and a later process does it.
  { sticky: true, of: NEEDS_SPACE },
] as const;

/** A folder with everything that is copied in a way of its own. */
async function project(): Promise<SimDisk> {
  const disk = new SimDisk();
  for (const path of ['', 'deep', 'deep/locked', 'empty', 'node_modules', 'node_modules/p', '.git', 'sub', 'modules']) {
    disk.makeFolder(path === '' ? ROOT : at(path), 0o755);
  }
  put(disk, at('a.txt'), 'a\n');
  put(disk, at('nothing'), '');
  put(disk, at('run.sh'), 'exit\n', 0o755);
  put(disk, at('large'), LARGE);
  put(disk, at('deep/locked/file'), 'locked\n');
  put(disk, at('node_modules/p/index.js'), 'p\n');
  put(disk, at('.git/HEAD'), 'ref: refs/heads/main\n');
  put(disk, at('.git/config'), `[core]\n\tworktree = ${ROOT}\n`);
  disk.hardLink(at('a.txt'), at('deep/second'));
  disk.makeLink(at('a.txt'), at('link'));
  disk.chmod(at('deep/locked'), 0o555);
  await engine(disk, 90).checkpoint();
  // The copy gets a state that is not that of the folder, too.
  put(disk, at('later.txt'), 'later\n');
  return disk.afterProcessDeath();
}

const REQUESTS = [
  { name: 'of a checkpoint', request: { at: 'cp_1' } },
  { name: 'of the folder as it is, with a proposal', request: { isLong: true, proposal: { description: 'Tried: x' } } },
] as const;

test.each(REQUESTS)('no space for a copy $name', { timeout: 600_000 }, async ({ request }) => {
  const start = await project();
  const make = (fs: FaultyFs | SimDisk, pid: number) =>
    engine(fs, pid).openCopy({ purpose: 'try', rungs: ['copy'], ...request });
  const copied = (disk: SimDisk, files: DiskPath): string =>
    tell(treeOf(disk, files).tree).replaceAll(files, 'COPY').replace(LARGE, 'LARGE');
  const counted = async (of: typeof NEEDS_SPACE) => {
    const disk = start.afterProcessDeath();
    const faulty = new FaultyFs(disk, {
      at: Infinity,
      fault: { fail: 'ENOSPC' },
      counts: ({ operation }) => of.has(operation),
    });
    const { copy } = await make(faulty, 100);
    return { calls: faulty.counted, copied: copied(disk, copy.files), log: faulty.log };
  };
  const { log, copied: expected } = await counted(WITH_SYNC);
  expect(
    log.filter(({ operation, path }) => NEEDS_SPACE.has(operation) && path.startsWith(`${COPIES}/`)).length,
  ).toBeGreaterThan(20);
  const before = tell(treeOf(start).tree);
  for (const { sticky, of } of FAULTS) {
    const { calls } = await counted(of);
    let refused = 0;
    for (let call = 1; call <= calls; call++) {
      const where = `call ${call} of ${calls}${sticky ? ' and all after it' : ''}`;
      const disk = start.afterProcessDeath();
      const plan = {
        at: call,
        fault: { fail: 'ENOSPC', sticky },
        torn: true,
        counts: ({ operation }: FsCall) => of.has(operation),
      };
      const faulty = new FaultyFs(disk, plan);
      const failure: unknown = await make(faulty, 100).then(
        () => null,
        (error: unknown) => error,
      );
      expect(faulty.hit, where).toBe(true);
      expect(tell(treeOf(disk).tree) === before, where).toBe(true);
      if (failure !== null) {
        refused++;
        expect(codeOf(failure), where).toBe('NO_SPACE');
        expect(failure, where).toHaveProperty(
          'message',
          expect.stringMatching(/^The disk is full: \w+ of \/home\S* failed/),
        );
        if (disk.lstat(COPIES) !== null) expect(disk.list(COPIES), where).toEqual([]);
      }
      const { copies, leftovers } = await engine(disk, 200).copies();
      expect([copies.length, leftovers], where).toEqual([failure === null ? 1 : 0, []]);
      const again = await make(disk, 201);
      expect(copied(disk, again.copy.files), where).toBe(expected);
    }
    // What only makes a later call faster may fail.
    expect(refused).toBeGreaterThan(calls / 2);
  }
});
