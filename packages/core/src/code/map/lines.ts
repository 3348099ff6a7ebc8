/** The text of a map, and its length. */

import type { TreePath } from '../../model/names.ts';
import type { Definition } from '../facts.ts';

export interface FileInMap {
  readonly path: TreePath;
  readonly symbols: readonly Pick<Definition, 'name' | 'line' | 'signature'>[];
}

const MOST_CHARACTERS = 80;
const BYTES_PER_TOKEN = 4;

/** Makes what comes from files safe to show. */
export interface Shown {
  path(path: TreePath): string;
  text(text: string): string;
}

const AS_IT_IS: Shown = { path: (path) => path, text: (text) => text };

/** A file's path, then a line for each of its symbols. */
export function linesOfFile({ path, symbols }: FileInMap, shown: Shown = AS_IT_IS): readonly string[] {
  return [
    shown.path(path),
    ...symbols.map(({ line, signature, name }) => `  ${line} ${shortened(shown.text(signature || name))}`),
  ];
}

/** An estimate that does not depend on a model. */
export function tokensIn(lines: readonly string[]): number {
  let bytes = lines.length;
  for (const line of lines) bytes += Buffer.byteLength(line, 'utf8');
  return Math.ceil(bytes / BYTES_PER_TOKEN);
}

function shortened(signature: string): string {
  if (signature.length <= MOST_CHARACTERS) return signature;
  return `${signature.slice(0, MOST_CHARACTERS - 1).trimEnd()}…`;
}
