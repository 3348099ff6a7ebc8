import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { FaultyFs } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { nodeFs } from '../../../src/io/node/fs.ts';
import { Pace } from '../../../src/io/pace.ts';
import type { ObjectId } from '../../../src/model/ids.ts';
import { hashObject, sha1 } from '../../../src/store/objects/object-hash.ts';
import { ObjectStore } from '../../../src/store/objects/object-store.ts';
import type { ObjectProblem } from '../../../src/store/objects/verify-objects.ts';
import { blobEntry, looseFile, noise, putPack, type StoreFixture, storeFixture } from '../store-fixture.ts';

/** Two objects, the one with the smaller id first. */
const [FIRST, SECOND] = ['one', 'two']
  .map((text) => ({ id: hashObject('blob', Buffer.from(text)), bytes: blobEntry(Buffer.from(text)) }))
  .sort((a, b) => (a.id < b.id ? -1 : 1)) as [{ id: ObjectId; bytes: Buffer }, { id: ObjectId; bytes: Buffer }];
const BOTH = [FIRST, SECOND];
const FANOUT = 8;
const NAMES = FANOUT + 256 * 4;

/** Changes bytes of an index, and corrects its checksum. */
function change(index: string, action: (bytes: Buffer) => void): void {
  const bytes = readFileSync(index);
  action(bytes);
  sha1(bytes.subarray(0, -20)).copy(bytes, bytes.length - 20);
  writeFileSync(index, bytes);
}

function verify({ again, pace }: StoreFixture, deep: boolean): Promise<readonly ObjectProblem[]> {
  return again().verifyObjects({ deep, pace });
}

interface Made {
  /** Creates the store, and returns the problems that must be found. */
  readonly make: (fixture: StoreFixture) => readonly { file: string; object?: ObjectId; problem: string }[];
  /** Whether it is found only if every byte is read. */
  readonly deepOnly?: true;
}

/** The two halves of a truncated pack only show where the objects should be. */
function cut(length: number): Made {
  return {
    make: (fixture) => {
      const { pack: file } = putPack(fixture, BOTH);
      truncateSync(file, length);
      const gone = BOTH.map(({ id }) => ({ file, object: id, problem: 'is outside of its pack' }));
      return [{ file, problem: 'is cut off' }, ...gone];
    },
  };
}

const MADE: Readonly<Record<string, Made>> = {
  'an empty pack': cut(0),
  'a pack that is shorter than its last bytes': cut(11),
  'a pack that is not much longer than its header': cut(19),
  'a pack that counts other objects': {
    make: (fixture) => {
      const { pack } = putPack(fixture, BOTH, { count: 3 });
      return [{ file: pack, problem: 'has 3 objects, and its index 2' }];
    },
  },
  'the index of another pack': {
    make: (fixture) => {
      const { pack } = putPack(fixture, BOTH, { indexed: sha1(Buffer.from('another')) });
      return [{ file: pack, problem: 'is not the pack of its index' }];
    },
  },
  'a pack with a checksum of something else': {
    make: (fixture) => {
      const { pack } = putPack(fixture, BOTH, { checksum: sha1(Buffer.from('something else')) });
      return [{ file: pack, problem: 'does not match its checksum' }];
    },
    deepOnly: true,
  },
  'an index with the same object twice': {
    make: (fixture) => {
      const { index } = putPack(fixture, [FIRST, FIRST]);
      return [{ file: index, problem: 'is not in order' }];
    },
  },
  'an index whose table of contents leads elsewhere': {
    make: (fixture) => {
      const { index } = putPack(fixture, BOTH);
      change(index, (bytes) => {
        const first = bytes[NAMES] as number;
        bytes.writeUInt32BE(0, FANOUT + first * 4);
      });
      return [{ file: index, problem: 'has a wrong table of contents' }];
    },
  },
};

describe('verifyObjects', () => {
  test.each(Object.entries(MADE))('finds %s', async (_, { make, deepOnly }) => {
    const fixture = storeFixture();
    const problems = make(fixture);
    expect(await verify(fixture, true)).toEqual(problems);
    expect(await verify(fixture, false)).toEqual(deepOnly ? [] : problems);
  });

  test.each<readonly [string, (path: string) => void]>([
    ['nothing', (path) => writeFileSync(path, '')],
    ['a folder', (path) => mkdirSync(path)],
    ['a link', (path) => symlinkSync('/dev/zero', path)],
  ])('finds %s instead of an object without reading it', async (_, put) => {
    const fixture = storeFixture();
    const file = looseFile(fixture, FIRST.id);
    put(file);
    expect(await verify(fixture, false)).toEqual([{ file, object: FIRST.id, problem: 'is not an object' }]);
  });

  test('detects that a pack is truncated while it is read', async () => {
    const fixture = storeFixture();
    const data = noise(1_500_000);
    const id = hashObject('blob', data);
    const { pack: file } = putPack(fixture, [{ id, bytes: blobEntry(data) }]);
    let time = 0;
    const turn = async (): Promise<void> => truncateSync(file, 1_200_000);
    const pace = new Pace({ ...fixture.ports.clock, turn, monotonic: () => (time += 100) });
    // The file changed, so it is checked again as it is now.
    expect(await fixture.again().verifyObjects({ deep: true, pace })).toEqual([
      { file, problem: 'is not the pack of its index' },
      { file, problem: 'does not match its checksum' },
      { file, object: id, problem: expect.stringMatching(/^(is cut off|ends too early)$/) },
    ]);
  });

  test.each([
    ['a sector that cannot be read', 'EIO'],
    ['a file that may not be read', 'EACCES'],
  ])('%s is a problem of the file', async (_, code) => {
    const { file, verified } = withoutReading(code);
    const problem = `cannot be read (${code})`;
    expect(await verified).toEqual([{ file, problem }, ...BOTH.map(({ id }) => ({ file, object: id, problem }))]);
  });

  test('an index that cannot be read is a problem of that file only, and its pack is checked as well', async () => {
    const fixture = storeFixture();
    const { pack, index } = putPack(fixture, BOTH, { checksum: sha1(Buffer.from('something else')) });
    const fs = new FaultyFs(nodeFs, {
      at: 1,
      fault: { fail: 'EIO', sticky: true },
      counts: ({ operation, path }) => operation === 'openRead' && path === index,
    });
    const store = ObjectStore.open({ ...fixture.ports, fs }, fixture.folder);
    const unusable = { file: index, problem: 'cannot be read (EIO)' };
    expect(await store.verifyObjects({ deep: false, pace: fixture.pace })).toEqual([unusable]);
    const problems = [unusable, { file: pack, problem: 'does not match its checksum' }];
    expect(await store.verifyObjects({ deep: true, pace: fixture.pace })).toEqual(problems);
    store.close();
  });

  test('running out of handles is not a problem of the file, and ends the verification', async () => {
    const { file, verified } = withoutReading('EMFILE');
    await expect(verified).rejects.toMatchObject({ name: 'FsError', code: 'EMFILE', path: file });
  });
});

/** Verifies a store whose only pack cannot be opened, with this error code. */
function withoutReading(code: string) {
  const fixture = storeFixture();
  const { pack: file } = putPack(fixture, BOTH);
  const fs = new FaultyFs(nodeFs, {
    at: 1,
    fault: { fail: code, sticky: true },
    counts: ({ operation, path }) => operation === 'openRead' && path === file,
  });
  const store = ObjectStore.open({ ...fixture.ports, fs }, fixture.folder);
  return { file, verified: store.verifyObjects({ deep: false, pace: fixture.pace }) };
}
