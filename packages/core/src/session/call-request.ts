/** A call of an agent's tool: as the agent reports it, what goes on record of it, and what came of it. */

import { matchesAnyPattern } from '../config/command-patterns.ts';
import type { AutomaticCapture } from '../config/effective.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { Actor, Checkpoint, Gap, RecordedChange, ToolInfo, ToolKind } from '../model/checkpoint.ts';
import type { TreePath } from '../model/names.ts';
import type { PutBack } from './host.ts';

/** A call of a tool that is about to begin. */
export interface CallRequest {
  /** As the agent calls it. */
  readonly tool: string;
  /** Default `other`: it may write anywhere. */
  readonly kind?: ToolKind;
  /** What it is called with; shown shortened. */
  readonly args?: unknown;
  /** The paths that it will write, and no others; without them it may write anywhere. */
  readonly paths?: readonly TreePath[];
  /** The agent's own id of the call; without it one is made. */
  readonly id?: string;
  /** A sub-agent that makes it. */
  readonly actor?: Actor;
  /** For people: a command line or a file name. Default: made of `args`. */
  readonly summary?: string;
  /** One of Savepoint's own tools, whose act tells of itself. */
  readonly own?: boolean;
  readonly track?: boolean;
}

/** How a call of a tool ended. */
export interface CallEnd extends CallOptions {
  /** It goes on working: what changes from now on may be its doing. */
  readonly background?: boolean;
}

/** What came of a call. */
export interface EndedCall {
  /** Null where nothing differed from the last checkpoint, and where nothing was open under that id. */
  readonly checkpoint: Checkpoint | null;
  readonly changes: readonly RecordedChange[];
  /** False where no call was open under that id. */
  readonly found: boolean;
  /** Paths that the call says it writes, and that no checkpoint has: too large, special, a folder of dependencies. */
  readonly uncovered: readonly Gap[];
  /** Null: nothing that is frozen was touched. */
  readonly putBack: PutBack | null;
}

const SUMMARY_CHARACTERS = 200;
const ARGS_CHARACTERS = 2_000;
/** What tells best what a call is about, in this order. */
const SUMMARY_ARGS = ['command', 'cmd', 'file_path', 'filePath', 'path', 'description', 'prompt', 'pattern', 'url'];

/** A tool that may do anything is bracketed as long as anything is. */
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

/** Null where nobody says. */
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

/** What cannot be JSON is no reason for a call to fail. */
function asJson(args: unknown): string {
  try {
    return JSON.stringify(args) ?? '';
  } catch {
    return '';
  }
}
