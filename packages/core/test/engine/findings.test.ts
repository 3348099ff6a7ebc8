/** Findings of a process that keeps the graph of the last base. */

import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Place } from '../place.ts';

test('after the base has moved, findings are those of a process that knows nothing yet', async () => {
  const place = Place.with({
    'src/price.ts': 'export const price = 1;\n',
    'src/shop.ts': "import { price } from './price';\nimport { tax } from './types/tax';\nprice + tax;\n",
    'src/types/tax.ts': 'export const tax = 1;\n',
    'src/tax.ts': 'export const tax = 2;\n',
  });
  const kept = place.open();
  const both = async () => {
    const [known, fresh] = [await kept.findings(), await place.open().findings()];
    expect(known).toEqual(fresh);
    return known.findings.map(({ class: of, rule, path }) => `${of} ${rule} ${path}`);
  };
  await kept.checkpoint();
  place.write('src/price.ts', 'export const cost = 1;\n');
  expect(await both()).toContain('breaks removed-export src/shop.ts');

  place.write('src/bill.ts', "import { cost } from './price';\ncost;\n");
  rmSync(place.at('src/types'), { recursive: true });
  await kept.checkpoint();
  expect(await both()).toEqual([]);

  rmSync(place.at('src/price.ts'));
  expect(await both()).toContain('breaks unresolved-import src/bill.ts');
});

test('each dependent says which of the files it imports, also one that is gone', async () => {
  const place = Place.with({
    'a.ts': 'export const a = 1;\n',
    'gone.ts': 'export const gone = 1;\n',
    'other.ts': 'export const other = 1;\n',
    'near.ts':
      "import { a } from './a';\nimport { gone } from './gone';\nimport './other';\nexport const near = a + gone;\n",
    'far.ts': "import { near } from './near';\nnear;\n",
  });
  const savepoint = place.open();
  await savepoint.checkpoint();
  place.write('a.ts', 'export const a = 2;\n');
  rmSync(place.at('gone.ts'));
  const { dependents } = await savepoint.findings();
  expect(dependents.map(({ path, needs }) => [path, needs])).toEqual([
    ['near.ts', ['a.ts', 'gone.ts']],
    ['far.ts', ['near.ts']],
  ]);
});
