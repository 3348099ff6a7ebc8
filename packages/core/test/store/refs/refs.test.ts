import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dieByThrowing, FaultyFs, fsWith, ProcessDied, SimDisk, seededRandom, simPorts } from '@savepoint/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FsError, isFsError } from '../../../src/io/fs.ts';
import { nodeFs } from '../../../src/io/node/fs.ts';
import type { Ports } from '../../../src/io/ports.ts';
import type { ObjectId } from '../../../src/model/ids.ts';
import type { DiskPath } from '../../../src/model/names.ts';
import { isDamage } from '../../../src/store/objects/damage.ts';
import { ObjectStore } from '../../../src/store/objects/object-store.ts';
import { isRefName } from '../../../src/store/refs/ref-name.ts';
import { Refs } from '../../../src/store/refs/refs.ts';
import { addCommit, runGit, type StoreFixture, storeFixture } from '../store-fixture.ts';

const CP = 'refs/savepoint/cp/';

interface RefsFixture extends StoreFixture {
  readonly refs: Refs;
  readonly commits: readonly [ObjectId, ObjectId, ObjectId];
}

async function refsFixture(): Promise<RefsFixture> {
  const fixture = storeFixture();
  const batch = fixture.store.batch();
  const commits = ['a', 'b', 'c'].map((text) => addCommit(batch, { text: Buffer.from(text) })) as [
    ObjectId,
    ObjectId,
    ObjectId,
  ];
  await batch.finish();
  return { ...fixture, commits, refs: new Refs(fixture.ports, fixture.folder) };
}

function showRefs({ git }: StoreFixture): string[] {
  return git('for-each-ref', '--format=%(refname) %(objectname)').split('\n').filter(Boolean);
}

