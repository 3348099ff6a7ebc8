import { type ToolSchemas, toolSchemas } from './schemas.ts';
import { TOOLS, type ToolName } from './table.ts';
import type { Tool } from './tool.ts';

export interface ReadyTool {
  readonly tool: Tool;
  readonly schemas: ToolSchemas;
}

/**
 * The tools with their schemas, in the order of the table. The schemas do not change during the life of the process.
 */
export async function readyTools(): Promise<ReadonlyMap<string, ReadyTool>> {
  const entries = TOOLS.map(
    async (tool): Promise<[ToolName, ReadyTool]> => [tool.name, { tool, schemas: await toolSchemas(tool) }],
  );
  return new Map(await Promise.all(entries));
}
