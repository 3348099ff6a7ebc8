import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import zlib from 'node:zlib';
import { seededRandom, testEffort } from '@savepoint/testkit';
import { describe, expect, test } from 'vitest';
import { failure } from '../failure.ts';
import { disk, everything, Machine, smallBundle } from './bundle-world.ts';
import {
  type Entry,
  forge,
  forgedRecord,
  idOf,
  longer,
  Pack,
  partsOf,
  signed,
  treeOf,
  writeBundle,
  zeros,
} from './forged-bundle.ts';

/** Bundles that are too large when unpacked, truncated, damaged, or crafted to mislead. None may have any effect. */

const folder = (name: string, id: string): Entry => ({ mode: '40000', name, id });
const file = (name: string, id: string): Entry => ({ mode: '100644', name, id });
const A_ROOT = { path: '', kind: 'repository', branch: null, commit: null, operation: null };

async function refusedFor(machine: Machine, bundle: string, why: RegExp): Promise<void> {
  const before = machine.state();
  const error = await failure(machine.restore(bundle));
  expect(`${error.code}: ${error.message}`).toMatch(why);
  expect(error.code).toBe('BUNDLE_REFUSED');
  expect(machine.state()).toBe(before);
}

function bundle(machine: Machine, pack: Pack, tip: string, count?: number): string {
  return writeBundle(machine.at('forged.bundle'), tip, pack.bytes(count));
}

