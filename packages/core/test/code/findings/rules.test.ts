import { expect, it } from 'vitest';
import { analysisOf, findingsOf } from '../change.ts';

it('tells a broken file from those that import through it', async () => {
  const files = {
    'a.ts': 'export const a = 1;\n',
    'b.ts': "import { a } from './a';\na;\n",
  };
  const found = await findingsOf(files, { 'a.ts': 'export const = 1;\n' });
  expect(found[0]).toMatch(/^breaks syntax-error a.ts:1: Syntax error: /);
  expect(found.slice(1)).toEqual([
    "follows unresolved-name b.ts:1 (follows 0): 'a' is imported through a.ts, which has a syntax error.",
  ]);
});

it('finds calls that no longer fit', async () => {
  const files = {
    'a.ts':
      'export function f(a: string, b?: number) {}\nexport class C { constructor(a: string) {} static s(a: string) {} }\n',
    'b.ts': "import { C, f } from './a';\nf('a');\nf('a', 1);\nf(...[]);\nnew C('a');\nC.s('a');\n",
    'c.ts': "import * as all from './a';\nall.f('a');\n",
    'd.js': "import { f } from './a';\nf('a');\n",
  };
  const changes = {
    'a.ts': 'export function f(a: string, b: number) {}\nexport class C { constructor() {} static s() {} }\n',
  };
  expect(await findingsOf(files, changes)).toEqual([
    "breaks changed-export b.ts:2: 'f' now takes 2 arguments, and this call has 1.",
    "breaks changed-export b.ts:5: 'C' now takes 0 arguments, and this call has 1.",
    "breaks changed-export b.ts:6: 's' now takes 0 arguments, and this call has 1.",
    "breaks changed-export c.ts:2: 'f' now takes 2 arguments, and this call has 1.",
    "may-be-affected changed-export d.js:2: 'f' now takes 2 arguments, and this call has 1.",
  ]);
});

it('says that a compatible change may affect its users', async () => {
  const files = {
    'a.ts': 'export function f(a: string) {}\n',
    'b.ts': "import { f } from './a';\nf('a');\n",
  };
  expect(await findingsOf(files, { 'a.ts': 'export function f(a: string, b = 1) {}\n' })).toEqual([
    "may-be-affected changed-export b.ts:2: The signature of 'f' in a.ts changed, which this file uses.",
  ]);
});

it('finds names that a file no longer binds', async () => {
  const files = { 'a.ts': "import { x } from 'x';\nfunction f() {}\nx(f);\n" };
  expect(await findingsOf(files, { 'a.ts': 'x(f);\nfor (const y of [1]) { y; }\n' })).toEqual([
    "breaks unresolved-name a.ts:1: 'x' is used, but this file no longer imports it.",
    "breaks unresolved-name a.ts:1: 'f' is used, but this file no longer defines it.",
  ]);
});

it('finds new cycles of imports at runtime only', async () => {
  const files = {
    'a.ts': "import { b } from './b';\nexport const a = b;\n",
    'b.ts': "import { c } from './c';\nexport const b = c;\n",
    'c.ts': 'export const c = 1;\n',
  };
  expect(await findingsOf(files, { 'c.ts': "import type { a } from './a';\nexport const c = 1;\n" })).toEqual([]);
  expect(await findingsOf(files, { 'c.ts': "import { a } from './a';\nexport const c = a;\n" })).toEqual([
    'may-be-affected import-cycle c.ts:1: This import closes a cycle of 3 files: c.ts → a.ts → b.ts → c.ts.',
  ]);
});

it('finds members that nobody defines any more', async () => {
  const files = {
    'a.ts': 'export class A { reset() {} close() {} }\n',
    'b.ts': "import { A } from './a';\nexport const end = [A].map((a) => { new a().reset(); new a().close(); });\n",
    'c.ts': 'export const other = { close() {} };\n',
    'd.ts': 'export function end(a: any) { a.reset(); }\n',
  };
  expect(await findingsOf(files, { 'a.ts': 'export class A {}\n' })).toEqual([
    "breaks removed-method b.ts:2: No file defines a member 'reset' any more, which this file uses. It was one of 'A'.",
    "may-be-affected removed-method d.ts:1: No file defines a member 'reset' any more, which this file uses. It was one of 'A'.",
  ]);
});

it('finds members of default objects and enums', async () => {
  const files = {
    'a.ts': 'export default Object.freeze({ one: 1, two: 2 });\nexport enum E { One, Two }\n',
    'b.ts': "import a, { E } from './a';\na.one;\na.two;\nE.Two;\n",
  };
  expect(
    await findingsOf(files, { 'a.ts': 'export default Object.freeze({ one: 1 });\nexport enum E { One }\n' }),
  ).toEqual([
    "breaks removed-export b.ts:3: 'default' of a.ts no longer has 'two', which this file uses.",
    "breaks removed-export b.ts:4: 'E' of a.ts no longer has 'Two', which this file uses.",
  ]);
});

