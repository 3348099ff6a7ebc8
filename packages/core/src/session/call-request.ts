/** A tool call: the request from the agent, what is recorded of it, and its result. */

import { matchesAnyPattern } from '../config/command-patterns.ts';
import type { AutomaticCapture } from '../config/effective.ts';
import { truncate } from '../content/truncate.ts';
import { type PathContext, pathContextIn } from '../io/locate-path.ts';
import type { ProcessIdentity } from '../io/ports.ts';
import { canonicalActor } from '../model/agent-names.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { Actor, Checkpoint, Gap, RecordedChange, ToolInfo, ToolKind } from '../model/checkpoint.ts';
import { type DiskPath, isWithin, type JsonName, type TreePath } from '../model/names.ts';
import type { GivenWrite, ReportedWrite } from '../model/reported-write.ts';
import type { ShellVariables } from '../model/shell-variables.ts';
import type { OpenCall } from '../store/state/open-calls.ts';
import type { ScanResult } from '../workspace/scan/scan.ts';
import type { PutBack } from './host.ts';
import { namedPaths } from './named-paths.ts';

/** A tool call that is about to start. */
export interface CallRequest {
  /** The agent's name for the tool. */
  readonly tool: string;
  /** Default `other`: it may write anywhere. */
  readonly kind?: ToolKind;
  /** Its arguments; truncated for display. */
  readonly args?: unknown;
  /** The only paths that it will write. Without them, it may write anywhere. */
  readonly paths?: readonly JsonName[];
  /** What it will write to these paths, if its arguments say so: evidence that tells its changes from others'. */
  readonly writes?: readonly GivenWrite[];
  /** The folder in which a shell command starts, absolute. Default: the workspace. */
  readonly dir?: JsonName;
  /** The agent's own id of the call. Default: a new id. */
  readonly id?: string;
  /** The sub-agent that makes the call. */
  readonly actor?: Actor;
  /** For people: a command line or a file name. Default: taken from `args`. */
  readonly summary?: string;
  /** One of Savepoint's own tools, whose operation records its own changes. */
  readonly own?: boolean;
  /** The environment variables that the agent sets for its commands: processes that outlive the call are found by them. */
  readonly shell?: ShellVariables;
  /** It runs a program that may itself be an agent with hooks. What that agent's calls did is not this call's. */
  readonly hosts?: boolean;
  /** The name of the agent that the program is. Once this agent reports its own events, nothing is this call's. */
  readonly hostsAgent?: string;
  readonly track?: boolean;
}

/** A tool call with its paths resolved. */
export interface LocatedCall extends Omit<CallRequest, 'paths' | 'writes' | 'dir'> {
  /** The declared paths, and the targets of their links. */
  readonly paths?: readonly TreePath[];
  readonly writes?: readonly ReportedWrite[];
  readonly dir?: DiskPath;
}

/** How a tool call ended. */
export interface CallEnd extends CallOptions {
  /** The sub-agent that made the call; null: the session itself. Default: any that has an open call with this id. */
  readonly by?: string | null;
  /** It keeps running in the background: later changes may also be from it. */
  readonly background?: boolean;
  /**
   * What it wrote, as its result reports; empty if it failed and wrote nothing. Default: what its request reported.
   * Paths in other states are then by others.
   */
  readonly writes?: readonly GivenWrite[];
  /** How long its tool ran, in milliseconds. Files last written before that are then by others. */
  readonly ranMs?: number;
  /** When the agent reported its end, in milliseconds since 1970. Default: now. Only used with `ranMs`. */
  readonly reportedAt?: number;
}

/** What `Session.call` passes to the tool. */
export interface CallContext {
  readonly signal: AbortSignal;
  /** Reports what the tool wrote to the paths of its call; empty if it wrote nothing. */
  readonly report: (writes: readonly GivenWrite[]) => void;
}

