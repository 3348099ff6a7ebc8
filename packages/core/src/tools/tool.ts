/** What a tool adds to a verb: how a model is told of it, what it may be given, and how its answer reads. */
import type * as z from 'zod';
import type { JsonName } from '../model/names.ts';
import type { OutputOf, Verb } from '../verbs/verb.ts';
import type { LeftOut } from './bounds.ts';

/** All of them are set: the protocol's defaults say that a tool destroys and reaches out to the world. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

export type Fields = Readonly<Record<string, z.ZodType>>;

/** How the arguments of a tool become the input of its verb. */
export type Takes =
  /** The verb's own fields, under their own names. */
  | 'all'
  /** Argument of the tool to field of the verb's input. */
  | { readonly fields: Readonly<Record<string, string>> }
  /** Arguments of another shape, made of parts of the verb's own. */
  | {
      readonly shape: (input: Fields) => Fields;
      readonly toInput: (given: Readonly<Record<string, unknown>>) => unknown;
    };

/** An answer with less in it. */
export interface Shortened<Output> {
  readonly output: Output;
  /** Files whose content was taken out and stands on disk: a face may say where to read it. */
  readonly taken: readonly JsonName[];
  readonly leftOut: readonly LeftOut[];
}

export interface Tool<V extends Verb = Verb, Name extends string = string> {
  /** As a model calls it; clients may put a prefix before it. */
  readonly name: Name;
  readonly verb: V;
  readonly title: string;
  /** For a model that has to choose a tool: what it does, when to use it, what comes back. */
  readonly description: string;
  readonly annotations: Annotations;
  readonly takes: Takes;
  /**
   * Whether it needs a preview first: without `preview_id` the verb is called as a dry run, with it the verb may only
   * carry out what that preview showed.
   */
  readonly twoSteps: boolean;
  /** Makes room in an answer before it is cut: takes out what can be read elsewhere. */
  shorten?(output: OutputOf<V>): Shortened<OutputOf<V>>;
  /** What a model reads, line by line. Everything in it is safe to print. */
  render(output: OutputOf<V>): readonly string[];
}

/** Lets TypeScript check a tool against its verb. */
export function tool<V extends Verb, const Name extends string>(it: Tool<V, Name>): Tool<Verb, Name> {
  return it as unknown as Tool<Verb, Name>;
}
