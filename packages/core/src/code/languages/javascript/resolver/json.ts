import type { TreePath } from '../../../../model/names.ts';
import type { CodeTree } from '../../../language.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** Reads a JSON file that may have comments and trailing commas; null: it has no object, or cannot be read. */
export function readJson(tree: CodeTree, path: TreePath): JsonObject | null {
  const bytes = tree.files.has(path) ? tree.read(path) : null;
  if (bytes === null) return null;
  const text = new TextDecoder().decode(bytes);
  try {
    return asObject(JSON.parse(text));
  } catch {
    return withoutComments(text);
  }
}

export function asObject(value: unknown): JsonObject | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null;
}

/** The strings of a list; of anything else, none. */
export function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}

const COMMENT_OR_STRING = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

function withoutComments(text: string): JsonObject | null {
  const plain = text
    .replace(COMMENT_OR_STRING, (part) => (part.startsWith('"') ? part : ''))
    .replace(/"(?:[^"\\]|\\.)*"|,(?=\s*[\]}])/g, (part) => (part === ',' ? '' : part));
  try {
    return asObject(JSON.parse(plain));
  } catch {
    return null;
  }
}
