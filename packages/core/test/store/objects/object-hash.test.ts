import { expect, test } from 'vitest';
import type { ObjectId } from '../../../src/model/ids.ts';
import { hashObject, idAt, keyOf } from '../../../src/store/objects/object-hash.ts';

test('an id has one binary form, and an invalid id has none', () => {
  const id = hashObject('blob', Buffer.from('abc'));
  expect(idAt(keyOf(id), 0)).toBe(id);
  for (const other of ['', 'abc', id.slice(1), `${id}0`, `${id.slice(1)}g`, `g${id.slice(1)}`]) {
    expect(() => keyOf(other as ObjectId), other).toThrow(
      expect.objectContaining({ code: 'INTERNAL', message: `Not an object id: ${JSON.stringify(other)}` }),
    );
  }
});
