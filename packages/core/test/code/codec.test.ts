import { expect, it } from 'vitest';
import { decodeFacts, encodeFacts } from '../../src/code/codec.ts';
import type { TreePath } from '../../src/model/names.ts';
import { reader } from './change.ts';

const text = `import a, { b as c } from './x';
import * as n from './n';
export * from './y';
export { c, n as default };
const { d = 1 } = require('./z');
export async function f(one: string, two?: number, ...rest: string[]) { n.m(one, ...rest); return import('./w'); }
export class K extends a.Base { static s() {} p = () => {}; }
export const o = { one: 1, two() {}, ...d };
`;

it('gives the same facts back', async () => {
  const [facts] = await reader.read([{ path: 'a.ts' as TreePath, id: '', read: () => Buffer.from(text) }], null);
  if (facts === null || facts === undefined) throw new Error('no facts');
  expect(facts.imports.map(({ from }) => from)).toEqual(['./x', './n', './y', './z', './w']);
  expect(facts.definitions.map(({ name }) => name)).toEqual(['d', 'f', 'K', 's', 'p', 'o', 'one', 'two']);
  expect(decodeFacts(encodeFacts(facts))).toEqual(facts);
});

it('keeps how arguments are given by name', async () => {
  const python =
    '__all__ = ["f"]\ndef f(a, /, b=1, *rest, c, **more): pass\nf(1, c=2, *rest)\nclass K:\n  def m(self): pass\n';
  const [facts] = await reader.read([{ path: 'a.py' as TreePath, id: '', read: () => Buffer.from(python) }], null);
  if (facts === null || facts === undefined) throw new Error('no facts');
  expect(
    facts.definitions.find(({ name }) => name === 'f')?.arity?.parameters?.map(({ name, by }) => `${name} ${by}`),
  ).toEqual(['a place', 'b either', 'rest rest', 'c name', 'more names']);
  expect(facts.uses.flatMap(({ calls }) => calls?.map(({ names }) => names) ?? [])).toEqual([['c']]);
  expect(decodeFacts(encodeFacts(facts))).toEqual(facts);
});

it('does not decode anything else', async () => {
  const [facts] = await reader.read([{ path: 'a.ts' as TreePath, id: '', read: () => Buffer.from(text) }], null);
  if (facts === null || facts === undefined) throw new Error('no facts');
  const encoded = encodeFacts(facts);
  for (let length = 0; length < encoded.length; length += 7) expect(decodeFacts(encoded.slice(0, length))).toBeNull();
  for (const bad of [
    '',
    'null',
    '{}',
    '[]',
    '[1]',
    '["a",[],[],0,[],[],[],[],null]',
    encoded.replace('"static"', '"other"'),
  ]) {
    expect(decodeFacts(bad)).toBeNull();
  }
});
