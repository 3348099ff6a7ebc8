import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EMPTY_TREE, type ObjectId } from '../../../src/model/ids.ts';
import { type Commit, decodeCommit, encodeCommit, type Identity } from '../../../src/store/objects/commit.ts';
import { hashObject } from '../../../src/store/objects/object-hash.ts';
import { runGit, storeFixture } from '../store-fixture.ts';

const PARENT = hashObject('commit', Buffer.from('x'));
const text = fc.string({ unit: 'grapheme', maxLength: 30 });
const identities: fc.Arbitrary<Identity> = fc.record({
  name: text,
  email: text,
  time: fc.integer({ min: 0, max: 4_000_000_000 }),
  zone: fc.constantFrom('+0000', '-0330', '+1245'),
});
const commits: fc.Arbitrary<Commit> = fc.record({
  tree: fc.constant(EMPTY_TREE),
  parents: fc.array(fc.constant(PARENT), { maxLength: 2 }),
  author: identities,
  committer: identities,
  message: fc.oneof(text, fc.constantFrom('subject\n\nbody\n', '\n\n', '', 'no end')),
});

describe('encodeCommit and decodeCommit', () => {
  test('round trip; names are cleaned, and a cleaned name is unchanged', () => {
    fc.assert(
      fc.property(commits, (given) => {
        const decoded = decodeCommit(encodeCommit(given));
        expect(decoded.message).toBe(Buffer.from(given.message.replaceAll('\0', '')).toString());
        expect(decoded).toMatchObject({ tree: given.tree, parents: given.parents });
        expect(decoded.author).toMatchObject({ time: given.author.time, zone: given.author.zone });
        expect(decodeCommit(encodeCommit(decoded))).toEqual(decoded);
      }),
    );
  });

  test('an ordinary commit equals that of git commit-tree', () => {
    const { folder } = storeFixture();
    const person = { name: 'Zoë the agent', email: 'zoe@example.invalid', time: 1_700_000_000, zone: '+0000' };
    const made = runGit(
      folder,
      ['-c', `user.name=${person.name}`, 'hash-object', '-t', 'commit', '--stdin'],
      encodeCommit({ tree: EMPTY_TREE, parents: [], author: person, committer: person, message: 'subject\n' }),
    );
    const ours = encodeCommit({
      tree: EMPTY_TREE,
      parents: [],
      author: person,
      committer: person,
      message: 'subject\n',
    });
    expect(made.toString().trim()).toBe(hashObject('commit', ours));
    expect(ours.toString()).toBe(
      `tree ${EMPTY_TREE}\nauthor Zoë the agent <zoe@example.invalid> 1700000000 +0000\n` +
        'committer Zoë the agent <zoe@example.invalid> 1700000000 +0000\n\nsubject\n',
    );
  });

  test('git reads the same fields from every commit, and fsck finds no error', async () => {
    const { store, git, gitBytes } = storeFixture();
    const given = fc.sample(commits, { numRuns: 60, seed: 3 }).map((commit) => ({ ...commit, parents: [] }));
    const batch = store.batch();
    batch.add('tree', Buffer.alloc(0));
    const ids = given.map((commit) => batch.add('commit', encodeCommit(commit)));
    await batch.finish();
    expect(git('fsck', '--strict', '--full', '--no-dangling')).toBe('');
    const format = '%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%T%x00%B%x01';
    for (const [at, id] of ids.entries()) {
      const fields = gitBytes(['log', '-1', '--date=raw', '--encoding=UTF-8', `--format=${format}`, id]).toString();
      const { author, committer, tree, message } = decodeCommit(encodeCommit(given[at] as Commit));
      const expected = [author.name, author.email, author.time, committer.name, committer.email, committer.time, tree];
      expect(fields.split('\0').slice(0, 7), id).toEqual(expected.map(String));
      expect(
        fields
          .split('\0')[7]
          ?.replace(/\x01\n$/, '')
          .trim(),
        id,
      ).toBe(message.trim());
    }
  });

  test('unknown headers are ignored, and invalid UTF-8 is accepted', () => {
    const person = 'A <a@b> 1 +0000';
    const header = `tree ${EMPTY_TREE}\nparent ${PARENT}\nauthor ${person}\ncommitter ${person}\n`;
    const signed = Buffer.from(
      `${header}gpgsig -----BEGIN\n more\n -----END\nencoding latin1\n\nsubj\xe9ct\n`,
      'latin1',
    );
    expect(decodeCommit(signed)).toMatchObject({ parents: [PARENT], message: 'subj\ufffdct\n', author: { name: 'A' } });
  });

  test.each([
    ['nothing', ''],
    ['no tree', `author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx`],
    ['a tree that is not an id', `tree xyz\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx`],
    ['no author', `tree ${EMPTY_TREE}\ncommitter A <a@b> 1 +0000\n\nx`],
    ['no committer', `tree ${EMPTY_TREE}\nauthor A <a@b> 1 +0000\n\nx`],
    ['a time that is none', `tree ${EMPTY_TREE}\nauthor A <a@b> x +0000\ncommitter A <a@b> 1 +0000\n\nx`],
    [
      'a parent that is not an id',
      `tree ${EMPTY_TREE}\nparent 12\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx`,
    ],
  ])('a commit with %s is damage', (_, data) => {
    expect(() => decodeCommit(Buffer.from(data))).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
  });

  test.each([
    ['a time before 1970', { time: -1 }],
    ['half a second', { time: 1.5 }],
    ['a zone that is none', { zone: 'UTC' }],
  ])('%s is not encoded', (_, wrong) => {
    const person = { name: 'A', email: 'a@b', time: 1, zone: '+0000' };
    const commit = { tree: EMPTY_TREE, parents: [], author: { ...person, ...wrong }, committer: person, message: '' };
    expect(() => encodeCommit(commit)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });

  test('any bytes are decoded as a commit or reported as damage', () => {
    fc.assert(
      fc.property(commits, fc.nat(), fc.integer({ min: 0, max: 255 }), (given, at, byte) => {
        const data = encodeCommit(given);
        data[at % data.length] = byte;
        try {
          decodeCommit(data);
        } catch (error) {
          expect(error).toMatchObject({ code: 'STORE_DAMAGED' });
        }
      }),
    );
  });
});

test('values that a commit cannot contain are refused before it is written', () => {
  const person: Identity = { name: 'a', email: 'b', time: 1, zone: '+0000' };
  const commit: Commit = { tree: EMPTY_TREE, parents: [], author: person, committer: person, message: 'x' };
  const refused = expect.objectContaining({ code: 'INTERNAL' });
  const bad = '../x' as ObjectId;
  encodeCommit(commit);
  expect(() => encodeCommit({ ...commit, tree: bad })).toThrow(refused);
  expect(() => encodeCommit({ ...commit, parents: [EMPTY_TREE, bad] })).toThrow(refused);
  for (const wrong of [{ time: -1 }, { time: 0.5 }, { time: 1e15 }, { zone: 'UTC' }, { zone: '+0000\n' }]) {
    expect(() => encodeCommit({ ...commit, committer: { ...person, ...wrong } })).toThrow(refused);
  }
});
