/** Derives the schemas of a tool from those of its verb: as zod schemas for validation, and as JSON schemas. */
import * as z from 'zod';
import { checkpointName, jsonName } from '../verbs/shapes/names.ts';
import { schemasOf } from '../verbs/verb.ts';
import { withFlatUnions } from './flat-union.ts';
import { isElsewhere } from './short-schemas.ts';
import type { Tool } from './tool.ts';

export interface ToolSchemas {
  readonly input: z.ZodType;
}

/** The input of a tool is always an object. */
export type JsonSchema = { readonly type: 'object'; readonly [key: string]: unknown };

export type JsonSchemaVersion = 'draft-07' | 'draft-2020-12';

export async function toolSchemas(tool: Tool): Promise<ToolSchemas> {
  const verb = await schemasOf(tool.verb);
  return { input: inputSchema(tool, verb.input) };
}

/**
 * Returns a schema without references, because not every client resolves them. It is as short as possible, because
 * models read all of it. A field that an object does not have is refused by the server, not by this schema.
 */
export function inputJsonSchema({ input }: ToolSchemas, target: JsonSchemaVersion = 'draft-2020-12'): JsonSchema {
  const schema = z.toJSONSchema(input, {
    io: 'input',
    target,
    metadata: metadataWithoutIds,
    override: shorten(target),
  });
  return withFlatUnions(schema) as JsonSchema;
}

function inputSchema(tool: Tool, verbInput: z.ZodType): z.ZodType {
  const fields: Record<string, z.ZodType> = { ...argumentsOf(tool, asObject(tool, verbInput).shape) };
  if (tool.twoSteps) {
    fields['preview_id'] = z.string().max(200).optional().describe('of the preview to carry out');
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

/**
 * A name is text for almost every file. Other names are objects, as in the answers that a model has them from. The AI SDK,
 * which gets draft-07, closes every object, so there it is said which field it has.
 */
const SHORT_NAME = { type: ['string', 'object'] };
const LONG_NAME = { anyOf: [{ type: 'string' }, { type: 'object', properties: { b64: { type: 'string' } } }] };

const SHORT_CHECKPOINT =
  'cp_12, last, last~2, @prompt (before the last prompt), @session (start of the last session), a commit id, ' +
  '@{10 minutes ago}, message:ID or before:ID';

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>;

function shorten(target: JsonSchemaVersion): Override {
  return ({ zodSchema, jsonSchema }) => {
    if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    if (jsonSchema.const !== undefined) delete jsonSchema.type;
    // The description says it.
    delete jsonSchema.pattern;
    delete jsonSchema.maxLength;
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
    // The AI SDK, which gets draft-07, closes every object: it would allow no fields.
    if (target !== 'draft-07' && isElsewhere(zodSchema)) jsonSchema.items = { type: 'object' };
    if (isJsonName(zodSchema)) {
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, structuredClone(target === 'draft-07' ? LONG_NAME : SHORT_NAME));
      if (jsonSchema.description === jsonName.description) delete jsonSchema.description;
    }
    if (jsonSchema.description === checkpointName.description) jsonSchema.description = SHORT_CHECKPOINT;
  };
}

/** A description makes a copy of the schema, with the same options. */
function isJsonName(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodUnion && schema.options === jsonName.options;
}