describe('bombs', () => {
  test('a gibibyte of zeros in a megabyte', async () => {
    const machine = new Machine();
    const pack = new Pack();
    const stream = zeros(1024);
    expect(stream.length).toBeLessThan(1.2 * 1024 * 1024);
    pack.stream('blob', 1 << 30, stream);
    const files = pack.add('tree', treeOf([file('zeros', '1'.repeat(40))]));
    await refusedFor(machine, bundle(machine, pack, forge(pack, { files })), /object of 1073741824 bytes/);
  });

  test('an object with a too small declared size', async () => {
    const machine = new Machine();
    for (const size of [10, 20 * 1024 * 1024]) {
      const pack = new Pack();
      pack.stream('blob', size, zeros(64));
      const files = pack.add('tree', treeOf([file('zeros', '1'.repeat(40))]));
      await refusedFor(machine, bundle(machine, pack, forge(pack, { files })), /inflates to more than its/);
    }
  });

  test('an object with a too large declared size', async () => {
    const machine = new Machine();
    const pack = new Pack();
    pack.stream('blob', 500 * 1024 * 1024, zlib.deflateSync(Buffer.from('nothing')));
    await refusedFor(machine, bundle(machine, pack, '1'.repeat(40)), /cannot hold 524288000 bytes/);
  });

  test('nine objects that are a hundred million files', async () => {
    const machine = new Machine();
    const pack = new Pack();
    let inner = pack.add('blob', Buffer.from('x'));
    let entry = file;
    for (let level = 0; level < 8; level++) {
      inner = pack.add('tree', treeOf(Array.from({ length: 10 }, (_, n) => entry(`d${n}`, inner))));
      entry = folder;
    }
    await refusedFor(machine, bundle(machine, pack, forge(pack, { files: inner })), /expands to \d{7} paths/);
  });

  test('few files that exceed any disk', async () => {
    const machine = new Machine();
    const pack = new Pack();
    const data = Buffer.alloc(1 << 20);
    let inner = pack.add('blob', data);
    let entry = file;
    for (let level = 0; level < 5; level++) {
      inner = pack.add('tree', treeOf(Array.from({ length: 10 }, (_, n) => entry(`d${n}`, inner))));
      entry = folder;
    }
    await refusedFor(machine, bundle(machine, pack, forge(pack, { files: inner })), /expands to \d+ bytes/);
  });

  test('nested folders, and paths that are too long', async () => {
    const machine = new Machine();
    const deep = new Pack();
    let inner = deep.add('tree', treeOf([file('x', deep.add('blob', Buffer.from('x')))]));
    for (let level = 0; level < 20_000; level++) inner = deep.add('tree', treeOf([folder('d', inner)]));
    await refusedFor(machine, bundle(machine, deep, forge(deep, { files: inner })), /folders \d+ deep/);
    const long = new Pack();
    inner = long.add('tree', treeOf([file('x', long.add('blob', Buffer.from('x')))]));
    for (let level = 0; level < 18; level++) inner = long.add('tree', treeOf([folder('d'.repeat(240), inner)]));
    await refusedFor(machine, bundle(machine, long, forge(long, { files: inner })), /a path of \d+ bytes/);
    // The subtree is first checked where its path is short enough, then reached again through a longer path.
    const twice = new Pack();
    inner = twice.add('tree', treeOf([file('x', twice.add('blob', Buffer.from('x')))]));
    for (let level = 0; level < 10; level++) inner = twice.add('tree', treeOf([folder('d'.repeat(240), inner)]));
    let around = inner;
    for (let level = 0; level < 10; level++) around = twice.add('tree', treeOf([folder('e'.repeat(240), around)]));
    const files = twice.add('tree', treeOf([folder('a', inner), folder('b', around)]));
    await refusedFor(machine, bundle(machine, twice, forge(twice, { files })), /a path of \d+ bytes/);
  });

  test('deltas on deltas', async () => {
    const machine = new Machine();
    const pack = new Pack();
    let data = Buffer.from('base');
    let at = pack.length;
    pack.add('blob', data);
    for (let depth = 0; depth < 51; depth++) {
      const delta = longer(data, Buffer.from('x'));
      const next = pack.offsetDelta(pack.length - at, delta);
      data = Buffer.concat([data, Buffer.from('x')]);
      at = next;
    }
    const files = pack.add('tree', treeOf([file('a', idOf('blob', data))]));
    await refusedFor(machine, bundle(machine, pack, forge(pack, { files })), /a chain of more than 50 deltas/);
  });

  test('deltas that declare a too large result, or copy beyond their base', async () => {
    const machine = new Machine();
    const base = Buffer.from('base');
    for (const [delta, why] of [
      [longer(base, Buffer.from('x'), 1 << 30), /object of 1073741824 bytes/],
      [longer(base, Buffer.from('x'), 9), /has another size/],
      [longer(Buffer.from('another base'), Buffer.from('x')), /against another object/],
      [Buffer.of(4, 4, 0x90, 200), /copies from beyond the end/],
      [Buffer.of(4, 4, 0), /unknown instruction/],
    ] as const) {
      const pack = new Pack();
      const id = pack.add('blob', base);
      pack.keyDelta(id, delta);
      await refusedFor(machine, bundle(machine, pack, '1'.repeat(40)), why);
    }
  });

  test('a wrong object count', async () => {
    const machine = new Machine();
    const pack = new Pack();
    const tip = forge(pack, { files: pack.add('tree', Buffer.alloc(0)) });
    await refusedFor(machine, bundle(machine, pack, tip, 0xffffffff), /says that it has 4294967295 objects/);
    await refusedFor(machine, bundle(machine, pack, tip, 400), /at byte/);
    await refusedFor(machine, bundle(machine, pack, tip, 2), /bytes after its last object/);
  });
});

