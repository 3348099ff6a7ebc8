/** What a tool adds to a verb: its description for a model, its arguments, and its answer as fields and as text. */
import type * as z from 'zod';
import type { JsonName } from '../model/names.ts';
import type { OutputOf, Verb } from '../verbs/verb.ts';
import type { Omission } from './bounds.ts';

/**
 * By default, the protocol assumes a tool with access to the network that changes something, is destructive and not
 * idempotent. The last two mean nothing if a tool only reads.
 */
export interface Annotations {
  readonly readOnlyHint?: true;
  readonly destructiveHint?: boolean;
  readonly openWorldHint: false;
}

export type SchemaFields = Readonly<Record<string, z.ZodType>>;

/** How the arguments of a tool map to the input of its verb. */
export type ArgumentMapping =
  /** The verb's fields, under the same names. */
  | 'all'
  /** Argument of the tool to field of the verb's input. */
  | { readonly fields: Readonly<Record<string, string>> }
  /** Arguments of another shape, built from parts of the verb's input. */
  | {
      readonly shape: (input: SchemaFields) => SchemaFields;
      readonly toInput: (given: Readonly<Record<string, unknown>>) => unknown;
    };

/** A shortened answer. */
export interface ShortenedOutput<Output> {
  readonly output: Output;
  /** Files whose content was left out and can be read from disk. A front end may link to them. */
  readonly omittedFiles: readonly JsonName[];
  readonly leftOut: readonly Omission[];
}

export interface Tool<V extends Verb = Verb, Name extends string = string, Answer extends object = object> {
  /** The name for the model; clients may add a prefix. */
  readonly name: Name;
  readonly verb: V;
  readonly title: string;
  /** Helps a model to choose a tool: what it does, when to use it, what it returns. */
  readonly description: string;
  readonly annotations: Annotations;
  readonly argumentMapping: ArgumentMapping;
  /**
   * Whether it needs a preview first. Without `preview_id`, the verb is called as a dry run. With it, the verb carries
   * out exactly that preview or fails.
   */
  readonly twoSteps: boolean;
  /** Shortens an answer before it is cut: removes what can be read elsewhere, by the arguments of the tool. */
  shorten?(output: OutputOf<V>, given: Readonly<Record<string, unknown>>): ShortenedOutput<OutputOf<V>>;
  /**
   * The answer for a model: what it needs to act, and nothing else. Some clients pass on only these fields, others only
   * the lines, so each must be complete.
   */
  answer(output: OutputOf<V>): Answer;
  /** The same answer, line by line. All of it is safe to print. */
  render(answer: Answer): readonly string[];
}

/** Checks the types of a tool against its verb. */
export function tool<V extends Verb, const Name extends string, Answer extends object>(
  it: Tool<V, Name, Answer>,
): Tool<Verb, Name> {
  return it as unknown as Tool<Verb, Name>;
}