/** The result of a call. */
export interface EndedCall {
  /** Null if nothing differed from the last checkpoint, or if no call with that id was open. */
  readonly checkpoint: Checkpoint | null;
  readonly changes: readonly RecordedChange[];
  /** False if no call with that id was open. */
  readonly found: boolean;
  /** Paths that the call declared and that no checkpoint captures: too large, special files, dependency folders. */
  readonly uncovered: readonly Gap[];
  /** Null: no frozen path was changed. */
  readonly putBack: PutBack | null;
}

export const NO_CALL_ENDED: EndedCall = { checkpoint: null, changes: [], found: false, uncovered: [], putBack: null };

/** How a call ended, with defaults. */
export interface HowEnded {
  readonly background: boolean;
  /** Null: not reported. */
  readonly writes: readonly ReportedWrite[] | null;
  /** Null: not reported. */
  readonly ranMs: number | null;
  /** Milliseconds since 1970. */
  readonly reportedAt: number;
  /** Its end was not reported, and this process may go on with it. */
  readonly goesOnIn: ProcessIdentity | null;
}

/** What it wrote is added when its paths are resolved. @param now milliseconds since 1970 */
export function howEnded({ background = false, ranMs, reportedAt }: CallEnd, now: number): HowEnded {
  return { background, writes: null, ranMs: ranMs ?? null, reportedAt: reportedAt ?? now, goesOnIn: null };
}

/** An agent may take this long to report the end of a call, in milliseconds. */
export const REPORT_MS = 2_000;
const SUMMARY_CHARACTERS = 200;
const ARGS_CHARACTERS = 2_000;
/** The arguments that describe a call best, in order of preference. */
const SUMMARY_ARGS = ['command', 'cmd', 'file_path', 'filePath', 'path', 'description', 'prompt', 'pattern', 'url'];

/** A tool that may do anything is captured if any of the tool triggers is on. */
export function isTriggered(request: LocatedCall, on: AutomaticCapture): boolean {
  switch (request.kind ?? 'other') {
    case 'write':
      return on.beforeWrite;
    case 'edit':
      return on.beforeEdit;
    case 'shell':
      return on.beforeBash && matchesAnyPattern(commandOf(request), on.bashPatterns);
    case 'other':
      return on.beforeWrite || on.beforeEdit || on.beforeBash;
  }
}

/** In characters. Longer reports are not stored with the open call. */
const MAX_REPORT_LENGTH = 1024 * 1024;

/**
 * Adds what the end of a call reports. A call that has ended no longer waits for a permission, unless its end is not known:
 * then it may have been refused. What an earlier capture has found already is not looked for again.
 */
export function withReports(open: OpenCall, { writes, ranMs, reportedAt }: HowEnded): OpenCall {
  const { waiting, ...call } = open;
  if (writes === null && ranMs === null && (waiting === undefined || call.background)) return open;
  const left = writes?.filter(({ path }) => call.written?.includes(path) !== true);
  const isFailed = writes?.length === 0 && call.declared !== null;
  // While it surely waits, its tool has not run.
  const perhaps = isFailed && waiting !== 'surely' ? call.writes : undefined;
  return {
    ...call,
    ...(left === undefined || perhaps !== undefined ? {} : { writes: storableReports(left) }),
    ...(isFailed ? { declared: [] } : {}),
    ...(perhaps === undefined ? {} : { declared: perhaps.map(({ path }) => path), failed: true }),
    ...(ranMs === null ? {} : { ranSince: reportedAt - ranMs - REPORT_MS }),
  };
}

/** The user may have refused a proposal, and typed it. What the tool reported before does not prove that it ran. */
export function withUnknownEnd(call: OpenCall): OpenCall {
  return { ...call, background: true, ...(call.writes && { waiting: call.waiting ?? 'perhaps' }) };
}

/** @param recorded the checkpoints of the capture at its end, oldest first */
export function endedCall(call: OpenCall, recorded: readonly Checkpoint[], scan: ScanResult): EndedCall {
  const uncovered = [...scan.leftOut, ...scan.partial].filter(({ path }) =>
    call.declared?.some((declared) => isWithin(declared, path)),
  );
  const checkpoint = recorded.find(({ trigger }) => trigger === 'call') ?? recorded.at(-1);
  const done = checkpoint === undefined ? {} : { checkpoint, changes: checkpoint.changes ?? [] };
  return { ...NO_CALL_ENDED, ...done, found: true, uncovered };
}

