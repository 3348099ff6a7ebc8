import { expect, test } from 'vitest';
import { checkWords } from '../../scripts/check-words.mjs';
import { folderOf } from './folder-of.ts';

test('a retired word is reported with its line and the usual word', () => {
  const top = folderOf({
    'packages/core/src/a.ts':
      '/** Reads it. */\n// Whoever reads this mends it.\nexport const kind = "made-anew";\n' +
      'export const parties = 2;\n// What is no file. There is no file.\n// Both parties.\n',
    'packages/core/test/a.test.ts': '// whoever\n',
    'docs/a.md': 'A roll-back.\nThe test `a roll-back` is quoted.\n',
    'docs/glossary.md': 'whoever\n',
    'README.md': 'Nothing wrong here.\n',
  });
  expect(checkWords(top)).toEqual([
    'packages/core/src/a.ts:2: "Whoever" is retired; use: the process, the caller, the person',
    'packages/core/src/a.ts:2: "mends" is retired; use: fix, repair',
    'packages/core/src/a.ts:5: "is no file" is retired; use: is not a',
    'packages/core/src/a.ts:6: "parties" is retired; use: authors',
    'docs/a.md:1: "roll-back" is retired; use: rollback (noun), roll back (verb)',
  ]);
});
