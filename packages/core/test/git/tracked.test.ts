import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { FaultyFs, GIT_ENV, git, seededRandom, testEffort, world } from '@savepoint/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type IndexReading, readIndex, type TrackedPaths } from '../../src/git/tracked.ts';
import { nodeFs } from '../../src/io/node/fs.ts';
import { bytesFromText, type DiskPath, type TreePath } from '../../src/model/names.ts';

/** Number of damaged indexes of each kind that are read. */
const DAMAGES = testEffort({ quick: 120, ci: 600, long: 600 });

type Format = 'sha1' | 'sha256';
const path = (text: string): TreePath => text as TreePath;
const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

function repository(format: Format = 'sha1'): string {
  const { workspace } = world(onTestFinished);
  git(workspace, 'init', '-q', `--object-format=${format}`);
  return workspace;
}

function read(folder: string, format: Format = 'sha1'): IndexReading {
  return readIndex(nodeFs, bytesFromText(`${folder}/.git`) as DiskPath, format);
}

function tracked(folder: string, format: Format = 'sha1'): TrackedPaths {
  const reading = read(folder, format);
  expect(reading.problem).toBeNull();
  return reading.tracked;
}

function put(folder: string, name: string, content = name): void {
  const cut = name.lastIndexOf('/');
  if (cut > 0) mkdirSync(bytes(`${folder}/${name.slice(0, cut)}`), { recursive: true });
  writeFileSync(bytes(`${folder}/${name}`), content);
}

/** What git reports: mode, id, stage and path of every entry. */
function listed(folder: string): string[] {
  return git(folder, 'ls-files', '--stage', '-z').split('\0').slice(0, -1);
}

function asListed(index: TrackedPaths): string[] {
  return [...index.entries()].map((entry) => {
    return `${entry.mode.toString(8).padStart(6, '0')} ${entry.id} ${entry.stage}\t${entry.path}`;
  });
}

const NAMES = [
  'a',
  'b.txt',
  'dir/c',
  'dir/deeper/d',
  'dir-e',
  'dir.f',
  'dir0',
  'caf\xe9',
  'caf\xc3\xa9/x',
  'new\nline',
  'z z',
];

