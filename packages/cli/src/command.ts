/** The definition of a command: a verb with its arguments and its output, or a command that is not a verb. */
import { type JsonName, type Savepoint, SavepointError } from '@savepoint/core';
import type { InputOf, OutputOf, Verb } from '@savepoint/core/frontend';
import type { AgentJson } from './agents.ts';
import type { Interrupt } from './interrupt.ts';
import type { OutputView } from './view.ts';

type Environment = Readonly<Record<string, string | undefined>>;

type ParsedOptions = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** The arguments after the name of the command. */
export interface ParsedArguments {
  readonly operands: readonly string[];
  /** The arguments after `--`, for commands that accept them. */
  readonly rest: readonly string[];
  readonly options: ParsedOptions;
}

/** The arguments after the verb. */
export interface VerbArguments {
  readonly operands: readonly string[];
  /** The paths after `--`, for commands that accept paths. */
  readonly paths: readonly JsonName[];
  readonly options: ParsedOptions;
}

/** Global options. Every command recognises them, but not every command accepts them. */
export interface GlobalOptions {
  readonly folder: string | undefined;
  readonly here: boolean;
  readonly json: boolean;
}

export interface CliOptionSpec {
  /** In commander's syntax: `-m, --message <text>`. */
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** Whether it can be repeated. */
  readonly isRepeatable?: boolean;
  /** The name, in camel case, of an option that excludes this one. */
  readonly conflicts?: string;
}

/** One running command. */
export interface CommandContext {
  readonly savepoint: Savepoint;
  readonly signal: AbortSignal;
  /** Asks the user; null without a terminal. */
  readonly ask: ((text: string, question: string) => Promise<boolean>) | null;
  /** Clears the progress line. */
  readonly clearProgress: () => void;
  /** The style of text on the terminal. */
  readonly view: OutputView;
  /** Resolves a path outside of the workspace against the current folder, or that of -C. */
  readonly absolutePath: (path: string) => JsonName;
  /** Reports agents' settings and hooks, as seen from the current folder. */
  readonly agents: () => Promise<readonly AgentJson[]>;
}

/** The arguments of a command, and the examples in its help. */
interface CommandSyntax {
  /** In commander's syntax: `<checkpoint>` is required, `[to]` is optional. */
  readonly operands: readonly (readonly [syntax: string, description: string])[];
  readonly options: readonly CliOptionSpec[];
  readonly examples: readonly string[];
}

export interface VerbCommand<V extends Verb = Verb> extends CommandSyntax {
  readonly verb: V;
  /** Whether paths may follow `--`. */
  readonly takesPaths: boolean;
  /** @throws SavepointError USAGE */
  input(given: VerbArguments, context: CommandContext): InputOf<V>;
  /** Replaces the call of the verb, for commands that do more, for example ask for confirmation first. */
  carryOut?(input: InputOf<V>, given: VerbArguments, context: CommandContext): Promise<OutputOf<V>>;
  /** The output for people. All of it is safe to print. */
  render(output: OutputOf<V>, view: OutputView, given: VerbArguments): string | Buffer;
}

/** The context of a command that is not a verb. */
export interface CommandEnvironment {
  readonly globals: GlobalOptions;
  readonly env: Environment;
  readonly interrupt: Interrupt;
  /** For commands that work in a workspace as verbs do, with questions and progress. */
  inWorkspace(work: (context: CommandContext) => Promise<number>): Promise<number>;
}

/** A command that is not a verb: it does not end, is not about a workspace, or runs another program. */
export interface StandaloneCommand extends CommandSyntax {
  /** The help text, if it is longer than the summary in the table. */
  readonly description?: string;
  /** Replaces commander's usage line. Operands are then left out of the help. */
  readonly usage?: string;
  /** Whether a program and its arguments follow `--`. */
  readonly takesCommand: boolean;
  /**
   * @returns the exit status
   * @throws SavepointError
   */
  run(given: ParsedArguments, environment: CommandEnvironment): Promise<number>;
}

export type Command = VerbCommand | StandaloneCommand;

/** Checks the type of a command against its verb. */
export function command<V extends Verb>(it: VerbCommand<V>): VerbCommand<V> {
  return it;
}

/** Joins lines to a text. Each one, also the last, ends with a line feed. */
export function lines(...parts: readonly (string | readonly string[])[]): string {
  return parts
    .flat()
    .map((line) => `${line}\n`)
    .join('');
}

/**
 * Returns the value of an option that takes a positive whole number; undefined if the option is absent.
 * @param option its name in camel case
 * @param flag as the user types it, for the message
 * @throws SavepointError USAGE
 */
export function wholeNumber(given: VerbArguments, option: string, flag: string): number | undefined {
  const text = given.options[option];
  if (text === undefined) return undefined;
  if (typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new SavepointError('USAGE', `${flag} needs a positive whole number, not ${JSON.stringify(text)}.`, {
    argument: flag,
  });
}
