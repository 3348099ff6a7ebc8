/** Compares incremental scans of a folder that several processes change with full scans of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createInterface } from 'node:readline';
import { open, type Savepoint, WorkspaceCache } from '@savepoint/core';
import type { ChangeSource, Ports, WatcherQuestion } from '@savepoint/core/ports';
import { GIT_ENV, git, realPorts, seededRandom, type World, world } from '@savepoint/testkit';
import { expect, onTestFinished } from 'vitest';
import { freeWatch } from '../../io/node/free-watch.ts';

export const SEED = Number(
  process.env['SAVEPOINT_SEED'] ?? (process.env['CI'] === undefined ? Date.now() % 2 ** 31 : 20261121),
);
const WRITERS = 4;
const WRITER = new URL('./tree-writer.mjs', import.meta.url).pathname;

export interface Bench {
  readonly w: World;
  readonly outside: string;
  /** Remembers the last scan, and scans only what changed. */
  readonly watching: Savepoint;
  /** What `watching` remembers. Once it is closed, the next scan remembers anew. */
  readonly cache: WorkspaceCache;
  /** Keeps nothing in memory, and asks `watching` before each scan, as a command asks the daemon. */
  readonly asking: Savepoint;
  /** What `asking` asked, and got. */
  readonly answers: (string | null)[];
  /** Scans everything each time. It has the same timeline, because a scan depends on the last checkpoint. */
  readonly looking: Savepoint;
}

/** @param fill creates the workspace's first contents */
export function bench(changes: ChangeSource, replace: Partial<Ports> = {}, fill = createSmallTree): Bench {
  // Without a free watch, a scan visits everything, and these tests would test nothing.
  const waiting: ChangeSource = { watch: () => freeWatch(changes) };
  const w = world(onTestFinished);
  const outside = `${w.folder}/outside`;
  mkdirSync(outside);
  fill(w.workspace);
  const ports = realPorts({ ...replace, changes: waiting });
  const cache = new WorkspaceCache();
  const watching = open({ dir: w.workspace, ports, places: w.places, watch: cache });
  onTestFinished(() => cache.close());
  const looking = open({ dir: w.workspace, ports: realPorts(), places: w.places });
  const answers: (string | null)[] = [];
  const ask = async (question: WatcherQuestion): Promise<string | null> => {
    answers.push(cache.answer(question));
    return answers.at(-1) ?? null;
  };
  const asking = open({ dir: w.workspace, ports: { ...realPorts(), watcher: { ask } }, places: w.places });
  return { w, outside, watching, cache, asking, answers, looking };
}

function createSmallTree(workspace: string): void {
  const folders = ['src/deep/er', 'lib', 'docs', 'build', 'node_modules/pkg', 'lib/node_modules/pkg/lib'];
  commitTree(workspace, folders);
}

/** Creates three files in each folder, one of which is ignored, and commits the others. */
export function commitTree(workspace: string, folders: readonly string[]): void {
  for (const folder of folders) {
    mkdirSync(`${workspace}/${folder}`, { recursive: true });
    for (const name of ['a.txt', 'b.txt', 'x.log']) writeFileSync(`${workspace}/${folder}/${name}`, `${folder}\n`);
  }
  writeFileSync(`${workspace}/.gitignore`, '*.log\nbuild\n');
  git(workspace, 'init', '-q');
  git(workspace, 'add', '-A');
  git(workspace, 'commit', '-qm', 'first');
}

