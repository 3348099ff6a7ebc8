import { expect, it } from 'vitest';
import { findingsOf } from '../change.ts';

const types = `export interface Node { kind: string; old: string; next?: Node; list(): Promise<Node[]> }
export class Base { protected close() {} }
export class Platform extends Base { quote(a: string): Node { return null!; } }
`;
const without = types
  .replace('old: string; ', '')
  .replace('protected close() {}', '')
  .replace('quote(a', 'quote(b: number, a');

it.each([
  ['a parameter', 'export function f(one: Node) { one.old; }', 'Node'],
  ['a parameter that may be absent', 'export const f = (one?: Readonly<Node> | null) => one?.old;', 'Node'],
  ['a pattern', 'export function f({ old }: Node) { old; }', 'Node'],
  ['a field', 'export class C { constructor(private one: Node) {} f() { this.one.next!.old; } }', 'Node'],
  ['elements', 'export async function f(all: Node[]) { for (const one of all) (await one.list())[0].old; }', 'Node'],
  ['a result', "export function f() { const made = new Platform().quote('', ''); made.old; }", 'Node'],
  ['a variable of the file', "const made: Platform = null!;\nexport const f = () => made.quote(1, '').old;", 'Node'],
  ['a base class', 'export class C extends Platform { f() { this.close(); } }', 'C'],
  ['a type of a member', "export function f(next: Node['next']) { next.old; }", 'Node'],
  [
    'a result by its name',
    'declare const g: () => Node;\nexport function f(a: ReturnType<typeof g>) { a.old; }',
    'Node',
  ],
])('finds a removed member of %s', async (_what, text, of) => {
  const files = { 'types.ts': types, 'index.ts': "export * from './types';\n" };
  const user = `import { type Node, Platform } from './index';\n${text}\n`;
  const found = await findingsOf({ ...files, 'user.ts': user }, { 'types.ts': without });
  const breaks = found.filter((line) => line.startsWith('breaks removed-method user.ts'));
  expect(breaks).toEqual([expect.stringContaining(`'${of}' of`)]);
});

it('finds calls of members that no longer fit', async () => {
  const files = {
    'types.ts': types,
    'other.ts': 'export const other = { quote(a: string) {} };\n',
    'user.ts': `import { Platform } from './types';
export function f(one: Platform, quote: Platform['quote']) { one.quote(''); quote(''); one.quote(...['']); }
`,
  };
  expect(await findingsOf(files, { 'types.ts': without })).toEqual([
    "breaks changed-export user.ts:2: 'quote' of 'Platform' now takes 2 arguments, and this call has 1.",
  ]);
});

it.each([
  [
    'inherits from outside',
    "import type { X } from 'x';\nexport interface A extends X {}",
    'export function f(a: A) { a.old; }',
  ],
  ['has any member', 'export interface A { [key: string]: string }', 'export function f(a: A) { a.old; }'],
  ['is one of two', 'export type A = B | { old: string };\ninterface B {}', 'export function f(a: A) { a.old; }'],
  ['inherits it', 'interface B { old: string }\nexport interface A extends B {}', 'export function f(a: A) { a.old; }'],
  [
    'joins it',
    'interface B { old: string }\nexport type A = B & { new: string }',
    'export function f(a: A) { a.old; }',
  ],
  [
    'is augmented',
    'export interface A {}',
    "declare module './types' { interface A { old: string } }\nexport function f(a: A) { a.old; }",
  ],
  ['is looked into', 'export interface A {}', "export function f(a: A) { if ('old' in a) a.old; }"],
  ['is a parameter of types', 'export interface A {}', 'export function f<A extends { old: string }>(a: A) { a.old; }'],
  ['is hidden by a parameter', 'export interface A {}', 'export function f(a: A) { return (a: any) => a.old; }'],
  [
    'is another one in a block',
    'export interface A {}',
    'export function f(a: A) { { const a = g(); a.old; } }\ndeclare function g(): any;',
  ],
])('says nothing sure of a type that %s', async (_what, after, use) => {
  const files = {
    'types.ts': 'export interface A { old: string }\n',
    'user.ts': `import type { A } from './types';\n${use}\n`,
    'other.ts': 'export const other = { old: 1 };\n',
  };
  const found = await findingsOf(files, { 'types.ts': `${after}\n` });
  expect(found.filter((line) => line.startsWith('breaks'))).toEqual([]);
});

it('is not sure if an heir has the member', async () => {
  const files = {
    'types.ts': 'export class A { old() {} }\nexport class B extends A {}\n',
    'user.ts': "import { A, B } from './types';\nexport function f(a: A) { if (a instanceof B) a.old(); }\n",
  };
  const found = await findingsOf(files, { 'types.ts': 'export class A {}\nexport class B extends A { old() {} }\n' });
  expect(found).toEqual([
    "may-be-affected removed-method user.ts:2: 'A' of types.ts has no 'old', which this file uses.",
  ]);
});

it('finds members that a list had, where there is none any more', async () => {
  const files = {
    'types.ts': 'export interface Link { next: string }\nexport interface A { deps: Link[] }\n',
    'user.ts': "import type { A } from './types';\nexport const f = (a: A) => a.deps.length;\n",
  };
  const changes = { 'types.ts': 'export interface Link { next: string }\nexport interface A { deps: Link }\n' };
  expect(await findingsOf(files, changes)).toContain(
    "breaks removed-method user.ts:2: 'Link' of types.ts has no 'length', which this file uses.",
  );
});
