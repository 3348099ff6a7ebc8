import { expect, it } from 'vitest';
import { javascript } from '../../../../src/code/languages/javascript/index.ts';
import type { TreePath } from '../../../../src/model/names.ts';
import { treeOf } from '../../change.ts';

const files = {
  'tsconfig.base.json': '{ "compilerOptions": { "paths": { "~/*": ["./app/*"], "exact": ["./app/a.ts"] } } }',
  'app/tsconfig.json':
    '{\n  // inherits paths\n  "extends": "../tsconfig.base.json", "compilerOptions": { "baseUrl": ".", },\n}',
  'app/a.ts': '',
  'app/a.js': '',
  'app/b.tsx': '',
  'app/types.d.ts': '',
  'app/style.css': '',
  'app/folder/index.ts': '',
  'app/package.json': '{ "name": "app", "imports": { "#in/*": "./folder/*.js", "#out": "react" } }',
  'package.json': '{ "private": true }',
  'pnpm-workspace.yaml': 'packages:\n  # all\n  - "packages/*"\n  - !packages/no\n',
  'packages/one/package.json':
    '{ "name": "@x/one", "exports": { ".": { "types": "./dist/index.d.ts", "import": "./dist/index.mjs" }, "./sub/*": "./dist/esm/*.js" } }',
  'packages/one/src/index.ts': '',
  'packages/one/src/deep.ts': '',
  'packages/modern/package.json':
    '{ "name": "@x/modern", "exports": { ".": { "@x/source": "./main/index.ts" }, "./sub": { "types@<5": "./old.ts", "import": "./build/modern/sub.js" } } }',
  'packages/modern/main/index.ts': '',
  'packages/modern/old.ts': '',
  'packages/modern/src/sub.ts': '',
  'packages/two/package.json': '{ "name": "two", "main": "lib/main.js" }',
  'packages/two/src/main.ts': '',
};

it.each([
  ['./a', ['app/a.ts']],
  ['./a.js', ['app/a.js']],
  ['./b.js', ['app/b.tsx']],
  ['./types', ['app/types.d.ts']],
  ['./style.css', ['app/style.css']],
  ['./folder', ['app/folder/index.ts']],
  ['~/b', ['app/b.tsx']],
  ['exact', ['app/a.ts']],
  ['folder', ['app/folder/index.ts']],
  ['#in/index', ['app/folder/index.ts']],
  ['#out', 'outside'],
  ['@x/one', ['packages/one/src/index.ts']],
  ['@x/one/sub/deep', ['packages/one/src/deep.ts']],
  ['@x/one/dist/index.mjs', ['packages/one/src/index.ts']],
  ['@x/modern', ['packages/modern/main/index.ts']],
  ['@x/modern/sub', ['packages/modern/src/sub.ts']],
  ['two', ['packages/two/src/main.ts']],
  ['../packages/two/lib/main', ['packages/two/src/main.ts']],
  ['react', 'outside'],
  ['node:fs', 'outside'],
  ['../../above', 'outside'],
  ['./style.css?raw', 'unknown'],
  ['./gone', 'missing'],
  ['./generated/file', 'unknown'],
])('resolves %s', (from, to) => {
  const found = javascript.resolverOf(treeOf(files)).resolve('app/user.ts' as TreePath, from);
  expect(found.to === 'files' ? found.paths : found.to).toEqual(to);
});
