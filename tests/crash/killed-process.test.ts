import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bytesFromText, type DiskPath, open, type Savepoint } from '@savepoint/core';
import { type Manifest, manifest, realPorts, type SeededRandom, seededRandom, testEffort } from '@savepoint/testkit';
import { explain, type Project, project, watchCalls } from '@savepoint/testkit/command';
import { afterEach, describe, expect, it } from 'vitest';

/**
 * A real process of the real command kills itself before its n-th file system call. After the next command, the folder
 * is all old or all new, and the store is valid. Tests some n; SAVEPOINT_LONG=1 tests every one.
 * Another seed: SAVEPOINT_SEED=… npx vitest run tests/crash/killed-process.test.ts
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const MOMENTS = testEffort({ quick: 2, ci: 12, long: Number.POSITIVE_INFINITY });

const CALLS =
  'openSync readSync writeSync fsyncSync renameSync linkSync unlinkSync mkdirSync rmdirSync chmodSync fchmodSync symlinkSync lstatSync readdirSync'.split(
    ' ',
  );

interface Scene {
  readonly name: string;
  readonly args: readonly string[];
  /** Brings the folder into the state in which the command starts, whatever its current state. */
  readonly prepare: (project: Project, savepoint: Savepoint) => Promise<unknown>;
}

const SCENES: readonly Scene[] = [
  { name: 'checkpoint', args: ['checkpoint'], prepare: async (p) => second(p) },
  { name: 'restore', args: ['restore', 'cp_1', '--yes'], prepare: async (p) => second(p) },
  {
    name: 'undo',
    args: ['undo', '--yes'],
    prepare: async (p, savepoint) => {
      second(p);
      await savepoint.restore('cp_1');
    },
  },
  {
    name: 'redo',
    args: ['redo', '--yes'],
    prepare: async (p, savepoint) => {
      second(p);
      await savepoint.restore('cp_1');
      await savepoint.undo();
    },
  },
  {
    name: 'gc',
    args: ['gc', '--max-checkpoints', '3', '--keep-at-least', '2', '--yes'],
    prepare: async (p, savepoint) => {
      for (const text of ['x\n', 'y\n', 'z\n']) {
        p.write('a.txt', text + p.read('a.txt'));
        await savepoint.checkpoint();
      }
    },
  },
];

function first(p: Project): void {
  p.write('a.txt', 'a1\n');
  p.write('run.sh', '#!/bin/sh\n', 0o755);
  p.write('gone/deep/b.txt', 'b\n');
  p.write('kind', 'a file\n');
}

/** The text differs each time; otherwise there would be nothing to do. */
function second(p: Project): void {
  for (const name of ['gone', 'kind', 'new', 'run.sh']) if (p.has(name)) p.delete(name);
  p.write('a.txt', `${p.has('a.txt') ? p.read('a.txt').slice(0, 400) : ''}a2\n`);
  p.write('run.sh', '#!/bin/sh\n', 0o644);
  p.write('kind/inside.txt', 'a folder now\n');
  p.write('new/c.txt', 'c\n');
}

function engine(p: Project): Savepoint {
  const places = { home: disk(p.store), userHome: disk(p.home), globalIgnore: null };
  return open({ dir: disk(p.dir), places, ports: realPorts() });
}

const disk = (text: string): DiskPath => bytesFromText(text) as DiskPath;

/** Ignores staging folders: the next command removes them. */
const treeOf = (p: Project): Manifest => manifest(p.dir, { skip: (name) => name.startsWith('.savepoint-') });

/** Number of calls of the command if it is not killed. */
async function callsOf(p: Project, scene: Scene): Promise<number> {
  await scene.prepare(p, engine(p));
  const record = `${p.base}/calls-${scene.name}`;
  const outcome = p.run(scene.args, watchCalls({ below: p.base, calls: CALLS, record }));
  expect(outcome.status, explain(scene.args, outcome)).toBe(0);
  return readFileSync(record, 'utf8').split('\n').length - 1;
}

describe.each(SCENES)('$name', (scene) => {
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(`replay: SAVEPOINT_SEED=${SEED} npx vitest run ${task.file.name}`);
  });

  it('a process that dies before any call leaves all old or all new, and the next command succeeds', async () => {
    const p = project();
    first(p);
    await engine(p).checkpoint();
    // The long version takes enough checkpoints that clean-up would drop the one to be restored.
    await engine(p).pin('cp_1');
    const calls = await callsOf(p, scene);
    expect(calls).toBeGreaterThan(50);
    for (const nth of moments(calls, seededRandom(SEED))) {
      await scene.prepare(p, engine(p));
      const old = treeOf(p);
      const outcome = p.run(scene.args, watchCalls({ below: p.base, calls: CALLS, nth, action: { kill: true } }));
      // A later run may make fewer calls.
      if (outcome.signal !== 'SIGKILL') expect(outcome.status, explain(scene.args, outcome)).toBe(0);
      const where = `killed before call ${nth} of ${calls}`;
      await settledTo(p, scene, old, where);
    }
  }, 3_600_000);
});

async function settledTo(p: Project, scene: Scene, old: Manifest, where: string): Promise<void> {
  const savepoint = engine(p);
  const { pending, checkpoint } = await savepoint.checkpoint();
  expect(pending, where).toBeNull();
  const found = manifest(p.dir);
  if (JSON.stringify(found) !== JSON.stringify(old)) {
    // The state is all new: the operation's result is recorded, and equals the folder.
    expect(scene.name, where).toMatch(/restore|undo|redo/);
    const { checkpoints } = await savepoint.list({ limit: 3 });
    const operation = checkpoints.find(({ trigger }) => trigger === scene.name);
    expect(operation, where).toBeDefined();
    const { changes } = await savepoint.diff({ from: operation?.id ?? '', to: checkpoint.id });
    expect(changes, where).toEqual([]);
    if (scene.name === 'restore') expect((await savepoint.diff({ from: 'cp_1' })).changes, where).toEqual([]);
  }
  expect((await savepoint.verify({ deep: true })).damage, where).toEqual([]);
}

function moments(calls: number, random: SeededRandom): readonly number[] {
  const all = Array.from({ length: calls }, (_, index) => index + 1);
  return all.length <= MOMENTS ? all : random.sample(all, MOMENTS).sort((a, b) => a - b);
}

it('the next bundle in a folder removes what a killed process left there, and nothing of others', () => {
  const p = project();
  first(p);
  p.checkpoint();
  const out = path.join(p.base, 'out');
  mkdirSync(out);
  const create = ['bundle', 'create', path.join(out, 'x.bundle')];
  const killed = p.run(create, watchCalls({ below: out, calls: ['linkSync'], nth: 1, action: { kill: true } }));
  expect(killed.signal).toBe('SIGKILL');
  const [left = '', ...more] = readdirSync(out);
  expect([left, more]).toEqual([expect.stringMatching(/^x\.bundle\.[0-9a-f]{8}_\d+_.*\.tmp$/), []]);
  const alive = left.replace(/_\d+_\d+_/, `_${process.pid}_-_`);
  const others = [alive, 'x.bundle.12345678.tmp', 'mine.tmp'];
  for (const name of others) writeFileSync(path.join(out, name), '');
  expect(p.run(['bundle', 'create', path.join(out, 'other.bundle')]).status).toBe(0);
  expect(readdirSync(out).sort()).toEqual([...others, 'other.bundle'].sort());
});
