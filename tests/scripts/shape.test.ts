import { expect, test } from 'vitest';
import { checkShape } from '../../scripts/check-shape.mjs';
import { folderOf } from './folder-of.ts';

test('a function before the exports of its file is named', () => {
  const top = folderOf({
    'packages/core/src/good.ts': 'export class A {}\nexport function main() {}\nfunction part() {}\n',
    'packages/core/src/parts-only.ts': 'function part() {}\nconst other = part();\nexport { other };\n',
    'packages/core/src/bad.ts':
      'async function early() {}\nfunction* steps() {}\nexport async function main() {}\nfunction late() {}\n',
    'packages/cli/src/a/overloads.ts':
      'function part(a: string): void;\nfunction part(a: number): void {}\nexport abstract class Last {}\n',
    'packages/core/test/anything.test.ts': 'function part() {}\nexport function main() {}\n',
  });
  expect(checkShape(top)).toEqual([
    'packages/cli/src/a/overloads.ts: move part below Last',
    'packages/core/src/bad.ts: move early, steps below main',
  ]);
});
