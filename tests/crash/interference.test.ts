import { createHash } from 'node:crypto';
import { type DiskPath, SavepointError } from '@savepoint/core';
import { type SeededRandom, type SimDisk, seededRandom, testEffort } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { engine, journals, ROOT, type Tree, tell, treeOf, verifyDeep } from '../simulated.ts';
import { prepared, SCENES, type Scene } from './scenes.ts';

/**
 * Another program changes the files during an operation, at each of its calls that change something. What the program
 * wrote is never lost: it is still in the folder, or in a checkpoint or a backup. Everything else is all old or all
 * new.
 * Another seed: SAVEPOINT_SEED=… npx vitest run tests/crash/interference.test.ts
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const MOMENTS = testEffort({ quick: 12, ci: 60, long: 60 });
const LONG = testEffort({ quick: false, ci: false, long: true });

/** Something that another program does at a path; null if it is impossible there now. */
type Deed = (disk: SimDisk, path: DiskPath, content: string) => string | null;

const create = (disk: SimDisk, path: DiskPath, content: string): void => {
  const file = disk.openNew(path, 0o644);
  disk.write(file, Buffer.from(content), 0);
  disk.close(file);
};

const DEEDS: Readonly<Record<string, Deed>> = {
  'saves by a new file': (disk, path, content) => {
    if (disk.lstat(path) !== null) disk.unlink(path);
    create(disk, path, content);
    return content;
  },
  'saves by a rename': (disk, path, content) => {
    create(disk, '/elsewhere' as DiskPath, content);
    disk.rename('/elsewhere' as DiskPath, path);
    return content;
  },
  'puts a file into a folder': (disk, path, content) => {
    create(disk, `${path}/intruder` as DiskPath, content);
    return content;
  },
  'makes a folder': (disk, path) => {
    disk.makeFolder(path, 0o755);
    return null;
  },
  'removes it': (disk, path) => {
    disk.unlink(path);
    return null;
  },
  'puts a link': (disk, path) => {
    disk.makeLink('intruder', path);
    return null;
  },
};

const ACTIONS = SCENES.filter(({ name }) => ['restore', 'undo', 'edit of 2 files', 'edit of 20 files'].includes(name));

describe.each(ACTIONS)('$name', (scene) => {
  it('a change by another program at any call is not lost, and the rest is all old or all new', async () => {
    const random = seededRandom(SEED);
    const start = await prepared(scene);
    const whole = start.afterProcessDeath();
    const before = whole.calls;
    await scene.action(engine(whole, 100));
    const calls = whole.calls - before;
    const ends = { old: treeOf(start).tree, done: treeOf(whole).tree };
    const touched = [...new Set([...ends.old.keys(), ...ends.done.keys()])].filter(
      (path) => path !== '' && ends.old.get(path) !== ends.done.get(path),
    );
    const found: string[] = [];
    const outcomes = new Set<string>();
    const step = LONG ? 1 : Math.max(1, Math.ceil(calls / MOMENTS));
    for (let at = 1 + (LONG ? 0 : random.integer(step)); at <= calls; at += step) {
      for (const deed of LONG ? Object.keys(DEEDS) : random.sample(Object.keys(DEEDS), 2)) {
        const intrusions: Intrusion[] = [{ at, deed, path: random.pick(touched) }];
        // Often a second change follows. The operation may be rolling back by then.
        if (random.next() < 0.6) {
          const later = at + 1 + random.integer(12);
          intrusions.push({ at: later, deed: random.pick(Object.keys(DEEDS)), path: random.pick(touched) });
        }
        const where = `of ${calls} calls: ${JSON.stringify(intrusions)} (replay: SAVEPOINT_SEED=${SEED})`;
        await interfere(scene, start, ends, intrusions, outcomes, random).catch((error: Error) => {
          found.push(`${where}: ${error.message}`);
        });
      }
    }
    expect(found).toEqual([]);
    expect(outcomes).toContain('CONFLICT');
    expect(outcomes).toContain('done');
  }, 3_600_000);
});

