/** The definition of a verb. Front ends (a command line, a server) are generated from the table of verbs. */
import type * as z from 'zod';
import type { RefusedFile } from '../edit/edits-refused.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { Savepoint } from '../savepoint.ts';

/** The building blocks of schemas. Loaded on demand, because loading zod takes longer than running most verbs. */
export type Shapes = typeof import('./shapes/shapes.ts');
export type EditShapes = typeof import('./shapes/edit-shapes.ts');

export interface VerbContext {
  /** Aborts the work before its commit point: CANCELLED, with nothing changed. */
  readonly signal?: AbortSignal;
  /** The id that an agent gave the call. */
  readonly toolCall?: CallOptions['toolCall'];
  /** Whether the agent that asks runs its commands in a sandbox, outside of which this process is. Default: it does not. */
  readonly isSandboxed?: () => Promise<boolean>;
  /** Receives what checks print, as it arrives. It may contain anything. */
  readonly onOutput?: (check: string, part: Buffer) => void;
}

export interface Verb<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  /** As the user types it; may be two words. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** What it does and does not do; an empty line separates paragraphs. */
  readonly description: string;
  /** What it may change: nothing, the store, or the files of the workspace. */
  readonly changes: 'nothing' | 'store' | 'files';
  schemas(shapes: Shapes, editShapes: EditShapes): { readonly input: Input; readonly output: Output };
  /** @throws SavepointError */
  handle(savepoint: Savepoint, input: z.output<Input>, context: VerbContext): Promise<z.output<Output>>;
  /**
   * For input that does not match the schema: what else is wrong, in the parts that do, so that a caller gets all errors
   * at once. Null: nothing. Changes nothing.
   */
  otherProblems?(savepoint: Savepoint, input: unknown, context: VerbContext): Promise<OtherProblems | null>;
  /** The exit status of a successful answer; absent: always 0. */
  status?(output: z.output<Output>): AnswerStatus;
}

export interface OtherProblems {
  readonly message: string;
  readonly details: readonly RefusedFile[];
}

/**
 * 0: done. 1: the answer reports a problem, so that callers should stop. 3: a dry run found a conflict. 4: an operation is
 * still pending. 5: done in part; the answer lists the rest.
 */
export type AnswerStatus = 0 | 1 | 3 | 4 | 5;

export type InputOf<V> = V extends Verb<infer Input, z.ZodType> ? z.output<Input> : never;
export type OutputOf<V> = V extends Verb<z.ZodType, infer Output> ? z.output<Output> : never;

export function answerStatus(verb: Verb, output: unknown): AnswerStatus {
  return verb.status?.(output) ?? 0;
}

/** Infers the types of a verb. */
export function verb<Input extends z.ZodType, Output extends z.ZodType>(it: Verb<Input, Output>): Verb<Input, Output> {
  return it;
}

export async function schemasOf<Input extends z.ZodType, Output extends z.ZodType>(
  it: Verb<Input, Output>,
): Promise<{ readonly input: Input; readonly output: Output }> {
  return it.schemas(await import('./shapes/shapes.ts'), await import('./shapes/edit-shapes.ts'));
}

type DefinedFields<T> = { readonly [Key in keyof T]?: Exclude<T[Key], undefined> };

/** Input of a verb: a field that was not given may be `undefined`. */
export type OrUndefined<T> = {
  readonly [Key in keyof T]: T[Key] | (Record<never, never> extends Pick<T, Key> ? undefined : never);
};

/** Returns the fields that are not `undefined`. */
export function withoutUndefined<T extends object>(fields: T): DefinedFields<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as DefinedFields<T>;
}
