/**
 * The parts of the AI SDK's types that Savepoint uses. They are compatible with both versions. Neither version is
 * imported, so the only SDK in the process is the agent's own.
 */
import type { StructuredAnswer } from '@savepoint/core/tools';

export interface SavepointTool {
  readonly title: string;
  /** Helps the model to choose a tool. */
  readonly description: string;
  readonly inputSchema: InputSchema;
  /** @throws ToolFailure for every error */
  readonly execute: (input: unknown, options: ToolCallOptions) => Promise<ToolOutput>;
  /** What the model reads: the same answer as text. */
  readonly toModelOutput: (answer: { readonly output: ToolOutput }) => ModelOutput;
}

/** A Standard Schema that can be converted to JSON schema. */
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
  /** Recorded in the checkpoints that the call causes. */
  readonly toolCallId: string;
  /** Cancels the work before it is committed. */
  readonly abortSignal?: AbortSignal | undefined;
}

const MAX_ID_LENGTH = 200;

/** Returns the call id to record. It is cut, because providers do not limit its length. */
export function recordedId(toolCallId: string): string {
  return toolCallId.slice(0, MAX_ID_LENGTH);
}

/** The fields that an MCP client receives as structured content (docs/reference/mcp.md). */
export type ToolOutput = StructuredAnswer;

export interface ModelOutput {
  readonly type: 'text';
  readonly value: string;
}
