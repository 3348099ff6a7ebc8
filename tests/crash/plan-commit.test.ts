import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { open, type Savepoint, SavepointError } from '@savepoint/core';
import { type Manifest, manifest, realPorts, seededRandom, testEffort, type World, world } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';
import { type Interruption, mortalPorts } from './mortal-ports.ts';

/**
 * A process dies, or a call fails, at any call while it commits a plan in two repositories with staged work. Each
 * repository has the whole commit or none, what the plan has no part in stays byte-identical in the index, and repeating
 * the command completes it.
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const MOMENTS = testEffort({ quick: 1, ci: 1, long: Number.POSITIVE_INFINITY });
const PATH = process.env['PATH'] ?? '';
const AUTHOR = { name: 'Ann', email: 'ann@example.invalid' };
const OLD_GIT = ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid'];

/** By repository: the files of the plan. */
const PLANNED = { '.': ['gone.txt', 'src/a.txt', 'src/new.txt'], inner: ['i.txt'] } as const;
const REPOSITORIES = ['.', 'inner'] as const;
type Repository = (typeof REPOSITORIES)[number];

class Game {
  readonly world: World = world();
  readonly top = Buffer.from(this.world.workspace, 'latin1').toString();
  id = '';

  constructor(readonly hooks: boolean) {}

  engine(ports = realPorts()): Savepoint {
    const places = { ...this.world.places, searchPath: PATH, variables: () => ({ PATH }) };
    return open({ dir: this.world.workspace, ports, places });
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.top, path)), { recursive: true });
    writeFileSync(join(this.top, path), text);
  }

  git(repository: Repository, ...args: readonly string[]): string {
    return execFileSync('git', args, { cwd: join(this.top, repository), encoding: 'utf8' });
  }

  async begin(): Promise<void> {
    for (const name of ['src/a.txt', 'gone.txt', 'mine.txt', 'other.txt', 'inner/i.txt', 'inner/mine.txt']) {
      this.write(name, `${name}\n`);
    }
    this.write('.gitignore', 'inner\n');
    for (const repository of REPOSITORIES) {
      this.git(repository, 'init', '-q', '-b', 'main');
      this.git(repository, 'add', '.');
      this.git(repository, ...OLD_GIT, 'commit', '-qm', 'first');
    }
    for (const repository of REPOSITORIES) {
      const hook = join(this.top, repository, '.git/hooks/pre-commit');
      writeFileSync(hook, '#!/bin/sh\ngit diff --cached --quiet HEAD && exit 1\nexit 0\n', { mode: 0o755 });
      this.write(`${repository}/mine.txt`, 'staged\n');
      this.git(repository, 'add', 'mine.txt');
      this.write(`${repository}/mine.txt`, 'changed after that\n');
    }
    const write = (path: string) => ({ path, edits: [{ op: 'write' as const, content: 'planned\n' }] });
    const files = [write('src/a.txt'), { path: 'gone.txt', edits: [{ op: 'delete' as const }] }];
    const { plan, fingerprint } = await this.engine().proposeEdits(
      [...files, write('src/new.txt'), write('inner/i.txt')],
      { intent: 'Plan it' },
    );
    await this.engine().approvePlan(plan.id, fingerprint);
    await this.engine().applyPlan(plan.id);
    this.id = plan.id;
  }

  /** The index without the files of the plan, with the stats that git keeps. */
  others(repository: Repository): string {
    const [, ...entries] = this.git(repository, 'ls-files', '--debug', '-sv').split(/^(?=\S)/m);
    const planned: readonly string[] = PLANNED[repository];
    return entries.filter((entry) => !planned.some((path) => entry.includes(`\t${path}\n`))).join('');
  }

  files(): Manifest {
    return manifest(this.top, { skip: (path) => path.endsWith('.git') });
  }

  /** What is in git's folder besides objects, logs and git's own files. */
  debris(repository: Repository): readonly string[] {
    return readdirSync(join(this.top, repository, '.git')).filter((name) => /lock|tmp|savepoint/.test(name));
  }
}

