import { describe, expect, test } from 'vitest';
import {
  decodeEntryHeader,
  decodePackHeader,
  encodeEntryHeader,
  encodePackHeader,
} from '../../../../src/store/objects/packs/pack-format.ts';
import { parsePackedRefs } from '../../../../src/store/refs/packed-refs.ts';

describe('the header of a pack', () => {
  test('contains the number of objects', () => {
    expect(decodePackHeader(encodePackHeader(7))).toBe(7);
  });

  test.each([
    ['is too short', encodePackHeader(7).subarray(0, 11), 'does not start like a pack'],
    ['has another beginning', Buffer.from('PUCK\0\0\0\x02\0\0\0\x07'), 'does not start like a pack'],
    ['is of a version to come', Buffer.from('PACK\0\0\0\x04\0\0\0\x07'), 'has pack version 4'],
  ])('one that %s is a problem', (_, header, why) => {
    expect(() => decodePackHeader(header)).toThrow(why);
  });
});

describe('the head of an entry', () => {
  test.each([0, 15, 16, 2 ** 31, 2 ** 40 + 1])('contains type and size, %d bytes', (size) => {
    const head = encodeEntryHeader('tree', size);
    expect(decodeEntryHeader(head)).toEqual({ kind: 'whole', type: 'tree', size, length: head.length });
  });

  test.each([
    ['nothing', Buffer.of(), 'an incomplete header'],
    ['a size that is cut', Buffer.of(0xb0), 'an incomplete header'],
    ['a size without end', Buffer.alloc(60, 0xff), 'impossible size'],
    ['a distance that is cut', Buffer.of(0x60, 0x80), 'an incomplete header'],
    ['a distance without end', Buffer.of(0x60, ...Buffer.alloc(30, 0xff)), 'an invalid base'],
    ['an id that is cut', Buffer.of(0x70, ...Buffer.alloc(19)), 'an incomplete header'],
    ['type 0', Buffer.of(0x00), 'unknown type 0'],
    ['type 5', Buffer.of(0x50), 'unknown type 5'],
  ])('%s is a problem', (_, bytes, why) => {
    expect(() => decodeEntryHeader(bytes)).toThrow(why);
  });
});

describe('packed refs', () => {
  const ID = 'a'.repeat(40);
  test.each([
    ['a last line that is cut', `${ID} refs/a`, 'is cut off'],
    ['a comment in the middle', `${ID} refs/a\n# x\n`, 'a comment among its refs'],
    ['a peeled id before any ref', `^${ID}\n`, 'a malformed line'],
    ['two peeled ids', `${ID} refs/a\n^${ID}\n^${ID}\n`, 'a malformed line'],
    ['a peeled id that is none', `${ID} refs/a\n^${ID.slice(1)}\n`, 'a malformed line'],
    ['a short id', `${ID.slice(1)} refs/a\n`, 'a malformed line'],
    ['no blank', `${ID}\trefs/a\n`, 'a malformed line'],
    ['a name that is none', `${ID} refs/../a\n`, 'a malformed line'],
    ['a ref that comes twice', `${ID} refs/a\n${ID} refs/a\n`, 'is not in order'],
    ['another order than it says', `# pack-refs with: sorted \n${ID} refs/b\n${ID} refs/a\n`, 'is not in order'],
  ])('%s is a problem', (_, text, why) => {
    expect(parsePackedRefs(Buffer.from(text)).problem).toContain(why);
  });
});
