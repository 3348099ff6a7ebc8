/** A scan that goes only where something changed finds what a scan finds that goes everywhere. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type ChangeSource, open, type Savepoint } from '@savepoint/core';
import { GIT_ENV, howMuch, realPorts, seededRandom, type World, world } from '@savepoint/testkit';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { nodeChanges } from '../../src/io/node-changes.ts';

const SEED = Number(
  process.env['SAVEPOINT_SEED'] ?? (process.env['CI'] === undefined ? Date.now() % 2 ** 31 : 20261121),
);
const WRITERS = 4;
const ROUNDS = howMuch({ quick: 25, ci: 1_000, long: 10_000 });
const WRITER = new URL('./tree-writer.mjs', import.meta.url).pathname;

const writers: ChildProcess[] = [];
afterEach(() => {
  for (const writer of writers.splice(0)) writer.kill('SIGKILL');
});

interface Bench {
  readonly w: World;
  readonly outside: string;
  /** Remembers, and looks only where something changed. */
  readonly watching: Savepoint;
  /** Looks everywhere, each time. */
  readonly looking: Savepoint;
}

function bench(changes: ChangeSource): Bench {
  const w = world(onTestFinished);
  const outside = `${w.folder}/outside`;
  mkdirSync(outside);
  mkdirSync(`${w.folder}/home2`, { mode: 0o700 });
  const git = (...args: string[]): void => {
    execFileSync('git', ['-C', w.workspace, ...args], { env: { ...process.env, ...GIT_ENV }, stdio: 'ignore' });
  };
  for (const folder of ['src/deep/er', 'lib', 'docs', 'build']) {
    mkdirSync(`${w.workspace}/${folder}`, { recursive: true });
    for (const name of ['a.txt', 'b.txt', 'x.log']) writeFileSync(`${w.workspace}/${folder}/${name}`, `${folder}\n`);
  }
  writeFileSync(`${w.workspace}/.gitignore`, '*.log\nbuild\n');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'first');
  const ports = { ...realPorts(), changes };
  const watching = open({ dir: w.workspace, ports, places: w.places, watch: true });
  onTestFinished(() => watching.close());
  const looking = open({
    dir: w.workspace,
    ports: realPorts(),
    places: { ...w.places, home: `${w.folder}/home2` as typeof w.places.home },
  });
  return { w, outside, watching, looking };
}

async function startWriters({ w, outside }: Bench): Promise<(seed: number, count: number) => Promise<number>> {
  const team = Array.from({ length: WRITERS }, () => {
    const child = spawn(process.execPath, [WRITER, w.workspace, outside], {
      env: { ...process.env, ...GIT_ENV },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    writers.push(child);
    return { child, answers: createInterface({ input: child.stdout as NodeJS.ReadableStream }) };
  });
  return async (seed, count) => {
    const done = team.map(async ({ child, answers }, number) => {
      const answer = once(answers, 'line');
      child.stdin?.write(`${seed + number} ${count}\n`);
      return Number((await answer)[0]);
    });
    return (await Promise.all(done)).reduce((sum, each) => sum + each, 0);
  };
}

/** What both say of the folder as it is, and whether the one that remembers went everywhere. */
async function compare({ watching, looking }: Bench, keep: boolean): Promise<{ went: number; folders: number }> {
  const { scan } = await watching.checkpoint();
  const seen = (await looking.status()).scan;
  if (seen === null) throw new Error('the folder is gone');
  const told = ({ snapshot, counts, roots, partial, leftOut, problems }: typeof seen): unknown => {
    return { snapshot, counts, roots, partial, leftOut, problems };
  };
  expect(told(scan)).toEqual(told(seen));
  if (keep) await looking.checkpoint();
  return { went: scan.visited.size, folders: seen.counts.folders };
}

async function race(b: Bench, rounds: number): Promise<{ partly: number; done: number }> {
  const random = seededRandom(SEED);
  const work = await startWriters(b);
  await b.looking.checkpoint();
  await b.watching.checkpoint();
  let partly = 0;
  let done = 0;
  for (let round = 0; round < rounds; round++) {
    const writing = work(SEED + round * WRITERS, 1 + random.integer(4));
    // While they write: what is found then is nowhere compared, and must not be believed later.
    for (let capture = random.integer(3); capture > 0; capture--) {
      if (random.integer(2) === 0) await b.watching.checkpoint();
      else await b.watching.status();
    }
    done += await writing;
    const { went, folders } = await compare(b, round % 20 === 0).catch((error: unknown) => {
      throw new Error(`round ${round}, SAVEPOINT_SEED=${SEED}`, { cause: error });
    });
    if (went < folders) partly += 1;
    if (folders > 300) for (const name of readdirSync(b.outside)) rmSync(`${b.outside}/${name}`, { recursive: true });
  }
  return { partly, done };
}

describe.skipIf(nodeChanges().watch() === null)('four writers', () => {
  it('leave what both find', { timeout: 3_600_000 }, async () => {
    const { partly, done } = await race(bench(nodeChanges()), ROUNDS);
    console.info(`seed ${SEED}: ${done} deeds, ${partly} of ${ROUNDS} scans went only somewhere`);
    // Else nothing was tried.
    expect(partly).toBeGreaterThan(ROUNDS / 3);
    expect(done).toBeGreaterThan(ROUNDS);
  });

  it('leave what both find where the queue of changes overflows', { timeout: 3_600_000 }, async () => {
    const { partly } = await race(bench(nodeChanges({ emptyBetween: false, mostNames: 20 })), Math.ceil(ROUNDS / 5));
    console.info(`${partly} scans went only somewhere`);
  });
});
