import { createHash } from 'node:crypto';
import { type DiskPath, SavepointError } from '@savepoint/core';
import { FaultyFs, type FsCall, ProcessDied, type SimDisk, seededRandom, testEffort } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { bytesOf, engine, journals, put, ROOT, type Tree, tell, treeOf, verifyDeep } from '../simulated.ts';
import { dieAt } from './die-at.ts';
import { prepared, SCENES, type Scene } from './scenes.ts';

/** An operation died midway and only a person can decide: another program's content is in the way. */

const EACH = testEffort({ quick: 21, ci: 1, long: 1 });
const RESTORE = SCENES.find(({ name }) => name === 'restore') as Scene;
const at = (path: string): DiskPath => `${ROOT}/${path}` as DiskPath;

interface HalfDone {
  readonly disk: SimDisk;
  readonly old: Tree;
  readonly done: Tree;
}

/** A disk on which the restore died after its journal was written, as soon as `isThen` returned true. */
async function halfDone(isThen: (disk: SimDisk) => boolean): Promise<HalfDone> {
  const start = await prepared(RESTORE);
  const whole = start.afterProcessDeath();
  await RESTORE.action(engine(whole, 100));
  const disk = start.afterProcessDeath();
  let calls = 0;
  let due = false;
  disk.onCall = () => {
    if (due) throw new ProcessDied();
    // `isThen` makes calls itself; the next call of the restore dies.
    const { onCall } = disk;
    disk.onCall = null;
    due = journals(disk).some((name) => name.endsWith('.json')) && isThen(disk);
    disk.onCall = onCall;
    calls += 1;
  };
  await expect(RESTORE.action(engine(disk, 100))).rejects.toThrow();
  disk.onCall = null;
  expect(calls).toBeGreaterThan(20);
  return { disk: disk.afterProcessDeath(), old: treeOf(start).tree, done: treeOf(whole).tree };
}

const codeOf = (error: unknown): string => (error as SavepointError).code;

describe.each(SCENES.filter(({ name }) => /^(re|undo|edit of 2 )/.test(name)))('without a write: $name', (scene) => {
  it('an operation with a journal is completed, at whatever call it died', async () => {
    const start = await prepared(scene);
    const whole = start.afterProcessDeath();
    await scene.action(engine(whole, 100));
    const done = tell(treeOf(whole).tree);
    let finished = 0;
    for (let moment = 1; moment < 400; moment += EACH) {
      const disk = start.afterProcessDeath();
      const hasDied = dieAt(disk, moment);
      await scene.action(engine(disk, 100)).catch(() => undefined);
      disk.onCall = null;
      if (!hasDied()) break;
      if (!journals(disk).some((name) => name.endsWith('.json'))) continue;
      const { recovered } = await engine(disk.afterProcessDeath(), 200).recover();
      expect(recovered.map(({ direction }) => direction)).toEqual(['forward']);
      finished += 1;
      const after = disk.afterProcessDeath();
      await engine(after, 200).recover();
      expect(tell(treeOf(after).tree)).toBe(done);
    }
    expect(finished).toBeGreaterThan(10 / EACH);
  }, 120_000);
});

describe('a write between the death and the recovery', () => {
  const started = (disk: SimDisk): boolean => disk.lstat(at('gone.txt')) !== null;

  it('captures continue; operations wait for a decision, and name the file', async () => {
    const { disk } = await halfDone(started);
    put(disk, at('a.txt'), 'mine\n');
    const { pending, checkpoint } = await engine(disk, 200).checkpoint();
    expect(pending?.code).toBe('PENDING');
    expect(checkpoint.partial).toEqual([]);
    for (const action of [engine(disk, 201).restore('cp_1'), engine(disk, 202).undo(), engine(disk, 203).recover()]) {
      const error = await action.then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(SavepointError);
      expect(codeOf(error)).toBe('PENDING');
      expect(JSON.stringify((error as SavepointError).data)).toContain('a.txt');
    }
    expect((await engine(disk, 204).status()).pending.length).toBe(1);
    expect(bytesOf(disk, at('a.txt')).toString('latin1')).toBe('mine\n');
  });

  it('back restores every other file, and leaves that one alone', async () => {
    const { disk, old } = await halfDone(started);
    put(disk, at('a.txt'), 'mine\n');
    const [recovered] = (await engine(disk, 200).recover({ decision: 'back' })).recovered;
    expect(recovered?.direction).toBe('back');
    expect(tell(treeOf(disk).tree)).toBe(tell(new Map([...old, ['a.txt', 'file 644 mine\n']])));
    expect(journals(disk)).toEqual([]);
    await verifyDeep(engine(disk, 201));
  });

  it('forward completes the operation, and keeps that file as a plain backup', async () => {
    const { disk, done } = await halfDone(started);
    put(disk, at('a.txt'), 'mine\n');
    const [recovered] = (await engine(disk, 200).recover({ decision: 'forward' })).recovered;
    expect(recovered?.direction).toBe('forward');
    expect(tell(treeOf(disk).tree)).toBe(tell(done));
    expect(recovered?.kept.map(({ path }) => path)).toEqual(['a.txt']);
    for (const state of [disk, ...disk.crashStates('any-subset', 20, seededRandom(1))]) {
      expect(bytesOf(state, recovered?.kept[0]?.backup as DiskPath).toString('latin1')).toBe('mine\n');
    }
    // The operation is recorded and can be undone.
    expect((await engine(disk, 201).status()).undo?.trigger).toBe('restore');
  });
});

