/** What a command is: a verb with how it is typed and how its answer reads, or something that is no verb. */
import { type JsonName, type Savepoint, SavepointError } from '@savepoint/core';
import type { InputOf, OutputOf, Verb } from '@savepoint/core/faces';
import type { AgentJson } from './agents.ts';
import type { Interrupt } from './interrupt.ts';
import type { View } from './view.ts';

type Environment = Readonly<Record<string, string | undefined>>;

type Options = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

/** What was typed behind the name of the command. */
export interface Words {
  readonly operands: readonly string[];
  /** What stood behind `--`, for commands that take it. */
  readonly rest: readonly string[];
  readonly options: Options;
}

/** What was typed behind the verb. */
export interface Given {
  readonly operands: readonly string[];
  /** What stood behind `--`, for commands that take paths. */
  readonly paths: readonly JsonName[];
  readonly options: Options;
}

/** Options that every command knows, and not every command takes. */
export interface GlobalOptions {
  readonly folder: string | undefined;
  readonly here: boolean;
  readonly json: boolean;
}

export interface OptionSpec {
  /** As commander writes it: `-m, --message <text>`. */
  readonly flags: string;
  readonly description: string;
  readonly choices?: readonly string[];
  /** It may be given several times. */
  readonly many?: boolean;
  /** Camel-cased name of an option that excludes this one. */
  readonly conflicts?: string;
}

/** One running command. */
export interface Session {
  readonly savepoint: Savepoint;
  readonly signal: AbortSignal;
  /** Asks the person at the terminal; null where there is none. */
  readonly ask: ((text: string, question: string) => Promise<boolean>) | null;
  /** Takes the line of progress off the terminal. */
  readonly quiet: () => void;
  /** How text for the person at the terminal is to look. */
  readonly view: View;
  /** The current folder, or that of -C: paths that are no part of the workspace are relative to it. */
  readonly absolute: (path: string) => JsonName;
  /** What agents' settings and hooks look like from the current folder. */
  readonly agents: () => Promise<readonly AgentJson[]>;
}

/** How a command is typed, and what its help says. */
interface Typing {
  /** As commander writes them: `<checkpoint>` must be given, `[to]` may. */
  readonly operands: readonly (readonly [syntax: string, description: string])[];
  readonly options: readonly OptionSpec[];
  readonly examples: readonly string[];
}

export interface VerbCommand<V extends Verb = Verb> extends Typing {
  readonly verb: V;
  /** Whether paths may follow `--`. */
  readonly takesPaths: boolean;
  /** @throws SavepointError USAGE */
  input(given: Given, session: Session): InputOf<V>;
  /** Where more is to do than to hand the input on: to ask first. */
  carryOut?(input: InputOf<V>, given: Given, session: Session): Promise<OutputOf<V>>;
  /** What people read. Everything in it is safe to print. */
  render(output: OutputOf<V>, view: View, given: Given): string | Buffer;
}

/** What a command that is no verb works with. */
export interface Surroundings {
  readonly globals: GlobalOptions;
  readonly env: Environment;
  readonly interrupt: Interrupt;
  /** For commands that work in a workspace as verbs do, with their questions and their progress. */
  inWorkspace(work: (session: Session) => Promise<number>): Promise<number>;
}

/** A command that is no verb: it has no end, is about no workspace, or does what another program does. */
export interface OwnCommand extends Typing {
  /** Where more is to say than the table's one line. */
  readonly description?: string;
  /** What stands behind the name in the help, where commander would not write it so. */
  readonly usage?: string;
  /** Whether a program and its arguments follow `--`. */
  readonly takesCommand: boolean;
  /**
   * @returns the exit status
   * @throws SavepointError
   */
  run(words: Words, surroundings: Surroundings): Promise<number>;
}

export type Command = VerbCommand | OwnCommand;

/** Lets TypeScript check a command against its verb. */
export function command<V extends Verb>(it: VerbCommand<V>): VerbCommand<V> {
  return it;
}

export function lines(...parts: readonly (string | readonly string[])[]): string {
  return parts
    .flat()
    .map((line) => `${line}\n`)
    .join('');
}

/** @throws SavepointError USAGE */
export function wholeNumber(given: Given, option: string, flag: string): number | undefined {
  const text = given.options[option];
  if (text === undefined) return undefined;
  if (typeof text === 'string' && /^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new SavepointError('USAGE', `${flag} wants a whole number from 1 on; it is ${JSON.stringify(text)}.`, {
    argument: flag,
  });
}
