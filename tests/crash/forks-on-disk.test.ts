import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { open, type Savepoint } from '@savepoint/core';
import { manifest, realPorts, seededRandom, testEffort, type World, world } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { codeOf } from '../simulated.ts';
import { type Interruption, mortalPorts } from './mortal-ports.ts';

/**
 * A process dies, or is refused a call, at any call while it creates, merges, drops or cleans forks whose repository is a
 * worktree, and in which commands run. The workspace, its repository and the work in forks are never damaged, `fork clean` removes all that is
 * left, with its processes, and repeating the command completes it.
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const MOMENTS = testEffort({ quick: 1, ci: 1, long: Number.POSITIVE_INFINITY });
/** About as many calls as the shortest of these actions has. */
const FEW_CALLS = 40;
const VARIABLES = { PATH: process.env['PATH'] ?? '' };
const SLEEP = { command: ['sleep', '600'], variables: VARIABLES };

interface Scene {
  readonly name: string;
  readonly prepare?: (game: Game) => Promise<unknown>;
  readonly action: (savepoint: Savepoint) => Promise<unknown>;
  /** Whether the action has happened. */
  readonly isDone: (game: Game) => Promise<boolean>;
}

/** A repository, and a fork with a branch, in which a command runs and work is not merged. */
class Game {
  readonly world: World = world();
  readonly top = Buffer.from(this.world.workspace, 'latin1').toString();

  engine(ports = realPorts()): Savepoint {
    const places = { ...this.world.places, searchPath: process.env['PATH'] ?? '' };
    return open({ dir: this.world.workspace, ports, places });
  }

  async begin(): Promise<void> {
    writeFileSync(join(this.top, 'a.txt'), 'a\n');
    this.git('init', '-q', '-b', 'main');
    this.git('add', '.');
    this.git('-c', 'user.name=x', '-c', 'user.email=x@x', 'commit', '-q', '-m', 'first');
    await this.engine().createForks(['f'], { rungs: ['copy'], branch: 'topic', command: SLEEP });
    writeFileSync(join(await this.folder('f'), 'a.txt'), 'work\n');
  }

  async folder(name: string): Promise<string> {
    return Buffer.from((await this.engine().fork(name)).folder ?? '', 'latin1').toString();
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.top, encoding: 'utf8' });
  }

  /** Everything of the workspace and its repository that forks must not change. */
  state(): unknown {
    const files = manifest(this.top, { skip: (path) => path === '.git' });
    return [files, this.git('status', '--short'), this.git('rev-parse', 'main', 'HEAD')];
  }

  /** The commands that run in forks of this game. */
  async running(): Promise<readonly number[]> {
    const { processes } = realPorts();
    return (processes.startedSince(0) ?? [])
      .filter(({ pid }) => {
        const { variables } = processes.startedWith(pid);
        return variables.get('SAVEPOINT_FORK_ID') !== undefined && (processes.folderOf(pid) ?? '').includes(this.place);
      })
      .map(({ pid }) => pid);
  }

  get place(): string {
    return Buffer.from(this.world.folder, 'latin1').toString();
  }

  async end(): Promise<void> {
    for (const pid of await this.running()) process.kill(pid, 'SIGKILL');
    this.world.remove();
  }
}

const hasFork = async (game: Game, name: string): Promise<boolean> => {
  const { forks, problems } = await game.engine().forks();
  expect(problems).toEqual([]);
  return forks.some((fork) => fork.name === name);
};