/** The record of a call that begins. @param known what the session knows of it */
export function openCallOf(
  request: LocatedCall,
  known: Pick<OpenCall, 'id' | 'session' | 'actor' | 'began' | 'late'>,
): OpenCall {
  const { own = false, hosts = false, hostsAgent, paths = null, writes, shell } = request;
  return {
    ...known,
    actor: request.actor === undefined ? known.actor : canonicalActor(request.actor),
    tool: toolInfo(request),
    // The operation of our own tool records what the tool changes.
    declared: own ? [] : paths,
    ...(writes === undefined ? {} : { writes: storableReports(writes) }),
    background: false,
    ...(shell === undefined ? {} : { shell }),
    own,
    ...(hosts ? { hosts } : {}),
    ...(hostsAgent === undefined ? {} : { hostsAgent }),
  };
}

/** Adds the paths that the command of a shell call names. @param place where relative paths start by default */
export function withNamedPaths(call: OpenCall, request: LocatedCall, place: PathContext): OpenCall {
  const command = call.tool.kind === 'shell' && call.declared === null ? commandOf(request) : null;
  if (command === null) return call;
  const named = namedPaths(command, request.dir === undefined ? place : pathContextIn(place, request.dir));
  return named.length === 0 ? call : { ...call, named };
}

/** @param now milliseconds since 1970 */
export function timedTool({ tool, began, background }: OpenCall, now: number): ToolInfo {
  const took = now - began;
  // Null if the clock was set back, or for background work, whose end is unknown.
  return { ...tool, took: took < 0 || background ? null : took };
}

export function toolInfo({ tool, kind, args, summary }: LocatedCall): ToolInfo {
  return {
    name: truncate(tool, SUMMARY_CHARACTERS),
    kind: kind ?? 'other',
    summary: truncate(summary ?? summaryOf(args), SUMMARY_CHARACTERS),
    args: args === undefined ? null : truncate(asJson(args), ARGS_CHARACTERS),
    took: null,
  };
}

/** Returns the reports as far as they are short enough to store; the rest of the paths stay declared only. */
function storableReports(writes: readonly ReportedWrite[]): readonly ReportedWrite[] {
  let left = MAX_REPORT_LENGTH;
  return writes.filter(({ found, result }) => {
    const texts =
      typeof result === 'string' || result === null ? [result] : result.flatMap((one) => [one.old, one.new]);
    left -= [...texts, found].reduce((sum, text) => sum + (text?.length ?? 0), 0);
    return left >= 0;
  });
}

/** Null if unknown. */
function commandOf({ args, summary }: LocatedCall): string | null {
  if (typeof args === 'string') return args;
  if (typeof args === 'object' && args !== null) {
    const { command, cmd } = args as { readonly command?: unknown; readonly cmd?: unknown };
    const given = command ?? cmd;
    if (typeof given === 'string') return given;
    if (isListOfTexts(given)) return given.join(' ');
    const several = severalCommands(args);
    if (several !== null) return several;
  }
  return summary ?? null;
}

/** A call may run several commands, one after the other; null if it does not. */
function severalCommands(args: object): string | null {
  const { commands } = args as { readonly commands?: unknown };
  if (typeof commands === 'string' && commands !== '') return commands;
  return isListOfTexts(commands) && commands.length > 0 ? commands.join('; ') : null;
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function summaryOf(args: unknown): string {
  if (typeof args === 'string') return args;
  if (typeof args !== 'object' || args === null) return '';
  const found = SUMMARY_ARGS.map((key) => (args as Readonly<Record<string, unknown>>)[key]);
  return (
    found.find((value): value is string => typeof value === 'string' && value !== '') ?? severalCommands(args) ?? ''
  );
}

/** Arguments that cannot be converted to JSON must not make a call fail. */
function asJson(args: unknown): string {
  try {
    return JSON.stringify(args) ?? '';
  } catch {
    return '';
  }
}
