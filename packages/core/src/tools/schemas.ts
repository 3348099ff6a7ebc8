/** The schemas of a tool, made from those of its verb: for checking, and as JSON schema for whoever calls it. */
import * as z from 'zod';
import { schemasOf } from '../verbs/verb.ts';
import type { Tool } from './tool.ts';

export interface ToolSchemas {
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

/** A tool takes an object and gives one. */
export type JsonSchema = { readonly type: 'object'; readonly [key: string]: unknown };

export type JsonSchemaVersion = 'draft-07' | 'draft-2020-12';

export async function toolSchemas(tool: Tool): Promise<ToolSchemas> {
  const verb = await schemasOf(tool.verb);
  return { input: inputSchema(tool, verb.input), output: outputSchema(tool, verb.output) };
}

const leftOut = z
  .array(z.strictObject({ at: z.string(), count: z.int().min(1), of: z.enum(['items', 'characters']) }))
  .describe('what was left out of this answer because it would be too long');

/** Not every program that hands schemas to a model follows references: what a model reads has none. */
export function inputJsonSchema({ input }: ToolSchemas, target: JsonSchemaVersion = 'draft-2020-12'): JsonSchema {
  return z.toJSONSchema(input, { io: 'input', target, metadata: unnamed, override: known }) as JsonSchema;
}

export function outputJsonSchema({ output }: ToolSchemas): JsonSchema {
  return z.toJSONSchema(output, { io: 'output', override: known }) as JsonSchema;
}

function inputSchema(tool: Tool, verbInput: z.ZodType): z.ZodType {
  const fields: Record<string, z.ZodType> = { ...fieldsOf(tool, asObject(tool, verbInput).shape) };
  if (tool.twoSteps) {
    fields['preview_id'] = z
      .string()
      .max(200)
      .optional()
      .describe('the preview_id of a preview that still fits; without it, nothing is changed and a preview comes back');
  }
  return z.strictObject(fields);
}

function fieldsOf({ name, verb, takes }: Tool, shape: Readonly<Record<string, z.ZodType>>): typeof shape {
  if (takes === 'all') return shape;
  if ('shape' in takes) return takes.shape(shape);
  return Object.fromEntries(
    Object.entries(takes.fields).map(([argument, field]) => {
      const schema = shape[field];
      if (schema === undefined) throw new Error(`${name}: ${verb.name} takes no ${field}`);
      return [argument, schema];
    }),
  );
}

function outputSchema(tool: Tool, verbOutput: z.ZodType): z.ZodType {
  const { shape } = asObject(tool, verbOutput);
  const preview = z.string().nullable().describe('give it back to do what this preview shows; null: it was done');
  return z.strictObject({ ...shape, ...(tool.twoSteps ? { preview_id: preview } : {}), left_out: leftOut });
}

function asObject(tool: Tool, schema: z.ZodType): z.ZodObject<Record<string, z.ZodType>> {
  if (schema instanceof z.ZodObject) return schema as z.ZodObject<Record<string, z.ZodType>>;
  throw new Error(`${tool.name}: the schemas of ${tool.verb.name} are no objects`);
}

/** What is known of schemas without their names, as a schema with a name is put aside and referred to. */
const unnamed = z.registry<z.GlobalMeta>();
unnamed.get = ((schema: z.ZodType) => {
  const known = z.globalRegistry.get(schema);
  if (known === undefined) return undefined;
  const { id: _, ...rest } = known;
  return rest;
}) as typeof unnamed.get;

/** JSON schema knows base64 as an encoding; as a format it is unknown, and validators of clients complain of it. */
function known({ jsonSchema }: { readonly jsonSchema: { format?: string | undefined } }): void {
  if (jsonSchema.format === 'base64') delete jsonSchema.format;
}