describe('Refs', () => {
  test('a created ref is read, listed and seen by git, also after packing', async () => {
    const fixture = await refsFixture();
    const { refs, commits, git } = fixture;
    expect(refs.list(CP)).toEqual([]);
    expect(refs.read(`${CP}1`)).toBeNull();
    commits.forEach((id, at) => {
      refs.create(`${CP}${at + 9}`, id);
    });
    refs.create('refs/heads/timeline', commits[0]);
    const expected = [10, 11, 9].map((number) => ({ name: `${CP}${number}`, id: commits[number - 9] }));
    const check = (): void => {
      expect(refs.list(CP)).toEqual(expected);
      expect(refs.list(`${CP}1`)).toEqual(expected.slice(0, 2));
      expect(refs.list('refs/')).toHaveLength(4);
      expect(refs.read(`${CP}10`)).toBe(commits[1]);
      expect(showRefs(fixture)).toEqual(refs.list('refs/').map(({ name, id }) => `${name} ${id}`));
      expect(git('fsck', '--full', '--strict')).toBe('');
    };
    check();
    git('pack-refs', '--all');
    expect(existsSync(fixture.path(`${CP}10`))).toBe(false);
    check();
    git('update-ref', `${CP}10`, commits[2]);
    expect(refs.read(`${CP}10`)).toBe(commits[2]);
    git('update-ref', `${CP}10`, commits[1]);
    refs.pack();
    expect(existsSync(fixture.path(`${CP}10`))).toBe(false);
    check();
    refs.pack();
    check();
  });

  test('creating never replaces, whether the ref is loose, packed or both', async () => {
    const { refs, commits, git } = await refsFixture();
    const exists = expect.objectContaining({ name: 'FsError', code: 'EEXIST' });
    refs.create(`${CP}1`, commits[0]);
    expect(() => refs.create(`${CP}1`, commits[1])).toThrow(exists);
    git('pack-refs', '--all');
    expect(() => refs.create(`${CP}1`, commits[1])).toThrow(exists);
    git('update-ref', `${CP}1`, commits[2]);
    expect(() => refs.create(`${CP}1`, commits[1])).toThrow(exists);
    expect(refs.read(`${CP}1`)).toBe(commits[2]);
    expect(() => refs.create(`${CP}1/2`, commits[1])).toThrow(FsError);
    expect(() => refs.create('refs/savepoint/cp', commits[1])).toThrow(exists);
    git('pack-refs', '--all', '--prune');
    expect(() => refs.create(`${CP}1/2`, commits[1])).toThrow(exists);
    expect(() => refs.create('refs/savepoint/cp', commits[1])).toThrow(exists);
    expect(refs.list('refs/')).toEqual([{ name: `${CP}1`, id: commits[2] }]);
  });

  test('of many creators of one ref exactly one succeeds', async () => {
    const fixture = await refsFixture();
    const { refs, commits, ports, folder } = fixture;
    // Other processes run between any two calls of the first one.
    for (let at = 1; at <= 30; at++) {
      const name = `${CP}${at}`;
      let created: ObjectId | null = null;
      let done = false;
      const fs = new FaultyFs(nodeFs, {
        at,
        fault: {
          die: () => {
            throw new Error('never');
          },
        },
        counts: () => {
          if (!done && fs.log.length >= at) {
            done = true;
            try {
              new Refs(ports, folder).create(name, commits[1]);
              created = commits[1];
            } catch (error) {
              if (!isFsError(error, 'EEXIST')) throw error;
            }
          }
          return false;
        },
      });
      let own: ObjectId | null = null;
      try {
        new Refs({ ...ports, fs }, folder).create(name, commits[0]);
        own = commits[0];
      } catch (error) {
        if (!isFsError(error, 'EEXIST')) throw error;
      }
      expect(
        [own, created].filter((id) => id !== null),
        `at ${at}`,
      ).toHaveLength(1);
      expect(refs.read(name)).toBe(own ?? created);
    }
  });

  test('creating never replaces, even if git packs the refs between any two steps', async () => {
    const { refs, commits, ports, folder, git } = await refsFixture();
    let packed = 0;
    for (let at = 1; at <= 12; at++) {
      const name = `${CP}${at}`;
      refs.create(name, commits[0]);
      let done = false;
      const fs = new FaultyFs(nodeFs, {
        at: 1,
        fault: { fail: 'EIO' },
        counts: () => {
          if (!done && fs.log.length >= at) {
            done = true;
            packed++;
            git('pack-refs', '--all');
          }
          return false;
        },
      });
      expect(() => new Refs({ ...ports, fs }, folder).create(name, commits[1])).toThrow(
        expect.objectContaining({ code: 'EEXIST' }),
      );
      expect(refs.read(name), `at ${at}`).toBe(commits[0]);
    }
    expect(packed).toBeGreaterThan(8);
  });

  test('deletes loose and packed refs, without restoring an older value', async () => {
    const fixture = await refsFixture();
    const { refs, commits, git } = fixture;
    for (let at = 1; at <= 4; at++) refs.create(`${CP}${at}`, commits[0]);
    git('tag', '-a', '-m', 'x', 'tagged', commits[0]);
    git('pack-refs', '--all');
    git('update-ref', `${CP}2`, commits[1]);
    refs.create(`${CP}5`, commits[2]);
    refs.delete([`${CP}2`, `${CP}3`, `${CP}5`, `${CP}99`, 'refs/savepoint']);
    expect(refs.list('refs/savepoint/')).toEqual([1, 4].map((at) => ({ name: `${CP}${at}`, id: commits[0] })));
    expect(showRefs(fixture)).toEqual(refs.list('refs/').map(({ name, id }) => `${name} ${id}`));
    expect(git('rev-parse', 'tagged^{}').trim()).toBe(commits[0]);
    expect(readFileSync(fixture.path('packed-refs'), 'latin1')).toContain('\n^');
    expect(git('fsck', '--full', '--no-dangling')).toBe('');
    refs.delete([]);
    refs.create(`${CP}2`, commits[2]);
    expect(refs.read(`${CP}2`)).toBe(commits[2]);
    expect(existsSync(fixture.path('packed-refs.lock'))).toBe(false);
  });

  test('moves all refs to their new ids at once, loose or packed; a concurrent move by git is an error', async () => {
    const fixture = await refsFixture();
    const { refs, commits, git } = fixture;
    for (let at = 1; at <= 4; at++) refs.create(`${CP}${at}`, commits[0]);
    git('pack-refs', '--all');
    git('update-ref', `${CP}2`, commits[1]);
    refs.moveAll(new Map([[commits[0], commits[2]]]));
    const moved = [commits[2], commits[1], commits[2], commits[2]];
    expect(refs.list(CP)).toEqual(moved.map((id, at) => ({ name: `${CP}${at + 1}`, id })));
    expect(showRefs(fixture)).toEqual(refs.list('refs/').map(({ name, id }) => `${name} ${id}`));

    let done = false;
    const fs = new FaultyFs(nodeFs, {
      at: 1,
      fault: { fail: 'EIO' },
      counts: ({ operation, path }) => {
        // Between the packing, which removes the loose ref, and the move.
        if (!done && operation === 'unlink' && path.endsWith('/cp/5')) done = true;
        else if (done && operation === 'list') writeFileSync(fixture.path(`${CP}5`), `${commits[2]}\n`);
        return false;
      },
    });
    refs.create(`${CP}5`, commits[2]);
    const exists = expect.objectContaining({ name: 'FsError', code: 'EEXIST' });
    const racing = new Refs({ ...fixture.ports, fs }, fixture.folder);
    expect(() => racing.moveAll(new Map([[commits[2], commits[0]]]))).toThrow(exists);
    expect(refs.read(`${CP}1`)).toBe(commits[2]);
    expect(refs.read(`${CP}5`)).toBe(commits[2]);
  });

  test('does not wait: a git process that packs refs is an error, a dead Savepoint process is not', async () => {
    const fixture = await refsFixture();
    const { refs, commits } = fixture;
    refs.create(`${CP}1`, commits[0]);
    const lock = fixture.path('packed-refs.lock');
    writeFileSync(lock, '');
    expect(() => refs.delete([`${CP}1`])).toThrow(expect.objectContaining({ name: 'FsError', code: 'EEXIST' }));
    expect(() => refs.pack()).toThrow(expect.objectContaining({ name: 'FsError', code: 'EEXIST' }));
    expect(refs.read(`${CP}1`)).toBe(commits[0]);
    expect(existsSync(lock)).toBe(true);
    writeFileSync(lock, '# savepoint\n');
    refs.delete([`${CP}1`]);
    expect(refs.list('refs/')).toEqual([]);
    expect(existsSync(lock)).toBe(false);
  });

  test('symbolic refs are followed, cycles only up to a limit', async () => {
    const { refs, commits, git, path } = await refsFixture();
    refs.create(`${CP}1`, commits[0]);
    git('symbolic-ref', 'refs/remotes/origin/HEAD', `${CP}1`);
    expect(refs.read('refs/remotes/origin/HEAD')).toBe(commits[0]);
    expect(refs.list('refs/remotes/')).toEqual([{ name: 'refs/remotes/origin/HEAD', id: commits[0] }]);
    git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/none');
    expect(refs.list('refs/remotes/')).toEqual([]);
    refs.pack();
    expect(existsSync(path('refs/remotes/origin/HEAD'))).toBe(true);
    writeFileSync(path('refs/remotes/origin/HEAD'), 'ref: refs/remotes/origin/HEAD\n');
    expect(() => refs.read('refs/remotes/origin/HEAD')).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
  });

  test('debris is removed, and git never lists it as refs', async () => {
    const fixture = await refsFixture();
    const { refs, commits } = fixture;
    refs.create(`${CP}1`, commits[0]);
    const ours = fixture.path(`${CP}2.0123456789abcdef.lock`);
    const gits = fixture.path(`${CP}3.lock`);
    for (const path of [ours, gits, fixture.path('packed-refs.lock'), fixture.path('packed-refs.new')])
      writeFileSync(path, `${commits[1]}\n`);
    expect(refs.list('refs/')).toHaveLength(1);
    expect(showRefs(fixture)).toHaveLength(1);
    expect(refs.collectDebris()).toBe(1);
    expect(existsSync(gits)).toBe(true);
    const old = new Date(Date.now() - 25 * 60 * 60 * 1000);
    for (const path of [gits, fixture.path('packed-refs.lock'), fixture.path('packed-refs.new')])
      utimesSync(path, old, old);
    writeFileSync(fixture.path('packed-refs.lock'), '# savepoint\n');
    expect(refs.collectDebris()).toBe(3);
    expect(readdirSync(fixture.path(CP))).toEqual(['1']);
    expect(refs.collectDebris()).toBe(0);
  });

  test('files are private', async () => {
    const { refs, commits, path } = await refsFixture();
    refs.create(`${CP}1`, commits[0]);
    expect(statSync(path(`${CP}1`)).mode & 0o777).toBe(0o600);
    expect(statSync(path(CP)).mode & 0o777).toBe(0o700);
    refs.pack();
    expect(statSync(path('packed-refs')).mode & 0o777).toBe(0o600);
  });

  test('without hard links a ref is still created, and still not replaced', async () => {
    const { ports, folder, commits } = await refsFixture();
    const plain = fsWith(nodeFs, {
      hardLink: (_, to) => {
        throw new FsError('EPERM', 'hardLink', to);
      },
    });
    const refs = new Refs({ ...ports, fs: plain }, folder);
    refs.create(`${CP}1`, commits[0]);
    expect(() => refs.create(`${CP}1`, commits[1])).toThrow(expect.objectContaining({ code: 'EEXIST' }));
    expect(refs.list('refs/')).toEqual([{ name: `${CP}1`, id: commits[0] }]);
    expect(refs.collectDebris()).toBe(0);
  });
});

