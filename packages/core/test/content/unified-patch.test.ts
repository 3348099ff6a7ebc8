import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  COMPLETE_PATCH,
  PATCH_BOUND,
  type Patch,
  type PatchBound,
  type PatchChange,
  type PatchSide,
  unifiedPatch,
} from '../../src/content/unified-patch.ts';
import type { ObjectId } from '../../src/model/ids.ts';
import { bytesFromText, type TreePath } from '../../src/model/names.ts';
import { content, grown } from './arbitraries.ts';
import { git, testFolder } from './git.ts';

type Thing =
  | { readonly kind: 'file'; readonly mode: number; readonly content: Buffer }
  | { readonly kind: 'link'; readonly content: Buffer };
/** Files and links by path. */
type State = ReadonlyMap<string, Thing>;

const file = (text: string | Buffer, mode = 0o644): Thing => ({
  kind: 'file',
  mode,
  content: Buffer.from(text as string),
});
const link = (target: string): Thing => ({ kind: 'link', content: Buffer.from(target) });

function side(thing: Thing | undefined): PatchSide | null {
  if (thing === undefined) return null;
  const { content } = thing;
  const id = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex') as ObjectId;
  const common = { id, size: content.length, read: () => content };
  return thing.kind === 'file' ? { kind: 'file', mode: thing.mode, ...common } : { kind: 'link', ...common };
}

function changesBetween(before: State, after: State): PatchChange[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .map((path) => ({ path: path as TreePath, before: side(before.get(path)), after: side(after.get(path)) }));
}

const change = (path: string, before: Thing | undefined, after: Thing | undefined): PatchChange => ({
  path: bytesFromText(path) as TreePath,
  before: side(before),
  after: side(after),
});
const textOf = (...changes: PatchChange[]) => unifiedPatch(changes).text.toString('latin1');

const top = testFolder();
const onDisk = (folder: string, path: string) =>
  Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);

function write(state: State): string {
  const folder = mkdtempSync(join(top, 'tree-'));
  for (const [path, thing] of state) {
    const parent = path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
    mkdirSync(onDisk(folder, parent), { recursive: true });
    if (thing.kind === 'file') writeFileSync(onDisk(folder, path), thing.content, { mode: thing.mode });
    else symlinkSync(thing.content, onDisk(folder, path));
  }
  return folder;
}

/** One line for each file and link: path, kind, whether it is executable, content. */
function read(folder: string, below = ''): string[] {
  return readdirSync(onDisk(folder, below), { encoding: 'latin1' })
    .flatMap((name) => {
      const path = below === '' ? name : `${below}/${name}`;
      const stat = lstatSync(onDisk(folder, path));
      if (stat.isDirectory()) return read(folder, path);
      if (stat.isSymbolicLink())
        return [
          describeThing(path, { kind: 'link', content: readlinkSync(onDisk(folder, path), { encoding: 'buffer' }) }),
        ];
      return [describeThing(path, { kind: 'file', mode: stat.mode, content: readFileSync(onDisk(folder, path)) })];
    })
    .sort();
}

function describeThing(path: string, thing: Thing): string {
  const kind = thing.kind === 'link' ? 'link' : thing.mode & 0o100 ? 'executable' : 'file';
  return `${JSON.stringify(path)} ${kind} ${JSON.stringify(thing.content.toString('latin1'))}`;
}

const described = (state: State) => [...state].map(([path, thing]) => describeThing(path, thing)).sort();

function apply(folder: string, { text }: Patch): { readonly status: number | null; readonly said: string } {
  const { status, stderr } = git(folder, ['apply', '--whitespace=nowarn', '-'], text);
  return { status, said: stderr.toString('latin1') };
}

const NAMES = [
  'plain.txt',
  'with space.txt',
  ' lead',
  'trail ',
  'q"uote',
  'back\\slash',
  'new\nline',
  'tab\there',
  '-rf',
  'bell\x07',
  bytesFromText('ünï 😀.md'),
  'latin1-\xe9',
  'dir/a',
  'dir/b b',
  'di"r/c',
  'swap',
  'swap/below',
  'a => b',
  '{a,b}',
  '# note',
  '@@ -1 +1 @@',
];

