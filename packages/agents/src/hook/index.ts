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
import type { Exporter } from '@savepoint/core/frontend';
import { nodePlaces, nodePorts, nodeSettings } from '@savepoint/core/node';
import type { Environment, Protocol } from '../agent.ts';
import { EMPTY_REPLY, type HookAnswer, type HookReply, NO_ANSWER } from '../answer.ts';
import type { AgentEvent, IgnoredEvent } from '../event.ts';
import { textIn } from '../fields.ts';
import { AGENTS, isAgentName } from '../table.ts';
import { callerOf } from './caller.ts';
import { type HookContext, handle } from './handle.ts';
import { forgetFailure, noteEvent, noteFailure, noteUncovered } from './health.ts';
import { JOB_VARIABLE, readJob, startJob } from './job.ts';
import { ownHomeRefusal } from './own-home.ts';
import { heldAfterError } from './plan-mode.ts';
import { EMPTY_EVENT, readEvent } from './read-event.ts';
import { runJob } from './run-job.ts';
import { carryingOut, type RunTyped } from './typed-once.ts';
import { ONE_RUN_VARIABLE, PARENT_VARIABLE, variablesFor } from './variables.ts';

export type { RunTyped } from './typed-once.ts';
export {
  AGENT_VARIABLES,
  CURL_STATUS_VARIABLE,
  HOOK_VARIABLES,
  PARENT_VARIABLE,
  withoutAgentVariables,
} from './variables.ts';

export interface HookRun {
  /** The arguments after `hook` on the command line. */
  readonly args: readonly string[];
  readonly env: Environment;
  readonly input: NodeJS.ReadableStream;
  /** The program that runs hooks, for background processes. */
  readonly script: string;
  /** The id of the process that ran the hook, if the variable for it is not set. */
  readonly parent?: number;
  /** Exports new checkpoints automatically, if the settings say so. */
  readonly exporter?: Exporter;
  /** Milliseconds since the agent sent the event. */
  readonly sinceStart: () => number;
  /** Default: each event opens its workspace again. */
  readonly open?: (options: OpenOptions) => Savepoint;
  /** Runs the work after earlier work for the same folder. Default: immediately. */
  readonly runInOrder?: <T>(folder: string, work: () => Promise<T>) => Promise<T>;
  /** Carries out commands that users type at the prompt. Default: such a prompt goes to the model. */
  readonly runTyped?: RunTyped;
  /** Whether this process may take as long as checks do. Default: no, and the answer may be `isElsewhere`. */
  readonly canWait?: boolean;
  /** Called before checks run. Returns what ends them. */
  readonly beginChecks?: () => AbortSignal;
  /** Called with the configuration, before the work. */
  readonly onConfigured?: (config: Configuration) => void;
  /** Called with an error, in addition to the answer. */
  readonly onFailed?: (error: unknown) => void;
}

/** The timeout for reading the event, before the settings are known. */
const READ_TIMEOUT_MS = 5_000;
/** The event must be read even if waiting for a daemon that did not answer has used up that time. */
const LEAST_READ_MS = 2_000;
/** The part of the budget that is reserved for the answer. */
const ANSWER_MS = 200;