describe('valid deltas', () => {
  test('of both kinds, in chains, are read', async () => {
    const machine = new Machine();
    const pack = new Pack();
    const base = Buffer.from('base\n');
    const one = Buffer.concat([base, Buffer.from('one\n')]);
    const two = Buffer.concat([one, Buffer.from('two\n')]);
    const three = Buffer.concat([one, Buffer.from('three\n')]);
    // A delta comes before its base.
    pack.keyDelta(idOf('blob', one), longer(one, Buffer.from('three\n')));
    const at = pack.length;
    pack.add('blob', base);
    const second = pack.offsetDelta(pack.length - at, longer(base, Buffer.from('one\n')));
    pack.offsetDelta(pack.length - second, longer(one, Buffer.from('two\n')));
    const files = pack.add('tree', treeOf([file('three', idOf('blob', three)), file('two', idOf('blob', two))]));
    await machine.restore(bundle(machine, pack, forge(pack, { files })));
    expect(readFileSync(machine.at('restored/two'), 'utf8')).toBe('base\none\ntwo\n');
    expect(readFileSync(machine.at('restored/three'), 'utf8')).toBe('base\none\nthree\n');
  });

  test('as git creates them in a clone', async () => {
    const here = new Machine();
    const there = new Machine();
    const line = (n: number): string => `a line of a longer file, number ${n}\n`;
    const savepoint = here.open();
    for (let n = 0; n < 5; n++) {
      here.write('long.txt', Array.from({ length: 400 }, (_, at) => line(at * (at % 7 === n ? 2 : 1))).join(''));
      await savepoint.checkpoint();
    }
    await savepoint.createBundle(disk(here.at('ours.bundle')));
    here.git(['clone', '-q', 'ours.bundle', 'clone']);
    here.git(['-C', 'clone', 'repack', '-q', '-adf']);
    here.git(['-C', 'clone', 'bundle', 'create', '-q', here.at('gits.bundle'), 'timeline', 'HEAD']);
    expect(readFileSync(here.at('gits.bundle')).length).toBeLessThan(readFileSync(here.at('ours.bundle')).length);
    await there.restore(here.at('gits.bundle'));
    expect(everything(there.at('restored'))).toEqual(everything(here.project));
    expect((await there.open('restored').list()).checkpoints).toHaveLength(5);
  });
});

