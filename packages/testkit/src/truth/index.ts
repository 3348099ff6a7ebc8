/** Measures attribution and rollback where the real author of each line is known. */

import { accessSync, constants, mkdirSync, readdirSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Checkpoint, type OpenOptions, open, type Savepoint, textFromBytes } from '@savepoint/core';
import { fsWith } from '../disk/fs-with.ts';
import { realPorts } from '../ports.ts';
import { type World, world } from '../world.ts';
import { type Judged, judge } from './judge.ts';
import { type Played, play, type Stage } from './play.ts';
import { type TakenBack, takeBack } from './take-back.ts';

export { Files } from './files.ts';
export { type Judged, NEVER, VERDICTS, type Verdict } from './judge.ts';
export { joinLines, NewLines } from './lines.ts';
export { type OpenCall, Person } from './person.ts';
export { kindOf, PERSON, type Window } from './play.ts';
export { type Ability, patchText, type Task } from './protocols.ts';
export type { TakenBack } from './take-back.ts';
export { type Chance, chooseTask } from './tasks.ts';
export { TrueHistory } from './true-history.ts';

/** `runHook` of the hooks' package, which this one does not import. */
export type RunHook = (run: {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly input: NodeJS.ReadableStream;
  readonly script: string;
  readonly sinceStart: () => number;
  readonly open: (options: OpenOptions) => Savepoint;
}) => Promise<{ readonly stderr: string; readonly exit: number }>;

export interface TruthRun {
  readonly judged: readonly Judged[];
  /** Changes on the timeline. */
  readonly changes: number;
  /** How often somebody changed files. */
  readonly actions: number;
  /** How the rollbacks of agents went. */
  readonly takenBack: readonly TakenBack[];
}

/** How long a run is. */
export interface RunLength {
  /** How often somebody does something. */
  readonly steps: number;
  /** How many of the agents are rolled back, one after the other. */
  readonly rollbacks: number;
}

/** Lets agents and a person work in a new folder. The same seed gives the same run. */
export async function runWithTruth(runHook: RunHook, seed: number, { steps, rollbacks }: RunLength): Promise<TruthRun> {
  const w = world(undefined, fastFolder());
  try {
    const stage = stageIn(w, runHook);
    const played = await play(stage, seed, steps);
    return await judgedRun(stage, played, textFromBytes(w.places.home) ?? '', rollbacks);
  } finally {
    w.remove();
  }
}

/**
 * Judges a timeline, and rolls back agents, one after the other. The undo of each restores the state before.
 * @param home the folder with the only store
 * @param rollbacks how many are rolled back: first those that surely did something
 */
export async function judgedRun(
  stage: Pick<Stage, 'dir' | 'savepoint'>,
  played: Played,
  home: string,
  rollbacks: number,
): Promise<TruthRun> {
  const { checkpoints } = await stage.savepoint.list();
  const judged = judge([...checkpoints].reverse(), objectsIn(home), played);
  const isSure = (name: string): boolean => checkpoints.some((one) => isSurelyBy(one, name));
  const agents = [...played.agents.filter(isSure), ...played.agents.filter((name) => !isSure(name))];
  const takenBack: TakenBack[] = [];
  for (const agent of agents.slice(0, rollbacks)) takenBack.push(await takeBack(stage, played, agent));
  const changes = checkpoints.reduce((sum, one) => sum + (one.changes?.length ?? 0), 0);
  return { judged, changes, actions: played.truth.actions, takenBack };
}

/** Where the files of runs are: in memory, if there is enough. Otherwise they wait for other programs' flushes. */
export function fastFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    accessSync(IN_MEMORY, constants.W_OK);
    if (bavail * bsize > ENOUGH_BYTES) return IN_MEMORY;
  } catch {
    // This system has no such folder.
  }
  return tmpdir();
}

const IN_MEMORY = '/dev/shm';
const ENOUGH_BYTES = 256 * 1024 * 1024;

/** Nothing depends on the real time, so that calls have the same order in each run. */
const STARTED = Date.UTC(2026, 0, 31, 12);
const PASSES_MS = 20;

function stageIn(w: World, runHook: RunHook): Stage {
  const dir = textFromBytes(w.workspace) ?? '';
  let now = STARTED;
  const ports = realPorts();
  const clock = {
    now: () => {
      now += PASSES_MS;
      return now;
    },
    monotonic: () => ports.clock.monotonic(),
    sleep: (ms: number) => ports.clock.sleep(ms),
    turn: () => ports.clock.turn(),
  };
  // No power cut is tested here, and syncing would take most of the time.
  const fs = fsWith(ports.fs, { sync: () => {}, syncAll: async () => {} });
  const opened = (options: OpenOptions): Savepoint => open({ ...options, ports: { ...options.ports, fs, clock } });
  mkdirSync(join(dir, 'made'));
  return {
    dir,
    savepoint: opened({ dir: w.workspace, ports, places: w.places }),
    tell: async (agent, { hint, event }) => {
      const { stderr, exit } = await runHook({
        args: hint === null ? [agent] : [agent, hint],
        env: w.env,
        input: Readable.from([Buffer.from(JSON.stringify(event))]),
        script: '/nowhere/savepoint.js',
        sinceStart: () => 0,
        open: opened,
      });
      if (stderr !== '' || exit !== 0) throw new Error(`the hook of ${agent} failed with ${exit}: ${stderr}`);
    },
  };
}

function isSurelyBy({ changes }: Checkpoint, agent: string): boolean {
  return changes?.some(({ by }) => by.grade === 'sure' && by.authors[0]?.actor.name === agent) === true;
}

function objectsIn(home: string): string {
  const [only] = readdirSync(join(home, 'workspaces'));
  return join(home, 'workspaces', only ?? '', 'objects.git');
}
