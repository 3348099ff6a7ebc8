import { seededRandom } from '@savepoint/testkit';
import { expect, it } from 'vitest';
import type { FileFacts } from '../../../../src/code/index.ts';
import type { TreePath } from '../../../../src/model/names.ts';
import { findingsOf, reader } from '../../change.ts';

async function factsOf(text: string | Uint8Array, path = 'a.ts'): Promise<FileFacts> {
  const bytes = typeof text === 'string' ? Buffer.from(text) : text;
  const [facts] = await reader.read([{ path: path as TreePath, id: '', read: () => bytes }], null);
  if (facts === null || facts === undefined) throw new Error('no facts');
  return facts;
}

it('survives files that are binary, huge, deep or random', async () => {
  const random = seededRandom(Number(process.env['SAVEPOINT_SEED'] ?? 1));
  const hostile = [
    random.bytes(20_000),
    Buffer.from(`export const a = 1;\0${'x'.repeat(10_000)}`),
    Buffer.from(`export const a = ${'['.repeat(20_000)}`),
    Buffer.from(`export const a = ${'a+'.repeat(5_000)}1;`),
    Buffer.from(`${'export const a = 1;\n'.repeat(300_000)}`),
    Buffer.from('\ufeffexport const a = 1;'),
    Buffer.from([0xff, 0xfe, 0x41, 0x00]),
  ];
  for (const bytes of hostile) {
    for (const path of ['a.ts', 'a.js', 'a.vue', 'a.cjs']) await factsOf(bytes, path);
  }
  expect((await factsOf('\ufeffexport const a = 1;')).exports).toMatchObject([{ name: 'a' }]);
  // What is not read may export anything.
  expect((await factsOf(Buffer.alloc(6 * 1024 * 1024, 0x20))).hasHiddenExports).toBe(true);
});

it('reads long files, and none that are minified', async () => {
  const statement = 'export const name = 1;';
  const { exports } = await factsOf(`${statement}\n`.repeat(15_000), 'a.js');
  expect(exports).toHaveLength(15_000);
  expect(await factsOf(statement.repeat(15_000), 'a.js')).toMatchObject({ exports: [], hasHiddenExports: true });
  expect((await factsOf(statement.repeat(1_000), 'a.js')).exports).toHaveLength(1_000);
});

it('reads scripts, JSX in `.js`, and components', async () => {
  expect((await factsOf('with (a) { b; }', 'a.js')).problems).toEqual([]);
  expect((await factsOf('export const a = <div>{b}</div>;', 'a.js')).problems).toEqual([]);
  const vue = await factsOf(
    '<template>\n</template>\n<script setup lang="ts">\nimport { a } from "./a";\n</script>\n',
    'a.vue',
  );
  expect(vue.imports).toMatchObject([{ from: './a', line: 4 }]);
});

it('reads the exports of CommonJS', async () => {
  const exported = async (text: string): Promise<unknown> => {
    const { exports, hasHiddenExports } = await factsOf(text, 'a.js');
    return [exports.map(({ name }) => name), hasHiddenExports];
  };
  expect(await exported('exports.a = 1; module.exports.b = 2;')).toEqual([['a', 'b', 'default'], false]);
  expect(await exported('module.exports = { a, b: 1 };')).toEqual([['default', 'a', 'b'], false]);
  expect(await exported('module.exports = make();')).toEqual([['default'], true]);
  expect(await exported('exports.a = 1; fill(exports);')).toEqual([['a', 'default'], true]);
});

it('does not take a shadowed name for an import', async () => {
  const files = {
    'a.ts': 'export const a = 1;\n',
    'b.ts': "import * as all from './a';\nexport function f(all: any) { return all.b; }\nall.a;\n",
    'c.js': "import('./a').then(({ a }) => a);\nimport('./a').then((m) => m.a);\n",
  };
  expect(await findingsOf(files, { 'a.ts': 'export const c = 1;\n' })).toEqual([
    "breaks removed-export b.ts:3: a.ts no longer has 'a', which this file uses.",
    "breaks removed-export c.js:1: a.ts no longer exports 'a', which this file imports; it was probably renamed to 'c'.",
    "breaks removed-export c.js:2: a.ts no longer has 'a', which this file uses.",
  ]);
});
