// @ts-check
/** Renders JSON Schema, as zod generates it, in a readable notation similar to TypeScript, with one field per line. */

/** @typedef {{ readonly [key: string]: any }} Schema */

/**
 * @param {Schema} schema
 * @param {string} indent of the line on which the text starts
 * @returns {string}
 */
export function notation(schema, indent = '') {
  if (schema['$ref'] !== undefined) return schema['$ref'].split('/').at(-1);
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  if (schema['enum'] !== undefined) {
    return schema['enum'].map((/** @type {unknown} */ value) => JSON.stringify(value)).join(' | ');
  }
  const union = schema['anyOf'] ?? schema['oneOf'];
  if (union !== undefined) return union.map((/** @type {Schema} */ one) => notation(one, indent)).join(' | ');
  if (schema['type'] === 'array') return listOf(schema['items'], indent);
  if (schema['type'] === 'object') return objectOf(schema, indent);
  if (schema['type'] === 'integer') return 'integer';
  return schema['type'] ?? 'any';
}

/** @param {Schema} items @param {string} indent */
function listOf(items, indent) {
  const inner = notation(items, indent);
  return inner.includes(' | ') && !inner.startsWith('{') ? `(${inner})[]` : `${inner}[]`;
}

/** @param {Schema} schema @param {string} indent */
function objectOf(schema, indent) {
  const fields = Object.entries(schema['properties'] ?? {});
  if (fields.length === 0) return '{}';
  const required = new Set(schema['required'] ?? []);
  const deeper = `${indent}  `;
  const lines = fields.map(([name, /** @type {Schema} */ field]) => {
    const description = field['description'];
    return `${deeper}${name}${required.has(name) ? '' : '?'}: ${notation(field, deeper)}${description === undefined ? '' : `  // ${description}`}`;
  });
  const flat = `{ ${lines.map((line) => line.trim()).join(', ')} }`;
  const fits = flat.length <= 80 && !flat.includes('//') && !flat.includes('\n');
  return fits ? flat : `{\n${lines.join('\n')}\n${indent}}`;
}
