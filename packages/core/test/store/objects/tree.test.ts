import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ObjectId } from '../../../src/model/ids.ts';
import type { Name } from '../../../src/model/names.ts';
import { hashObject } from '../../../src/store/objects/object-hash.ts';
import { decodeTree, encodeTree, type TreeEntry, type TreeMode } from '../../../src/store/objects/tree.ts';
import { storeFixture } from '../store-fixture.ts';

const ID = hashObject('blob', Buffer.from('x'));
const MODES: readonly TreeMode[] = [0o100644, 0o100755, 0o120000, 0o40000];

const names = fc
  .string({
    unit: fc.integer({ min: 1, max: 255 }).map((code) => String.fromCharCode(code)),
    minLength: 1,
    maxLength: 12,
  })
  .filter((name) => !name.includes('/') && name !== '.' && name !== '..')
  .map((name) => name as Name);
/** Names that differ only at the end, where folders and files are ordered differently. */
const close = fc.constantFrom('a', 'a.', 'a-', 'a0', 'ab', 'a.b', 'a\x01', 'a\xff').map((name) => name as Name);
const entries = fc.uniqueArray(
  fc.record({
    mode: fc.constantFrom(...MODES),
    name: fc.oneof(names, close),
    id: fc.constant(ID),
  }),
  { selector: (entry) => entry.name, maxLength: 20 },
);

function raw(mode: string, name: string, id: ObjectId = ID): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(id, 'hex')]);
}

describe('encodeTree and decodeTree', () => {
  test('round trip, in canonical order whatever the order of the input', () => {
    fc.assert(
      fc.property(entries, fc.infiniteStream(fc.nat()), (given, chance) => {
        const shuffled = given.map((entry) => ({ entry, key: chance.next().value })).sort((a, b) => a.key - b.key);
        const data = encodeTree(given);
        expect(encodeTree(shuffled.map(({ entry }) => entry))).toEqual(data);
        const decoded = decodeTree(data);
        expect(new Set(decoded)).toEqual(new Set(given));
        expect(encodeTree(decoded)).toEqual(data);
      }),
    );
  });

  test('git mktree makes the same trees, byte for byte', () => {
    const { gitBytes } = storeFixture();
    const trees = fc.sample(entries, { numRuns: 60, seed: 7 });
    const input: Buffer[] = [];
    for (const tree of trees) {
      for (const { mode, name } of tree) {
        const type = mode === 0o40000 ? 'tree' : 'blob';
        input.push(Buffer.from(`${mode.toString(8).padStart(6, '0')} ${type} ${ID}\t${name}\0`, 'latin1'));
      }
      input.push(Buffer.from('\0'));
    }
    const made = gitBytes(['mktree', '-z', '--missing', '--batch'], Buffer.concat(input)).toString().trim().split('\n');
    expect(made).toEqual(trees.map((tree) => hashObject('tree', encodeTree(tree))));
  });

  test.each([
    ['nothing after the mode', Buffer.from('100644')],
    ['a cut id', raw('100644', 'a').subarray(0, -1)],
    ['no end of the name', Buffer.from('100644 abc')],
    ['a mode with a leading zero', raw('0100644', 'a')],
    ['a mode of too many digits', raw('1006440', 'a')],
    ['a mode that is not an octal number', raw('10064x', 'a')],
    ['an empty mode and name', raw('', '')],
    ['an empty name', raw('100644', '')],
    ['the name .', raw('40000', '.')],
    ['the name ..', raw('40000', '..')],
    ['a path', raw('100644', 'a/b')],
    ['a submodule', raw('160000', 'a')],
    ['a group-writable file', raw('100664', 'a')],
    ['a padded folder', raw('040000', 'a')],
    ['a name twice', Buffer.concat([raw('100644', 'a'), raw('100644', 'a')])],
    ['a file and a folder of one name', Buffer.concat([raw('100644', 'a'), raw('100644', 'a.b'), raw('40000', 'a')])],
    ['another order', Buffer.concat([raw('100644', 'b'), raw('100644', 'a')])],
    ['a folder before a file that git puts first', Buffer.concat([raw('40000', 'a'), raw('100644', 'a.b')])],
  ])('a tree with %s is damage', (_, data) => {
    expect(() => decodeTree(data)).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
    expect(() => decodeTree(data, { id: ID })).toThrow(expect.objectContaining({ data: { object: ID } }));
  });

  test('a foreign tree may have modes that Savepoint never writes, and is checked as strictly otherwise', () => {
    const data = Buffer.concat([raw('100664', 'a'), raw('160000', 'b')]);
    expect(decodeTree(data, { foreign: true })).toEqual([
      { mode: 0o100664, name: 'a', id: ID },
      { mode: 0o160000, name: 'b', id: ID },
    ]);
    expect(() => decodeTree(raw('100644', '..'), { foreign: true })).toThrow(/name/);
  });

  test.each([
    ['a name that is there twice', [{ name: 'a' }, { name: 'a', mode: 0o40000 }]],
    ['an empty name', [{ name: '' }]],
    ['a path', [{ name: 'a/b' }]],
    ['a character that is not a byte', [{ name: 'ā' }]],
    ['a mode of others', [{ name: 'a', mode: 0o100664 }]],
    ['something else than an id', [{ name: 'a', id: 'x'.repeat(40) }]],
  ])('%s is not encoded', (_, given) => {
    const tree = given.map((entry) => ({ mode: 0o100644, id: ID, ...entry })) as unknown as TreeEntry[];
    expect(() => encodeTree(tree)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });

  test('any bytes are decoded as a tree or reported as damage', () => {
    fc.assert(
      fc.property(entries, fc.nat(), fc.integer({ min: 0, max: 255 }), (given, at, byte) => {
        const data = Buffer.from(encodeTree(given));
        if (data.length > 0) data[at % data.length] = byte;
        try {
          expect(encodeTree(decodeTree(data))).toEqual(data);
        } catch (error) {
          expect(error).toMatchObject({ code: 'STORE_DAMAGED' });
        }
      }),
    );
  });
});
