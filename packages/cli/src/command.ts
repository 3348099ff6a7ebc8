/** How a command is defined: its arguments, what it runs (a verb or its own code), and its output. */

import { type JsonName, type Savepoint, SavepointError } from '@savepoint/core';
import type { InputOf, OutputOf, Verb } from '@savepoint/core/frontend';
import type { AgentJson } from './agents.ts';
import type { Interrupt } from './interrupt.ts';
import type { OutputView } from './view.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

type ParsedOptions = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** The arguments after the name of the command. */
export interface ParsedArguments {
  readonly operands: readonly string[];
  /** The arguments after `--`, for commands that accept them. */
  readonly rest: readonly string[];
  readonly options: ParsedOptions;
}

/** The same for the command of a verb. */
export interface VerbArguments {
  readonly operands: readonly string[];
  /** The paths after `--`, for commands that accept paths. */
  readonly paths: readonly JsonName[];
  /** The program and its arguments after `--`, for commands that accept them. */
  readonly rest?: readonly string[];
  readonly options: ParsedOptions;
}

/** Options that every command parses. A command may reject those that it cannot use. */
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
  /** The names, in camel case, of options that exclude this one. */
  readonly conflicts?: string | readonly string[];
}

/** What a command uses while it runs in a workspace. */
export interface CommandContext {
  readonly savepoint: Savepoint;
  readonly signal: AbortSignal;
  /** Shows a text, asks the user a question, and returns whether the answer is yes. Null without a terminal. */
  readonly ask: ((text: string, question: string) => Promise<boolean>) | null;
  /** Where the result goes: JSON, text on a terminal, or text for a file or another program. */
  readonly output: 'json' | 'terminal' | 'plain';
  /** Clears the progress line. */
  readonly clearProgress: () => void;
  /** Runs work during which another program has the terminal. Progress is not shown, and messages only afterwards. */
  readonly withoutMessages: <T>(work: () => Promise<T>) => Promise<T>;
  /** The style of text on standard error. */
  readonly view: OutputView;
  /** The environment, for programs that the command starts. */
  readonly variables: Readonly<Record<string, string>>;
  /** Resolves a path that need not be in the workspace, against the current folder or that of -C. */
  readonly absolutePath: (path: string) => JsonName;
  /** Reports agents' settings and hooks, as seen from the current folder. @param root its workspace, if it has one */
  readonly agents: (root?: JsonName) => Promise<readonly AgentJson[]>;
}

/** The arguments of a command, and the examples in its help. */
interface CommandSyntax {
  /** In commander's syntax: `<checkpoint>` is required, `[to]` is optional. */
  readonly operands: readonly (readonly [syntax: string, description: string])[];
  readonly options: readonly CliOptionSpec[];
  readonly examples: readonly string[];
  /** What users probably meant by an argument too many, as a command line. */
  readonly excessExample?: (argument: string) => string;
}

export interface VerbCommand<V extends Verb = Verb> extends CommandSyntax {
  readonly verb: V;
  /** Another command that these arguments mean; null: this one. */
  instead?(given: VerbArguments): Promise<{ readonly command: VerbCommand; readonly given: VerbArguments } | null>;
  /** Whether long output goes through the pager on a terminal. */
  readonly isPaged?: boolean;
  /** Whether paths may follow `--`. */
  readonly takesPaths: boolean | 'one';
  /** Whether a program and its arguments may follow `--` instead. */
  readonly takesCommand?: boolean;
  /** @throws SavepointError USAGE; IO and CANCELLED if it reads files */
  input(given: VerbArguments, context: CommandContext): InputOf<V> | Promise<InputOf<V>>;
  /** Runs instead of the verb's handler, for commands that do more, for example ask for confirmation first. */
  carryOut?(input: InputOf<V>, given: VerbArguments, context: CommandContext): Promise<OutputOf<V>>;
  /** For a command that runs until it is stopped instead of answering once; null: it answers once. */
  follow?(input: InputOf<V>, given: VerbArguments, context: CommandContext): Promise<void> | null;
  /** Returns the output for people. Untrusted text in it must be safe to print. */
  render(output: OutputOf<V>, view: OutputView, given: VerbArguments): string | Buffer;
}

/** What a command that is not a verb uses while it runs. */
export interface CommandEnvironment {
  readonly globals: GlobalOptions;
  readonly env: Environment;
  readonly interrupt: Interrupt;
  /** Parses another command line. @throws SavepointError USAGE */
  parse(args: readonly string[]): Promise<ParsedCommandLine>;
  /** Opens the workspace for the work, with questions and progress as for a verb. */
  inWorkspace(work: (context: CommandContext) => Promise<number>): Promise<number>;
}

/** A command that is not a verb: it runs until it is stopped, is not about a workspace, or runs another program. */
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

/** The parsed command line: a command to run, or a text to print. */
export type ParsedCommandLine =
  | {
      readonly kind: 'command';
      readonly command: Command;
      readonly given: ParsedArguments;
      readonly globals: GlobalOptions;
    }
  /** No command: the browser if it is useful here, otherwise the text. */
  | { readonly kind: 'none'; readonly globals: GlobalOptions; readonly text: string }
  | { readonly kind: 'text'; readonly text: string };

/** Infers the verb, so that the compiler checks the command's input and output against it. */
export function command<V extends Verb>(definition: VerbCommand<V>): VerbCommand<V> {
  return definition;
}

/** Joins lines into one text. Every line, including the last, ends with a line feed. */
export function lines(...parts: readonly (string | readonly string[])[]): string {
  return parts
    .flat()
    .map((line) => `${line}\n`)
    .join('');
}

/**
 * Returns the value of an option that takes the id of a checkpoint; undefined if the option is absent.
 * @throws SavepointError USAGE
 */
export function checkpointIdOption({ options }: VerbArguments, key: string, flag: string): string | undefined {
  const given = options[key];
  if (typeof given !== 'string' || /^cp_[1-9]\d{0,8}$/.test(given)) return given as string | undefined;
  const message = `${flag} needs a checkpoint id such as cp_12, not ${JSON.stringify(given)}.`;
  throw new SavepointError('USAGE', message, { argument: flag });
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