const things: fc.Arbitrary<Thing> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(content(6, 20), fc.constantFrom(0o644, 0o755)).map(([text, mode]) => file(text, mode)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('plain.txt', 'nowhere/at all', 'x\ny\n', '\xff').map((target) => link(target)),
  },
);
/** The states of one path before and after: absent, a file or link, a derived text, or another kind. */
const pair: fc.Arbitrary<readonly [Thing | undefined, Thing | undefined]> = fc.oneof(
  fc.tuple(fc.option(things, { nil: undefined }), fc.option(things, { nil: undefined })),
  fc.tuple(grown(30, 40, 1), fc.constantFrom(0o644, 0o755)).map(
    ([
      {
        base,
        grown: [after],
      },
      mode,
    ]) => [file(base), file(after as Buffer, mode)] as const,
  ),
);

/** Whether no path is below a file of the same state. */
function possible(state: State): boolean {
  return !(state.has('swap') && state.has('swap/below'));
}

const states: fc.Arbitrary<readonly [State, State]> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), pair), { selector: ([name]) => name, minLength: 1, maxLength: 8 })
  .map((entries) => {
    const state = (which: 0 | 1) =>
      new Map(
        entries.flatMap(([name, both]) => (both[which] === undefined ? [] : [[name, both[which] as Thing] as const])),
      );
    return [state(0), state(1)] as const;
  })
  .filter(([before, after]) => possible(before) && possible(after));

