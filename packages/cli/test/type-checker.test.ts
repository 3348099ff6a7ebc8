import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { world } from '@savepoint/testkit';
import { expect, onTestFinished, test } from 'vitest';

const at = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

test('the command contains the program that asks type checkers, as a single file', () => {
  const { workspace: root } = world(onTestFinished);
  mkdirSync(join(root, 'node_modules'));
  symlinkSync(at('node_modules/typescript'), join(root, 'node_modules/typescript'));
  writeFileSync(join(root, 'tsconfig.json'), '{ "compilerOptions": { "types": [] }, "files": ["a.ts"] }');
  writeFileSync(join(root, 'a.ts'), 'export const a = 1;\n');
  const request = {
    root,
    typescript: 'node_modules/typescript',
    configs: ['tsconfig.json'],
    files: { base: {}, proposed: { 'a.ts': 'export const a: string = 1;\n' } },
    changed: ['a.ts'],
    importers: [],
    renamed: {},
    timeoutMs: 60_000,
    maxMemory: 2 * 1024 ** 3,
  };
  const program = at('packages/cli/bundle/type-checker.js');
  const { stdout } = spawnSync(process.execPath, [program], { input: JSON.stringify(request), encoding: 'utf8' });
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(events).toMatchObject([
    { kind: 'opened' },
    { kind: 'file', file: 'a.ts', proposed: [{ code: 'TS2322', line: 1 }], base: [] },
    { kind: 'group', group: 'changed', files: 1 },
    { kind: 'group', group: 'importers', files: 0 },
    { kind: 'group', group: 'rest', files: 0 },
    { kind: 'end' },
  ]);
});