describe('refusals by the system', () => {
  it('forward that fails is not turned into back: it stays pending, and can be repeated later', async () => {
    const { disk, done } = await halfDone((half) => half.lstat(at('gone.txt')) !== null);
    const isPlacing = ({ operation, path }: FsCall): boolean =>
      /^(rename|hardLink)$/.test(operation) && path.startsWith(`${ROOT}/`);
    const broken = new FaultyFs(disk, { at: 1, fault: { fail: 'EIO' }, counts: isPlacing });
    const refused = engine(broken, 200).recover({ decision: 'forward' });
    await expect(refused).rejects.toMatchObject({ code: 'PENDING' });
    expect(broken.hit).toBe(true);
    const [recovered] = (await engine(disk, 201).recover()).recovered;
    expect(recovered?.direction).toBe('forward');
    expect(tell(treeOf(disk).tree)).toBe(tell(done));
  });

  it('a lack of space is reported before anything is changed', async () => {
    const start = await prepared(RESTORE);
    const old = tell(treeOf(start).tree);
    start.freeBytes = 1000;
    await expect(RESTORE.action(engine(start, 100))).rejects.toMatchObject({
      code: 'NO_SPACE',
      // The folder may be on another disk than the store.
      hint: expect.stringContaining('If the store is on it, `savepoint gc`'),
    });
    expect(tell(treeOf(start).tree)).toBe(old);
    start.freeBytes = null; // a file system that does not report it
    await RESTORE.action(engine(start, 101));
  });
});

describe('a save while a file was being moved aside, followed by the death of the process', () => {
  it('the saved file gets its name back, and the operation waits for a decision', async () => {
    const scene = SCENES.find(({ name }) => name === 'edit of 2 files') as Scene;
    const start = await prepared(scene);
    const path = 'src/d0/f0.txt';
    const disk = start.afterProcessDeath();
    let moved = false;
    disk.onCall = ({ operation, path: to }) => {
      if (moved) throw new ProcessDied();
      if (operation !== 'rename' || !to.includes('/old/')) return;
      const { onCall } = disk;
      disk.onCall = null;
      put(disk, at(path), 'mine\n');
      disk.onCall = onCall;
      moved = true;
    };
    await expect(scene.action(engine(disk, 100))).rejects.toThrow();
    disk.onCall = null;
    expect(disk.lstat(at(path))).toBeNull();
    const next = disk.afterProcessDeath();
    await expect(engine(next, 200).recover()).rejects.toMatchObject({ code: 'PENDING' });
    expect(bytesOf(next, at(path)).toString('latin1')).toBe('mine\n');
    await engine(next, 201).recover({ decision: 'back' });
    expect(bytesOf(next, at(path)).toString('latin1')).toBe('mine\n');
  });
});