it('finds what packages no longer offer', async () => {
  const files = {
    'package.json': '{ "private": true, "workspaces": ["packages/*"] }',
    'packages/a/package.json': '{ "name": "a", "exports": { ".": "./dist/index.js" } }',
    'packages/a/src/index.ts': "export * from './one';\n",
    'packages/a/src/one.ts': 'export const one = 1;\nexport const two = 2;\n',
    'packages/b/src/user.ts': "import { two } from 'a';\ntwo;\n",
  };
  expect(await findingsOf(files, { 'packages/a/src/one.ts': 'export const one = 1;\n' })).toEqual([
    "breaks removed-export packages/b/src/user.ts:1: packages/a/src/index.ts no longer exports 'two', which this file imports.",
    "breaks broken-api packages/a/src/one.ts:null: 'a' no longer exports 'two'. Users outside this workspace may import it.",
  ]);
});

it('ranks dependents outside the change, and names tests and what they do not reach', async () => {
  const files = {
    'src/a.ts': 'export const a = () => 1;\n',
    'src/b.ts': "import { a } from './a';\nexport const b = a;\n",
    'src/c.ts': "import { b } from './b';\nb;\n",
    'src/alone.ts': 'export const alone = () => 1;\n',
    'test/b.test.ts': "import { b } from '../src/b';\nb;\n",
  };
  const { dependents, tests, findings } = await analysisOf(files, {
    'src/a.ts': 'export const a = (one: string) => 1;\n',
    'src/alone.ts': 'export const alone = (one: string) => 1;\n',
  });
  expect(dependents).toEqual([
    { path: 'src/b.ts', distance: 1, findings: 1 },
    { path: 'src/c.ts', distance: 2, findings: 0 },
  ]);
  expect(tests).toEqual(['test/b.test.ts']);
  expect(findings.filter(({ rule }) => rule === 'untested-change').map(({ path }) => path)).toEqual(['src/alone.ts']);
});

it('finds calls of methods that no method of that name accepts', async () => {
  const files = {
    'a.ts': 'export class A { insert(a: string, b?: boolean) {} }\nexport class B { insert() {} other() {} }\n',
    'b.ts':
      "import { A } from './a';\nexport class C { #a = new A(); run() { this.#a.insert('a', true); this.#a.insert('a'); } }\n",
  };
  const changes = { 'a.ts': files['a.ts'].replace(', b?: boolean', '') };
  expect((await findingsOf(files, changes)).filter((one) => one.startsWith('breaks'))).toEqual([
    "breaks changed-export b.ts:2: 'insert' of 'A' now takes 1 argument, and this call has 2.",
  ]);
  const third = { ...files, 'c.ts': 'export const open = { insert(...all: string[]) {} };\n' };
  expect((await findingsOf(third, changes)).filter((one) => one.startsWith('breaks'))).toEqual([]);
});

it('proves nothing about members of a class that may be in a file that the change lacks', async () => {
  const files = {
    'pkg/__init__.py': '',
    'pkg/models.py': 'class Address:\n    def raw_host(self): ...\n',
    'pkg/user.py': 'from .models import Address\ndef host(one: Address):\n    return one.raw_host()\n',
  };
  const used = async (models: string): Promise<readonly string[]> =>
    (await findingsOf(files, { 'pkg/models.py': models })).filter((one) => one.includes('removed-method'));
  expect(await used('from .addresses import Address\n')).toEqual([
    "may-be-affected removed-method pkg/user.py:3: No file defines a member 'raw_host' any more, which this file uses. It was one of 'Address'.",
  ]);
  expect(await used('class Address:\n    pass\n')).toEqual([
    "breaks removed-method pkg/user.py:3: No file defines a member 'raw_host' any more, which this file uses. It was one of 'Address'.",
  ]);
});

it('proves a removed member of a class whose bases have none', async () => {
  const model = (body: string): string =>
    `from abc import ABC\nfrom typing import Generic\n\nclass A(ABC, Generic[int]):\n${body}`;
  const files = { 'a.py': model('    def on_change(self): pass\n'), 'b.py': 'from a import A\nA().on_change()\n' };
  expect(await findingsOf(files, { 'a.py': model('    pass\n') })).toContain(
    "breaks removed-method b.py:2: No file defines a member 'on_change' any more, which this file uses. It was one of 'A'.",
  );
});
