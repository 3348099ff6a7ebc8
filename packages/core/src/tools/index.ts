/**
 * `@savepoint/core/tools`: the verbs as a model is told of them, for every face that hands them to one. An entry of its
 * own, as it loads the schemas, which take longer to load than most verbs to run.
 */
export { safeJson } from '../content/safe-json.ts';
export { answerText, callTool, type Structured, type ToolAnswer } from './call-tool.ts';
export { asFailure, failureText } from './failure.ts';
export { type ReadyTool, readyTools } from './ready-tools.ts';
export { inputJsonSchema, type JsonSchema, outputJsonSchema } from './schemas.ts';
export { TOOLS, type ToolName } from './table.ts';
export type { Tool } from './tool.ts';
export { Turns } from './turns.ts';