describe('prepared refs', () => {
  test('do not exist before they are created, and leave no file behind', async () => {
    const fixture = await refsFixture();
    const { refs, commits, store } = fixture;
    const prepared = refs.prepare([
      { name: `${CP}1`, id: commits[0] },
      { name: `${CP}2`, id: commits[1] },
    ]);
    expect(prepared.files).toHaveLength(2);
    expect(refs.list('refs/')).toEqual([]);
    expect(showRefs(fixture)).toEqual([]);
    await store.batch().finish(prepared.files);
    refs.create(`${CP}1`, commits[0], prepared);
    expect(refs.list('refs/')).toEqual([{ name: `${CP}1`, id: commits[0] }]);
    prepared.discard();
    expect(readdirSync(fixture.path(CP))).toEqual(['1']);
    expect(showRefs(fixture)).toEqual([`${CP}1 ${commits[0]}`]);
  });

  test('never replace one that was created meanwhile', async () => {
    const fixture = await refsFixture();
    const { refs, commits } = fixture;
    const prepared = refs.prepare([{ name: `${CP}1`, id: commits[0] }]);
    refs.create(`${CP}1`, commits[1]);
    expect(() => refs.create(`${CP}1`, commits[0], prepared)).toThrow(/EEXIST/);
    prepared.discard();
    expect(refs.read(`${CP}1`)).toBe(commits[1]);
    expect(readdirSync(fixture.path(CP))).toEqual(['1']);
  });

  test('leave no file if one of the names is refused', async () => {
    const fixture = await refsFixture();
    const { refs, commits } = fixture;
    const names = [`${CP}1`, 'refs/..'];
    expect(() => refs.prepare(names.map((name) => ({ name, id: commits[0] })))).toThrow(/not a ref's name/);
    expect(readdirSync(fixture.path(CP))).toEqual([]);
  });
});

describe('damaged refs', () => {
  test.each([
    '',
    'x',
    '0123',
    'A'.repeat(40),
    `${'a'.repeat(39)}\n`,
    `${'a'.repeat(41)}\n`,
    `${'a'.repeat(40)} b`,
    'ref: HEAD\n',
    'ref: refs/../x\n',
    '\0'.repeat(41),
  ])('a file that holds %j is damage, and does not hide the others', async (text) => {
    const { refs, commits, path, git } = await refsFixture();
    refs.create(`${CP}1`, commits[0]);
    refs.create(`${CP}2`, commits[1]);
    git('pack-refs', '--all');
    mkdirSync(path(CP), { recursive: true });
    writeFileSync(path(`${CP}1`), text);
    const damage = expect.objectContaining({ code: 'STORE_DAMAGED', data: { file: path(`${CP}1`) } });
    expect(() => refs.read(`${CP}1`)).toThrow(damage);
    expect(() => refs.list(CP)).toThrow(damage);
    expect(refs.listWithDamage(CP)).toEqual({
      refs: [{ name: `${CP}2`, id: commits[1] }],
      damaged: [{ name: `${CP}1`, file: path(`${CP}1`), problem: 'is not a ref' }],
      packed: null,
    });
    refs.pack();
    expect(readFileSync(path(`${CP}1`), 'latin1')).toBe(text);
    refs.delete([`${CP}1`]);
    expect(refs.list(CP)).toEqual([{ name: `${CP}2`, id: commits[1] }]);
  });

  test('a link or a huge file instead of a ref is damage', async () => {
    const { refs, path } = await refsFixture();
    mkdirSync(path(CP), { recursive: true });
    symlinkSync('/dev/zero', path(`${CP}1`));
    expect(() => refs.read(`${CP}1`)).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
    rmSync(path(`${CP}1`));
    writeFileSync(path(`${CP}1`), Buffer.alloc(100_000, 'a'));
    expect(() => refs.read(`${CP}1`)).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
  });

  test('a changed bit in a ref is damage, or names no object', async () => {
    const { refs, commits, path, store } = await refsFixture();
    refs.create(`${CP}1`, commits[0]);
    const file = path(`${CP}1`);
    const bytes = readFileSync(file);
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      writeFileSync(file, changed);
      let id: ObjectId | null;
      try {
        id = refs.read(`${CP}1`);
      } catch (error) {
        expect(error).toMatchObject({ code: 'STORE_DAMAGED', data: { file } });
        continue;
      }
      // Trailing white space has no meaning. A changed digit makes an id that does not exist.
      if (id !== commits[0])
        expect(() => store.read(id as ObjectId)).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
      else expect(bit >> 3).toBe(40);
    }
  });

  test('a changed bit in packed-refs is damage, names no object, or changes a name: no ref gets the value of another', async () => {
    const { refs, commits, path, store, git } = await refsFixture();
    for (let at = 0; at < 3; at++) refs.create(`${CP}${at + 1}`, commits[at] as ObjectId);
    git('tag', '-a', '-m', 'x', 'tagged', commits[0]);
    git('pack-refs', '--all');
    const file = path('packed-refs');
    const bytes = readFileSync(file);
    let found = 0;
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] as number) ^ (1 << (bit & 7));
      writeFileSync(file, changed);
      try {
        for (let at = 0; at < 3; at++) {
          const id = refs.read(`${CP}${at + 1}`);
          if (id === null || id === commits[at]) continue;
          expect(() => store.read(id), `bit ${bit}`).toThrow(expect.objectContaining({ code: 'STORE_DAMAGED' }));
        }
      } catch (error) {
        expect(error).toMatchObject({ code: 'STORE_DAMAGED', data: { file } });
        found++;
      }
    }
    expect(found).toBeGreaterThan(bytes.length);
  });

  test.each([
    ['a cut line', (text: string) => text.slice(0, -1)],
    ['a line twice', (text: string) => `${text}${text.split('\n').at(-2)}\n`],
    [
      'another order',
      (text: string) => `${[...text.split('\n').slice(0, 1), ...text.split('\n').slice(1, -1).reverse()].join('\n')}\n`,
    ],
    ['a comment among the refs', (text: string) => `${text}# more\n`],
    ['a peeled value without its tag', (text: string) => text.replace('\n', `\n^${'a'.repeat(40)}\n`)],
    ['a name that is none', (text: string) => `${text}${'a'.repeat(40)} refs/x/../y\n`],
    ['an empty line', (text: string) => `${text}\n`],
  ])('packed-refs with %s is damage, and nothing is written to it', async (_, change) => {
    const { refs, commits, path, git } = await refsFixture();
    refs.create(`${CP}1`, commits[0]);
    refs.create(`${CP}2`, commits[1]);
    git('pack-refs', '--all');
    refs.create(`${CP}3`, commits[2]);
    writeFileSync(path('packed-refs'), change(readFileSync(path('packed-refs'), 'latin1')));
    const damage = expect.objectContaining({ code: 'STORE_DAMAGED', data: { file: path('packed-refs') } });
    for (const action of [
      () => refs.list(CP),
      () => refs.read(`${CP}1`),
      () => refs.delete([`${CP}1`]),
      () => refs.pack(),
    ]) {
      expect(action).toThrow(damage);
    }
    expect(refs.read(`${CP}3`)).toBe(commits[2]);
    const bytes = readFileSync(path('packed-refs'));
    refs.create(`${CP}4`, commits[0]);
    refs.delete([`${CP}4`]);
    const { refs: listed, packed } = refs.listWithDamage(CP);
    expect(listed).toContainEqual({ name: `${CP}1`, id: commits[0] });
    expect(listed.at(-1)).toEqual({ name: `${CP}3`, id: commits[2] });
    expect(packed).toMatchObject({ file: path('packed-refs') });
    expect(readFileSync(path('packed-refs'))).toEqual(bytes);
    expect(existsSync(path('packed-refs.lock'))).toBe(false);
  });
});

