/**
 * The listing of a tool for a client. It has no output schema: models read every byte of a listing, and need none to
 * read an answer.
 */
import { inputJsonSchema, type JsonSchema, type ReadyTool, type Tool } from '@savepoint/core/tools';

export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly annotations: Tool['annotations'];
}

export function listingOf({ tool, schemas }: ReadyTool): ToolListing {
  const { name, title, description, annotations } = tool;
  // Without `$schema`, the protocol assumes the version that the schema has.
  const { $schema: _, ...inputSchema } = inputJsonSchema(schemas);
  return {
    name,
    title,
    description,
    inputSchema,
    annotations,
  };
}
