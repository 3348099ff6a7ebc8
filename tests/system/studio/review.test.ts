import fs from 'node:fs';
import path from 'node:path';
import { type Project, project } from '@savepoint/testkit/command';
import { expect, it } from 'vitest';
import { seriousIn } from './axe.ts';
import { openStudio } from './browser.ts';

/** What the code says about a plan of 200 files, and about a difference: as a list, at lines and as a picture. */

const FILES = 200;
const PRICE = 'export function price(x: number) {\n  return x;\n}\n';

function world(): Project {
  const p = project();
  const text = (nth: number): string =>
    `${nth === 0 ? '' : `import { v${nth >> 1} } from '../p${(nth >> 1) % 9}/m${nth >> 1}';\n`}export const v${nth} = ${nth === 0 ? '1' : `v${nth >> 1} + 1`};\n`;
  const edits: object[] = [];
  for (let nth = 0; nth < FILES; nth += 1) {
    p.write(`src/p${nth % 9}/m${nth}.ts`, text(nth));
    const last = nth === 0 ? '1;' : '+ 1;';
    const edit = { old_string: last, new_string: `${last} // more` };
    edits.push({ file_path: `src/p${nth % 9}/m${nth}.ts`, edits: [edit] });
  }
  p.write('src/price.ts', PRICE);
  p.write(
    'src/shop.ts',
    `${'// a shop\n'.repeat(60)}import { price } from './price';\n\nexport const total = price(1);\n`,
  );
  p.checkpoint();
  const renamed = { old_string: 'price', new_string: 'cost' };
  edits.push({ file_path: 'src/price.ts', edits: [renamed] });
  fs.writeFileSync(path.join(p.base, 'plan.json'), JSON.stringify({ files: edits }));
  p.ok('plan', 'new', '../plan.json', '-m', 'Two hundred files');
  return p;
}

it('lists what a plan of 200 files breaks, leads to the line, and draws the files', async () => {
  const p = world();
  const { page, base, errors } = await openStudio(p, { reducedMotion: 'reduce' });
  const found: string[] = [];
  const look = async (view: string): Promise<void> => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      found.push(...(await seriousIn(page, `${view} ${colorScheme}`)));
    }
  };
  await page.goto(`${base}/plans`);
  await page.locator('.plan-row').click();
  await page.getByText('1 broken', { exact: true }).waitFor();
  await page.keyboard.press('e');
  const finding = page.locator('.finding.breaks');
  await finding.getByText('src/price.ts').first().waitFor();
  await look('findings');
  await finding.getByRole('button', { name: 'src/shop.ts:61' }).click();
  await page.locator('.is-target', { hasText: "import { price } from './price'" }).waitFor();
  await page.locator('.diff-finding.breaks').waitFor();
  await look('outside');
  await page.keyboard.press('m');
  const files = page.locator('.picture .file');
  await files.first().waitFor();
  expect(await files.count()).toBe(FILES + 2);
  await page.locator('.picture .file.is-outside.is-broken', { hasText: 'shop.ts' }).waitFor();
  await files.first().focus();
  await page.keyboard.press('ArrowDown');
  await page.locator('.picture .of-current path').first().waitFor();
  await look('picture');
  await page.setViewportSize({ width: 420, height: 800 });
  await look('picture-narrow');
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.getByText('Show as a table').click();
  await page.getByRole('row', { name: /src\/shop\.ts none 1/ }).waitFor();
  // What is rejected breaks nothing.
  p.ok('plan', 'review', 'last', '--reject', 'src/price.ts');
  await page.getByText('nothing found').waitFor();
  expect(found).toEqual([]);
  expect(errors).toEqual([]);
});

it('reviews the difference that is shown, at its lines', async () => {
  const p = project();
  p.write('price.ts', PRICE);
  p.write('shop.ts', `${'// a shop\n'.repeat(60)}import { price } from './price';\n\nexport const total = price(1);\n`);
  p.checkpoint();
  p.write('price.ts', PRICE.replace('price', 'cost'));
  p.write('shop.ts', fs.readFileSync(p.at('shop.ts'), 'utf8').replace('// a shop\n', '// the shop\n'));
  p.checkpoint();
  const { page, base, errors } = await openStudio(p);
  await page.goto(`${base}/changes?from=cp_1&to=cp_2`);
  await page.getByRole('button', { name: 'Review' }).click();
  // Its line is hidden, so it is named at the top of the file; the list leads to the line.
  await page.locator('.diff-finding', { hasText: 'Line 61: ' }).waitFor();
  await page.keyboard.press('e');
  await page.locator('.finding').getByRole('button', { name: 'shop.ts:61' }).click();
  await page.locator('.is-target', { hasText: "import { price } from './price'" }).waitFor();
  expect(errors).toEqual([]);
});
