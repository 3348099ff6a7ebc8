/** The text of a map, and its length. */

import type { TreePath } from '../../model/names.ts';
import type { Definition } from '../facts.ts';

export interface FileInMap {
  readonly path: TreePath;
  readonly symbols: readonly Pick<Definition, 'name' | 'line' | 'signature'>[];
}

const MOST_CHARACTERS = 80;
const BYTES_PER_TOKEN = 4;

/**
 * A file's path, then a line for each of its symbols. The path is in bytes, as all names are: a front end that shows it has
 * to convert it.
 */
export function linesOfFile({ path, symbols }: FileInMap): readonly string[] {
  return [path, ...symbols.map(({ line, signature, name }) => `  ${line} ${shortened(signature || name)}`)];
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
