import { type DiskPath, SavepointError } from '@savepoint/core';
import type { SimCall, SimDisk } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { engine, journals, ROOT, tell, treeOf, verifyDeep } from '../simulated.ts';
import { prepared, SCENES } from './scenes.ts';

/**
 * A process stands still for so long that another one takes its lock, at any call of an act. What it was about to do is
 * not done: no file changes when the lock went before the commit point, nothing is on record when it went before that.
 */
const STORES = '/home/workspaces' as DiskPath;

/** Calls between the look at the lock and what it guards: nobody can look and act at once. */
const WINDOW = 14;

function stealLocks(disk: SimDisk): void {
  for (const store of disk.list(STORES)) {
    const folder = `${STORES}/${store}/lock`;
    for (const name of disk.list(folder as DiskPath)) disk.unlink(`${folder}/${name}` as DiskPath);
  }
}

const isOfFiles = ({ path, operation }: SimCall): boolean =>
  path.startsWith(`${ROOT}/`) && !path.includes('/.savepoint-') && operation !== 'sync';

/** Runs `act`; before its `at`-th call somebody takes the lock. */
async function run(
  start: SimDisk,
  act: (disk: SimDisk) => Promise<unknown>,
  at: number,
): Promise<{ readonly disk: SimDisk; readonly calls: readonly SimCall[]; readonly code: string | null }> {
  const disk = start.afterProcessDeath();
  const calls: SimCall[] = [];
  disk.onCall = (call) => {
    calls.push(call);
    if (calls.length !== at) return;
    const { onCall } = disk;
    disk.onCall = null;
    stealLocks(disk);
    disk.onCall = onCall;
  };
  let code: string | null = null;
  try {
    await act(disk);
  } catch (error) {
    if (!(error instanceof SavepointError)) throw error;
    code = error.code;
  }
  disk.onCall = null;
  return { disk, calls, code };
}

const ACTS = SCENES.filter(({ name }) => /^(restore|undo|edit of 2 files|checkpoint)$/.test(name));

describe.each(ACTS)('$name', (scene) => {
  it('nothing happens after the lock is gone', { timeout: 600_000 }, async () => {
    const start = await prepared(scene);
    const act = (disk: SimDisk): Promise<unknown> => scene.act(engine(disk, 100));
    const whole = await run(start, act, 0);
    const old = tell(treeOf(start).tree);
    const held = whole.calls.findIndex(({ path }) => /\/lock\/[^/]+$/.test(path)) + 3;
    const published = whole.calls.findLastIndex(({ path }) => /\/refs\/savepoint\/cp\/\d+$/.test(path));
    const committed = whole.calls.findIndex(
      ({ path, operation }) => operation === 'rename' && /\/journal\/.*\.json$/.test(path),
    );
    expect(published).toBeGreaterThan(held);
    let lost = 0;
    for (let at = held; at <= published - WINDOW; at += 3) {
      const { disk, calls, code } = await run(start, act, at);
      const where = `lost before call ${at}; commit at ${committed}, publication at ${published}`;
      if (code !== 'PENDING') expect(code, where).toBe('LOCK_LOST');
      if (committed >= 0 && at < committed - WINDOW) expect(calls.slice(at - 1).filter(isOfFiles), where).toEqual([]);
      if (code === 'LOCK_LOST') expect(tell(treeOf(disk).tree), where).toBe(old);
      const names = (await engine(disk, 200).list()).checkpoints.map(({ trigger }) => trigger);
      const before = (await engine(start.afterProcessDeath(), 200).list()).checkpoints.length;
      expect(
        names.slice(0, names.length - before).filter((trigger) => trigger !== 'before'),
        where,
      ).toEqual([]);
      await engine(disk, 201).recover();
      expect(journals(disk), where).toEqual([]);
      await verifyDeep(engine(disk, 300));
      lost += 1;
    }
    expect(lost).toBeGreaterThan(2);
  });
});