export async function runHook(run: HookRun): Promise<HookReply> {
  const name = run.args[0] ?? '';
  if (!isAgentName(name))
    return { ...EMPTY_REPLY, stderr: `savepoint hook: unknown agent ${showText(JSON.stringify(name))}\n` };
  if (run.env[JOB_VARIABLE] !== undefined) return runBackgroundJob(name, run);
  let strict = false;
  let protocol: Protocol = AGENTS[name];
  let native = 'unknown event';
  let folder = '';
  let known: AgentEvent | IgnoredEvent | null = null;
  try {
    const readMs = Math.max(LEAST_READ_MS, remainingMs(READ_TIMEOUT_MS, run));
    const read = await readEvent(run.input, AbortSignal.timeout(readMs));
    if ('problem' in read && read.problem === EMPTY_EVENT) {
      return { ...protocol.reply(native, NO_ANSWER), stderr: `savepoint hook ${name}: ${EMPTY_EVENT}\n` };
    }
    if ('problem' in read) throw new SavepointError('USAGE', `${read.problem}.`);
    const caller = callerOf(name, read.event, run.env);
    protocol = caller.protocol;
    const event = caller.protocol.parse(read.event, variablesFor(caller.protocol, run.env), run.args[1] ?? null);
    known = event;
    if (caller.isHandledElsewhere) return EMPTY_REPLY;
    const home = homeOf(run.env);
    if (event.kind === 'ignored') {
      // The hooks fire all the same.
      const named = run.args[1] ?? textIn(read.event, 'hook_event_name', 'hookName') ?? native;
      noteEvent(home, protocol.name, { time: Date.now(), event: named, session: '', folder: '' });
      return EMPTY_REPLY;
    }
    native = event.nativeName;
    folder = event.project ?? event.cwd;
    if (!isAbsolute(folder) || !isAbsolute(event.cwd))
      throw new SavepointError('USAGE', 'The event has no absolute folder.');
    const limit = protocol.limitMs(native) ?? Number.POSITIVE_INFINITY;
    // Noted first, because the agent may end the hook together with itself.
    // `status` must not ask for hooks that `run` brought, so their events are noted for no folder.
    const noted = run.env[ONE_RUN_VARIABLE] === protocol.name ? '' : folder;
    noteEvent(home, protocol.name, { time: Date.now(), event: native, session: event.session, folder: noted });
    const refusal = event.kind === 'call-began' ? ownHomeRefusal(event, home, run.env) : null;
    if (refusal !== null) return protocol.reply(native, { kind: 'deny', reason: refusal });
    const { runInOrder: inTurn = (_folder, work) => work() } = run;
    const context: HookContext = {
      ports: nodePorts(),
      places: nodePlaces(run.env),
      settings: nodeSettings(run.env),
      ...(run.exporter === undefined ? {} : { exporter: run.exporter }),
      open: run.open ?? open,
      startedAt: () => Date.now() - run.sinceStart(),
      deadline: (config) => {
        const { hooks } = config;
        run.onConfigured?.(config);
        strict = hooks.strict && event.kind === 'call-began';
        return AbortSignal.timeout(remainingMs(Math.min(hooks.budgetMs, limit), run));
      },
      ancestors: nodePorts().processes.ancestors(Number(run.env[PARENT_VARIABLE] ?? run.parent ?? 0)),
      shell: protocol.shell,
      transcript: protocol.transcript,
      acceptsContext: protocol.acceptsContext(native),
      guard: {
        canWait: run.canWait === true,
        continuesTurn: protocol.continuesTurn(native),
        acceptsContext: protocol.acceptsContext(native),
        sandboxed: protocol.sandboxesShell?.(read.event) ?? false,
        beginChecks: run.beginChecks ?? (() => new AbortController().signal),
      },
      carryOut: run.runTyped !== undefined && protocol.answersPrompts(native) ? carryingOut(home, run.runTyped) : null,
      deferJob: (job) => startJob(job, run.script, name, run.env),
      noteUncovered: (found) => {
        const time = Date.now();
        return noteUncovered(
          home,
          protocol.name,
          found.map((one) => ({ time, ...one })),
        ).map(({ path }) => path);
      },
    };
    const answer = await inTurn(folder, () => handle(event, context));
    forgetFailure(home, protocol.name);
    return answer.kind === 'elsewhere' ? { ...EMPTY_REPLY, isElsewhere: true } : protocol.reply(native, answer);
  } catch (error) {
    return failureReply(error, { run, name, native, folder, strict, protocol, event: known });
  }
}

interface FailureContext {
  readonly run: HookRun;
  readonly name: string;
  readonly native: string;
  readonly folder: string;
  /** Block the call if the state before it cannot be saved. */
  readonly strict: boolean;
  readonly protocol: Protocol;
  /** Null: it could not be read. */
  readonly event: AgentEvent | IgnoredEvent | null;
}

function failureReply(error: unknown, failed: FailureContext): HookReply {
  const { run, name, native, folder, strict, protocol } = failed;
  const message = messageOf(error);
  run.onFailed?.(error);
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
  const held = heldInPlanMode(error, failed);
  if (held !== null) return { ...protocol.reply(protocol.callEvent, held), stderr };
  const answer: HookAnswer = strict
    ? { kind: 'deny', reason: `Savepoint could not save the state before this call: ${showText(message)}` }
    : NO_ANSWER;
  return { ...protocol.reply(native, answer), stderr };
}

function heldInPlanMode(error: unknown, { run, protocol, event }: FailureContext): HookAnswer | null {
  // An agent that sends no name has it in the command.
  const named = run.args[1];
  if (event?.kind === 'ignored' || (event === null && named !== undefined && named !== protocol.callEvent)) return null;
  try {
    return heldAfterError(error, event, { ports: nodePorts(), places: nodePlaces(run.env) });
  } catch {
    // Without a home, plan mode was never turned on.
    return null;
  }
}

async function runBackgroundJob(name: string, { env, exporter }: HookRun): Promise<HookReply> {
  try {
    const job = readJob(env);
    const machine = { ports: nodePorts(), places: nodePlaces(env), settings: nodeSettings(env) };
    if (job !== null) await runJob(job, exporter === undefined ? machine : { ...machine, exporter });
  } catch (error) {
    const message = `Background work failed: ${messageOf(error)}`;
    noteFailure(homeOf(env), name, { time: Date.now(), event: 'background', folder: '', message });
  }
  return EMPTY_REPLY;
}

function remainingMs(budget: number, run: HookRun): number {
  return Math.max(1, Math.floor(budget - ANSWER_MS - run.sinceStart()));
}

function homeOf(env: Environment): string {
  return textFromBytes(nodePlaces(env).home) ?? '';
}

function messageOf(error: unknown): string {
  if (error instanceof SavepointError) return `${error.message} ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}
