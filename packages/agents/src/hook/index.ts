/**
 * `savepoint hook <agent>`: one event of an agent, from standard input to its answer. It never harms the agent: it
 * answers in time, and what goes wrong is our own affair (status 0, the reason on standard error and in `savepoint status`).
 */

import { isAbsolute } from 'node:path';
import {
  type Configuration,
  type OpenOptions,
  open,
  type Savepoint,
  SavepointError,
  showText,
  textFromBytes,
} from '@savepoint/core';
import type { Exporter } from '@savepoint/core/faces';
import { nodePlaces, nodePorts, nodeSettings } from '@savepoint/core/node';
import type { Environment, Protocol } from '../agent.ts';
import { type Answer, NOTHING, type Reply, SILENCE } from '../answer.ts';
import { AGENTS, isAgentName } from '../table.ts';
import { callerOf } from './caller.ts';
import { carryOn } from './carry-on.ts';
import { handle, type Setting } from './handle.ts';
import { noteEvent, noteFailure, noteUncovered } from './health.ts';
import { JOB_VARIABLE, jobIn, startJob } from './job.ts';
import { readEvent } from './read-event.ts';
import { variablesFor } from './variables.ts';

export { AGENT_VARIABLES, HOOK_VARIABLES, LINE_VARIABLE } from './variables.ts';

export interface HookRun {
  /** What stands behind `hook` on the command line. */
  readonly args: readonly string[];
  readonly env: Environment;
  readonly input: NodeJS.ReadableStream;
  /** The program that runs hooks, for the process that goes on after this one. */
  readonly script: string;
  /** Where new checkpoints go by themselves, where the settings say so. */
  readonly exporter?: Exporter;
  /** Milliseconds that passed since the agent told of the event. */
  readonly sinceStart: () => number;
  /** Default: each event opens its workspace anew. */
  readonly open?: (options: OpenOptions) => Savepoint;
  /** Does the work once what came before it and is about the same folder is done. Default: at once. */
  readonly inTurn?: <T>(folder: string, work: () => Promise<T>) => Promise<T>;
  /** Told what is in force, before the work. */
  readonly configured?: (config: Configuration) => void;
  /** Told what went wrong, besides the agent. */
  readonly failed?: (error: unknown) => void;
}

/** For reading the event, before there are any settings. */
const READING_MS = 5_000;
/** Kept back from the budget, to answer in. */
const ANSWER_MS = 200;

export async function runHook(run: HookRun): Promise<Reply> {
  const name = run.args[0] ?? '';
  if (!isAgentName(name)) return { ...SILENCE, stderr: `savepoint hook: there is no agent ${JSON.stringify(name)}\n` };
  if (run.env[JOB_VARIABLE] !== undefined) return carriedOn(name, run);
  let strict = false;
  let protocol: Protocol = AGENTS[name];
  let native = 'unknown event';
  let folder = '';
  try {
    const read = await readEvent(run.input, AbortSignal.timeout(left(READING_MS, run)));
    if ('problem' in read) throw new SavepointError('USAGE', `${read.problem}.`);
    const caller = callerOf(name, read.event, run.env);
    protocol = caller.protocol;
    const event = caller.protocol.parse(read.event, variablesFor(caller.protocol, run.env), run.args[1] ?? null);
    if (event.kind === 'ignored' || caller.toldElsewhere) return SILENCE;
    native = event.native;
    folder = event.project ?? event.cwd;
    if (!isAbsolute(folder) || !isAbsolute(event.cwd))
      throw new SavepointError('USAGE', 'The event names no absolute folder.');
    const limit = protocol.limitMs(native) ?? Number.POSITIVE_INFINITY;
    const home = homeOf(run.env);
    const { inTurn = (_folder, work) => work() } = run;
    const setting: Setting = {
      ports: nodePorts(),
      places: nodePlaces(run.env),
      settings: nodeSettings(run.env),
      ...(run.exporter === undefined ? {} : { exporter: run.exporter }),
      open: run.open ?? open,
      inTime: (config) => {
        const { hooks } = config;
        run.configured?.(config);
        strict = hooks.strict && event.kind === 'call-began';
        return AbortSignal.timeout(left(Math.min(hooks.budgetMs, limit), run));
      },
      hearsContext: protocol.hearsContext(native),
      later: (job) => startJob(job, run.script, name, run.env),
      uncovered: (found) => {
        const time = Date.now();
        return noteUncovered(
          home,
          protocol.name,
          found.map((one) => ({ time, ...one })),
        ).map(({ path }) => path);
      },
    };
    const answer = await inTurn(folder, () => handle(event, setting));
    noteEvent(home, protocol.name, { time: Date.now(), event: native, session: event.session, folder });
    return protocol.reply(native, answer);
  } catch (error) {
    return failed(error, { run, name, native, folder, strict, protocol });
  }
}

interface Failed {
  readonly run: HookRun;
  readonly name: string;
  readonly native: string;
  readonly folder: string;
  /** The call is not to be carried out where its state before is not saved. */
  readonly strict: boolean;
  readonly protocol: Protocol;
}

function failed(error: unknown, { run, name, native, folder, strict, protocol }: Failed): Reply {
  const message = messageOf(error);
  run.failed?.(error);
  // No failure of ours: somebody keeps agents from these paths.
  if (error instanceof SavepointError && error.code === 'FROZEN') {
    return protocol.reply(native, { kind: 'deny', reason: showText(message) });
  }
  try {
    noteFailure(homeOf(run.env), protocol.name, { time: Date.now(), event: native, folder, message });
  } catch {
    // Where there is no home, standard error has it still.
  }
  const stderr = `savepoint hook ${name}: ${showText(message)}\n`;
  const answer: Answer = strict
    ? { kind: 'deny', reason: `Savepoint could not save the state before this call: ${showText(message)}` }
    : NOTHING;
  return { ...protocol.reply(native, answer), stderr };
}

async function carriedOn(name: string, { env, exporter }: HookRun): Promise<Reply> {
  try {
    const job = jobIn(env);
    const machine = { ports: nodePorts(), places: nodePlaces(env), settings: nodeSettings(env) };
    if (job !== null) await carryOn(job, exporter === undefined ? machine : { ...machine, exporter });
  } catch (error) {
    const message = `Work that went on in the background failed: ${messageOf(error)}`;
    noteFailure(homeOf(env), name, { time: Date.now(), event: 'background', folder: '', message });
  }
  return SILENCE;
}

function left(budget: number, run: HookRun): number {
  return Math.max(1, Math.floor(budget - ANSWER_MS - run.sinceStart()));
}

function homeOf(env: Environment): string {
  return textFromBytes(nodePlaces(env).home) ?? '';
}

function messageOf(error: unknown): string {
  if (error instanceof SavepointError) return `${error.message} ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}
