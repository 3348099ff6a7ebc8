/** What a verb is. Faces (a command line, a server, a page) are made from the table of verbs and only render. */
import type * as z from 'zod';
import type { Savepoint } from '../savepoint.ts';

/** The schemas' building blocks. Loaded only where a schema is asked for: zod takes longer to load than most verbs to run. */
export type Shapes = typeof import('./shapes/shapes.ts');
export type EditShapes = typeof import('./shapes/edit-shapes.ts');

export interface VerbContext {
  /** Stops the work before its commit point: CANCELLED, nothing changed. */
  readonly signal?: AbortSignal;
  /** The id that an agent gave the call. */
  readonly toolCall?: string;
}

export interface Verb<Input extends z.ZodType = z.ZodType, Output extends z.ZodType = z.ZodType> {
  /** As people call it; may be two words. */
  readonly name: string;
  /** One line, without a full stop. */
  readonly summary: string;
  /** What it does and does not do; paragraphs are separated by an empty line. */
  readonly description: string;
  /** What it may change: nothing at all, checkpoints and what is kept about them, or the files of the workspace. */
  readonly changes: 'nothing' | 'store' | 'files';
  schemas(shapes: Shapes, editShapes: EditShapes): { readonly input: Input; readonly output: Output };
  /** @throws SavepointError */
  handle(savepoint: Savepoint, input: z.output<Input>, context: VerbContext): Promise<z.output<Output>>;
  /** Whether an answer is bad news: it was found out well, and callers should still stop (process status 1). */
  isFailure?(output: z.output<Output>): boolean;
}

export type InputOf<V> = V extends Verb<infer Input, z.ZodType> ? z.output<Input> : never;
export type OutputOf<V> = V extends Verb<z.ZodType, infer Output> ? z.output<Output> : never;

/** Lets TypeScript find a verb's types. */
export function verb<Input extends z.ZodType, Output extends z.ZodType>(it: Verb<Input, Output>): Verb<Input, Output> {
  return it;
}

export async function schemasOf<Input extends z.ZodType, Output extends z.ZodType>(
  it: Verb<Input, Output>,
): Promise<{ readonly input: Input; readonly output: Output }> {
  return it.schemas(await import('./shapes/shapes.ts'), await import('./shapes/edit-shapes.ts'));
}

type Given<T> = { readonly [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The fields that were given: an option that is `undefined` is one that is not there. */
export function given<T extends object>(fields: T): Given<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<T>;
}
