/** The schemas of a tool, made from those of its verb: for checking, and as JSON schema for the client. */
import { schemasOf } from '@savepoint/core';
import * as z from 'zod';
import type { Tool } from './tool.ts';

export interface ToolSchemas {
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

type JsonSchema = { readonly type: 'object'; readonly [key: string]: unknown };

export interface ToolListing {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  readonly annotations: { readonly title: string } & Tool['annotations'];
}

export async function toolSchemas(tool: Tool): Promise<ToolSchemas> {
  const verb = await schemasOf(tool.verb);
  return { input: inputSchema(tool, verb.input), output: outputSchema(tool, verb.output) };
}

function inputSchema(tool: Tool, verbInput: z.ZodType): z.ZodType {
  if (tool.takes === 'all' && !tool.twoSteps) return verbInput;
  const { shape } = asObject(tool, verbInput);
  const taken = tool.takes === 'all' ? Object.keys(shape).map((key) => [key, key]) : Object.entries(tool.takes);
  const fields: Record<string, z.ZodType> = {};
  for (const [argument, field] of taken as [string, string][]) {
    const schema = shape[field];
    if (schema === undefined) throw new Error(`${tool.name}: ${tool.verb.name} takes no ${field}`);
    fields[argument] = schema as z.ZodType;
  }
  if (tool.twoSteps) {
    fields['preview_id'] = z
      .string()
      .max(200)
      .optional()
      .describe('the preview_id of a preview that still fits; without it, nothing is changed and a preview comes back');
  }
  return z.strictObject(fields);
}

const leftOut = z
  .array(z.strictObject({ at: z.string(), count: z.int().min(1), of: z.enum(['items', 'characters']) }))
  .describe('what was left out of this answer because it would be too long');

function outputSchema(tool: Tool, verbOutput: z.ZodType): z.ZodType {
  const { shape } = asObject(tool, verbOutput);
  const preview = z.string().nullable().describe('give it back to do what this preview shows; null: it was done');
  return z.strictObject({ ...shape, ...(tool.twoSteps ? { preview_id: preview } : {}), left_out: leftOut });
}

function asObject(tool: Tool, schema: z.ZodType): z.ZodObject {
  if (schema instanceof z.ZodObject) return schema;
  throw new Error(`${tool.name}: the schemas of ${tool.verb.name} are no objects`);
}

export function listingOf(tool: Tool, { input, output }: ToolSchemas): ToolListing {
  const { name, title, description, annotations } = tool;
  return {
    name,
    title,
    description,
    // Not every client that hands schemas to a model follows references: what a model reads has none.
    inputSchema: z.toJSONSchema(input, { io: 'input', metadata: unnamed }) as JsonSchema,
    outputSchema: z.toJSONSchema(output, { io: 'output' }) as JsonSchema,
    annotations: { title, ...annotations },
  };
}

/** What is known of schemas without their names, as a schema with a name is put aside and referred to. */
const unnamed = z.registry<z.GlobalMeta>();
unnamed.get = ((schema: z.ZodType) => {
  const known = z.globalRegistry.get(schema);
  if (known === undefined) return undefined;
  const { id: _, ...rest } = known;
  return rest;
}) as typeof unnamed.get;
