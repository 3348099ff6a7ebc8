/** The listing of a tool for a client. */
import { inputJsonSchema, type JsonSchema, outputJsonSchema, type ReadyTool, type Tool } from '@savepoint/core/tools';

export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly annotations: { readonly title: string } & Tool['annotations'];
}

export function listingOf({ tool, schemas }: ReadyTool): ToolListing {
  const { name, title, description, annotations } = tool;
  return {
    name,
    title,
    description,
    inputSchema: inputJsonSchema(schemas),
    outputSchema: outputJsonSchema(schemas),
    annotations: { title, ...annotations },
  };
}
