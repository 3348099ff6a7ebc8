import { testEffort } from '@savepoint/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Definition, FileFacts, Use } from '../../../src/code/facts.ts';
import { linesOfFile, tokensIn } from '../../../src/code/map/lines.ts';
import { type MapFile, mapOf } from '../../../src/code/map/map.ts';
import type { TreePath } from '../../../src/model/names.ts';

const SEED = Number(process.env['SAVEPOINT_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const MAPS = testEffort({ quick: 200, ci: 2_000, long: 20_000 });
const PLENTY = 10_000;

const path = (name: string): TreePath => name as TreePath;

interface Sketch {
  readonly defines?: readonly string[];
  readonly uses?: Readonly<Record<string, number>>;
  readonly members?: Readonly<Record<string, number>>;
  readonly imports?: readonly string[];
}

function file(name: string, { defines = [], uses = {}, members = {}, imports = [] }: Sketch): MapFile {
  const definitions = defines.map(
    (one, nth): Definition => ({
      name: one,
      kind: 'function',
      container: null,
      line: nth * 10 + 1,
      endLine: nth * 10 + 5,
      signature: `function ${one}(first, second)`,
      arity: { least: 2, most: 2 },
    }),
  );
  const asUses = (counts: Readonly<Record<string, number>>): readonly Use[] =>
    Object.entries(counts).map(([used, count]) => ({ name: used, lines: [1], count }));
  const facts: FileFacts = {
    language: 'javascript',
    imports: [
      {
        kind: 'static',
        from: './other.js',
        names: imports.map((one) => ({ name: one, local: one, exportedAs: null, line: 1, members: [] })),
        line: 1,
        isGuarded: false,
      },
    ],
    exports: [],
    hasHiddenExports: false,
    definitions,
    uses: asUses(uses),
    memberUses: asUses(members),
    problems: [],
  };
  return { path: path(name), facts };
}

function pathsIn(files: readonly MapFile[], focus: readonly string[] = [], tokens = PLENTY): readonly string[] {
  return mapOf(files, { tokens, focus: focus.map(path) }).files.map((one) => one.path);
}

describe('the order of files', () => {
  const files = [
    file('a.js', { defines: ['alpha'], uses: { beta: 1 } }),
    file('b.js', { defines: ['beta'] }),
    file('c.js', { defines: ['gamma'], uses: { delta: 1 } }),
    file('d.js', { defines: ['delta'] }),
  ];

  test('what a file in focus uses comes first, and the file itself is left out', () => {
    expect(pathsIn(files, ['a.js'])[0]).toBe('b.js');
    expect(pathsIn(files, ['c.js'])[0]).toBe('d.js');
    expect(pathsIn(files, ['a.js'])).not.toContain('a.js');
  });

  test('what uses a file in focus comes first as well', () => {
    expect(pathsIn(files, ['d.js'])[0]).toBe('c.js');
  });

  test('without a focus, a file that many others use comes first', () => {
    const popular = ['x.js', 'y.js', 'z.js'].map((name) => file(name, { defines: [name], uses: { delta: 1 } }));
    expect(pathsIn([...files, ...popular])[0]).toBe('d.js');
  });

  test('a rare name weighs more than one that every file uses', () => {
    const users = Array.from({ length: 5 }, (_, nth) => [
      file(`user-${nth}.js`, { uses: { common: 1, [`part${nth}`]: 1 } }),
      file(`part-${nth}.js`, { defines: [`part${nth}`] }),
    ]).flat();
    const all = [
      file('focus.js', { uses: { common: 1, rareName: 1 } }),
      file('common.js', { defines: ['common'] }),
      file('rare.js', { defines: ['rareName'] }),
      ...users,
    ];
    expect(pathsIn(all, ['focus.js'])[0]).toBe('rare.js');
  });

  test('a name that several files define says less about each of them', () => {
    const all = [
      file('focus.js', { uses: { run: 3, once: 2 } }),
      ...['a.js', 'b.js', 'c.js', 'd.js'].map((name) => file(name, { defines: ['run'] })),
      file('z.js', { defines: ['once'] }),
    ];
    expect(pathsIn(all, ['focus.js'])[0]).toBe('z.js');
  });

  test('names that a file uses of itself do not make it important', () => {
    const all = [
      file('own.js', { defines: ['inner'], uses: { inner: 500 } }),
      file('used.js', { defines: ['shared'] }),
      file('user.js', { defines: ['other'], uses: { shared: 1 } }),
    ];
    expect(pathsIn(all)[0]).toBe('used.js');
  });

  test('imported names and members count as uses', () => {
    const all = [
      file('focus.js', { imports: ['taken'], members: { called: 1 } }),
      file('a.js', { defines: ['neither'] }),
      file('b.js', { defines: ['called'] }),
      file('c.js', { defines: ['taken'] }),
    ];
    expect(pathsIn(all, ['focus.js'])).toEqual(['c.js', 'b.js', 'a.js']);
  });

  test('files without definitions, and unknown files in focus, change nothing', () => {
    expect(pathsIn([file('empty.js', {})], ['no-such-file.js'])).toEqual([]);
    expect(mapOf([], { tokens: PLENTY, focus: [path('no-such-file.js')] })).toEqual({ files: [], left: 0, tokens: 0 });
  });
});

describe('the symbols of a file', () => {
  test('are those that others use most, three at most, in the order of the file', () => {
    const all = [
      file('many.js', { defines: ['first', 'second', 'third', 'fourth', 'fifth'] }),
      file('user.js', { uses: { fifth: 9, second: 4, fourth: 1 } }),
    ];
    const [many] = mapOf(all, { tokens: PLENTY, focus: [] }).files;
    expect(many?.symbols.map(({ name }) => name)).toEqual(['second', 'fourth', 'fifth']);
  });

  test('are written with their lines, and long ones are cut', () => {
    const signature = `function long(${'argument, '.repeat(20)})`;
    const lines = linesOfFile({
      path: path('a.js'),
      symbols: [
        { name: 'short', line: 3, signature: 'function short()' },
        { name: 'long', line: 12, signature },
      ],
    });
    expect(lines.slice(0, 2)).toEqual(['a.js', '  3 function short()']);
    expect(lines[2]).toMatch(/^ {2}12 function long\(argument, .*…$/);
    expect(lines[2]?.length).toBeLessThan(90);
  });
});

test('a map never exceeds its number of tokens, says what it leaves out, and does not depend on the order of files', () => {
  const names = ['alpha', 'beta', 'gamma', 'delta', 'run', 'get', 'constructor', '__proto__'];
  const some = fc.uniqueArray(fc.constantFrom(...names), { maxLength: 5 });
  const counts = some.map((all) => Object.fromEntries(all.map((name, nth) => [name, nth + 1])));
  const sketches = fc.array(fc.record({ defines: some, uses: counts, members: counts, imports: some }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(sketches, fc.nat({ max: 200 }), fc.nat({ max: 12 }), (all, tokens, focused) => {
      const files = all.map((sketch, nth) => file(`file-${nth}.js`, sketch));
      const focus = [path(`file-${focused}.js`)];
      const map = mapOf(files, { tokens, focus });
      const used = map.files.map((one) => tokensIn(linesOfFile(one))).reduce((sum, one) => sum + one, 0);
      expect(map.tokens).toBe(used);
      expect(used).toBeLessThanOrEqual(tokens);
      const possible = files.filter(({ path: one, facts }) => one !== focus[0] && facts.definitions.length > 0);
      expect(map.files.length + map.left).toBe(possible.length);
      for (const { symbols, rank } of map.files) {
        expect(symbols.length).toBeLessThanOrEqual(3);
        expect(rank).toBeGreaterThanOrEqual(0);
        expect(rank).toBeLessThanOrEqual(1);
      }
      expect(mapOf([...files].reverse(), { tokens, focus })).toEqual(map);
    }),
    { seed: SEED, numRuns: MAPS },
  );
});
