/**
 * What the AI SDK takes, as far as it is used here. It fits the types of both versions; neither is imported, so the
 * agent's own is the only one there is.
 */
import type { StructuredAnswer } from '@savepoint/core/tools';

export interface SavepointTool {
  readonly title: string;
  /** For a model that has to choose a tool. */
  readonly description: string;
  readonly inputSchema: InputSchema;
  /** @throws ToolFailure for whatever goes wrong */
  readonly execute: (input: unknown, options: ToolCallOptions) => Promise<ToolOutput>;
  /** What the model reads of an answer; the agent's own code gets all of it. */
  readonly toModelOutput: (answer: { readonly output: ToolOutput }) => ModelOutput;
}

/** A Standard Schema that can say itself as JSON schema. */
export interface InputSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'savepoint';
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: { readonly input: JsonSchemaMaker; readonly output: JsonSchemaMaker };
  };
}

export type JsonSchemaMaker = (options: { readonly target: string }) => Record<string, unknown>;

export interface ToolCallOptions {
  /** Kept with the checkpoints that come of the call. */
  readonly toolCallId: string;
  /** Stops the work before it takes effect. */
  readonly abortSignal?: AbortSignal | undefined;
}

const MAX_ID_LENGTH = 200;

/** As a call's id goes on record: a provider may make it as long as it likes. */
export function recordedId(toolCallId: string): string {
  return toolCallId.slice(0, MAX_ID_LENGTH);
}

/** The fields of the verb's answer (docs/reference/verbs.md), `preview_id` where there are two steps, and what is beside them. */
export interface ToolOutput extends StructuredAnswer {
  readonly warnings: readonly string[];
}

export interface ModelOutput {
  readonly type: 'text';
  readonly value: string;
}
