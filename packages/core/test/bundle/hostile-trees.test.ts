import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { expect, test } from 'vitest';
import { failure } from '../failure.ts';
import { Machine } from './bundle-world.ts';
import { type Entry, forge, idOf, Pack, treeOf, writeBundle } from './forged-bundle.ts';

/**
 * Trees that git itself accepts from a bundle (2.39 does not check them), written by git. Each is placed where a
 * checkpoint has its files: at the top, in a folder, and next to them among Savepoint's own data.
 */

const BLOB = Buffer.from('hostile\n');
const blob = idOf('blob', BLOB);
const NULL = '0'.repeat(40);
const file = (name: string | Buffer, id = blob, mode = '100644'): Entry => ({ mode, name, id });

const REFUSED: readonly (readonly [what: string, why: RegExp, entries: readonly Entry[]])[] = [
  ['.git', /equivalent to \.git/, [file('.git')]],
  ['.GIT', /equivalent to \.git/, [file('.GIT')]],
  ['.gIt as a folder', /equivalent to \.git/, [file('.gIt', '4b825dc642cb6eb9a060e54bf8d69288fbee4904', '40000')]],
  ['git~1, what NTFS calls .git', /equivalent to \.git/, [file('git~1')]],
  ['.git with a character that HFS+ passes over', /equivalent to \.git/, [file('.g\u200cit')]],
  ['.git with a byte-order mark', /equivalent to \.git/, [file('\ufeff.git')]],
  ['.git in wide letters', /equivalent to \.git/, [file('．ｇｉｔ')]],
  ['a stream of .git', /equivalent to \.git/, [file('.git::$INDEX_ALLOCATION')]],
  ['.git with dots and spaces behind it', /equivalent to \.git/, [file('.git. .')]],
  ['.git behind a backslash', /equivalent to \.git/, [file('a\\.git\\config')]],
  ['..', /is \. or \.\./, [file('..')]],
  ['.', /is \. or \.\./, [file('.')]],
  ['.. as a folder', /is \. or \.\./, [file('..', '4b825dc642cb6eb9a060e54bf8d69288fbee4904', '40000')]],
  ['a path upwards', /contains a slash/, [file('a/../../x')]],
  ['an absolute path', /contains a slash/, [file('/etc/x')]],
  ['no name', /is empty/, [file('')]],
  ['a name of 256 bytes', /too long/, [file('n'.repeat(256))]],
  ['a name twice', /a duplicate name/, [file('a'), file('a')]],
  [
    'a file and a folder of one name',
    /a duplicate name/,
    [file('a'), file('a-b'), file('a', '4b825dc642cb6eb9a060e54bf8d69288fbee4904', '40000')],
  ],
  ['names out of order', /not in order/, [file('b'), file('a')]],
  ['a mode that anybody may write', /the mode 100777/, [file('a', blob, '100777')]],
  ['a set-id mode', /the mode 104755/, [file('a', blob, '104755')]],
  ['a mode with a zero before it', /a leading zero/, [file('a', blob, '0100644')]],
  ['a mode that is not a number', /that is not a number/, [file('a', blob, '1006x4')]],
  ['a link with something below it', /contains a slash/, [file('a', blob, '120000'), file('a/b')]],
  ['an object that cannot be', /invalid object id/, [file('a', NULL)]],
  ['a submodule', /submodule/, [file('sub', blob, '160000')]],
  ['an object that is not there', /lacks an object/, [file('a', '1'.repeat(40))]],
  ['a file where a folder should be', /a blob where a tree should be/, [file('a', blob, '40000')]],
];

/** Lets git write the tree without checks, and returns its content. */
function byGit(machine: Machine, entries: readonly Entry[]): Buffer {
  const data = treeOf(entries);
  const args = ['hash-object', '-w', '--literally', '-t', 'tree', '--stdin'];
  machine.git(['init', '-q', 'forge']);
  const id = machine.git(args, { cwd: machine.at('forge'), input: data });
  expect(id).toBe(idOf('tree', data));
  const written = execFileSync('git', ['-C', machine.at('forge'), 'cat-file', 'tree', id]);
  expect(written.equals(data)).toBe(true);
  return written;
}

function bundleWith(machine: Machine, tree: Buffer, where: 'top' | 'folder' | 'side'): string {
  const pack = new Pack();
  pack.add('blob', BLOB);
  const hostile = pack.add('tree', tree);
  const files = where === 'folder' ? pack.add('tree', treeOf([{ mode: '40000', name: 'deep', id: hostile }])) : hostile;
  const sound = where === 'side' ? pack.add('tree', treeOf([file('fine')])) : files;
  const tip = forge(pack, where === 'side' ? { files: sound, side: hostile } : { files });
  return writeBundle(machine.at(`${where}.bundle`), tip, pack.bytes());
}

test.each(REFUSED)('%s is refused at every place, and nothing is changed', async (_what, why, entries) => {
  const machine = new Machine();
  const tree = byGit(machine, entries);
  for (const where of ['top', 'folder', 'side'] as const) {
    const bundle = bundleWith(machine, tree, where);
    const before = machine.state();
    const error = await failure(machine.restore(bundle));
    expect(error.code).toBe('BUNDLE_REFUSED');
    if (where !== 'side') expect(error.message).toMatch(why);
    expect(error.message).toMatch(/cp_1|object/);
    expect(error.data).toMatchObject({ object: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect(machine.state()).toBe(before);
  }
});

test('odd but valid names are restored as files, only inside the folder', async () => {
  const machine = new Machine();
  const target = Buffer.from('../../../outside');
  const pack = new Pack();
  pack.add('blob', BLOB);
  const link = pack.add('blob', target);
  const entries = [
    file('.gitmodules', link, '120000'),
    file('A', link, '120000'),
    file('a'),
    file('a\nb'),
    file('a\\..\\b'),
    file('con'),
    file(Buffer.from('name-\xff', 'latin1')),
  ];
  const files = pack.add('tree', byGit(machine, entries));
  const bundle = writeBundle(machine.at('odd.bundle'), forge(pack, { files }), pack.bytes());
  const before = readdirSync(machine.folder);
  await machine.restore(bundle);
  const names = readdirSync(Buffer.from(machine.at('restored')), { encoding: 'buffer' }).map((name) =>
    name.toString('latin1'),
  );
  expect(names.sort()).toEqual(entries.map(({ name }) => Buffer.from(name).toString('latin1')).sort());
  expect(readFileSync(machine.at('restored/a\\..\\b'), 'utf8')).toBe('hostile\n');
  expect(readlinkSync(machine.at('restored/A'))).toBe('../../../outside');
  expect(readdirSync(machine.folder).sort()).toEqual([...before, 'restored'].sort());
});

test('a tree that is truncated within an entry is refused', async () => {
  const machine = new Machine();
  const whole = treeOf([file('a'), file('b')]);
  for (const cut of [1, 5, 8, 20, whole.length - 1]) {
    const before = machine.state();
    const error = await failure(machine.restore(bundleWith(machine, whole.subarray(0, cut), 'top')));
    expect(error.message).toMatch(/ends in the middle of an entry/);
    expect(machine.state()).toBe(before);
  }
});
