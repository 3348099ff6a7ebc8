/**
 * Shortens a list of alternative objects that `op` tells apart: one object has the fields of all of them, and says which
 * `op` takes which. The server still checks each alternative on its own.
 */

interface Alternative {
  readonly properties: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
}

type Json = { readonly [key: string]: unknown };

/** Replaces such lists anywhere in a JSON schema. */
export function withFlatUnions(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withFlatUnions);
  if (typeof schema !== 'object' || schema === null) return schema;
  const fields = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withFlatUnions(value)]));
  const { anyOf, ...rest } = fields;
  return isListOfOperations(anyOf) ? { ...rest, ...flattened(anyOf) } : fields;
}

function isListOfOperations(anyOf: unknown): anyOf is readonly Alternative[] {
  return Array.isArray(anyOf) && anyOf.every((one: Partial<Alternative>) => one.properties?.['op']?.['const']);
}

function flattened(alternatives: readonly Alternative[]): Json {
  const names = new Set(alternatives.flatMap(({ properties }) => Object.keys(properties)));
  names.delete('op');
  const fields = [...names].map((name) => {
    const takers = alternatives.filter(({ properties }) => Object.hasOwn(properties, name));
    const { description: _, ...shape } = takers[0]?.properties[name] ?? {};
    const description = fieldText(name, takers);
    return [name, { ...shape, ...(description === '' ? {} : { description }) }] as const;
  });
  const needed = alternatives.map((one) => [opOf(one), ...needs(one)].join(' '));
  const op = { enum: alternatives.map(opOf), description: `with what it needs: ${needed.join('; ')}` };
  return { type: 'object', properties: { op, ...Object.fromEntries(fields) } };
}

/** Says what a field is for each `op`, except where `op` itself says enough. */
function fieldText(name: string, takers: readonly Alternative[]): string {
  const texts = new Map<string, Alternative[]>();
  for (const taker of takers) {
    const text = String(taker.properties[name]?.['description'] ?? '');
    if (text !== '' || taker.required?.includes(name) !== true) texts.set(text, [...(texts.get(text) ?? []), taker]);
  }
  return [...texts].map(([text, those]) => `${those.map(opOf).join(', ')}${text === '' ? '' : `: ${text}`}`).join('; ');
}

function opOf({ properties }: Alternative): string {
  return String(properties['op']?.['const']);
}

function needs({ required = [] }: Alternative): readonly string[] {
  const names = required.filter((name) => name !== 'op');
  return names.length === 0 ? [] : [`(${names.join(', ')})`];
}