describe('inconsistent bundles', () => {
  const files = (pack: Pack): string => pack.add('tree', treeOf([file('a', pack.add('blob', Buffer.from('a\n')))]));

  test.each<readonly [string, RegExp, (pack: Pack) => string]>([
    [
      'a ref to nothing',
      /lacks a commit/,
      (pack) => {
        forge(pack, { files: files(pack) });
        return '1'.repeat(40);
      },
    ],
    ['a ref to a tree', /a tree where a commit/, (pack) => files(pack)],
    [
      'a parent that is not there',
      /lacks a commit/,
      (pack) => forge(pack, { files: files(pack), parents: ['1'.repeat(40)] }),
    ],
    [
      'a merge',
      /several parents/,
      (pack) => forge(pack, { files: files(pack), parents: ['1'.repeat(40), '2'.repeat(40)] }),
    ],
    [
      'checkpoints out of order',
      /after cp_1/,
      (pack) => {
        const tree = files(pack);
        const first = forge(pack, { files: tree });
        return forge(pack, { files: tree, record: forgedRecord({ description: 'the same number' }), parents: [first] });
      },
    ],
    [
      'a tree that is not a checkpoint',
      /not a checkpoint/,
      (pack) => forge(pack, { files: '', top: [folder('files', files(pack))] }),
    ],
    [
      'a checkpoint with something more in it',
      /not a checkpoint/,
      (pack) => {
        const tree = files(pack);
        const id = pack.add('blob', Buffer.from(JSON.stringify(forgedRecord({ description: 'other' }))));
        return forge(pack, { files: '', top: [file('checkpoint.json', id), file('extra', id), folder('files', tree)] });
      },
    ],
    ['a record that is not JSON', /not JSON/, (pack) => forge(pack, { files: files(pack), record: Buffer.from('{') })],
    [
      'a record of nested lists',
      /not JSON|no object/,
      (pack) => forge(pack, { files: files(pack), record: Buffer.from('['.repeat(1e6)) }),
    ],
    [
      'a record of a later format',
      /format/,
      (pack) => forge(pack, { files: files(pack), record: forgedRecord({ format: 2 }) }),
    ],
    [
      'a link that leads nowhere',
      /link without a target/,
      (pack) =>
        forge(pack, {
          files: pack.add('tree', treeOf([{ mode: '120000', name: 'l', id: pack.add('blob', Buffer.from('a\0b')) }])),
        }),
    ],
    [
      'a note about a file that is not there',
      /missing file/,
      (pack) => {
        const note = pack.add('blob', Buffer.from('{"m":[["b",493]]}'));
        return forge(pack, { files: files(pack), side: pack.add('tree', treeOf([file('%', note)])) });
      },
    ],
    [
      'a file with the set-uid bit',
      /set-id/,
      (pack) => {
        const note = pack.add('blob', Buffer.from('{"m":[["a",2541]]}'));
        return forge(pack, { files: files(pack), side: pack.add('tree', treeOf([file('%', note)])) });
      },
    ],
    [
      'a note about a folder that is not there',
      /does not have/,
      (pack) =>
        forge(pack, {
          files: files(pack),
          side: pack.add(
            'tree',
            treeOf([folder('a', pack.add('tree', treeOf([file('%', pack.add('blob', Buffer.from('{}')))])))]),
          ),
        }),
    ],
  ])('%s', async (_what, why, make) => {
    const machine = new Machine();
    const pack = new Pack();
    const tip = make(pack);
    await refusedFor(machine, bundle(machine, pack, tip), why);
  });

  test.each([
    { id: 'cp_0' },
    { id: '../cp_1' },
    { id: 'cp_1', previous: 'cp_1' },
    { workspace: '../../etc' },
    { time: 'never' },
    { time: 8 },
    { trigger: 'rm' },
    { actor: { kind: 'root', name: 'x' } },
    { actor: 'user' },
    { description: { toString: 'x' } },
    { session: ['s'] },
    { rolledBack: ['cp_1.1; rm'] },
    { roots: [{ path: '../out', kind: 'folder', branch: null, commit: null, operation: null }] },
    { roots: [{ path: '.git', kind: 'folder', branch: null, commit: null, operation: null }] },
    { roots: [{ ...A_ROOT, index: { id: '1'.repeat(40), staged: [] } }] },
    { rules: { maxFileBytes: 1, maxIgnoredBytes: 1, roots: [1] } },
    { counts: { files: -1, links: 0, folders: 0, bytes: 0, skipped: 0 } },
    { changes: [{ path: '../out', op: 'create', before: null, after: null, lines: null }] },
    { changes: [{ path: 'a', op: 'run', before: null, after: null, lines: null }] },
    { changes: [{ path: 'a', op: 'create', before: ['f', 0o100644, 'x'], after: null, lines: null }] },
    { partial: [{ path: 'a', reason: '__proto__', code: null }] },
    { totals: null },
  ])('a record with %j', async (wrong) => {
    const machine = new Machine();
    const pack = new Pack();
    const tip = forge(pack, { files: files(pack), record: forgedRecord(wrong) });
    await refusedFor(machine, bundle(machine, pack, tip), /an invalid checkpoint record/);
  });

  test.each([
    ['', /does not start like a git bundle/],
    ['# v3 git bundle\n@object-format=sha256\n', /bundle version 3/],
    ['# v2 git bundle\n', /header without an end/],
    ['# v2 git bundle\n\n', /no ref/],
    [`# v2 git bundle\n${'1'.repeat(40)} refs/heads/../../x\n\n`, /an invalid ref/],
    [`# v2 git bundle\n${'1'.repeat(40)} refs/heads/x\n${'2'.repeat(40)} refs/heads/y\n\n`, /ends before its pack/],
    [`# v2 git bundle\nnonsense refs/heads/x\n\n`, /malformed line/],
    [`# v2 git bundle\n${'1'.repeat(40)} refs/heads/x\n${'1'.repeat(40)} refs/heads/x\n\n`, /a duplicate ref/],
    [`# v2 git bundle\n-${'1'.repeat(40)} cp_1\n${'1'.repeat(40)} refs/heads/x\n\n`, /not a checkpoint/],
  ])('a header %j', async (text, why) => {
    const machine = new Machine();
    writeFileSync(machine.at('header.bundle'), text);
    await refusedFor(machine, machine.at('header.bundle'), why);
  });

  test('refs that lead to different places', async () => {
    const machine = new Machine();
    const pack = new Pack();
    const tree = files(pack);
    const one = forge(pack, { files: tree });
    const two = forge(pack, { files: tree, record: forgedRecord({ id: 'cp_2' }) });
    const name = writeBundle(machine.at('two.bundle'), one, pack.bytes(), `${two} refs/heads/other\n`);
    await refusedFor(machine, name, /different commits/);
  });
});

