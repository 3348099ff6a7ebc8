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
