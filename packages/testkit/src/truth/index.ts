/** Measures attribution and rollback where the real author of each line is known. */

import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { type Checkpoint, type DiskPath, type OpenOptions, open, type Savepoint, textFromBytes } from '@savepoint/core';
import { fsWith } from '../disk/fs-with.ts';
import { realPorts } from '../ports.ts';
import { seededRandom } from '../seeded-random.ts';
import { type World, world } from '../world.ts';
import { type Judged, judge } from './judge.ts';
import { play, type Stage } from './play.ts';
import { type TakenBack, takeBack } from './take-back.ts';

export { type Judged, NEVER, VERDICTS, type Verdict } from './judge.ts';
export type { TakenBack } from './take-back.ts';

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
  /** The agent whose work was rolled back, and how that went. */
  readonly agent: string;
  readonly takenBack: TakenBack;
}

/** Lets agents and a person work in a new folder. The same seed gives the same run. */
export async function runWithTruth(runHook: RunHook, seed: number, steps: number): Promise<TruthRun> {
  const w = world();
  try {
    const stage = stageIn(w, runHook);
    const played = await play(stage, seed, steps);
    const { checkpoints } = await stage.savepoint.list();
    const judged = judge([...checkpoints].reverse(), objectsIn(w), played);
    // An agent that surely did something, if there is one.
    const sure = played.agents.filter((name) => checkpoints.some((one) => isSurelyBy(one, name)));
    const agent = seededRandom(seed).pick(sure.length > 0 ? sure : played.agents);
    const takenBack = await takeBack(stage, played, agent);
    const changes = checkpoints.reduce((sum, one) => sum + (one.changes?.length ?? 0), 0);
    return { judged, changes, actions: played.truth.actions, agent, takenBack };
  } finally {
    w.remove();
  }
}

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

function objectsIn({ places }: World): string {
  const stores = join(textFromBytes(places.home as DiskPath) ?? '', 'workspaces');
  const [only] = readdirSync(stores);
  return join(stores, only ?? '', 'objects.git');
}
