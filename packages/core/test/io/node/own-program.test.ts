import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { ownProgram } from '../../../src/io/node/own-program.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const PROGRAM = { built: 'part/main.js', bundled: 'part.js' };

function folderWith(...paths: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'own-program-'));
  folders.push(folder);
  for (const path of paths) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), '');
  }
  return folder;
}

it('finds a program next to a bundle, in a built package, and from the sources', () => {
  const bundle = folderWith('part.js');
  const found = (...module: readonly string[]) =>
    ownProgram(PROGRAM, pathToFileURL(join(...(module as [string]))).href);
  expect(found(bundle, 'engine.js')).toBe(join(bundle, 'part.js'));
  const built = folderWith('dist/io/node/part/main.js');
  expect(found(built, 'dist/io/node/own-program.js')).toBe(join(built, 'dist/io/node/part/main.js'));
  expect(found(built, 'src/io/node/own-program.ts')).toBe(join(built, 'dist/io/node/part/main.js'));
  expect(found(folderWith('else.js'), 'engine.js')).toBe(null);
});

it('leaves alone what an earlier build had in another folder', () => {
  const folder = folderWith('part.js', 'part/main.js');
  expect(ownProgram(PROGRAM, pathToFileURL(join(folder, 'own-program.js')).href)).toBe(join(folder, 'part/main.js'));
});
