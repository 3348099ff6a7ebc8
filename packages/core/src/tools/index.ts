/**
 * `@savepoint/core/tools`: the verbs as tools for a model, for every front end that offers them. It is a separate entry
 * point because loading the schemas takes longer than running most verbs.
 */
export { safeJson } from '../content/safe-json.ts';
export { answerText, callTool, type StructuredAnswer, type ToolAnswer } from './call-tool.ts';
export { asFailure, failureText } from './failure.ts';
export { IssuedPreviews } from './issued-previews.ts';
export { type ReadyTool, readyTools } from './ready-tools.ts';
export { inputJsonSchema, type JsonSchema } from './schemas.ts';
export { SerialQueue } from './serial-queue.ts';
export { TOOLS, type ToolName } from './table.ts';
export type { Tool } from './tool.ts';
