/** Changes that compile before and after. None of them may be said to break anything. */

import { expect, it } from 'vitest';
import { type Files, findingsOf } from '../change.ts';

const useOf = (name: string, use: string) => ({ 'u.ts': `import { ${name} } from './t';\n${use}\n` });
const checks = `
export declare function isB(a: A): a is A & B;
export declare function assertB(a: A): asserts a is A & B;`;
const oldOf = useOf('made', 'export const f = (one: typeof made) => one.old + made.old;');

it.each<[string, Files, Files]>([
  [
    'a type in front of a function says how it is called',
    { 't.ts': 'export class C { quote = (a: string, b?: number) => {}; }', ...useOf('C', "new C().quote('', 1);") },
    { 't.ts': 'export class C { quote: (a: string, b?: number) => void = (a) => {}; }' },
  ],
  [
    'the type of an object says how its functions are called',
    { 't.ts': 'export const made = { quote(a: string, b?: number) {} };', ...useOf('made', "made.quote('', 1);") },
    { 't.ts': 'export const made: Record<string, (a: string, b?: number) => void> = { quote: (a) => {} };' },
  ],
  [
    'so does one after the object',
    { 't.ts': 'export const made = { quote(a: string, b?: number) {} };', ...useOf('made', "made.quote('', 1);") },
    { 't.ts': 'export const made = { quote: (a) => {} } as { quote(a: string, b?: number): void };' },
  ],
  [
    'an object is asserted to have any member',
    { 't.ts': 'export const made = { old: 1 };', ...oldOf },
    { 't.ts': 'export const made = {} as Record<string, number>;' },
  ],
  [
    'an object is asserted to have any member, in the old way',
    { 't.ts': 'export const made = { old: 1 };', ...oldOf },
    { 't.ts': 'export const made = <any>{};' },
  ],
  [
    'a parameter may be void',
    { 't.ts': 'export function made() {}', ...useOf('made', 'made();') },
    { 't.ts': 'export function made(a: string | void) {}' },
  ],
  [
    'a class has any member',
    { 't.ts': 'export class C { old = 1; }', ...useOf('C', 'new C().old;') },
    { 't.ts': 'export class C { [key: string]: any; }' },
  ],
  [
    'a constructor of JavaScript adds the member',
    { 't.js': 'export class C { old = 1; }', ...useOf('C', 'export const f = (one: C) => one.old;') },
    { 't.js': 'export class C { constructor() { this.old = 1; } }' },
  ],
  [
    'an assignment in JavaScript adds the member',
    { 't.js': 'export const made = { old: 1 };', ...oldOf },
    { 't.js': 'export const made = {};\nmade.old = 1;' },
  ],
  [
    'an assignment adds the member to a function',
    { 't.ts': 'export const made = { old: 1 };', ...oldOf },
    { 't.ts': 'export const made = () => 1;\nmade.old = 1;' },
  ],
  [
    'another script has the member of the same interface',
    { 'a.ts': 'interface A { old: string; }\nconst f = (a: A) => a.old;' },
    { 'a.ts': 'interface A {}\nconst f = (a: A) => a.old;', 'b.ts': 'interface A { old: string; }' },
  ],
  [
    'another file adds a static member to a class',
    {
      't.ts': 'export class made {}\nexport namespace made { export const old = 1; }',
      ...useOf('made', 'const one = made;\nexport const f = () => one.old;'),
    },
    {
      't.ts': 'export class made {}',
      'b.ts': "export {};\ndeclare module './t' { namespace made { const old: number; } }",
    },
  ],
  [
    'a string of an enumeration has the members of strings',
    { 't.ts': 'export class E { toUpperCase() {} }', ...useOf('E', 'export const f = (e: E) => e.toUpperCase();') },
    { 't.ts': "export enum E { a = 'a' }" },
  ],
  ...['URL', 'fetch', 'process', 'expect', 'Node'].map((name): [string, Files, Files] => [
    `${name} is known without an import`,
    { 'u.ts': `import { ${name} } from 'lib';\n${name};` },
    { 'u.ts': `${name};` },
  ]),
  [
    'another script defines the function',
    { 'a.js': 'function help() {}\nhelp();', 'b.js': 'var b;' },
    { 'a.js': 'help();', 'b.js': 'function help() {}' },
  ],
  [
    'another file declares the name globally',
    { 't.ts': 'export interface made {}', ...useOf('made', 'export const f = (one: made) => one;') },
    {
      't.ts': 'export {};\ndeclare global { interface made {} }',
      'u.ts': 'export const f = (one: made) => one;',
    },
  ],
  [
    'an import of all names binds the name',
    { 't.py': 'def help(): pass', 'u.py': 'from t import help\nhelp()' },
    { 'u.py': 'from t import *\nhelp()' },
  ],
  ...[
    'if (isB(a)) a.old;',
    'if (!isB(a)) throw 1; a.old;',
    'a.next && isB(a.next) && a.next.old;',
    'if (a instanceof B) a.old;',
    'assertB(a); a.old;',
  ].map((text): [string, Files, Files] => [
    `a check narrows a type: ${text}`,
    {
      't.ts': `export interface A { old: string; next?: A }\nexport class B { y = 1; }${checks}`,
      ...useOf('A, B, isB, assertB', `export const f = (a: A) => { ${text} };`),
    },
    { 't.ts': `export interface A { next?: A }\nexport class B { y = 1; old = ''; }${checks}` },
  ]),
  ...[
    '// @ts-expect-error',
    '// @ts-ignore: gone\n  // so it is tested',
    '/* @ts-ignore */',
    '/**\n   * @ts-ignore */',
  ].map((comment): [string, Files, Files] => [
    `an error is expected: ${comment}`,
    { 't.ts': 'export class made { static old = 1; }\nexport function g() {}', ...useOf('made, g', 'made.old; g();') },
    {
      't.ts': 'export class made {}\nexport function g(a: number) {}',
      ...useOf('made, g', `{\n  ${comment}\n  made.old; g();\n}`),
    },
  ]),
  [
    'a base class of a library has the member, too',
    {
      't.ts': "import { Base } from 'lib';\nexport class made extends Base { onChange() {} }",
      ...useOf('made', 'new made().onChange();'),
    },
    { 't.ts': "import { Base } from 'lib';\nexport class made extends Base {}" },
  ],
  [
    'a base class of a base class is one of a library',
    {
      't.py': 'from lib import Base\nclass A(Base): pass\nclass B(A):\n    def on_change(self): pass\n',
      'u.py': 'from t import B\nB().on_change()\n',
    },
    { 't.py': 'from lib import Base\nclass A(Base): pass\nclass B(A): pass\n' },
  ],
  [
    'a call makes a class with members',
    { 't.py': 'class A:\n    old = 1\n', 'u.py': 'from t import A\nA.old\n' },
    { 't.py': "from enum import Enum\nA = Enum('A', 'old')\n" },
  ],
])('%s', async (_what, files, changes) => {
  const found = await findingsOf(files, changes);
  expect(found.filter((line) => /^(?:breaks|follows)/.test(line))).toEqual([]);
});
