import type { Entry } from '@savepoint/core';
import type { ObjectId } from '@savepoint/core/ports';
import { seededRandom } from '@savepoint/testkit';
import { expect, test } from 'vitest';
import type { ObjectReader } from '../../../src/store/objects/object-reader.ts';
import { hunksOf, withoutHunks } from '../../../src/timeline/diff/hunks.ts';

/** Contents whose ids are their positions. */
function contents(...all: readonly string[]): { readonly reader: ObjectReader; readonly entries: readonly Entry[] } {
  const find = (id: ObjectId): Buffer => Buffer.from(all[Number(id)] ?? '', 'latin1');
  const reader: ObjectReader = {
    has: (id) => Number(id) < all.length,
    read: (id) => ({ type: 'blob', data: find(id) }),
    info: (id) => (Number(id) < all.length ? { type: 'blob', size: find(id).length } : null),
    copyBlob: async (id, sink) => sink(find(id)),
  };
  return { reader, entries: all.map((_, id) => ({ kind: 'file', mode: 0o644, id: String(id) as ObjectId })) };
}

const numbers = (count: number, replace: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: count }, (_, at) => `${replace[at] ?? at}\n`).join('');

test('hunks are numbered from 1, and each can be reverted alone', () => {
  const before = numbers(40);
  const after = numbers(40, { 2: 'two', 20: 'twenty\nmore', 37: 'thirty-seven' });
  const { reader, entries } = contents(before, after);
  const hunks = hunksOf(reader, { before: entries[0] as Entry, after: entries[1] as Entry }) ?? [];
  expect(hunks.map(({ number, afterStart }) => [number, afterStart])).toEqual([
    [1, 0],
    [2, 17],
    [3, 35],
  ]);
  const without = (...chosen: number[]) =>
    withoutHunks(
      Buffer.from(after),
      hunks.filter(({ number }) => chosen.includes(number)),
    ).toString();
  expect(without(2)).toBe(numbers(40, { 2: 'two', 37: 'thirty-seven' }));
  expect(without(1, 3)).toBe(numbers(40, { 20: 'twenty\nmore' }));
  expect(without(1, 2, 3)).toBe(before);
});

test('reverting all hunks gives the old text, also without a last line feed', () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const random = seededRandom(seed);
  for (let round = 0; round < 500; round++) {
    const text = (): string => {
      const lines = Array.from({ length: random.integer(30) }, () => `${random.integer(6)}`);
      return lines.join('\n') + (random.next() < 0.5 ? '\n' : '');
    };
    const [before, after] = [text(), text()];
    const { reader, entries } = contents(before, after);
    const hunks = hunksOf(reader, { before: entries[0] as Entry, after: entries[1] as Entry });
    expect(withoutHunks(Buffer.from(after), hunks ?? []).toString(), `seed ${seed}, round ${round}`).toBe(before);
  }
});

test('a file that is not text, or exists on one side only, has none', () => {
  const { reader, entries } = contents('a\n', '\0');
  const file = entries[0] as Entry;
  expect(hunksOf(reader, { before: file, after: entries[1] as Entry })).toBeNull();
  expect(hunksOf(reader, { before: null, after: file })).toBeNull();
  expect(hunksOf(reader, { before: file, after: { kind: 'file', mode: 0o644, id: '9' as ObjectId } })).toBeNull();
  expect(hunksOf(reader, { before: file, after: { kind: 'folder', mode: 0o755 } })).toBeNull();
});
