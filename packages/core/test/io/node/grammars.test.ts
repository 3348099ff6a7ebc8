import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { readGrammar } from '../../../src/io/node/facts/grammars.ts';

const FOLDER = new URL('../../../../grammars/', import.meta.url);

it('reads the grammars of the package, and nothing for others', async () => {
  const grammar = await readGrammar('python');
  expect(
    Buffer.from(grammar ?? [])
      .subarray(0, 4)
      .toString('latin1'),
  ).toBe('\0asm');
  expect(await readGrammar('cobol')).toBeNull();
});

it('has the parser of the pinned version, which the engine loads', async () => {
  const core = JSON.parse(readFileSync(new URL('../core/package.json', FOLDER), 'utf8'));
  const pinned = JSON.parse(readFileSync(new URL('pinned/package.json', FOLDER), 'utf8'));
  expect(pinned.dependencies['web-tree-sitter']).toBe(core.dependencies['web-tree-sitter']);
  const installed = new URL('../../node_modules/web-tree-sitter/web-tree-sitter.wasm', FOLDER);
  const digest = (bytes: Uint8Array | null) =>
    createHash('sha256')
      .update(bytes ?? '')
      .digest('hex');
  expect(digest(await readGrammar('web-tree-sitter'))).toBe(digest(readFileSync(installed)));
});

it('has the licence of each grammar', () => {
  const licences = readFileSync(new URL('prebuilt/LICENSES.txt', FOLDER), 'utf8');
  const pinned = JSON.parse(readFileSync(new URL('pinned/package.json', FOLDER), 'utf8'));
  for (const [name, version] of Object.entries(pinned.dependencies)) expect(licences).toContain(`${name} ${version}\n`);
  const grammars = readdirSync(new URL('prebuilt/', FOLDER)).filter((name) => name.endsWith('.wasm'));
  expect(grammars).toHaveLength(Object.keys(pinned.dependencies).length);
});
