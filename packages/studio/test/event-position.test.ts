import { expect, it } from 'vitest';
import { EventCursor, type Position, positionId, readPosition, watchAfter } from '../server/event-position.ts';

const at = (number: number, seenBelow: readonly number[] = [], index: number | null = null): Position => ({
  number,
  index,
  seenBelow: new Set(seenBelow),
});

const idsOf = (position: Position, numbers: readonly number[]) => {
  const cursor = new EventCursor(position);
  return numbers.map((number) => cursor.next(number)?.id);
};

it('reads the ids that it writes, and no others', () => {
  for (const position of [at(0), at(3, [1, 2]), at(40, [8, 9, 39], 7)])
    expect(readPosition(positionId(position))).toEqual(position);
  for (const id of ['', '1', '1.1', '1.-1.00000000', '1.all.0', '1.all.zzzzzzzz', `${'9'.repeat(10)}.all.00000000`])
    expect(readPosition(id)).toBeNull();
});

it('skips what was sent, inside of a checkpoint as well', () => {
  expect(idsOf(at(2, [1], 0), [1, 2, 2, 3])).toEqual([undefined, undefined, '2.1.00000001', '3.0.00000003']);
  expect(idsOf(at(2, [1]), [1, 2, 2, 3])).toEqual([undefined, undefined, undefined, '3.0.00000003']);
});

it('sends a checkpoint that appears late, and remembers it from the next on', () => {
  expect(idsOf(at(5, [1, 2, 3]), [4, 4, 6])).toEqual([null, null, '6.0.0000001f']);
});

it('sends a late checkpoint to a page that was away when it appeared', () => {
  const away = readPosition('5.all.0000000e') ?? at(0);
  expect(watchAfter(away)).toBe(0);
  expect(idsOf(away, [1, 2, 3, 4, 5])).toEqual([undefined, undefined, undefined, null, undefined]);
});

it('counts everything far below as sent', () => {
  expect(watchAfter(at(100))).toBe(67);
  expect(idsOf(at(100), [10, 67, 68])).toEqual([undefined, undefined, null]);
});

it('gives events of no checkpoint no id', () => {
  expect(new EventCursor(at(5)).next(null)).toEqual({ id: null });
});
