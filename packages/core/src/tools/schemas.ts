/** Derives the schemas of a tool from those of its verb: for validation, and as JSON schema for the caller. */
import * as z from 'zod';
import { schemasOf } from '../verbs/verb.ts';
import type { Tool } from './tool.ts';

export interface ToolSchemas {
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

/** Input and output of a tool are objects. */
export type JsonSchema = { readonly type: 'object'; readonly [key: string]: unknown };

export type JsonSchemaVersion = 'draft-07' | 'draft-2020-12';

export async function toolSchemas(tool: Tool): Promise<ToolSchemas> {
  const verb = await schemasOf(tool.verb);
  return { input: inputSchema(tool, verb.input), output: outputSchema(tool, verb.output) };
}

const leftOut = z
  .array(z.strictObject({ at: z.string(), count: z.int().min(1), of: z.enum(['items', 'characters']) }))
  .describe('what was left out because the answer would be too long');

/** Input schemas have no references, because not every client resolves them. */
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
      .describe(
        'the preview_id of a preview that is still current; without it, nothing is changed and a preview is returned',
      );
  }
  return z.strictObject(fields);
}

function fieldsOf(
  { name, verb, argumentMapping: takes }: Tool,
  shape: Readonly<Record<string, z.ZodType>>,
): typeof shape {
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
  const preview = z.string().nullable().describe('pass it back to carry out this preview; null if it was carried out');
  return z.strictObject({ ...shape, ...(tool.twoSteps ? { preview_id: preview } : {}), left_out: leftOut });
}

function asObject(tool: Tool, schema: z.ZodType): z.ZodObject<Record<string, z.ZodType>> {
  if (schema instanceof z.ZodObject) return schema as z.ZodObject<Record<string, z.ZodType>>;
  throw new Error(`${tool.name}: the schemas of ${tool.verb.name} are not objects`);
}

/** The metadata of schemas without their ids, because a schema with an id would become a reference. */
const unnamed = z.registry<z.GlobalMeta>();
unnamed.get = ((schema: z.ZodType) => {
  const dropBase64Format = z.globalRegistry.get(schema);
  if (dropBase64Format === undefined) return undefined;
  const { id: _, ...rest } = dropBase64Format;
  return rest;
}) as typeof unnamed.get;

/** In JSON schema, base64 is an encoding and not a format. Validators of clients warn about the unknown format. */
function known({ jsonSchema }: { readonly jsonSchema: { format?: string | undefined } }): void {
  if (jsonSchema.format === 'base64') delete jsonSchema.format;
}
