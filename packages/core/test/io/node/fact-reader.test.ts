import { expect, it } from 'vitest';
import type { FactJob } from '../../../src/code/index.ts';
import { nodeFactReader } from '../../../src/io/node/facts/fact-reader.ts';
import type { TreePath } from '../../../src/model/names.ts';
import { reader as local } from '../../code/change.ts';

function jobOf(path: string, text: string | null): FactJob {
  return { path: path as TreePath, id: path, read: () => (text === null ? null : Buffer.from(text)) };
}

it('reads in processes what it reads in this one', async () => {
  const jobs = Array.from({ length: 300 }, (_, nth) =>
    jobOf(`${nth}.ts`, `import './${nth + 1}';\nexport const a${nth} = ${nth};\n`),
  );
  const mixed = [
    ...jobs,
    jobOf('a.py', 'def f(a, b=1): pass\n'),
    jobOf('broken.ts', 'export const = 1'),
    jobOf('gone.ts', null),
    jobOf('unknown.txt', 'text'),
  ];
  const read = await nodeFactReader(2).read(mixed, null);
  expect(read).toEqual(await local.read(mixed, null));
  expect(read.at(-4)?.definitions.map(({ name }) => name)).toEqual(['f']);
  expect(read.slice(-3).map((one) => one?.problems.length)).toEqual([1, undefined, undefined]);
});

it('goes on after a file that ends the process', async () => {
  const deep = `x = ${'a =>\n'.repeat(100_000)}1;`;
  const jobs = [jobOf('a.ts', 'export const a = 1;'), jobOf('deep.ts', deep), jobOf('b.ts', 'export const b = 1;')];
  const read = await nodeFactReader(2).read(jobs, null);
  expect(read.map((one) => one?.exports.map(({ name }) => name))).toEqual([['a'], undefined, ['b']]);
});

it('stops in the middle, and can be used again', async () => {
  const reader = nodeFactReader(2);
  const controller = new AbortController();
  const large = Array.from({ length: 40 }, (_, nth) =>
    jobOf(`${nth}.ts`, 'export const a = { b: [1, 2, 3] };\n'.repeat(20_000)),
  );
  const reading = reader.read(large, controller.signal);
  setTimeout(() => controller.abort(new Error('enough')), 20);
  await expect(reading).rejects.toThrow('enough');
  expect(await reader.read([jobOf('a.ts', 'export const a = 1;')], null)).toMatchObject([{ exports: [{ name: 'a' }] }]);
});
