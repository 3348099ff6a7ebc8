/** How an agent is told to run our hook: which file, and what stands in it. */

import type { HookCommand } from './hook-command.ts';

/** One thing that must stand in a list of a settings file. */
export interface Entry {
  /** Keys from the top to the list; what is missing on the way is made. */
  readonly list: readonly string[];
  readonly value: unknown;
}

/** Settings as JSON, where others have their say, too. */
export interface JsonForm {
  readonly kind: 'json';
  /** What a file that is not there yet begins with, beside our entries. */
  readonly base: Readonly<Record<string, unknown>>;
  readonly entries: (command: HookCommand) => readonly Entry[];
}

/** Files that are ours alone. */
export interface FilesForm {
  readonly kind: 'files';
  /** Names below the folder of the settings. */
  readonly files: (
    command: HookCommand,
  ) => readonly { readonly name: string; readonly content: string; readonly mode: number }[];
}

export interface Integration {
  /** The file (or, for files of ours, the folder) below the project. */
  readonly project: readonly string[];
  /** Below the person's home folder, or below the folder that a variable names. */
  readonly user: {
    readonly variable: string | null;
    readonly folder: readonly string[];
    readonly file: readonly string[];
  };
  readonly form: JsonForm | FilesForm;
  /** What tells that a person uses the agent: folders below the home folder, programs on PATH. */
  readonly present: { readonly folders: readonly (readonly string[])[]; readonly programs: readonly string[] };
  /** What the person must do besides, or the hooks are not run. */
  readonly notes: readonly string[];
}

/** Seconds: longer than our own budget, so that it is we who give up, and tell. */
export const HOOK_SECONDS = 10;

/**
 * The form of Claude Code, Codex and Gemini: `hooks.<event>` is a list of groups.
 * @param events with the tools that they are about; null: no matcher
 */
export function hookGroups(
  events: Readonly<Record<string, string | null>>,
  timeout: number = HOOK_SECONDS,
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
          hooks: [{ ...more, type: 'command', command: command.shell, timeout }],
        },
      })),
  };
}

/**
 * The form of Copilot and Cursor: `hooks.<event>` is a list of commands.
 * @param entry makes one of them
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
