/** Derives the schemas of a tool from those of its verb: as zod schemas for validation, and as JSON schemas. */
import * as z from 'zod';
import { schemasOf } from '../verbs/verb.ts';
import type { Tool } from './tool.ts';

export interface ToolSchemas {
  readonly input: z.ZodType;
  readonly output: z.ZodType;
}

/** The input and the output of a tool are always objects. */
export type JsonSchema = { readonly type: 'object'; readonly [key: string]: unknown };

export type JsonSchemaVersion = 'draft-07' | 'draft-2020-12';

export async function toolSchemas(tool: Tool): Promise<ToolSchemas> {
  const verb = await schemasOf(tool.verb);
  return { input: inputSchema(tool, verb.input), output: outputSchema(tool, verb.output) };
}

const leftOut = z
  .array(z.strictObject({ at: z.string(), count: z.int().min(1), of: z.enum(['items', 'characters']) }))
  .describe('what was left out because the answer would be too long');

/** Returns a schema without references, because not every client resolves them. */
export function inputJsonSchema({ input }: ToolSchemas, target: JsonSchemaVersion = 'draft-2020-12'): JsonSchema {
  return z.toJSONSchema(input, {
    io: 'input',
    target,
    metadata: metadataWithoutIds,
    override: dropBase64Format,
  }) as JsonSchema;
}

export function outputJsonSchema({ output }: ToolSchemas): JsonSchema {
  return z.toJSONSchema(output, { io: 'output', override: dropBase64Format }) as JsonSchema;
}

function inputSchema(tool: Tool, verbInput: z.ZodType): z.ZodType {
  const fields: Record<string, z.ZodType> = { ...argumentsOf(tool, asObject(tool, verbInput).shape) };
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

/** Returns the schemas of the tool's arguments, made from those of the verb's input. */
function argumentsOf(
  { name, verb, argumentMapping: mapping }: Tool,
  shape: Readonly<Record<string, z.ZodType>>,
): typeof shape {
  if (mapping === 'all') return shape;
  if ('shape' in mapping) return mapping.shape(shape);
  return Object.fromEntries(
    Object.entries(mapping.fields).map(([argument, field]) => {
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
const metadataWithoutIds = z.registry<z.GlobalMeta>();
metadataWithoutIds.get = ((schema: z.ZodType) => {
  const metadata = z.globalRegistry.get(schema);
  if (metadata === undefined) return undefined;
  const { id: _, ...withoutId } = metadata;
  return withoutId;
}) as typeof metadataWithoutIds.get;

/** In JSON schema, base64 is an encoding and not a format. Validators of clients warn about the unknown format. */
function dropBase64Format({ jsonSchema }: { readonly jsonSchema: { format?: string | undefined } }): void {
  if (jsonSchema.format === 'base64') delete jsonSchema.format;
}
