import { FaultyFs, type FsCall, fakeProcesses, fixedClock, SimDisk, seededRandom, simPorts } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import type { Fs } from '../../src/io/fs.ts';
import { Pace } from '../../src/io/pace.ts';
import type { Ports, ProcessIdentity } from '../../src/io/ports.ts';
import type { DiskPath } from '../../src/model/names.ts';
import { acquireLock, type HeldLock } from '../../src/store/lock.ts';

const FOLDER = '/lock' as DiskPath;
const MAX_SLEEPS = 10_000;

/** Processes that share a disk and a clock. */
function place() {
  const disk = new SimDisk();
  disk.makeFolder(FOLDER, 0o700);
  const processes = fakeProcesses();
  const fixed = fixedClock();
  let sleeps = 0;
  const sleep = async (ms: number): Promise<void> => {
    if (++sleeps > MAX_SLEEPS) throw new Error('waits for ever');
    await fixed.sleep(ms);
  };
  const clock = { ...fixed, sleep };
  const portsOf = (process: ProcessIdentity, fs: Fs = disk): Ports =>
    simPorts(fs, { clock, processes: processes.seenBy(process), random: seededRandom(process.pid) });
  return { disk, processes, clock, portsOf, first: processes.self() };
}

function take(ports: Ports, waitMs = 0, pace = new Pace(ports.clock)): Promise<HeldLock> {
  return acquireLock(ports, { folder: FOLDER, what: 'the home /of/home' }, pace, { waitMs });
}

describe('the lock of a workspace', () => {
  test('one process holds it; another one waits for the given time, and reports the holder', async () => {
    const { disk, processes, clock, portsOf, first } = place();
    const held = await take(portsOf(first));
    const second = portsOf(processes.start());
    const before = clock.monotonic();
    await expect(take(second, 500)).rejects.toMatchObject({
      code: 'LOCKED',
      data: { pid: first.pid, state: 'alive' },
      message: expect.stringContaining('which holds the lock of the home /of/home.'),
    });
    expect(clock.monotonic() - before).toBeGreaterThanOrEqual(500);
    processes.set(first, 'stopped');
    await expect(take(second)).rejects.toMatchObject({ code: 'LOCKED', data: { state: 'stopped' } });
    held.assertHeld();
    held.release();
    (await take(second)).release();
    expect(disk.list(FOLDER)).toEqual([]);
  });

  test('a dead holder blocks no one, and a holder that was not dead notices that it lost the lock', async () => {
    const { disk, processes, portsOf, first } = place();
    const held = await take(portsOf(first));
    processes.set(first, 'dead');
    await take(portsOf(processes.start()));
    expect(disk.list(FOLDER)).toHaveLength(1);
    expect(() => held.assertHeld()).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }));
    held.release();
  });

  test('of two processes that announce themselves at once, not both get it', async () => {
    const { disk, processes, portsOf, first } = place();
    const second = portsOf(processes.start());
    for (let at = 1; at <= 6; at++) {
      let rival: Promise<HeldLock | null> | null = null;
      const fs = new FaultyFs(disk, {
        at: 1,
        fault: { fail: 'EIO' },
        counts: () => {
          if (fs.log.length === at) rival = take(second).catch(() => null);
          return false;
        },
      });
      const own = await take(portsOf(first, fs)).catch(() => null);
      const other = await (rival as Promise<HeldLock | null> | null);
      expect(own !== null && other !== null, `at ${at}`).toBe(false);
      own?.release();
      other?.release();
      expect(disk.list(FOLDER)).toEqual([]);
    }
  });

  test('failing to remove the file of a dead holder is an error, unless another process removed it', async () => {
    for (const fail of ['EIO', 'EACCES', 'ENOENT']) {
      const { disk, processes, portsOf, first } = place();
      await take(portsOf(first));
      processes.set(first, 'dead');
      const isRemoval = ({ operation }: FsCall): boolean => operation === 'unlink';
      const faulty = new FaultyFs(disk, { at: 1, fault: { fail }, counts: isRemoval });
      const taking = take(portsOf(processes.start(), faulty));
      if (fail === 'ENOENT') await taking;
      else await expect(taking).rejects.toMatchObject({ name: 'FsError', code: fail });
      expect(faulty.hit).toBe(true);
    }
  });

  test('a holder on another machine is considered alive while its file changes', async () => {
    const { processes, clock, portsOf, first } = place();
    const elsewhere = portsOf(processes.start({ host: 'another machine' }));
    const pace = new Pace(clock);
    const held = await take(elsewhere, 0, pace);
    const here = portsOf(first);
    let isOver = false;
    const waiting = take(here, 60_000)
      .catch((error: unknown) => error)
      .finally(() => {
        isOver = true;
      });
    while (!isOver) await pace.yieldNow();
    expect(await waiting).toMatchObject({ code: 'LOCKED', data: { state: 'elsewhere' } });
    held.assertHeld();
    // The heartbeat has stopped.
    await take(here, 60_000);
    expect(() => held.assertHeld()).toThrow(expect.objectContaining({ code: 'LOCK_LOST' }));
  });
});
