/** What a tool adds to a verb: how a model is told of it, what it may be given, and how its answer reads. */
import type { DiskPath, OutputOf, Verb } from '@savepoint/core';
import type * as z from 'zod';
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

/** Something that a client can read by itself. */
export interface Link {
  readonly type: 'resource_link';
  readonly uri: string;
  readonly name: string;
  readonly description: string;
}

export interface Linked<Output> {
  readonly output: Output;
  readonly links: readonly Link[];
  readonly leftOut: readonly LeftOut[];
}

export interface Tool<V extends Verb = Verb> {
  /** As a client calls it; clients put a prefix before it. */
  readonly name: string;
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
  /** Makes room in an answer before it is cut: a link stands in for what is taken out. */
  link?(output: OutputOf<V>, folder: DiskPath): Linked<OutputOf<V>>;
  /** What a model reads, line by line. Everything in it is safe to print. */
  render(output: OutputOf<V>): readonly string[];
}

/** Lets TypeScript check a tool against its verb. */
export function tool<V extends Verb>(it: Tool<V>): Tool {
  return it as unknown as Tool;
}

/** One call, as far as the client tells of it. */
export interface Call {
  readonly signal: AbortSignal;
  /** The client's program, where it gave its name. */
  readonly client: { readonly name: string; readonly version: string | null } | null;
  /** The client's own id of this tool call; joins the call to the events of the client's hooks. */
  readonly toolUseId: string | null;
  /** Tells how far the work is; null where the client did not ask for it. */
  readonly progress: ((message: string) => void) | null;
}
