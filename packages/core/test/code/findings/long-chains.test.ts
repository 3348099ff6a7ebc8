/** Code that passes on names over more files than can be followed. */

import { expect, it } from 'vitest';
import { type Files, findingsOf } from '../change.ts';

const LENGTH = 2_500;

const CHAINS: readonly (readonly [what: string, ending: string, file: (next: string) => string, end: string])[] = [
  ['re-exports', 'ts', (next) => `export { a } from './${next}';\n`, 'export const a = 1;\n'],
  ['re-exports of everything', 'ts', (next) => `export * from './${next}';\n`, 'export const a = 1;\n'],
  [
    'classes',
    'ts',
    (next) => `import { C } from './${next}';\nexport class C extends C {}\n`,
    'export class C { a() {} }\n',
  ],
  ['imports in Python', 'py', (next) => `from .${next} import a\n`, 'a = 1\n'],
];

it.each(CHAINS)('a long chain of %s is followed as far as possible', async (_, ending, file, end) => {
  const files: Record<string, string> = { [`m${LENGTH}.${ending}`]: end };
  for (let nth = 0; nth < LENGTH; nth++) files[`m${nth}.${ending}`] = file(`m${nth + 1}`);
  const found = await findingsOf(files as Files, { [`m${LENGTH}.${ending}`]: 'b = 1\n' });
  expect(found.filter((one) => one.includes(`m${LENGTH - 1}.${ending}`))).not.toEqual([]);
  expect(found.filter((one) => one.startsWith('breaks') && one.includes(`m0.${ending}`))).toEqual([]);
});
