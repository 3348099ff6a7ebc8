import { ERROR_CODES } from '@savepoint/core';
import { seededRandom, testEffort } from '@savepoint/testkit';
import { type CommandOutcome, explain, type Project, project, workingFiles } from '@savepoint/testkit/command';
import { afterEach, describe, expect, it } from 'vitest';

/**
 * Four users work in one folder at the same time, each with many commands (50 in CI), of which 2 % are killed at a
 * random moment. During the first half of the commands, every user also writes files, their own and each other's. In
 * the second half only Savepoint writes, so the folder must equal the result of the last operation.
 * Another seed: SAVEPOINT_SEED=… npx vitest run tests/together/processes.test.ts
 */
const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const PEOPLE = 4;
const COMMANDS = testEffort({ quick: 6, ci: 50, long: 50 });
const KILLED = 0.02;

const STATUSES: ReadonlySet<number> = new Set([0, 1, 3, 4]);
/** Errors that are possible when others work at the same time. */
const REASONS: ReadonlySet<string> = new Set([
  'CONFLICT',
  'PENDING',
  'NOTHING_TO_UNDO',
  'NOTHING_TO_REDO',
  'NO_CHECKPOINT',
  'NO_WORKSPACE',
  'UNKNOWN_CHECKPOINT',
  'LOCKED',
  'PATH_REFUSED',
]);

describe('four processes at once', () => {
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.error(`replay: SAVEPOINT_SEED=${SEED} npx vitest run ${task.file.name}`);
  });

  it('with commands of every kind, some of them killed: numbers are unique, the store is valid, the folder matches the results', async () => {
    const p = project();
    for (let i = 0; i < 30; i++) p.write(`d${i % 5}/f${i}.txt`, `${i}\n`.repeat(20));
    const reported: Report = { made: [], killed: 0 };
    await Promise.all(people((random, who) => storm(p, random, who, reported, true)));
    finish(p);
    await Promise.all(people((random, who) => storm(p, random, who + PEOPLE, reported, false)));
    finish(p);

    const ids = reported.made.map(({ id }) => id);
    expect(new Set(ids).size, `made: ${ids.join(' ')}`).toBe(ids.length);
    const { checkpoints, damaged } = JSON.parse(p.ok('list', '--all', '--json', '--limit', '10000').stdout) as List;
    expect(damaged).toEqual([]);
    const numbers = checkpoints.map(({ id }) => Number(id.slice(3)));
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => b - a));
    p.ok('verify', '--deep');
    expect(leftovers(p)).toEqual([]);

    const { changes } = JSON.parse(p.ok('diff', '--json').stdout) as { changes: unknown[] };
    expect(changes).toEqual([]);
    const now = workingFiles(p.dir);
    p.write('d0/f0.txt', 'afterwards\n');
    p.restore(checkpoints[0]?.id ?? '', '--all');
    expect(workingFiles(p.dir)).toEqual(now);
  }, 300_000);
});

interface List {
  readonly checkpoints: readonly { readonly id: string }[];
  readonly damaged: readonly unknown[];
}

interface Report {
  /** Checkpoints that a command reported as taken. */
  readonly made: { readonly id: string; readonly by: string }[];
  killed: number;
}

type Random = () => number;

function people(action: (random: Random, who: number) => Promise<void>): Promise<void>[] {
  return Array.from({ length: PEOPLE }, (_, who) => action(seededRandom(SEED + who).next, who));
}

/** Half of one user's commands. */
async function storm(p: Project, random: Random, who: number, reported: Report, writes: boolean): Promise<void> {
  for (let i = 0; i < COMMANDS / 2; i++) {
    if (writes) scribble(p, random, who, i);
    const args = command(random);
    const running = p.start(['--json', ...args]);
    const dies = random() < KILLED;
    if (dies) setTimeout(() => kill(running.pid), 60 + random() * 160);
    const outcome = await running.done;
    if (outcome.signal !== null) reported.killed += 1;
    judge(args, outcome, dies, reported);
  }
}

function command(random: Random): readonly string[] {
  const at = random();
  if (at < 0.3) return ['checkpoint', '-m', 'in the crowd'];
  if (at < 0.5) return ['restore', `last~${Math.floor(random() * 3)}`, '--yes', '--all'];
  if (at < 0.62) return ['undo', '--yes'];
  if (at < 0.7) return ['redo', '--yes'];
  if (at < 0.78) return ['restore', 'last', '--yes', '--keep-outside', '--', `d${Math.floor(random() * 5)}`];
  if (at < 0.84) return ['diff', '--patch'];
  if (at < 0.88) return ['list'];
  if (at < 0.92) return ['status'];
  if (at < 0.95) return ['verify'];
  if (at < 0.98) return ['gc', '--yes'];
  return ['recover'];
}

function scribble(p: Project, random: Random, who: number, i: number): void {
  try {
    p.write(`d${who}/own${i % 7}.txt`, `${who} ${i} ${random()}\n`);
    if (random() < 0.3) p.write(`d${Math.floor(random() * 5)}/f${Math.floor(random() * 30)}.txt`, `${who}\n`.repeat(i));
    if (random() < 0.2) p.delete(`d${Math.floor(random() * 5)}`);
  } catch (error) {
    // The folder may disappear while it is written to; that is what this tests.
    if (!['ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
  }
}

function judge(args: readonly string[], outcome: CommandOutcome, dies: boolean, reported: Report): void {
  if (outcome.signal !== null) {
    expect(dies && outcome.signal === 'SIGKILL', explain(args, outcome)).toBe(true);
    return;
  }
  expect(STATUSES.has(outcome.status ?? -1), explain(args, outcome)).toBe(true);
  if (outcome.status === 0) {
    const answer = JSON.parse(outcome.stdout) as { checkpoint?: { id: string } | null; made?: boolean };
    if (answer.checkpoint != null && args[0] !== 'show')
      reported.made.push({ id: answer.checkpoint.id, by: args.join(' ') });
    return;
  }
  const { error } = JSON.parse(outcome.stderr || outcome.stdout) as { error: { code: keyof typeof ERROR_CODES } };
  expect(REASONS.has(error.code), explain(args, outcome)).toBe(true);
  expect(outcome.status).toBe(ERROR_CODES[error.code].exit);
}

/** Recovers what a killed command left, with a decision if another process has written to the same files. */
function finish(p: Project): void {
  const outcome = p.run(['recover']);
  if (outcome.status === 4) p.ok('recover', '--back');
  else expect(outcome.status, explain(['recover'], outcome)).toBe(0);
  p.ok('checkpoint', '-m', 'settled');
}

/** Staging folders and journals that are no longer needed. */
function leftovers(p: Project): readonly string[] {
  return Object.keys(workingFiles(p.dir)).filter((path) => path.startsWith('.savepoint'));
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    // It had already finished.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
