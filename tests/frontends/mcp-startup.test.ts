import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const bundle = new URL('../../packages/cli/bundle/', import.meta.url);

/** What node reads before the command does anything: the file and its static imports, not the dynamic ones. */
function loadedAtStart(file: string, seen = new Map<string, string>()): ReadonlyMap<string, string> {
  if (seen.has(file)) return seen;
  const text = readFileSync(fileURLToPath(new URL(file, bundle)), 'utf8');
  seen.set(file, text);
  for (const [, next] of text.matchAll(/^(?:import|export)\b[^;\n]*?["']\.\/([^"']+)["'];?$/gm)) {
    loadedAtStart(next as string, seen);
  }
  return seen;
}

it('commands do not load the MCP server, its SDK or the schemas when they start', () => {
  const start = readFileSync(fileURLToPath(new URL('savepoint.js', bundle)), 'utf8');
  // A hook takes one branch from there, every other command the one with the command line.
  const ways = [...start.matchAll(/import\("\.\/([^"]+)"\)/g)].map(([, file]) => [...loadedAtStart(file as string)]);
  const loaded = ways.find((files) => files.some(([, text]) => text.includes('packages/cli/dist/program.js'))) ?? [];
  expect(loaded.length).toBeGreaterThan(1);
  const modules = loaded.flatMap(([, text]) =>
    [...text.matchAll(/^\/\/#? ?(?:region )?(\S+\.m?js)$/gm)].map(([, path]) => path),
  );
  expect(modules.some((path) => path?.includes('packages/core/dist/'))).toBe(true);
  const late = /packages\/mcp|modelcontextprotocol|node_modules\/zod/;
  expect(modules.filter((path) => late.test(path ?? ''))).toEqual([]);
  // They are in the bundle, to be loaded on demand.
  expect(loaded.some(([, text]) => /import\("\.\/[^"]+"\)/.test(text))).toBe(true);
});
