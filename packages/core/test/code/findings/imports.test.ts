import { expect, it } from 'vitest';
import { findingsOf } from '../change.ts';

const files = {
  'src/math.ts': 'export function add(a: number, b: number) { return a + b; }\nexport const zero = 0;\n',
  'src/index.ts': "export * from './math.js';\nexport { add as plus } from './math.js';\n",
  'src/user.ts': "import { add } from './math';\nimport { plus, zero } from './index';\nadd(1, plus(2, zero));\n",
  'src/all.ts': "import * as math from './index';\nmath.add(1, 2);\nmath.zero;\n",
};

it('finds the users of an export that is removed', async () => {
  expect(await findingsOf(files, { 'src/math.ts': 'export const zero = 0;\n' })).toEqual([
    "breaks removed-export src/all.ts:2: src/index.ts no longer has 'add', which this file uses.",
    "breaks removed-export src/index.ts:2: src/math.ts no longer exports 'add', which this file imports.",
    "breaks removed-export src/user.ts:1: src/math.ts no longer exports 'add', which this file imports.",
    "follows removed-export src/user.ts:2 (follows 1): src/index.ts no longer exports 'plus', which this file imports.",
  ]);
});

it('names the new name', async () => {
  const renamed = files['src/math.ts'].replace('add', 'sum');
  expect((await findingsOf(files, { 'src/math.ts': renamed }))[2]).toBe(
    "breaks removed-export src/user.ts:1: src/math.ts no longer exports 'add', which this file imports; it was probably renamed to 'sum'.",
  );
});

it('finds imports of a file that was moved', async () => {
  expect(await findingsOf(files, { 'src/math.ts': null, 'src/lib/math.ts': files['src/math.ts'] })).toEqual([
    "breaks unresolved-import src/index.ts:1: The import './math.js' does not resolve: src/math.ts is moved to src/lib/math.ts.",
    "breaks unresolved-import src/index.ts:2: The import './math.js' does not resolve: src/math.ts is moved to src/lib/math.ts.",
    "breaks unresolved-import src/user.ts:1: The import './math' does not resolve: src/math.ts is moved to src/lib/math.ts.",
    "follows removed-export src/all.ts:2 (follows 0): src/index.ts no longer has 'add', which this file uses.",
    "follows removed-export src/all.ts:3 (follows 0): src/index.ts no longer has 'zero', which this file uses.",
    "follows removed-export src/user.ts:2 (follows 1): src/index.ts no longer exports 'plus', which this file imports; src/lib/math.ts defines it now.",
    "follows removed-export src/user.ts:2 (follows 0): src/index.ts no longer exports 'zero', which this file imports; src/lib/math.ts defines it now.",
  ]);
});

it('says nothing about what was broken before', async () => {
  const broken = { ...files, 'src/old.ts': "import { gone } from './math';\nimport './nowhere';\n" };
  expect(await findingsOf(broken, { 'src/math.ts': `${files['src/math.ts']}export const one = 1;\n` })).toEqual([]);
});

it('follows an export of everything from a folder that is gone', async () => {
  const star = {
    'src/index.ts': "export * from './types/base';\n",
    'src/types/base.ts': 'export const one = 1;\n',
    'src/user.ts': "import * as all from './index';\nall.one;\n",
  };
  // Not the file `types.ts` beside it: the folder `types` is one of sources.
  const changes = {
    'src/index.ts': "export * from './types/types';\n",
    'src/types/base.ts': null,
    'src/types.ts': 'export const one = 1;\n',
  };
  expect((await findingsOf(star, changes)).filter((one) => !one.startsWith('may'))).toEqual([
    "breaks unresolved-import src/index.ts:1: The import './types/types' does not resolve: no file has this name.",
    "follows removed-export src/user.ts:2 (follows 0): src/index.ts no longer has 'one', which this file uses.",
  ]);
});

it('finds the users of a name of a package that a file no longer passes on', async () => {
  const files = {
    'a.py': 'try:\n    from package import f as f\nexcept ImportError:\n    def f(): pass\n',
    'b.py': 'from a import f\nf()\n',
  };
  expect(await findingsOf(files, { 'a.py': 'from package import g as g\n' })).toEqual([
    "breaks removed-export b.py:1: a.py no longer exports 'f', which this file imports.",
  ]);
});

it('finds imports of a file that is no module any more', async () => {
  const files = {
    'a.ts': 'export const a = 1;\n',
    'all.ts': "export * from './a';\n",
    'effect.ts': "import './a';\n",
    'module.ts': 'export const b = 1;\n',
    'more.ts': "export * from './module';\n",
  };
  expect(await findingsOf(files, { 'a.ts': '// nothing\n', 'module.ts': 'export {};\n' })).toEqual([
    'breaks removed-export all.ts:1: a.ts exports nothing any more, so it is not a module, and this import of it fails.',
  ]);
});