const SCENES: readonly Scene[] = [
  {
    name: 'create',
    action: (savepoint) =>
      savepoint.createForks(['g'], { rungs: ['copy'], branch: 'other', command: SLEEP, from: 'cp_1' }),
    isDone: (game) => hasFork(game, 'g'),
  },
  {
    name: 'merge',
    action: (savepoint) => savepoint.mergeFork('f'),
    isDone: async (game) => {
      await game.engine().recover();
      const isMerged = readFileSync(join(game.top, 'a.txt'), 'utf8') === 'work\n';
      expect((await game.engine().fork('f')).state).toBe(isMerged ? 'merged' : 'changed');
      return isMerged;
    },
  },
  {
    name: 'drop',
    action: (savepoint) => savepoint.dropFork('f', { force: true }),
    isDone: async (game) => !(await hasFork(game, 'f')),
  },
  {
    name: 'clean',
    prepare: async (game) => {
      for (const pid of await game.running()) process.kill(pid, 'SIGKILL');
      await expect.poll(async () => (await game.engine().fork('f')).runs[0]?.state).toBe('killed');
      await game.engine().mergeFork('f');
    },
    action: (savepoint) => savepoint.cleanForks(),
    isDone: async (game) => !(await hasFork(game, 'f')),
  },
];

async function begun(scene: Scene): Promise<Game> {
  const game = new Game();
  onTestFinished(() => game.end());
  await game.begin();
  await scene.prepare?.(game);
  return game;
}

/** Without the long version, it is not worth a run to count them. */
async function callsOf(scene: Scene): Promise<number> {
  if (Number.isFinite(MOMENTS)) return FEW_CALLS;
  const game = await begun(scene);
  const { ports, calls } = mortalPorts(realPorts(), Number.POSITIVE_INFINITY);
  await scene.action(game.engine(ports));
  expect(await scene.isDone(game)).toBe(true);
  await game.end();
  return calls();
}

/** Interrupts the action, checks what it left, and completes it. */
async function interrupt(scene: Scene, at: number, how: Interruption, where: string): Promise<void> {
  const game = await begun(scene);
  const before = game.state();
  const { ports, hasDied } = mortalPorts(realPorts(), at, how);
  const error: unknown = await scene.action(game.engine(ports)).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error instanceof TypeError, where).toBe(false);
  if (how === 'dies') expect(hasDied(), where).toBe(true);
  else if (error !== null) expect(codeOf(error), where).toMatch(/^[A-Z_]+$/);
  const isDone = await scene.isDone(game);
  if (how !== 'dies' && error === null) expect(isDone, where).toBe(true);
  if (scene.name !== 'merge') expect(game.state(), where).toEqual(before);
  if (await hasFork(game, 'f')) {
    expect(readFileSync(join(await game.folder('f'), 'a.txt'), 'utf8'), where).toBe('work\n');
  }
  await game.engine().cleanForks();
  if (!isDone && !(await scene.isDone(game))) {
    await scene.action(game.engine());
    expect(await scene.isDone(game), where).toBe(true);
  }
  for (const { name } of (await game.engine().forks()).forks) await game.engine().dropFork(name, { force: true });
  await game.engine().cleanForks();
  expect(await game.running(), where).toEqual([]);
  expect(game.git('worktree', 'list').trim().split('\n'), where).toHaveLength(1);
  const [again] = await game.engine().createForks(['again'], { from: 'dropped:f', rungs: ['copy'] });
  const kept = join(Buffer.from(again?.files ?? '', 'latin1').toString(), 'a.txt');
  expect(existsSync(kept) && readFileSync(kept, 'utf8'), where).toBe('work\n');
  await game.engine().dropFork('again', { force: true });
  expect((await game.engine().verify({ deep: true })).damage, where).toEqual([]);
  await game.end();
}

const HOW: readonly Interruption[] = ['dies', 'fails', 'keeps failing'];

test.each(SCENES.flatMap((scene) => HOW.map((how) => [scene.name, how, scene] as const)))(
  '%s of forks with worktrees and commands, of which any call %s',
  async (name, how, scene) => {
    const random = seededRandom(SEED);
    const all = Array.from({ length: await callsOf(scene) }, (_, index) => index + 1);
    for (const at of random.sample(all, MOMENTS)) {
      await interrupt(scene, at, how, `SAVEPOINT_SEED=${SEED}: ${name}, changing call ${at} of ${all.length} ${how}`);
    }
  },
  3_600_000,
);