const commit = (game: Game, engine = game.engine()) =>
  engine.commitPlan(game.id, { author: AUTHOR, hooks: game.hooks });

/** The names of committed repositories; throws if one has half a commit. */
function committed(game: Game, where: string): readonly Repository[] {
  return REPOSITORIES.filter((repository) => {
    const commits = game.git(repository, 'rev-list', 'HEAD').trim().split('\n');
    if (commits.length === 1) return false;
    expect(commits, where).toHaveLength(2);
    const names = game.git(repository, 'diff-tree', '-r', '--name-only', 'HEAD~', 'HEAD').trim().split('\n');
    expect(names, where).toEqual(PLANNED[repository]);
    return true;
  });
}

async function begun(hooks: boolean): Promise<Game> {
  const game = new Game(hooks);
  onTestFinished(() => game.world.remove());
  await game.begin();
  return game;
}

interface Start {
  readonly others: readonly string[];
  readonly files: Manifest;
}

const startOf = (game: Game): Start => ({ others: REPOSITORIES.map((one) => game.others(one)), files: game.files() });

async function judge(game: Game, start: Start, where: string): Promise<void> {
  const done = committed(game, where);
  expect(startOf(game), where).toEqual(start);
  for (const repository of REPOSITORIES) {
    game.git(repository, 'fsck', '--strict', '--no-dangling');
    const status = game.git(repository, 'status', '--porcelain').trim().split('\n');
    // Without a commit, the files of the plan are at most staged.
    if (done.includes(repository)) expect(status, where).toEqual(['MM mine.txt']);
  }
  const { commits } = await commit(game);
  expect(commits, where).toHaveLength(REPOSITORIES.length - done.length);
  expect(committed(game, where), where).toEqual(REPOSITORIES);
  expect(startOf(game), where).toEqual(start);
  for (const repository of REPOSITORIES) {
    expect(game.git(repository, 'status', '--porcelain'), where).toBe('MM mine.txt\n');
    expect(game.debris(repository), where).toEqual([]);
  }
  expect((await game.engine().verify({ deep: true })).damage, where).toEqual([]);
  const { store } = (await game.engine().status()).workspace;
  const cache = readdirSync(join(Buffer.from(store, 'latin1').toString(), 'cache'));
  expect(
    cache.filter((name) => name.startsWith('commit')),
    where,
  ).toEqual([]);
}

test.each([
  ['without hooks', false],
  ['with hooks', true],
])('committing a plan in two repositories %s, interrupted at any call', { timeout: 3_600_000 }, async (_, hooks) => {
  const random = seededRandom(SEED);
  const whole = await begun(hooks);
  const counting = mortalPorts(realPorts(), Number.POSITIVE_INFINITY);
  await commit(whole, whole.engine(counting.ports));
  const calls = counting.calls();
  const all = Array.from({ length: calls }, (_, index) => index + 1);
  for (const kind of ['death', 'failure'] as const) {
    for (const at of all.length > MOMENTS ? random.sample(all, MOMENTS) : all) {
      const how: Interruption =
        kind === 'death' ? 'dies' : random.pick(['fails', 'keeps failing', 'is too late'] as const);
      const where = `SAVEPOINT_SEED=${SEED}: it ${how} at changing call ${at} of ${calls}`;
      const game = await begun(hooks);
      const start = startOf(game);
      const { ports, hasDied } = mortalPorts(realPorts(), at, how);
      const error: unknown = await commit(game, game.engine(ports)).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      expect(hasDied(), where).toBe(how === 'dies');
      if (how !== 'dies' && error !== null) expect(error, where).toBeInstanceOf(SavepointError);
      await judge(game, start, where).catch((thrown: unknown) => {
        throw new Error(`${where}\n${thrown instanceof Error ? thrown.stack : String(thrown)}`);
      });
      game.world.remove();
    }
  }
  rmSync(whole.top, { recursive: true });
});