describe('unified patch', () => {
  test('git apply turns before into after: any names, modes, links, line endings, files replaced by folders', () => {
    let applied = 0;
    fc.assert(
      fc.property(fc.noBias(states), ([before, after]) => {
        const patch = unifiedPatch(changesBetween(before, after));
        expect(patch.gaps).toEqual([]);
        if (patch.text.length === 0) {
          expect(described(before)).toEqual(described(after));
          return;
        }
        const folder = write(before);
        expect(apply(folder, patch), patch.text.toString('latin1')).toEqual({ status: 0, said: '' });
        expect(read(folder), patch.text.toString('latin1')).toEqual(described(after));
        applied++;
      }),
      { numRuns: 200 },
    );
    expect(applied).toBeGreaterThan(120);
  });

  test('an incomplete patch says so, stays within its limit, and git apply changes nothing', () => {
    let incomplete = 0;
    const bounds = fc.record({ fileBytes: fc.nat({ max: 400 }), totalBytes: fc.nat({ max: 1500 }) });
    fc.assert(
      fc.property(fc.noBias(states), bounds, ([before, after], { fileBytes, totalBytes }) => {
        const changes = changesBetween(before, after);
        const patch = unifiedPatch(changes, { ...PATCH_BOUND, fileBytes, totalBytes });
        // The limit may be exceeded by the headers of the last file and the note about what was cut.
        expect(patch.text.length).toBeLessThan(totalBytes + 1000);
        if (patch.gaps.length === 0) {
          expect(patch).toEqual(unifiedPatch(changes));
          return;
        }
        incomplete++;
        expect(patch.text.toString('latin1')).toMatch(/^@@ -cut- /m);
        const folder = write(before);
        expect(apply(folder, patch).status, patch.text.toString('latin1')).not.toBe(0);
        expect(read(folder)).toEqual(described(before));
      }),
      { numRuns: 150 },
    );
    expect(incomplete).toBeGreaterThan(50);
  });

  test('reads like the patches of git', () => {
    const before = file('one\ntwo\nthree\n');
    expect(textOf(change('a b.txt', before, file('one\n2\nthree', 0o755)))).toBe(
      [
        'diff --git a/a b.txt b/a b.txt',
        'old mode 100644',
        'new mode 100755',
        'index 4cb29ea38f70d7c61b2a3a25b02e3bdf44905402..6b0bd1e3eb1a53ab0a1ccd3a17bc6d6fe3f4bb3e',
        '--- a/a b.txt\t',
        '+++ b/a b.txt\t',
        '@@ -1,3 +1,3 @@',
        ' one',
        '-two',
        '-three',
        '+2',
        '+three',
        '\\ No newline at end of file',
        '',
      ]
        .join('\n')
        .replace(/\.\.[0-9a-f]+/, `..${(side(file('one\n2\nthree')) as { id: string }).id}`),
    );
    expect(textOf(change('é', undefined, file('x\n')))).toBe(
      [
        'diff --git "a/\\303\\251" "b/\\303\\251"',
        'new file mode 100644',
        'index 0000000000000000000000000000000000000000..587be6b4c3f93f93c489c0111bba5596147a26cb',
        '--- /dev/null',
        '+++ "b/\\303\\251"',
        '@@ -0,0 +1 @@',
        '+x',
        '',
      ].join('\n'),
    );
    expect(textOf(change('x', link('a'), undefined))).toBe(
      [
        'diff --git a/x b/x',
        'deleted file mode 120000',
        'index 2e65efe2a145dda7ee51d1741299f848e5bf752e..0000000000000000000000000000000000000000',
        '--- a/x',
        '+++ /dev/null',
        '@@ -1 +0,0 @@',
        '-a',
        '\\ No newline at end of file',
        '',
      ].join('\n'),
    );
  });

  test('equals the output of git diff, except for the folders in the names', () => {
    const lines = Array.from({ length: 60 }, (_, i) => `line ${i}\n`);
    const before = new Map([['x', file(lines.join(''))]]);
    const after = new Map([
      ['x', file(lines.map((line, i) => (i === 3 || i === 40 ? 'new\n' : line)).join(''), 0o755)],
    ]);
    const folder = mkdtempSync(join(top, 'own-'));
    for (const [name, state] of Object.entries({ before, after })) {
      mkdirSync(join(folder, name));
      const thing = state.get('x') as Thing & { kind: 'file' };
      writeFileSync(join(folder, name, 'x'), thing.content, { mode: thing.mode });
    }
    const byGit = git(folder, ['diff', '--no-index', '--full-index', 'before/x', 'after/x']).stdout.toString();
    const withoutHeadings = byGit
      .replaceAll(/(@@ .* @@).*/g, '$1')
      .replaceAll('a/before/x', 'a/x')
      .replaceAll('b/after/x', 'b/x');
    expect(unifiedPatch(changesBetween(before, after)).text.toString()).toBe(withoutHeadings);
  });

  test('binary contents are named with their sizes, and git apply refuses', () => {
    const patch = unifiedPatch([change('x', file('a\0b'), file('a\0bc')), change('y', undefined, file('\0'))]);
    expect(patch.gaps).toEqual([
      { path: 'x', why: 'binary' },
      { path: 'y', why: 'binary' },
    ]);
    const text = patch.text.toString();
    expect(text).toContain('\nBinary files a/x and b/x differ\n# binary: 3 bytes -> 4 bytes\n');
    expect(text).toContain('\nBinary files /dev/null and b/y differ\n# binary: nothing -> 1 bytes\n');
    const folder = write(new Map([['x', file('a\0b')]]));
    expect(apply(folder, patch).status).not.toBe(0);
  });

  test('a complete patch has binary contents, which git apply takes in both directions', () => {
    const bytes = (size: number): Buffer => Buffer.from(Array.from({ length: size }, (_, at) => (at * at * 7) % 256));
    const before: State = new Map([
      ['grown', file(Buffer.from('a\0b'), 0o755)],
      ['gone', file(bytes(300))],
      ['emptied', file('\0')],
      ['long', file('l\n'.repeat(PATCH_BOUND.lines.maxBytes / 2))],
    ]);
    const after: State = new Map([
      ['grown', file(bytes(1000))],
      ['emptied', file('')],
      ['long', file(`${'l\n'.repeat(PATCH_BOUND.lines.maxBytes / 2)}more\n`)],
      ...[1, 26, 27, 52, 53, 4096].map((size) => [`new${size}`, file(bytes(size))] as const),
    ]);
    const patch = unifiedPatch(changesBetween(before, after), COMPLETE_PATCH);
    expect(patch.gaps).toEqual([]);
    const folder = write(before);
    expect(apply(folder, patch)).toEqual({ status: 0, said: '' });
    expect(read(folder)).toEqual(described(after));
    expect(git(folder, ['apply', '-R', '-'], patch.text).status).toBe(0);
    expect(read(folder)).toEqual(described(before));
  });

  test('contents that are too long are not read, but named with their sizes', () => {
    const unread = (size: number): PatchSide => ({
      ...(side(file(String(size))) as PatchSide & { kind: 'file' }),
      size,
      read: () => {
        throw new Error('read');
      },
    });
    const huge = PATCH_BOUND.lines.maxBytes + 1;
    const patch = unifiedPatch([{ path: 'x' as TreePath, before: unread(3), after: unread(huge) }]);
    expect(patch.gaps).toEqual([{ path: 'x', why: 'too-long' }]);
    expect(patch.text.toString()).toContain(
      `\nFiles a/x and b/x differ\n# too long to compare by line: 3 bytes -> ${huge} bytes\n`,
    );
    const full: PatchBound = { ...PATCH_BOUND, totalBytes: 0 };
    expect(unifiedPatch([{ path: 'x' as TreePath, before: unread(3), after: unread(4) }], full).gaps).toEqual([
      { path: 'x', why: 'left-out' },
    ]);
    const sameContent = { ...unread(huge), mode: 0o755 } as PatchSide;
    expect(unifiedPatch([{ path: 'x' as TreePath, before: unread(huge), after: sameContent }]).text.toString()).toBe(
      'diff --git a/x b/x\nold mode 100644\nnew mode 100755\n',
    );
  });

  test('what git cannot express is in notes, which git apply ignores', () => {
    const folder = (mode: number): PatchSide => ({ kind: 'folder', mode });
    const at = (path: string) => ({ path: path as TreePath });
    const patch = unifiedPatch([
      change('private', file('a\n', 0o644), file('b\n', 0o600)),
      change('same', file('s\n', 0o640), file('s\n', 0o600)),
      { ...at('new\nfolder'), before: null, after: folder(0o755) },
      { ...at('old'), before: folder(0o700), after: null },
      { ...at(''), before: folder(0o755), after: folder(0o700) },
      { ...at('kind'), before: side(file('k\n')), after: folder(0o755) },
      { ...at('kind/below'), before: null, after: side(file('n\n')) },
    ]);
    const notes = patch.text
      .toString()
      .split('\n')
      .filter((line) => line.startsWith('# '));
    expect(notes).toEqual([
      '# permissions of private: 0644 -> 0600',
      '# permissions of same: 0640 -> 0600',
      '# new folder "new\\nfolder": 0755',
      '# deleted folder old',
      '# permissions of the workspace itself: 0755 -> 0700',
      '# new folder kind: 0755',
    ]);
    const tree = write(
      new Map([
        ['private', file('a\n')],
        ['same', file('s\n')],
        ['kind', file('k\n')],
      ]),
    );
    expect(apply(tree, patch)).toEqual({ status: 0, said: '' });
    expect(read(tree)).toEqual(
      described(
        new Map([
          ['kind/below', file('n\n')],
          ['private', file('b\n')],
          ['same', file('s\n')],
        ]),
      ),
    );
  });

  test('a cut file shows its first lines, and says how many there are', () => {
    const lines = Array.from({ length: 100 }, (_, i) => `line ${i}\n`).join('');
    const patch = unifiedPatch([change('x', undefined, file(lines)), change('y', file('1\n'), file('2\n'))], {
      ...PATCH_BOUND,
      fileBytes: 100,
    });
    expect(patch.gaps).toEqual([{ path: 'x', why: 'cut' }]);
    expect(patch.text.toString()).toMatch(
      /\+line 9\n@@ -cut- 10 of 100 lines of this file's patch are shown @@\ndiff --git a\/y b\/y\n/,
    );
  });
});
