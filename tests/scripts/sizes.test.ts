import { expect, test } from 'vitest';
import { checkSizes } from '../../scripts/check-sizes.mjs';
import { folderOf } from './folder-of.ts';

const lines = (count: number): string => 'x\n'.repeat(count);

test('a file that is too long is named with its length and its limit', () => {
  const top = folderOf({
    'packages/core/src/long.ts': lines(451),
    'packages/core/src/fits.ts': lines(450),
    'packages/core/src/facade.ts': lines(301),
    'packages/core/test/long.test.ts': lines(900),
    'packages/cli/src/a/b/debt.ts': lines(500),
  });
  const limits = { 'packages/core/src/facade.ts': 300, 'packages/cli/src/a/b/debt.ts': 500 };
  expect(checkSizes(top, limits)).toEqual([
    'packages/core/src/facade.ts has 301 lines and may have 300: split it by subject',
    'packages/core/src/long.ts has 451 lines and may have 450: split it by subject',
  ]);
});

test('a limit that is higher than the file needs, or of no file, is named', () => {
  const top = folderOf({ 'packages/core/src/a.ts': lines(470), 'packages/core/src/small.ts': 'x' });
  const limits = { 'packages/core/src/a.ts': 480, 'packages/core/src/gone.ts': 500, 'packages/core/src/small.ts': 300 };
  expect(checkSizes(top, limits)).toEqual([
    'packages/core/src/a.ts has 470 lines: lower its limit of 480',
    'packages/core/src/gone.ts has a limit of its own and does not exist',
  ]);
});