test('a folder or a link instead of packed-refs is damage, and hides no ref', async () => {
  const { refs, commits, path } = await refsFixture();
  refs.create(`${CP}1`, commits[0]);
  for (const put of [() => mkdirSync(path('packed-refs')), () => symlinkSync('HEAD', path('packed-refs'))]) {
    put();
    const damage = expect.objectContaining({ code: 'STORE_DAMAGED', data: { file: path('packed-refs') } });
    expect(() => refs.list(CP)).toThrow(damage);
    expect(refs.listWithDamage(CP).refs).toEqual([{ name: `${CP}1`, id: commits[0] }]);
    rmSync(path('packed-refs'), { recursive: true });
  }
});

describe('isRefName', () => {
  test('accepts nothing that git check-ref-format refuses', () => {
    const { folder } = storeFixture();
    const parts = fc.constantFrom(
      'a',
      'B',
      '1',
      '.',
      '..',
      '/',
      '//',
      '@',
      '@{',
      '{',
      '.lock',
      'lock',
      '-',
      '~',
      '^',
      ':',
      '?',
      '*',
      '[',
      '\\',
      ' ',
      '\x7f',
      '\x01',
      '\xe9',
      'x',
    );
    const names = fc
      .sample(fc.array(parts, { minLength: 1, maxLength: 5 }), { numRuns: 400, seed: 5 })
      .map((each) => `refs/${each.join('')}`);
    let accepted = 0;
    for (const name of names) {
      if (!isRefName(name)) continue;
      accepted++;
      runGit(folder, ['check-ref-format', Buffer.from(name, 'latin1').toString('latin1')]);
    }
    expect(accepted).toBeGreaterThan(40);
    for (const name of ['refs/savepoint/cp/12', 'refs/heads/a.b', 'refs/tags/v1.0-rc@2', 'refs/heads/\xc3\xa9'])
      expect(isRefName(name)).toBe(true);
    for (const name of [
      'HEAD',
      'refs',
      'refs/',
      'refs/a/',
      '/refs/a',
      'refs//a',
      'refs/.a',
      'refs/a.lock/b',
      'refs/a..b',
      '../refs/a',
      'refs/a\n',
      `refs/${'a'.repeat(300)}`,
      'refs/ā',
    ]) {
      expect(isRefName(name), name).toBe(false);
    }
  });

  test('no other name reaches the disk', async () => {
    const { refs, commits } = await refsFixture();
    for (const name of ['../../etc/passwd', 'refs/../config', 'HEAD', 'refs/a b']) {
      for (const action of [() => refs.read(name), () => refs.create(name, commits[0]), () => refs.delete([name])]) {
        expect(action).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
      }
    }
    expect(() => refs.list('')).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
    expect(() => refs.list('refs/../')).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
    expect(() => refs.create(`${CP}1`, 'x' as ObjectId)).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });
});

