/**
 * `savepoint hook <agent>`: reads one event of an agent from standard input and answers it. It never disturbs the
 * agent: it answers in time, and errors are reported only on standard error and in `savepoint status` (exit status
 * 0).
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
  /** The arguments after `hook` on the command line. */
  readonly args: readonly string[];
  readonly env: Environment;
  readonly input: NodeJS.ReadableStream;
  /** The program that runs hooks, for background processes. */
  readonly script: string;
  /** Exports new checkpoints automatically, if the settings say so. */
  readonly exporter?: Exporter;
  /** Milliseconds since the agent sent the event. */
  readonly sinceStart: () => number;
  /** Default: each event opens its workspace again. */
  readonly open?: (options: OpenOptions) => Savepoint;
  /** Runs the work after earlier work for the same folder. Default: immediately. */
  readonly inTurn?: <T>(folder: string, work: () => Promise<T>) => Promise<T>;
  /** Called with the configuration, before the work. */
  readonly configured?: (config: Configuration) => void;
  /** Called with an error, in addition to the answer. */
  readonly failed?: (error: unknown) => void;
}

/** The timeout for reading the event, before the settings are known. */
const READING_MS = 5_000;
/** The part of the budget that is reserved for the answer. */
const ANSWER_MS = 200;

export async function runHook(run: HookRun): Promise<Reply> {
  const name = run.args[0] ?? '';
  if (!isAgentName(name)) return { ...SILENCE, stderr: `savepoint hook: unknown agent ${JSON.stringify(name)}\n` };
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
      throw new SavepointError('USAGE', 'The event has no absolute folder.');
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
  /** Block the call if the state before it cannot be saved. */
  readonly strict: boolean;
  readonly protocol: Protocol;
}

function failed(error: unknown, { run, name, native, folder, strict, protocol }: Failed): Reply {
  const message = messageOf(error);
  run.failed?.(error);
  // Not a failure: the user has frozen these paths.
  if (error instanceof SavepointError && error.code === 'FROZEN') {
    return protocol.reply(native, { kind: 'deny', reason: showText(message) });
  }
  try {
    noteFailure(homeOf(run.env), protocol.name, { time: Date.now(), event: native, folder, message });
  } catch {
    // Without a home, the error is only on standard error.
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
    const message = `Background work failed: ${messageOf(error)}`;
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