async function startWriters({ w, outside }: Bench): Promise<(seed: number, count: number) => Promise<number>> {
  const team = Array.from({ length: WRITERS }, () => {
    const child = spawn(process.execPath, [WRITER, w.workspace, outside], {
      env: { ...process.env, ...GIT_ENV },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
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

/**
 * Compares the results of both for the current folder. Returns the number of folders that the incremental scan visited.
 */
export async function compare(
  { w, watching, looking }: Pick<Bench, 'w' | 'watching' | 'looking'>,
  keep: boolean,
): Promise<{ went: number; folders: number }> {
  // Otherwise the full scan would take the ids of unchanged files from the incremental one.
  const cached = `${storeOf(w)}/cache/stat`;
  const before = existsSync(cached) ? readFileSync(cached) : null;
  rmSync(cached, { force: true });
  const seen = (await looking.status()).scan;
  if (before !== null) writeFileSync(cached, before);
  if (seen === null) throw new Error('the folder is gone');
  const { scan } = await watching.checkpoint();
  const reported = ({ snapshot, counts, roots, partial, leftOut, problems }: typeof seen): unknown => {
    return { snapshot, counts, roots, partial, leftOut, problems };
  };
  expect(reported(scan)).toEqual(reported(seen));
  if (keep) await looking.checkpoint();
  return { went: scan.visited.size, folders: seen.counts.folders };
}

function storeOf({ places }: World): string {
  const [store] = readdirSync(`${places.home}/workspaces`);
  return `${places.home}/workspaces/${store}`;
}

/** Returns what only one of both captures: lines of `git ls-tree`. */
async function differences({ w, watching, looking }: Bench): Promise<readonly string[]> {
  const list = async (savepoint: Savepoint): Promise<readonly string[]> => {
    const { snapshot } = (await savepoint.checkpoint()).checkpoint;
    return [snapshot.files, snapshot.side].flatMap((tree) =>
      git(`${storeOf(w)}/objects.git`, 'ls-tree', '-r', '-t', tree)
        .trimEnd()
        .split('\n'),
    );
  };
  const watched = await list(watching);
  const full = await list(looking);
  const only = (name: string, lines: readonly string[], others: readonly string[]): string[] => {
    return lines.filter((line) => !others.includes(line)).map((line) => `${name}: ${line}`);
  };
  return [...only('watched', watched, full), ...only('full scan', full, watched)];
}

export interface Race {
  readonly rounds: number;
  /** Whether each round begins with nothing remembered, so that scans without a checkpoint are remembered. */
  readonly forgets?: boolean;
  /** Whether captures are made by the one that asks. */
  readonly asks?: boolean;
  /** Runs before a round, while no other process writes. */
  readonly before?: (round: number, folders: number) => void;
  /** Runs when the writers are done, before both scans. */
  readonly after?: (round: number) => void;
  /** Runs after both scans. */
  readonly looked?: () => void;
}

interface RaceResult {
  /** Number of scans that were not full scans. */
  readonly partly: number;
  /** Number of changes that the writers made. */
  readonly done: number;
  /** How many folders each scan visited, in ascending order. */
  readonly visits: readonly number[];
}

export async function race(given: Bench, { rounds, forgets, asks, before, after, looked }: Race): Promise<RaceResult> {
  const random = seededRandom(SEED);
  const b = asks === true ? { ...given, watching: given.asking } : given;
  const work = await startWriters(b);
  await b.looking.checkpoint();
  await b.watching.checkpoint();
  if (asks === true) await given.watching.status();
  let partly = 0;
  let done = 0;
  const visits: number[] = [];
  let { folders } = (await b.looking.status()).scan?.counts ?? { folders: 0 };
  const maxFolders = folders + 290;
  for (let round = 0; round < rounds; round++) {
    before?.(round, folders);
    if (forgets === true) b.cache.close();
    if (forgets === true && random.integer(3) > 0) await b.watching.status();
    const writing = work(SEED + round * WRITERS, 1 + random.integer(4));
    // Captures during the writes. Their results are not compared, and must not be trusted later.
    const scans = Array.from({ length: random.integer(3) }, () => random.integer(2) === 0);
    const scan = (captures: boolean) => (captures ? b.watching.checkpoint() : b.watching.status());
    if (forgets === true) await Promise.all([...scans, false].map(scan));
    else for (const captures of scans) await scan(captures);
    // Without these, the one that watches would remember nothing.
    if (asks === true && random.integer(3) > 0) await Promise.all([given.watching.status(), b.watching.status()]);
    if (asks === true && random.integer(3) === 0) {
      await Promise.all([given.watching.checkpoint(), b.watching.checkpoint()]);
    }
    done += await writing;
    revealHiddenLinks(b.w);
    after?.(round);
    const found = await compare(b, round % 20 === 0).catch(async (error: unknown) => {
      const different = await differences(b);
      throw new Error(`round ${round}, SAVEPOINT_SEED=${SEED}\n${different.join('\n')}`, { cause: error });
    });
    looked?.();
    folders = found.folders;
    visits.push(found.went);
    if (found.went < folders) partly += 1;
    if (folders > maxFolders)
      for (const name of readdirSync(b.outside)) rmSync(`${b.outside}/${name}`, { recursive: true });
  }
  return { partly, done, visits: visits.sort((a, b) => a - b) };
}

/**
 * A new link outside the scanned folders is not reported, and counts from the next scan of the file's folder
 * (docs/guarantees.md). This causes such a scan, however the link came to be there.
 */
function revealHiddenLinks({ workspace }: World): void {
  const links = new Map<number, { readonly paths: string[]; hidden: number }>();
  for (const entry of readdirSync(workspace, { recursive: true, withFileTypes: true })) {
    const path = `${entry.parentPath}/${entry.name}`;
    const inside = path.slice(workspace.length + 1);
    if (!entry.isFile() || inside.split('/').includes('.git')) continue;
    const { ino, nlink } = lstatSync(path);
    if (nlink === 1) continue;
    const link = links.get(ino) ?? { paths: [], hidden: nlink };
    links.set(ino, link);
    link.paths.push(path);
    if (!/(^|\/)(node_modules|build)\//.test(inside)) link.hidden -= 1;
  }
  for (const { paths, hidden } of links.values()) {
    if (hidden > 0) for (const path of paths) utimesSync(path, 1, 1);
  }
}
