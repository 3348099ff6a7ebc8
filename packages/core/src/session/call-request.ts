/** A tool call: the request from the agent, what is recorded of it, and its result. */

import { matchesAnyPattern } from '../config/command-patterns.ts';
import type { AutomaticCapture } from '../config/effective.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { Actor, Checkpoint, Gap, RecordedChange, ToolInfo, ToolKind } from '../model/checkpoint.ts';
import type { TreePath } from '../model/names.ts';
import type { PutBack } from './host.ts';

/** A tool call that is about to start. */
export interface CallRequest {
  /** The agent's name for the tool. */
  readonly tool: string;
  /** Default `other`: it may write anywhere. */
  readonly kind?: ToolKind;
  /** Its arguments; truncated for display. */
  readonly args?: unknown;
  /** The only paths that it will write. Without them, it may write anywhere. */
  readonly paths?: readonly TreePath[];
  /** The agent's own id of the call. Default: a new id. */
  readonly id?: string;
  /** The sub-agent that makes the call. */
  readonly actor?: Actor;
  /** For people: a command line or a file name. Default: taken from `args`. */
  readonly summary?: string;
  /** One of Savepoint's own tools, whose operation records its own changes. */
  readonly own?: boolean;
  readonly track?: boolean;
}

/** How a tool call ended. */
export interface CallEnd extends CallOptions {
  /** It keeps running in the background: later changes may also be from it. */
  readonly background?: boolean;
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

const SUMMARY_CHARACTERS = 200;
const ARGS_CHARACTERS = 2_000;
/** The arguments that describe a call best, in order of preference. */
const SUMMARY_ARGS = ['command', 'cmd', 'file_path', 'filePath', 'path', 'description', 'prompt', 'pattern', 'url'];

/** A tool that may do anything is captured if any of the tool triggers is on. */
export function isTriggered(request: CallRequest, on: AutomaticCapture): boolean {
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

export function toolInfo({ tool, kind, args, summary }: CallRequest): ToolInfo {
  return {
    name: truncate(tool, SUMMARY_CHARACTERS),
    kind: kind ?? 'other',
    summary: truncate(summary ?? summaryOf(args), SUMMARY_CHARACTERS),
    args: args === undefined ? null : truncate(asJson(args), ARGS_CHARACTERS),
    took: null,
  };
}

export function truncate(text: string, characters: number): string {
  return text.length > characters ? `${text.slice(0, characters - 1)}…` : text;
}

/** Null if unknown. */
function commandOf({ args, summary }: CallRequest): string | null {
  if (typeof args === 'string') return args;
  if (typeof args === 'object' && args !== null) {
    const { command, cmd } = args as { readonly command?: unknown; readonly cmd?: unknown };
    const given = command ?? cmd;
    if (typeof given === 'string') return given;
    if (Array.isArray(given) && given.every((word) => typeof word === 'string')) return given.join(' ');
  }
  return summary ?? null;
}

function summaryOf(args: unknown): string {
  if (typeof args === 'string') return args;
  if (typeof args !== 'object' || args === null) return '';
  const found = SUMMARY_ARGS.map((key) => (args as Readonly<Record<string, unknown>>)[key]);
  return found.find((value): value is string => typeof value === 'string' && value !== '') ?? '';
}

/** Arguments that cannot be converted to JSON must not make a call fail. */
function asJson(args: unknown): string {
  try {
    return JSON.stringify(args) ?? '';
  } catch {
    return '';
  }
}