describe('what git writes', () => {
  const cases = ([2, 3, 4] as const).flatMap((version) =>
    (['sha1', 'sha256'] as const).flatMap((format) => [false, true].map((split) => ({ version, format, split }))),
  );

  test.skipIf(process.platform !== 'linux').each(cases)(
    'version $version, $format, split $split',
    ({ version, format, split }) => {
      const folder = repository(format);
      git(folder, 'config', 'index.version', String(version));
      // Without this, git writes a new shared index as soon as many entries differ.
      git(folder, 'config', 'splitIndex.maxPercentChange', '100');
      for (const name of NAMES) put(folder, name);
      put(folder, 'script');
      chmodSync(`${folder}/script`, 0o755);
      symlinkSync('a', `${folder}/symbolic`);
      git(folder, 'add', '-A');
      if (split) {
        git(folder, 'update-index', '--split-index');
        expect(readdirSync(`${folder}/.git`).some((name) => name.startsWith('sharedindex.'))).toBe(true);
      }
      // Deleted, replaced, added at the start, in the middle and at the end, and a file in place of a folder.
      git(folder, 'rm', '-q', '-r', '--cached', 'b.txt', 'dir/deeper');
      put(folder, 'a', 'new content');
      put(folder, 'z z', 'other content');
      for (const name of ['A', 'dir/c2', 'zz', 'm/n']) put(folder, name);
      git(folder, 'add', 'a', 'z z', 'A', 'dir/c2', 'zz', 'm/n');
      put(folder, 'intended');
      git(folder, 'add', '-N', 'intended');
      git(folder, 'update-index', '--assume-unchanged', 'zz');
      git(folder, 'update-index', '--skip-worktree', 'A');

      const file = readFileSync(`${folder}/.git/index`);
      expect(file.readUInt32BE(4)).toBe(version === 2 ? 3 : version);
      expect(file.includes('link')).toBe(split);
      const index = tracked(folder, format);
      expect(asListed(index)).toEqual(listed(folder));
      expect(index.count).toBe(listed(folder).length);
      for (const entry of index.entries()) {
        expect(index.has(entry.path)).toBe(true);
        expect(index.entry(entry.path)).toEqual(entry);
        const flags = [entry.assumeUnchanged, entry.skipWorktree, entry.intentToAdd];
        expect(flags, entry.path).toEqual([entry.path === 'zz', entry.path === 'A', entry.path === 'intended']);
      }
      const stat = lstatSync(`${folder}/zz`, { bigint: true });
      expect(index.entry(path('zz'))).toMatchObject({
        size: Number(stat.size),
        inode: Number(stat.ino & 0xffffffffn),
        mtime: { seconds: Number(stat.mtimeNs / 10n ** 9n), nanoseconds: Number(stat.mtimeNs % 10n ** 9n) },
        ctime: { seconds: Number(stat.ctimeNs / 10n ** 9n), nanoseconds: Number(stat.ctimeNs % 10n ** 9n) },
      });
    },
  );

  test('version 2 has no flags of later versions', () => {
    const folder = repository();
    put(folder, 'a');
    git(folder, 'add', '-A');
    expect(readFileSync(`${folder}/.git/index`).readUInt32BE(4)).toBe(2);
    expect(asListed(tracked(folder))).toEqual(listed(folder));
  });

  test.each([2, 4])('random trees, version %i, changed step by step over a split index', (version) => {
    const seed = 31 + version;
    const random = seededRandom(seed);
    const folder = repository();
    git(folder, 'config', 'index.version', String(version));
    git(folder, 'config', 'splitIndex.maxPercentChange', '100');
    for (let round = 0; round < testEffort({ quick: 8, ci: 25, long: 25 }); round++) {
      const info = Array.from({ length: 1 + random.integer(12) }, () => {
        const depth = 1 + random.integer(3);
        const name = Array.from({ length: depth }, () => random.pick(['a', 'b', 'ab', 'c.d', 'x-y'])).join('/');
        const mode = random.integer(3) === 0 ? '0' : random.pick(['100644', '100755', '120000']);
        return `${mode} ${random.hex(20)}\t${name}\0`;
      });
      const env = { ...process.env, ...GIT_ENV };
      execFileSync('git', ['update-index', '-z', '--replace', '--index-info'], {
        cwd: folder,
        env,
        input: info.join(''),
      });
      if (round === 3) git(folder, 'update-index', '--split-index');
      expect(asListed(tracked(folder)), `seed ${seed}, round ${round}`).toEqual(listed(folder));
    }
    expect(readFileSync(`${folder}/.git/index`).includes('link')).toBe(true);
  });

  test('a conflict has an entry per side', () => {
    const folder = repository();
    put(folder, 'f', 'base\n');
    put(folder, 'g', 'g');
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '-m', 'base');
    git(folder, 'checkout', '-q', '-b', 'side');
    put(folder, 'f', 'side\n');
    git(folder, 'commit', '-q', '-a', '-m', 'side');
    git(folder, 'checkout', '-q', '-');
    put(folder, 'f', 'main\n');
    git(folder, 'commit', '-q', '-a', '-m', 'main');
    expect(() => git(folder, 'merge', 'side')).toThrow();
    const index = tracked(folder);
    expect(asListed(index)).toEqual(listed(folder));
    expect([...index.entries()].map(({ stage }) => stage)).toEqual([1, 2, 3, 0]);
    expect([index.has(path('f')), index.entry(path('f'))?.stage]).toEqual([true, 1]);
  });

  test('a path too long for its length field ends at its NUL', () => {
    for (const version of ['2', '4']) {
      const folder = repository();
      git(folder, 'config', 'index.version', version);
      const long = `d/${'x'.repeat(5000)}`;
      const info = ['a', long, `${long}y`, 'z'].map((name) => `100644 ${'1'.repeat(40)}\t${name}\n`).join('');
      execFileSync('git', ['update-index', '--index-info'], {
        cwd: folder,
        env: { ...process.env, ...GIT_ENV },
        input: info,
      });
      expect(asListed(tracked(folder))).toEqual(listed(folder));
    }
  });

  test('a sparse index keeps folders apart, and what is below them may be tracked', () => {
    const folder = repository();
    for (const name of ['in/a', 'out/b', 'out/deep/c', 'top', 'outer/d']) put(folder, name);
    git(folder, 'add', '-A');
    git(folder, 'commit', '-q', '-m', 'all');
    git(folder, 'sparse-checkout', 'init', '--cone', '--sparse-index');
    git(folder, 'sparse-checkout', 'set', 'in');
    const index = tracked(folder);
    expect(index.sparseFolders).toEqual(['out', 'outer']);
    expect([...index.entries()].map((entry) => entry.path)).toEqual(['in/a', 'top']);
    expect(index.count).toBe(2);
    expect(['in/a', 'in/x', 'out', 'out/b', 'out/any', 'ou', 'outer/x'].map((name) => index.has(path(name)))).toEqual([
      true,
      false,
      false,
      true,
      true,
      false,
      true,
    ]);
    expect(['in', 'out', 'out/deep', 'ou', ''].map((name) => index.hasBelow(path(name)))).toEqual([
      true,
      true,
      true,
      false,
      true,
    ]);
  });

  test('a submodule is an entry, and the folder counts as tracked', () => {
    const folder = repository();
    put(folder, 'a');
    git(folder, 'add', '-A');
    git(folder, 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},libs/sub`);
    const index = tracked(folder);
    expect(index.entry(path('libs/sub'))?.mode).toBe(0o160000);
    expect(['libs', 'libs/sub', 'libs/su', 'libs/sub/x'].map((name) => index.hasBelow(path(name)))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test('an index written without checksum', () => {
    const folder = repository();
    put(folder, 'a');
    git(folder, 'add', '-A');
    const file = readFileSync(`${folder}/.git/index`);
    writeFileSync(`${folder}/.git/index`, file.fill(0, file.length - 20));
    expect(asListed(tracked(folder))).toEqual(listed(folder));
  });
});

describe('lookups', () => {
  test('has and hasBelow go by components, not by prefixes', () => {
    const folder = repository();
    for (const name of NAMES.slice(0, 7)) put(folder, name);
    git(folder, 'add', '-A');
    const index = tracked(folder);
    expect(['a', 'dir', 'dir/', 'dir/c', 'dir/deeper', 'b', 'b.txt', ''].map((name) => index.has(path(name)))).toEqual([
      true,
      false,
      false,
      true,
      false,
      false,
      true,
      false,
    ]);
    expect(['dir', 'dir/deeper', 'di', 'dir/c', 'dir/x', 'a', ''].map((name) => index.hasBelow(path(name)))).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
      true,
    ]);
    expect(index.entry(path('dir'))).toBeNull();
  });

  test('no index tracks nothing', () => {
    const index = tracked(repository());
    expect([index.has(path('a')), index.hasBelow(path('')), index.count, [...index.entries()]]).toEqual([
      false,
      false,
      0,
      [],
    ]);
  });

  test('fifty thousand entries', () => {
    const folder = repository();
    git(folder, 'config', 'index.version', '4');
    const names = Array.from({ length: 50_000 }, (_, at) => `packages/p${at % 250}/src/folder${at % 7}/file${at}.ts`);
    const info = names.map((name) => `100644 ${'1'.repeat(40)}\t${name}\n`).join('');
    execFileSync('git', ['update-index', '--index-info'], {
      cwd: folder,
      env: { ...process.env, ...GIT_ENV },
      input: info,
    });
    const index = tracked(folder);
    expect(index.count).toBe(50_000);
    expect(names.every((name) => index.has(path(name)))).toBe(true);
    expect(names.some((name) => index.has(path(`${name}x`)))).toBe(false);
    expect(index.hasBelow(path('packages/p17/src/folder3'))).toBe(true);
    expect(index.hasBelow(path('packages/p17/src/folder'))).toBe(false);
  });
});

describe('what cannot be read', () => {
  const NOT_KNOWN = [true, false, 0];
  const unknown = ({ tracked: index }: IndexReading): unknown[] => [
    index.has(path('x')),
    index.hasBelow(path('x')),
    index.count,
  ];

  function prepared(version = 2, split = false): { folder: string; file: Buffer; put(changed: Buffer): IndexReading } {
    const folder = repository();
    git(folder, 'config', 'index.version', String(version));
    for (const name of NAMES.slice(0, 7)) put(folder, name);
    git(folder, 'add', '-A');
    if (split) {
      git(folder, 'update-index', '--split-index');
      put(folder, 'new');
      put(folder, 'a', 'changed');
      git(folder, 'add', 'new', 'a');
      git(folder, 'rm', '-q', '--cached', 'dir0');
    }
    const at = `${folder}/.git/index`;
    return {
      folder,
      file: readFileSync(at),
      put(changed) {
        writeFileSync(at, changed);
        return read(folder);
      },
    };
  }

  test('every flipped bit is detected, and the index is then unknown', () => {
    const { file, put: write } = prepared();
    for (let at = 0; at < file.length; at++) {
      const changed = Buffer.from(file);
      changed[at] = (changed[at] as number) ^ (1 << (at % 8));
      const reading = write(changed);
      expect(reading.problem?.why, `byte ${at}`).toMatch(/damaged|unsupported/);
      expect(unknown(reading)).toEqual(NOT_KNOWN);
    }
  });

  test('every truncation is detected', () => {
    const { file, put: write } = prepared();
    for (let length = 0; length < file.length; length++) {
      expect(write(file.subarray(0, length)).problem?.why, `${length} bytes`).toBe('damaged');
    }
  });

  test.each([
    [2, false],
    [4, false],
    [2, true],
    [4, true],
  ])(
    'a hostile index with a right checksum, version %i, split %s, is a problem or an index, never an error',
    (version, split) => {
      const seed = 5_000 + version;
      const random = seededRandom(seed);
      const { file, put: write } = prepared(version, split);
      let problems = 0;
      for (let round = 0; round < DAMAGES; round++) {
        const body = Buffer.from(file.subarray(0, -20));
        for (let changes = 1 + random.integer(3); changes > 0; changes--) {
          const at = 8 + random.integer(body.length - 8);
          if (random.integer(3) === 0)
            body.writeUInt32BE(random.pick([0, 1, 0x7fffffff, 0xffffffff, 0x80000000]), Math.min(at, body.length - 4));
          else body[at] = random.integer(256);
        }
        const cut = random.integer(4) === 0 ? body.subarray(0, 12 + random.integer(body.length - 12)) : body;
        const reading = write(Buffer.concat([cut, createHash('sha1').update(cut).digest()]));
        if (reading.problem !== null) problems += 1;
        for (const entry of reading.tracked.entries())
          expect(entry.path, `seed ${seed}, round ${round}`).not.toMatch(/^\/|\/$|\/\/|\0|^$/);
      }
      expect(problems).toBeGreaterThan(DAMAGES / 7.5);
    },
  );

  test('paths that git refuses make the index damaged', () => {
    const folder = repository();
    put(folder, 'aa/bb');
    git(folder, 'add', '-A');
    const file = readFileSync(`${folder}/.git/index`);
    const withPath = (name: string): IndexReading => {
      const body = Buffer.from(file.subarray(0, -20));
      body.write(name, body.indexOf('aa/bb\0'), 'latin1');
      writeFileSync(`${folder}/.git/index`, Buffer.concat([body, createHash('sha1').update(body).digest()]));
      return read(folder);
    };
    expect(withPath('.a/.b').problem).toBeNull();
    for (const bad of ['../bb', 'aa/..', './abb', 'aab/.', 'a//bb', '/aabb', 'aabb/', 'a\0/bb', 'a/../', 'a/./b']) {
      expect(withPath(bad).problem, bad).toMatchObject({ why: 'damaged' });
    }
  });

  test('a version 4 index of few bytes cannot stand for gigabytes of paths', () => {
    const { put: write } = prepared();
    const count = 60_000;
    const entry = (shared: string, suffix: string): Buffer => {
      const numbers = Buffer.alloc(62);
      numbers.writeUInt16BE(0xfff, 60);
      return Buffer.concat([numbers, bytes(`${shared}${suffix}\0`)]);
    };
    const first = entry('\0', `${'x'.repeat(16_000)}00000000`);
    const rest = Array.from({ length: count - 1 }, (_, at) => entry('\x08', String(at + 1).padStart(8, '0')));
    const header = Buffer.from('DIRC\0\0\0\x04\0\0\0\0', 'latin1');
    header.writeUInt32BE(count, 8);
    const body = Buffer.concat([header, first, ...rest]);
    const reading = write(Buffer.concat([body, Buffer.alloc(20)]));
    expect(reading.problem).toMatchObject({ why: 'damaged', detail: 'the paths are too long' });
  });

  test('bitmaps of a split index that claim billions of entries', () => {
    const { file, put: write } = prepared(2, true);
    const at = file.indexOf('link');
    const size = file.readUInt32BE(at + 4);
    const bitmap = (words: bigint[], bitCount: number): Buffer => {
      const out = Buffer.alloc(8 + words.length * 8 + 4);
      out.writeUInt32BE(bitCount, 0);
      out.writeUInt32BE(words.length, 4);
      words.forEach((word, index) => {
        out.writeBigUInt64BE(word, 8 + index * 8);
      });
      return out;
    };
    const allOnes = 1n | (0xffffffffn << 1n);
    for (const bitCount of [0xffffffff, 4_000_000, 64]) {
      const link = Buffer.concat([file.subarray(at + 8, at + 28), bitmap([allOnes], bitCount), bitmap([], 0)]);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(link.length);
      const tail = file.subarray(at + 8 + size, -20);
      const body = Buffer.concat([file.subarray(0, at + 4), length, link, tail]);
      const reading = write(Buffer.concat([body, createHash('sha1').update(body).digest()]));
      expect(reading.problem?.why).toBe('damaged');
    }
  });

  test('the shared index is missing, a different one, or damaged', () => {
    const { folder, file, put: write } = prepared(2, true);
    expect(write(file).problem).toBeNull();
    const shared = `${folder}/.git/${readdirSync(`${folder}/.git`).find((name) => name.startsWith('sharedindex.'))}`;
    const whole = readFileSync(shared);
    const changed = Buffer.from(whole);
    changed[40] = 255;
    writeFileSync(shared, changed);
    expect(read(folder).problem).toMatchObject({ why: 'damaged', path: shared });
    const another = Buffer.concat([
      changed.subarray(0, -20),
      createHash('sha1').update(changed.subarray(0, -20)).digest(),
    ]);
    writeFileSync(shared, another);
    expect(read(folder).problem).toMatchObject({ why: 'damaged', path: shared });
    rmSync(shared);
    expect(read(folder).problem?.detail).toMatch(/missing/);
    expect(unknown(read(folder))).toEqual(NOT_KNOWN);
  });

  test('an unknown mandatory extension', () => {
    const { file, put: write } = prepared();
    const extension = Buffer.from('what\0\0\0\x01x', 'latin1');
    const body = Buffer.concat([file.subarray(0, -20), extension]);
    const reading = write(Buffer.concat([body, createHash('sha1').update(body).digest()]));
    expect(reading.problem).toMatchObject({ why: 'unsupported' });
    extension.write('WHAT');
    const skipped = Buffer.concat([file.subarray(0, -20), extension]);
    expect(write(Buffer.concat([skipped, createHash('sha1').update(skipped).digest()])).problem).toBeNull();
  });

  test('the other hash is a damaged index, not a wrong one', () => {
    const { folder } = prepared();
    expect(read(folder, 'sha256').problem?.why).toBe('damaged');
  });

  test('not a regular file, or one over the limit', () => {
    const { folder } = prepared();
    const at = `${folder}/.git/index`;
    truncateSync(at, 300 * 1024 * 1024);
    expect(read(folder).problem?.why).toBe('too-large');
    rmSync(at);
    mkdirSync(at);
    expect(read(folder).problem?.why).toBe('damaged');
    rmSync(at, { recursive: true });
    symlinkSync('HEAD', at);
    expect(read(folder).problem?.why).toBe('damaged');
    if (process.platform === 'win32') return;
    rmSync(at);
    execFileSync('mkfifo', [at]);
    expect(read(folder).problem?.why).toBe('damaged');
  });

  test('a failing file-system call is reported as a problem', () => {
    const { folder } = prepared();
    let failed = 0;
    for (let at = 1; at < 20; at++) {
      const fs = new FaultyFs(nodeFs, { at, fault: { fail: 'EIO' } });
      const reading = readIndex(fs, bytesFromText(`${folder}/.git`) as DiskPath, 'sha1');
      if (reading.problem === null) continue;
      failed += 1;
      expect([reading.problem.why, ...unknown(reading)]).toEqual(['unreadable', ...NOT_KNOWN]);
    }
    expect(failed).toBeGreaterThan(2);
  });
});
