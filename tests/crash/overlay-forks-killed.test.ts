import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { realPorts, seededRandom, testEffort, whyNoOverlays } from '@savepoint/testkit';
import { explain, type Project, project, watchCalls } from '@savepoint/testkit/command';
import { test as always, expect, onTestFinished } from 'vitest';

/**
 * The command is killed before its n-th call that changes the disk, while it creates or removes forks that are overlays and
 * in which commands run. No half fork counts, and when all forks are removed, no mount, no process and no file of them is
 * left. SAVEPOINT_LONG=1 tests every call.
 */
const test = always.skipIf(whyNoOverlays() !== null);
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const MOMENTS = testEffort({ quick: 1, ci: 1, long: Number.POSITIVE_INFINITY });
const CALLS = 'writeSync renameSync linkSync unlinkSync mkdirSync rmdirSync'.split(' ');

interface Scene {
  readonly name: string;
  readonly prepare: (p: Project) => void;
  readonly args: readonly string[];
}

const CREATE = ['fork', 'create', 'f', '--count', '2', '--', 'sh', '-c', 'echo work >new.txt; exec sleep 600'];

const SCENES: readonly Scene[] = [
  { name: 'fork create', prepare: () => undefined, args: CREATE },
  { name: 'fork drop', prepare: (p) => p.ok(...CREATE), args: ['fork', 'drop', 'f-1', '--force'] },
];

/** A project, and what is left of its forks. */
class Game {
  readonly p: Project = project();
  readonly #copies = join(this.p.store, 'copies');
  readonly #ids = new Set<string>();

  begin({ prepare }: Scene): void {
    onTestFinished(() => this.kill());
    this.p.write('a.txt', 'a\n');
    this.p.ok('checkpoint');
    prepare(this.p);
  }

  /** What is in the folder of copies, apart from the results of probes. */
  copies(): readonly string[] {
    const found = existsSync(this.#copies) ? readdirSync(this.#copies) : [];
    for (const name of found) if (/^copy_[0-9a-f]{8}$/.test(name)) this.#ids.add(name);
    return found.filter((name) => name !== 'overlays-work');
  }

  /** The processes in any fork there was. */
  running(): readonly number[] {
    const { processes } = realPorts();
    const inMounts = [...this.#ids].flatMap((id) => [
      ...processes.seeingMount(`savepoint:${id}:`),
      ...processes.seeingMount(`savepoint-look:${id}:`),
    ]);
    const started = (processes.startedSince(0) ?? []).filter(({ pid }) =>
      this.#ids.has(processes.startedWith(pid).variables.get('SAVEPOINT_FORK_ID') ?? ''),
    );
    return [...inMounts, ...started].map(({ pid }) => pid);
  }

  kill(): void {
    this.copies();
    for (const pid of this.running()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    }
  }
}

interface ForksJson {
  readonly forks: readonly { readonly name: string; readonly state: string; readonly runs: readonly unknown[] }[];
  readonly warnings: readonly string[];
}

async function interrupt(scene: Scene, nth: number, where: string): Promise<void> {
  const game = new Game();
  game.begin(scene);
  const { p } = game;
  p.run(scene.args, watchCalls({ below: p.base, calls: CALLS, nth, action: { kill: true } }));
  game.copies();
  const before: ForksJson = JSON.parse(p.ok('fork', 'list', '--json').stdout);
  expect(before.warnings, where).toEqual([]);
  expect(p.has('new.txt'), where).toBe(false);
  p.ok('fork', 'clean');
  for (const { name } of before.forks) p.run(['fork', 'drop', name, '--force']);
  p.ok('fork', 'clean');
  p.ok('copies', '--clean');
  expect(JSON.parse(p.ok('fork', 'list', '--json').stdout).forks, where).toEqual([]);
  await expect.poll(() => game.running(), { timeout: 30_000, message: where }).toEqual([]);
  expect(game.copies(), where).toEqual([]);
  expect(JSON.parse(p.ok('verify', '--json').stdout), where).toMatchObject({ damage: [] });
}

test.each(SCENES.map((scene) => [scene.name, scene] as const))(
  '%s of overlays, killed at any call, leaves no half fork, no mount and no process',
  async (name, scene) => {
    const counted = new Game();
    counted.begin(scene);
    const record = join(counted.p.base, 'calls');
    const outcome = counted.p.run(scene.args, watchCalls({ below: counted.p.base, calls: CALLS, record }));
    expect(outcome.status, explain(scene.args, outcome)).toBe(0);
    // A look that finds nothing would prove nothing.
    counted.copies();
    expect(counted.running().length).toBeGreaterThan(0);
    const calls = readFileSync(record, 'utf8').split('\n').length - 1;
    counted.kill();
    const all = Array.from({ length: calls }, (_, index) => index + 1);
    const chosen = all.length > MOMENTS ? seededRandom(SEED).sample(all, MOMENTS) : all;
    for (const nth of chosen) {
      await interrupt(scene, nth, `SAVEPOINT_SEED=${SEED}: ${name} killed before call ${nth} of ${calls}`);
    }
  },
  3_600_000,
);
