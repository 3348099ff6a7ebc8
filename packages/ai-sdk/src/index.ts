/** Savepoint's tools for agents built with the Vercel AI SDK, version 6 or 7. */

export type { ToolName } from '@savepoint/core/tools';
export { type SavepointTools, savepointTools, type ToolsOptions } from './savepoint-tools.ts';
export type { InputSchema, ModelOutput, SavepointTool, ToolCallOptions, ToolOutput } from './sdk-shapes.ts';
export { ToolFailure } from './tool-failure.ts';
export { type AnyTool, type InputOfTool, type PlannedWrite, type Tracking, trackedTools } from './tracked-tools.ts';
