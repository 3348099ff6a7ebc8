// @ts-check
/** Hooks of node's module loader: it loads the TypeScript of `tests/`, which no build compiles. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'rolldown/utils';

/** @type {import('node:module').LoadHook} */
export async function load(url, context, nextLoad) {
  if (!url.startsWith('file:') || !url.endsWith('.ts')) return nextLoad(url, context);
  const path = fileURLToPath(url);
  const { code } = transformSync(path, readFileSync(path, 'utf8'));
  return { format: 'module', source: code, shortCircuit: true };
}
