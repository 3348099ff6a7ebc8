/** What the command line adds to a verb: how it is typed and how its answer reads. */
import { type InputOf, type JsonName, type OutputOf, type Savepoint, SavepointError, type Verb } from '@savepoint/core';
import type { AgentJson } from './agents.ts';
import type { View } from './view.ts';

/** What was typed behind the verb. */
export interface Given {
  readonly operands: readonly string[];
  /** What stood behind `--`, for commands that take paths. */
  readonly paths: readonly JsonName[];
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
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

export interface Command<V extends Verb = Verb> {
  readonly verb: V;
  /** As commander writes them: `<checkpoint>` must be given, `[to]` may. */
  readonly operands: readonly (readonly [syntax: string, description: string])[];
  /** Whether paths may follow `--`. */
  readonly takesPaths: boolean;
  readonly options: readonly OptionSpec[];
  readonly examples: readonly string[];
  /** @throws SavepointError USAGE */
  input(given: Given, session: Session): InputOf<V>;
  /** Where more is to do than to hand the input on: to ask first. */
  carryOut?(input: InputOf<V>, given: Given, session: Session): Promise<OutputOf<V>>;
  /** What people read. Everything in it is safe to print. */
  render(output: OutputOf<V>, view: View, given: Given): string | Buffer;
}

/** Lets TypeScript check a command against its verb. */
export function command<V extends Verb>(it: Command<V>): Command<V> {
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
