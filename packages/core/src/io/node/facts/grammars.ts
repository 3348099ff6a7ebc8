import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { errorCode } from '../path.ts';

/**
 * Reads a file of the optional package `@savepoint/grammars`: the grammar of a language, or `web-tree-sitter`, the
 * parser.
 * @param name without `.wasm`
 * @returns null if the package is not installed, or does not have it
 */
export async function readGrammar(name: string): Promise<Uint8Array | null> {
  try {
    return await readFile(createRequire(import.meta.url).resolve(`@savepoint/grammars/${name}.wasm`));
  } catch (error) {
    const code = errorCode(error);
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_PACKAGE_PATH_NOT_EXPORTED' || code === 'ENOENT') return null;
    throw error;
  }
}