it.each(ACTIONS)('$name: a file that is removed just before it is moved aside is not a disk failure', async (scene) => {
  const random = seededRandom(SEED);
  const start = await prepared(scene);
  const whole = start.afterProcessDeath();
  const before = whole.calls;
  const moments: number[] = [];
  whole.onCall = ({ operation, path }) => {
    if (operation === 'rename' && /\/\.savepoint-[^/]+\/old\//.test(path)) moments.push(whole.calls - before);
  };
  await scene.action(engine(whole, 100));
  whole.onCall = null;
  const ends = { old: treeOf(start).tree, done: treeOf(whole).tree };
  const old = [...ends.old.keys()].filter((path) => path !== '' && ends.old.get(path) !== ends.done.get(path));
  expect(moments).not.toEqual([]);
  for (const at of random.sample(moments, Math.min(moments.length, testEffort({ quick: 1, ci: 3, long: 1_000 })))) {
    for (const path of random.sample(old, Math.min(old.length, testEffort({ quick: 6, ci: 12, long: 1_000 })))) {
      const intrusion = { at, deed: 'removes it', path };
      await interfere(scene, start, ends, [intrusion], new Set(), random).catch((error: Error) => {
        throw new Error(`${JSON.stringify(intrusion)}: ${error.message}`);
      });
    }
  }
});

it('edit of 2 files: a second save at any call during the handling of the first is not lost', async () => {
  const random = seededRandom(SEED);
  const scene = SCENES.find(({ name }) => name === 'edit of 2 files') as Scene;
  const start = await prepared(scene);
  const whole = start.afterProcessDeath();
  const placed: { number: number; path: string }[] = [];
  const before = whole.calls;
  whole.onCall = ({ operation, path }) => {
    if (operation === 'hardLink' && path.startsWith(`${ROOT}/`) && !path.includes('/.savepoint-')) {
      placed.push({ number: whole.calls - before, path: path.slice(ROOT.length + 1) });
    }
  };
  await scene.action(engine(whole, 100));
  whole.onCall = null;
  const ends = { old: treeOf(start).tree, done: treeOf(whole).tree };
  const [first, last] = [placed[0], placed.at(-1)] as [(typeof placed)[0], (typeof placed)[0]];
  expect(last.path).not.toBe(first.path);
  const deed = 'saves by a rename';
  for (let at = last.number + 2; at < last.number + 36; at++) {
    for (const path of [first.path, last.path]) {
      const intrusions = [
        { at: last.number + 1, deed, path: first.path === path ? last.path : first.path },
        { at, deed, path },
      ];
      await interfere(scene, start, ends, intrusions, new Set(), random).catch((error: Error) => {
        throw new Error(`${JSON.stringify(intrusions)}: ${error.message}`);
      });
    }
  }
}, 600_000);

const OUTCOMES: ReadonlySet<string> = new Set(['CONFLICT', 'PENDING', 'EDITS_REFUSED']);

interface Intrusion {
  readonly at: number;
  readonly deed: string;
  readonly path: string;
}

/** Returns what the program wrote, if it must be preserved; null if it failed or wrote nothing. */
function intrude(disk: SimDisk, { at, deed, path }: Intrusion): string | null {
  const disturbed = `${ROOT}/${path}` as DiskPath;
  // A change through a link happens elsewhere and does not concern the operation.
  const isInside = deed === 'puts a file into a folder';
  const folder = isInside ? disturbed : (disturbed.slice(0, disturbed.lastIndexOf('/')) as DiskPath);
  try {
    return disk.realpath(folder) === folder ? (DEEDS[deed] as Deed)(disk, disturbed, `intruder at ${at}\n`) : null;
  } catch {
    return null;
  }
}

async function interfere(
  scene: Scene,
  start: SimDisk,
  ends: { readonly old: Tree; readonly done: Tree },
  intrusions: readonly Intrusion[],
  outcomes: Set<string>,
  random: SeededRandom,
): Promise<void> {
  const disk = start.afterProcessDeath();
  const wrote = new Map<string, string>();
  let calls = 0;
  disk.onCall = () => {
    calls += 1;
    const { onCall } = disk;
    disk.onCall = null;
    for (const intrusion of intrusions) {
      if (intrusion.at !== calls) continue;
      const content = intrude(disk, intrusion);
      // A second change at the same path destroyed the first one; the operation did not.
      if (intrusion !== intrusions[0] && related(intrusion.path, intrusions[0]?.path ?? '')) wrote.clear();
      if (content !== null) wrote.set(intrusion.path, content);
    }
    disk.onCall = onCall;
  };
  let code: string | null = null;
  try {
    await scene.action(engine(disk, 100));
  } catch (error) {
    if (!(error instanceof SavepointError)) throw error;
    code = error.code;
  }
  disk.onCall = null;
  outcomes.add(code ?? 'done');
  // Neither an internal error nor an I/O error.
  if (code !== null && !OUTCOMES.has(code)) throw new Error(`reported as ${code}`);
  if (code === 'PENDING') {
    // Only a person can decide what happens next. Nothing is lost either way.
    const forward = (intrusions[0]?.at ?? 0) % 2 === 1 && (await goesForward(disk));
    if (!forward) await engine(disk, 201).recover({ decision: 'back' });
  } else expect(journals(disk)).toEqual([]);
  const { tree, staging } = treeOf(disk);
  expect(staging).toEqual([]);
  // An edit may have moved what the program wrote.
  const theirs = [...tree].filter(([, node]) => node.includes('intruder')).map(([path]) => path);
  const exceptions = [...intrusions.map(({ path }) => path), ...theirs];
  const others = (each: Tree): string => tell(each, exceptions);
  const apart = others(tree);
  const isWhole = apart === others(ends.old) || apart === others(ends.done);
  if (!isWhole) throw new Error(`neither old nor new (${code ?? 'done'})\n${apart}`);
  for (const content of wrote.values()) {
    if (!(await isKept(disk, tree, content))) throw new Error(`what it wrote is lost (${code ?? 'done'})`);
  }
  await verifyDeep(engine(disk, 300));
  // The reported result also survives a power cut. What the other program did was never synced.
  for (const state of disk.crashStates('any-subset', 1, random)) {
    await engine(state, 400).recover();
    expect(tell(treeOf(state).tree, exceptions)).toBe(tell(tree, exceptions));
  }
}

function related(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
}

/** Existing content may prevent going forward. Then the operation is still pending, and going back is possible. */
async function goesForward(disk: SimDisk): Promise<boolean> {
  try {
    await engine(disk, 200).recover({ decision: 'forward' });
    return true;
  } catch (error) {
    expect((error as SavepointError).code).toBe('PENDING');
    return false;
  }
}

/** In the folder, in a checkpoint, or among the backups in the store. */
async function isKept(disk: SimDisk, tree: Tree, content: string): Promise<boolean> {
  if ([...tree.values()].some((node) => node.endsWith(content))) return true;
  const id = createHash('sha1').update(`blob ${content.length}\0${content}`).digest('hex');
  const { checkpoints } = await engine(disk, 301).list();
  for (const { changes } of checkpoints) {
    for (const { before, after } of changes ?? []) {
      for (const entry of [before, after]) if (entry?.kind === 'file' && entry.id === id) return true;
    }
  }
  return copies(disk, '/home/workspaces' as DiskPath).includes(content);
}

function copies(disk: SimDisk, folder: DiskPath): readonly string[] {
  return disk.list(folder).flatMap((store) => filesBelow(disk, `${folder}/${store}/backups` as DiskPath));
}

function filesBelow(disk: SimDisk, folder: DiskPath): readonly string[] {
  return disk.list(folder).flatMap((name) => {
    const path = `${folder}/${name}` as DiskPath;
    const size = disk.lstat(path)?.size ?? 0;
    if (((disk.lstat(path)?.mode ?? 0) & 0o170000) === 0o040000) return filesBelow(disk, path);
    const file = disk.openRead(path);
    const bytes = Buffer.alloc(size);
    disk.read(file, bytes, 0, size, 0);
    disk.close(file);
    return [bytes.toString('latin1')];
  });
}