describe('truncated and changed bundles', () => {
  /** Checking every byte would be thorough. A sample finds the same errors. */
  const step = testEffort({ quick: 41, ci: 7, long: 1 });

  test('truncated at any byte', async () => {
    const here = new Machine();
    const there = new Machine();
    const whole = readFileSync(await smallBundle(here));
    const bundleFile = there.at('cut.bundle');
    const before = there.state();
    for (let length = 0; length < whole.length; length += step) {
      writeFileSync(bundleFile, whole);
      truncateSync(bundleFile, length);
      const error = await failure(there.restore(bundleFile));
      expect(error.code, `${length} bytes: ${error.message}`).toBe('BUNDLE_REFUSED');
      expect(there.state()).toBe(before);
    }
  });

  test('a byte changed anywhere', async () => {
    const here = new Machine();
    const there = new Machine();
    const whole = readFileSync(await smallBundle(here));
    const { header } = partsOf(here.at('small.bundle'));
    const bundleFile = there.at('flipped.bundle');
    const before = there.state();
    for (let at = 0; at < whole.length; at += step) {
      const bytes = Buffer.from(whole);
      bytes[at] = (bytes[at] as number) ^ 0x04;
      writeFileSync(bundleFile, bytes);
      // The name of the ref does not matter to us.
      const isName =
        at < header.length &&
        /refs\/\S*$/.test(
          whole
            .toString('latin1', 0, at + 1)
            .split('\n')
            .at(-1) ?? '',
        );
      if (isName) continue;
      const error = await failure(there.restore(bundleFile));
      expect(error.code, `byte ${at}: ${error.message}`).toBe('BUNDLE_REFUSED');
      expect(there.state()).toBe(before);
    }
  });

  test('random changes with a valid checksum: refused, or a valid checkpoint; never an internal error', async () => {
    const seed = Number(
      process.env['SAVEPOINT_SEED'] ?? (process.env['CI'] === undefined ? Date.now() % 1e9 : 20261121),
    );
    const random = seededRandom(seed);
    const here = new Machine();
    let there = new Machine();
    const parts = partsOf(await smallBundle(here));
    const body = parts.pack.subarray(0, -20);
    let before = there.state();
    for (let round = 0; round < testEffort({ quick: 60, ci: 400, long: 20_000 }); round++) {
      const hint = `SAVEPOINT_SEED=${seed}, round ${round}`;
      const bytes = Buffer.from(body);
      for (let flips = 1 + random.integer(3); flips > 0; flips--) {
        bytes[random.integer(bytes.length)] = random.integer(256);
      }
      const bundleFile = there.at('fuzz.bundle');
      writeFileSync(bundleFile, Buffer.concat([parts.header, signed(bytes)]));
      const error = await there.restore(bundleFile).then(
        () => null,
        (thrown: { readonly code: string; readonly message: string }) => thrown,
      );
      if (error !== null) {
        expect(error.code, `${hint}: ${error.message}`).toBe('BUNDLE_REFUSED');
        expect(there.state(), hint).toBe(before);
        continue;
      }
      // The byte was replaced by itself, or the result is another valid encoding of the same data.
      expect(everything(there.at('restored')), hint).toEqual(everything(here.project));
      expect((await there.open('restored').verify({ deep: true })).damage, hint).toEqual([]);
      there = new Machine();
      before = there.state();
    }
  });
});

test('a folder with checkpoints is not changed either', async () => {
  const here = new Machine();
  const there = new Machine();
  await there.restore(await smallBundle(here));
  const before = there.state();
  const pack = new Pack();
  const files = pack.add('tree', treeOf([file('.git', pack.add('blob', Buffer.from('x')))]));
  const tip = forge(pack, { files, record: forgedRecord({ id: 'cp_3', previous: 'cp_2' }) });
  await refusedFor(there, bundle(there, pack, tip), /equivalent to \.git/);
  expect(there.state()).toBe(before);
});
