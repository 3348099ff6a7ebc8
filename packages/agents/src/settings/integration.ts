/** How an agent is configured to run our hook: the file and its content. */

import type { CommandFile } from '../slash/files.ts';
import type { HookCommand } from './hook-command.ts';

/** One entry that must be in a list of a settings file. */
export interface SettingsEntry {
  /** The keys from the top to the list. Missing objects are created. */
  readonly list: readonly string[];
  readonly value: unknown;
}

/** JSON settings that also hold entries of others. */
export interface JsonForm {
  readonly kind: 'json';
  /** The content of a new file, in addition to our entries. */
  readonly base: Readonly<Record<string, unknown>>;
  readonly entries: (command: HookCommand) => readonly SettingsEntry[];
}

/** Files that belong only to Savepoint. */
export interface FilesForm {
  readonly kind: 'files';
  /** Names below the folder of the settings. */
  readonly files: (
    command: HookCommand,
  ) => readonly { readonly name: string; readonly content: string; readonly mode: number }[];
}

/** The commands of `slash/table.ts` in the agent. */
export interface CommandMenu {
  /** Files of ours that put them into its menu; none if it has another way, or no way. */
  readonly files: readonly CommandFile[];
  /** The folder of these files in the project. */
  readonly project: readonly string[];
  /** The same below the folder of the user's settings. */
  readonly user: readonly string[];
  /** How a command begins, for people. */
  readonly prefix: string;
}

/** A start of the agent, to which hooks are to be added without a change to its settings. */
export interface AgentStart {
  /** Without the program. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What the agent needs to run our hooks in one run. */
export interface HookedStart {
  readonly args: readonly string[];
  /** In addition to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

export interface OneRunGiven {
  readonly command: HookCommand;
  readonly form: JsonForm | FilesForm;
  readonly start: AgentStart;
  /** Gives the path of a file of our own with this content. */
  readonly ownFile: (name: string, content: string) => string;
  /** The content of a file that the user names. @throws GivenSettingsError */
  readonly read: (path: string) => string;
}

/** Settings on the user's command line that must stay as they are. The message has no full stop. */
export class GivenSettingsError extends Error {
  override readonly name = 'GivenSettingsError';
}

export interface Integration {
  /** The file (or, for our own files, the folder) in the project. */
  readonly project: readonly string[];
  /** Below the user's home folder, or below the folder in an environment variable. */
  readonly user: {
    readonly variable: string | null;
    readonly folder: readonly string[];
    readonly file: readonly string[];
  };
  readonly form: JsonForm | FilesForm;
  /** Null if its hook cannot answer a prompt. */
  readonly commands: CommandMenu | null;
  /**
   * Adds the hooks to a start of the agent. Absent: it has no way for that. Throws like a parser of settings if what
   * the user gives cannot be extended.
   */
  readonly oneRun?: (given: OneRunGiven) => HookedStart;
  /** Signs that the user has the agent: folders below the home folder, programs on PATH. */
  readonly present: { readonly folders: readonly (readonly string[])[]; readonly programs: readonly string[] };
  /** Further steps for the user, without which the hooks do not run. */
  readonly notes: readonly string[];
}

/** Seconds: longer than our own budget, so that the hook gives up first and can report it. */
export const HOOK_SECONDS = 10;
/** The same after a turn or a call, when the guard may run checks. Other hooks still answer within their budget. */
export const CHECK_SECONDS = 600;

/** The names of the events after which the guard may run checks, in all agents. */
const CHECKED_EVENTS: ReadonlySet<string> = new Set([
  'Stop',
  'PostToolUse',
  'PostToolUseFailure',
  'AfterAgent',
  'AfterTool',
  'agentStop',
  'postToolUse',
  'postToolUseFailure',
  'stop',
]);

/** How long an agent must wait for the hook of an event, in seconds. */
export function hookSeconds(event: string): number {
  return CHECKED_EVENTS.has(event) ? CHECK_SECONDS : HOOK_SECONDS;
}

/**
 * The form of Claude Code, Codex and Gemini: `hooks.<event>` is a list of groups.
 * @param events the events with a matcher for tools; null: no matcher
 */
export function hookGroups(
  events: Readonly<Record<string, string | null>>,
  timeoutOf: (event: string) => number = hookSeconds,
  more: Readonly<Record<string, unknown>> = {},
): JsonForm {
  return {
    kind: 'json',
    base: {},
    entries: (command) =>
      Object.entries(events).map(([event, matcher]) => ({
        list: ['hooks', event],
        value: {
          ...(matcher === null ? {} : { matcher }),
          hooks: [{ ...more, type: 'command', command: command.shell, timeout: timeoutOf(event) }],
        },
      })),
  };
}

/**
 * The form of Copilot and Cursor: `hooks.<event>` is a list of commands.
 * @param entry creates one of the commands
 */
export function hookList(
  events: readonly string[],
  entry: (command: HookCommand, event: string) => Readonly<Record<string, unknown>>,
): JsonForm {
  return {
    kind: 'json',
    base: { version: 1 },
    entries: (command) => events.map((event) => ({ list: ['hooks', event], value: entry(command, event) })),
  };
}
