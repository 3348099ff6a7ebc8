/** Fields whose schema another tool has in full: a model reads it only once. */
import type * as z from 'zod';

const elsewhere = new WeakSet<z.core.$ZodType>();

/** @param description names the tool that has the schema in full */
export function asElsewhere(schema: z.ZodType, description: string): z.ZodType {
  const described = schema.describe(description);
  elsewhere.add(described);
  return described;
}

export function isElsewhere(schema: z.core.$ZodType): boolean {
  return elsewhere.has(schema);
}