describe('the folder was replaced', () => {
  const placed = (disk: SimDisk): boolean => disk.lstat(at('gone.txt')) !== null;

  it.each(['gone', 'another'])('%s: nothing happens automatically; back abandons the operation', async (what) => {
    const { disk } = await halfDone(placed);
    disk.rename(ROOT, '/elsewhere' as DiskPath);
    if (what === 'another') disk.makeFolder(ROOT, 0o755);
    await expect(engine(disk, 200).recover()).rejects.toMatchObject({ code: 'PENDING' });
    const { recovered } = await engine(disk, 201).recover({ decision: 'back' });
    expect(recovered.map(({ direction }) => direction)).toEqual(['back']);
    expect(journals(disk)).toEqual([]);
    if (what === 'another') expect(disk.list(ROOT)).toEqual([]);
  });

  it('forward is refused, because the operation was about that folder; restoring the entire workspace works', async () => {
    const { disk, done } = await halfDone(placed);
    disk.rename(ROOT, '/elsewhere' as DiskPath);
    await expect(engine(disk, 200).recover({ decision: 'forward' })).rejects.toMatchObject({ code: 'PENDING' });
    await engine(disk, 201).recover({ decision: 'back' });
    await engine(disk, 202).restore('cp_1');
    expect(tell(treeOf(disk).tree)).toBe(tell(done));
  });
});

describe('a changed journal', () => {
  interface Written {
    readonly disk: SimDisk;
    readonly file: DiskPath;
    readonly json: Record<string, unknown>;
  }

  async function journal(): Promise<Written> {
    const { disk } = await halfDone(() => true);
    const [store = ''] = disk.list('/home/workspaces' as DiskPath);
    const folder = `/home/workspaces/${store}/journal`;
    const name = disk.list(folder as DiskPath).find((each) => each.endsWith('.json')) as string;
    const file = `${folder}/${name}` as DiskPath;
    const text = bytesOf(disk, file).toString();
    return { disk, file, json: JSON.parse(text.slice(65)) as Record<string, unknown> };
  }

  function replace({ disk, file }: Written, content: string): void {
    disk.unlink(file);
    const fd = disk.openNew(file, 0o600);
    disk.write(fd, Buffer.from(content), 0);
    disk.close(fd);
  }

  const sealed = (json: unknown): string => {
    const body = JSON.stringify(json);
    return `${createHash('sha256').update(body).digest('hex')}\n${body}`;
  };

  it('one changed byte is damage, nothing is touched, and operations are refused until it is removed', async () => {
    const written = await journal();
    const tree = treeOf(written.disk).tree;
    replace(written, sealed(written.json).replace('"cp', '"pc').replace('transitions', 'transitionz'));
    for (const action of [
      engine(written.disk, 200).restore('cp_1'),
      engine(written.disk, 201).recover({ decision: 'back' }),
    ]) {
      await expect(action).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
    }
    expect(tell(treeOf(written.disk).tree)).toBe(tell(tree));
  });

  it.each<[string, (json: Record<string, unknown>) => unknown, string]>([
    ['of a newer version', (json) => ({ ...json, format: 99 }), 'STORE_TOO_NEW'],
    ['that names another staging folder', (json) => ({ ...json, stage: 'src' }), 'STORE_DAMAGED'],
    ['that names another transaction', (json) => ({ ...json, transaction: '0'.repeat(16) }), 'STORE_DAMAGED'],
    ['with no commit', (json) => ({ ...json, checkpoint: { number: 3, commit: '../x' } }), 'STORE_DAMAGED'],
    ['with a path that leads out', (json) => ({ ...json, transitions: [['../out', null, null]] }), 'STORE_DAMAGED'],
    ['with a path into .git', (json) => ({ ...json, transitions: [['.git/config', null, null]] }), 'STORE_DAMAGED'],
    ['with a folder that leads out', (json) => ({ ...json, closed: [['../out', 0o700]] }), 'STORE_DAMAGED'],
  ])('%s is refused, although its checksum is valid', async (_what, change, code) => {
    const written = await journal();
    const tree = treeOf(written.disk).tree;
    replace(written, sealed(change(written.json)));
    await expect(engine(written.disk, 200).recover({ decision: 'forward' })).rejects.toMatchObject({ code });
    expect(tell(treeOf(written.disk).tree)).toBe(tell(tree));
  });

  it('an intent that names a foreign folder is refused', async () => {
    const written = await journal();
    const { disk, file } = written;
    const intent = file.replace('.json', '.intent') as DiskPath;
    disk.unlink(file);
    replace({ ...written, file: intent }, sealed({ root: ROOT, stage: 'deep', makesRoot: false }));
    await expect(engine(disk, 200).recover()).rejects.toMatchObject({ code: 'STORE_DAMAGED' });
  });
});
