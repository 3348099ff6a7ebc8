import { type DiskPath, SavepointError } from '@savepoint/core';
import { ProcessDied, type SimCall, type SimDisk, testEffort } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { codeOf, engine, journals, ROOT, tell, treeOf, verifyDeep } from '../simulated.ts';
import { prepared, SCENES } from './scenes.ts';

/**
 * A process pauses for so long, at any call of an operation, that another one takes its lock. It must not continue. If
 * it lost the lock before the commit point, no file changes. If it lost it before publication, nothing is recorded.
 */
const STORES = '/home/workspaces' as DiskPath;

/** Calls between a lock check and the operation that it guards: checking and acting is not atomic. */
const WINDOW = 14;

/** Quick runs test a sample of the calls. */
const EACH = testEffort({ quick: 4, ci: 3, long: 3 });

function stealLocks(disk: SimDisk): void {
  for (const store of disk.list(STORES)) {
    const folder = `${STORES}/${store}/lock`;
    for (const name of disk.list(folder as DiskPath)) disk.unlink(`${folder}/${name}` as DiskPath);
  }
}

const isOfFiles = ({ path, operation }: SimCall): boolean =>
  path.startsWith(`${ROOT}/`) && !path.includes('/.savepoint-') && operation !== 'sync';

/** Runs `act`; another process takes the lock before its `at`-th call. */
async function run(
  start: SimDisk,
  action: (disk: SimDisk) => Promise<unknown>,
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
    await action(disk);
  } catch (error) {
    if (!(error instanceof SavepointError)) throw error;
    code = error.code;
  }
  disk.onCall = null;
  return { disk, calls, code };
}

const ACTIONS = SCENES.filter(({ name }) => /^(restore|undo|edit of 2 files|checkpoint)$/.test(name));

describe.each(ACTIONS)('$name', (scene) => {
  it('nothing is changed after the lock is lost', { timeout: 600_000 }, async () => {
    const start = await prepared(scene);
    const action = (disk: SimDisk): Promise<unknown> => scene.action(engine(disk, 100));
    const whole = await run(start, action, 0);
    const old = tell(treeOf(start).tree);
    const held = whole.calls.findIndex(({ path }) => /\/lock\/[^/]+$/.test(path)) + 3;
    const published = whole.calls.findLastIndex(({ path }) => /\/refs\/savepoint\/cp\/\d+$/.test(path));
    const committed = whole.calls.findIndex(
      ({ path, operation }) => operation === 'rename' && /\/journal\/.*\.json$/.test(path),
    );
    expect(published).toBeGreaterThan(held);
    let lost = 0;
    for (let at = held; at <= published - WINDOW; at += EACH) {
      const { disk, calls, code } = await run(start, action, at);
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

it('a recovery that loses the lock publishes nothing', { timeout: 600_000 }, async () => {
  const scene = SCENES.find(({ name }) => name === 'edit of 2 files') as (typeof SCENES)[0];
  const start = await prepared(scene);
  const half = start.afterProcessDeath();
  let [isCommitted, isDead] = [false, false];
  half.onCall = ({ operation, path }) => {
    isDead ||= isCommitted && operation === 'hardLink';
    if (isDead) throw new ProcessDied();
    isCommitted ||= operation === 'rename' && path.endsWith('.json');
  };
  await expect(scene.action(engine(half, 100))).rejects.toThrow();
  half.onCall = null;
  const recover = (disk: SimDisk): Promise<unknown> => engine(disk, 200).recover();
  const whole = await run(half, recover, 0);
  const isPublication = ({ path }: SimCall): boolean => /\/refs\/savepoint\/cp\/\d+$/.test(path);
  const published = whole.calls.findLastIndex(isPublication);
  expect(published).toBeGreaterThan(WINDOW);
  const held = whole.calls.findIndex(({ path }) => /\/lock\/[^/]+$/.test(path)) + 3;
  for (let at = held; at <= published - WINDOW; at += testEffort({ quick: 24, ci: 4, long: 4 })) {
    const { calls } = await run(half, recover, at);
    expect(calls.filter(isPublication), `lost before call ${at}, publication at ${published}`).toEqual([]);
  }
});

it('moving a folder away while an operation prepares is not an internal error', { timeout: 600_000 }, async () => {
  const scene = SCENES.find(({ name }) => name === 'edit of 2 files') as (typeof SCENES)[0];
  const start = await prepared(scene);
  const old = tell(treeOf(start).tree);
  const { disk: whole, calls } = await run(start, (disk) => scene.action(engine(disk, 100)), 0);
  const committed = calls.findIndex(({ operation, path }) => operation === 'rename' && path.endsWith('.json'));
  const away = '/away' as DiskPath;
  for (let at = 1; at <= committed; at += EACH) {
    const disk = start.afterProcessDeath();
    let count = 0;
    disk.onCall = () => {
      if (++count !== at) return;
      disk.onCall = null;
      disk.rename(ROOT, away);
    };
    const code = await scene.action(engine(disk, 100)).then(() => null, codeOf);
    const where = `moved before call ${at} of ${committed}: ${code ?? 'done'}`;
    expect(code, where).not.toBe('INTERNAL');
    disk.rename(away, ROOT);
    await engine(disk, 200).recover();
    // A process with open handles continues in the moved folder.
    expect(tell(treeOf(disk).tree), where).toBe(code === null ? tell(treeOf(whole).tree) : old);
  }
});