describe('a crash', () => {
  const FOLDER = '/home/objects.git' as DiskPath;
  const [OLD, NEW, OTHER] = ['1', '2', '3'].map((digit) => digit.repeat(40)) as [ObjectId, ObjectId, ObjectId];

  function begin(): SimDisk {
    const disk = new SimDisk();
    disk.makeFolder('/home' as DiskPath, 0o700);
    ObjectStore.create(simPorts(disk), FOLDER);
    const refs = new Refs(simPorts(disk), FOLDER);
    refs.create(`${CP}1`, OLD);
    refs.create(`${CP}2`, OLD);
    refs.pack();
    // A loose value over a packed one, as git leaves it.
    disk.makeFolder(`${FOLDER}/refs/x` as DiskPath, 0o700);
    const fd = disk.openNew(`${FOLDER}/${CP}2` as DiskPath, 0o600);
    disk.write(fd, Buffer.from(`${NEW}\n`), 0);
    disk.close(fd);
    refs.create(`${CP}3`, OTHER);
    disk.makeDurable();
    return disk;
  }

  const actions: readonly (readonly [
    string,
    (ports: Ports) => void,
    Readonly<Record<string, readonly (ObjectId | null)[]>>,
    Readonly<Record<string, ObjectId | null>>,
  ])[] = [
    [
      'while a ref is created',
      (ports) => new Refs(ports, FOLDER).create('refs/savepoint/new/4', NEW),
      { [`${CP}1`]: [OLD], [`${CP}2`]: [NEW], [`${CP}3`]: [OTHER], 'refs/savepoint/new/4': [null, NEW] },
      { 'refs/savepoint/new/4': NEW },
    ],
    [
      'while refs are deleted',
      (ports) => new Refs(ports, FOLDER).delete([`${CP}1`, `${CP}2`, `${CP}3`]),
      { [`${CP}1`]: [OLD, null], [`${CP}2`]: [NEW, null], [`${CP}3`]: [OTHER, null] },
      { [`${CP}1`]: null, [`${CP}2`]: null, [`${CP}3`]: null },
    ],
    [
      'while refs are packed',
      (ports) => new Refs(ports, FOLDER).pack(),
      { [`${CP}1`]: [OLD], [`${CP}2`]: [NEW], [`${CP}3`]: [OTHER] },
      { [`${CP}2`]: NEW },
    ],
  ];

  function expectSound(disk: SimDisk, during: Readonly<Record<string, readonly (ObjectId | null)[]>>): void {
    const refs = new Refs(simPorts(disk, { seed: 8 }), FOLDER);
    for (const [name, values] of Object.entries(during)) expect(values).toContain(refs.read(name));
    refs.collectDebris();
    for (const [name, values] of Object.entries(during)) expect(values).toContain(refs.read(name));
    refs.list('refs/');
    expect(disk.list(`${FOLDER}/${CP}` as DiskPath).filter((name) => name.includes('.'))).toEqual([]);
    expect(disk.list(FOLDER).filter((name) => /^packed-refs\./.test(name))).toEqual([]);
  }

  test.each(actions)(
    '%s leaves every ref with its old or its new value, and completed changes stay',
    (_, action, during, after) => {
      for (const model of ['any-subset', 'prefix'] as const) {
        const disk = begin();
        let states = 0;
        disk.onCall = () => {
          for (const state of disk.crashStates(model, 500, seededRandom(disk.calls))) {
            states++;
            expectSound(state, during);
          }
        };
        action(simPorts(disk));
        disk.onCall = null;
        expect(states).toBeGreaterThan(8);
        for (const state of disk.crashStates(model, 500, seededRandom(1))) {
          expectSound(state, during);
          const refs = new Refs(simPorts(state), FOLDER);
          for (const [name, id] of Object.entries(after)) expect(refs.read(name)).toBe(id);
        }
      }
    },
  );

  test.each(actions)('of the process %s: the next one does the same and succeeds', (_, action, during, after) => {
    for (let at = 1; ; at++) {
      const disk = begin();
      const fs = new FaultyFs(disk, { at, fault: { die: dieByThrowing }, torn: at % 2 === 0 });
      try {
        action(simPorts(fs));
      } catch (error) {
        if (!(error instanceof ProcessDied)) throw error;
      }
      const next = disk.afterProcessDeath();
      expectSound(next, during);
      try {
        action(simPorts(next, { seed: 5 }));
      } catch (error) {
        if (!isFsError(error, 'EEXIST')) throw error;
      }
      const refs = new Refs(simPorts(next), FOLDER);
      for (const [name, id] of Object.entries(after)) expect(refs.read(name)).toBe(id);
      if (!fs.hit) break;
    }
  });

  test.each(actions)(
    'an error %s: every ref has its old or its new value, and success is reported only if it succeeded',
    (_, action, during, after) => {
      for (const sticky of [false, true]) {
        for (let at = 1; ; at++) {
          const disk = begin();
          const fs = new FaultyFs(disk, { at, fault: { fail: 'EIO', sticky } });
          let done = false;
          try {
            action(simPorts(fs));
            done = true;
          } catch (error) {
            // A file that cannot be read counts as damaged.
            if (!isFsError(error, 'EIO') && !isDamage(error)) throw error;
          }
          const refs = new Refs(simPorts(disk), FOLDER);
          if (done) for (const [name, id] of Object.entries(after)) expect(refs.read(name)).toBe(id);
          expectSound(disk, during);
          if (!fs.hit) break;
        }
      }
    },
  );

  test('of a process, then of the machine: the changes of the next process are durable', () => {
    const [first, second] = ['refs/savepoint/new/deep/1', 'refs/savepoint/new/deep/2'] as const;
    for (let at = 1; ; at++) {
      const disk = begin();
      const fs = new FaultyFs(disk, { at, fault: { die: dieByThrowing } });
      try {
        new Refs(simPorts(fs), FOLDER).create(first, NEW);
      } catch (error) {
        if (!(error instanceof ProcessDied)) throw error;
      }
      const creating = disk.afterProcessDeath();
      new Refs(simPorts(creating, { seed: 5 }), FOLDER).create(second, OTHER);
      for (const state of creating.crashStates('any-subset', 200, seededRandom(at))) {
        expect(new Refs(simPorts(state), FOLDER).read(second), `at ${at}`).toBe(OTHER);
      }
      const again = disk.afterProcessDeath();
      try {
        new Refs(simPorts(again, { seed: 6 }), FOLDER).create(first, NEW);
      } catch (error) {
        if (!isFsError(error, 'EEXIST')) throw error;
      }
      const tidying = disk.afterProcessDeath();
      const refs = new Refs(simPorts(tidying, { seed: 7 }), FOLDER);
      refs.collectDebris();
      const seen = refs.read(first);
      for (const [crashed, value] of [
        [again, NEW],
        [tidying, seen],
      ] as const) {
        for (const state of crashed.crashStates('any-subset', 200, seededRandom(at))) {
          expect(new Refs(simPorts(state), FOLDER).read(first), `at ${at}`).toBe(value);
        }
      }
      if (!fs.hit) break;
    }
  });

  test('of a process that deletes, then of the machine: refs that the next one deleted stay deleted', () => {
    for (let at = 1; ; at++) {
      const disk = begin();
      const fs = new FaultyFs(disk, { at, fault: { die: dieByThrowing } });
      try {
        new Refs(simPorts(fs), FOLDER).delete([`${CP}1`, `${CP}2`]);
      } catch (error) {
        if (!(error instanceof ProcessDied)) throw error;
      }
      const next = disk.afterProcessDeath();
      const refs = new Refs(simPorts(next, { seed: 5 }), FOLDER);
      refs.collectDebris();
      refs.delete([`${CP}1`, `${CP}2`]);
      for (const state of next.crashStates('any-subset', 100, seededRandom(at))) {
        const later = new Refs(simPorts(state), FOLDER);
        for (const name of [`${CP}1`, `${CP}2`]) expect(later.read(name), `at ${at}`).toBeNull();
      }
      if (!fs.hit) break;
    }
  });

  test('while an existing packed ref is refused: it keeps its value', () => {
    // With 0 it is packed from the start; otherwise a git process packs it before the nth call.
    for (let at = 0, calls = 0; ; at++) {
      const disk = begin();
      const packed = `${FOLDER}/packed-refs` as DiskPath;
      const name = at === 0 ? `${CP}1` : `${CP}9`;
      const states: SimDisk[] = [];
      calls = 0;
      const collect = (): void => {
        states.push(...disk.crashStates('any-subset', 20, seededRandom(calls)), disk.afterProcessDeath());
      };
      disk.onCall = () => {
        const { onCall } = disk;
        disk.onCall = null;
        if (++calls === at) {
          disk.unlink(packed);
          const file = disk.openNew(packed, 0o600);
          disk.write(file, Buffer.from(`# pack-refs with: peeled fully-peeled sorted \n${OLD} ${name}\n`), 0);
          disk.sync(file);
          disk.close(file);
          const folder = disk.openFolder(FOLDER);
          disk.sync(folder);
          disk.close(folder);
        }
        if (calls >= at) collect();
        disk.onCall = onCall;
      };
      try {
        new Refs(simPorts(disk), FOLDER).create(name, NEW);
        expect(at).toBe(calls + 1); // everything was finished by then
        break;
      } catch (error) {
        if (!isFsError(error, 'EEXIST')) throw error;
      }
      disk.onCall = null;
      states.length = at === 0 ? states.length : 0;
      collect();
      for (const state of states) expect(new Refs(simPorts(state), FOLDER).read(name), `at ${at}`).toBe(OLD);
    }
  });
});
