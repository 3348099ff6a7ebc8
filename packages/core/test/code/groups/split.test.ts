import { seededRandom } from '@savepoint/testkit';
import { describe, expect, it } from 'vitest';
import { graphOf } from '../../../src/code/analyse.ts';
import { needsOf } from '../../../src/code/groups/needs.ts';
import { type ChangedCode, splitCode } from '../../../src/code/groups/split.ts';
import type { TreePath } from '../../../src/model/names.ts';
import { changed, type Files, languages, reader, treeOf } from '../change.ts';

type Changes = Readonly<Record<string, string | null>>;

/** @param moved new names by old ones */
async function codeOf(files: Files, changes: Changes, moved: Readonly<Record<string, string>> = {}) {
  const base = await graphOf(treeOf(files), { languages, reader });
  const proposed = await graphOf(treeOf(changed(files, changes)), { languages, reader });
  const targets = new Set(Object.values(moved));
  const items = Object.keys(changes).flatMap((path) => {
    if (targets.has(path)) return [];
    const to = moved[path];
    return [(to === undefined ? [path] : [path, to]).map((each) => each as TreePath)];
  });
  return { base, proposed, changes: items } satisfies ChangedCode;
}

async function splitOf(files: Files, changes: Changes, moved: Readonly<Record<string, string>> = {}) {
  return splitCode(await codeOf(files, changes, moved));
}

describe('phases', () => {
  it('begin with the leaves, and have tests with what they test', async () => {
    const { phases } = await splitOf(
      {},
      {
        'app.ts': "import './service';\n",
        'service.ts': "import './store';\n",
        'store.ts': 'export const x = 1;\n',
        'store.test.ts': "import './store';\n",
        'tests/all.test.ts': "import '../app';\nimport '../store';\n",
      },
    );
    expect(phases).toEqual([['store.test.ts', 'store.ts'], ['service.ts'], ['app.ts', 'tests/all.test.ts']]);
  });

  it('have cycles together', async () => {
    const { phases } = await splitOf(
      {},
      { 'a.ts': "import './b';\n", 'b.ts': "import './a';\nimport './c';\n", 'c.ts': '' },
    );
    expect(phases).toEqual([['c.ts'], ['a.ts', 'b.ts']]);
  });

  it('have a removed file after the files that no longer import it', async () => {
    const { phases } = await splitOf(
      { 'a.ts': "import './b';\n", 'b.ts': '' },
      { 'a.ts': 'export const x = 1;\n', 'b.ts': null },
    );
    expect(phases).toEqual([['a.ts'], ['b.ts']]);
  });

  it('have a moved file with the files that import it', async () => {
    const moved = { 'b.ts': 'c.ts' };
    const changes = { 'a.ts': "import './c';\n", 'b.ts': null, 'c.ts': '' };
    expect((await splitOf({ 'a.ts': "import './b';\n", 'b.ts': '' }, changes, moved)).phases).toEqual([
      ['a.ts', 'b.ts', 'c.ts'],
    ]);
  });

  it('follow names that unchanged files pass on', async () => {
    const files = { 'pass.ts': "export { x } from './low';\n", 'low.ts': 'export const x = 1;\n', 'high.ts': '' };
    const { phases } = await splitOf(files, {
      'high.ts': "import { x } from './pass';\n",
      'low.ts': 'export const x = 2;\n',
    });
    expect(phases).toEqual([['low.ts'], ['high.ts']]);
  });

  it('have a file that becomes a folder in one phase', async () => {
    expect((await splitOf({ a: '' }, { a: null, 'a/b.ts': "import '../c';\n", 'c.ts': '' })).phases).toEqual([
      ['c.ts'],
      ['a', 'a/b.ts'],
    ]);
  });

  it('are at most 100, also for a chain of many thousand files', async () => {
    const chain = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, nth) => [`m${nth}.ts`, nth === 0 ? '' : `import './m${nth - 1}';\n`]),
    );
    const { phases, groups } = await splitOf({}, chain);
    expect(phases).toHaveLength(100);
    expect(phases.flat()).toHaveLength(5_000);
    expect(groups).toHaveLength(1);
  });
});

describe('groups', () => {
  it('do not depend on each other, with what is not known in the last one', async () => {
    const { groups, unknown } = await splitOf(
      {},
      { 'a.ts': "import './b';\n", 'b.ts': '', 'c.ts': '', 'notes.txt': '', 'data.bin': '' },
    );
    expect(groups).toEqual([['a.ts', 'b.ts'], ['c.ts'], ['data.bin', 'notes.txt']]);
    expect(unknown).toEqual(['data.bin', 'notes.txt']);
  });

  it('are joined where there are more than a plan has phases', async () => {
    const files = Object.fromEntries(Array.from({ length: 150 }, (_, nth) => [`m${nth}.ts`, '']));
    const { groups } = await splitOf({}, { ...files, 'notes.txt': '' });
    expect(groups).toHaveLength(100);
    expect(groups.flat()).toHaveLength(151);
  });
});

it('has every file once, none before one that it needs, and no needs between groups', async () => {
  const random = seededRandom(Number(process.env.SAVEPOINT_SEED ?? 1));
  for (let game = 0; game < 60; game += 1) {
    const names = Array.from({ length: 1 + random.integer(25) }, (_, nth) =>
      random.pick([`m${nth}.ts`, `m${nth}.ts`, `m${nth}.test.ts`, `n${nth}.txt`]),
    );
    const modules = names.map((name) => name.replace(/\.\w+$/, ''));
    const contents = () =>
      random.pick([
        '',
        `import './${random.pick(modules)}';\n`,
        `import './${random.pick(modules)}';\nimport './${random.pick(modules)}';\n`,
      ]);
    const files = Object.fromEntries(names.filter(() => random.integer(3) > 0).map((name) => [name, contents()]));
    const changes = Object.fromEntries(
      names
        .filter(() => random.integer(4) > 0)
        .map((name) => [name, name in files && random.integer(4) === 0 ? null : contents()]),
    );
    const code = await codeOf(files, changes);
    const { phases, groups } = splitCode(code);
    const label = `seed ${random.seed}, game ${game}`;
    const paths = Object.keys(changes).sort();
    for (const parts of [phases, groups]) {
      expect(parts.flat().sort(), label).toEqual(paths);
      expect(
        parts.every((part) => part.length > 0),
        label,
      ).toBe(true);
    }
    const partOf = (parts: typeof phases, path: string) => parts.findIndex((part) => part.includes(path as TreePath));
    // Imports as the files have them, without our graph.
    const needed = Object.entries(changes).flatMap(([path, text]) =>
      [...(text ?? '').matchAll(/'\.\/(.*)'/g)].map(([, name]) => [path, `${name}.ts`] as const),
    );
    for (const [path, other] of needed) {
      if (path.endsWith('.txt') || typeof changes[other] !== 'string') continue;
      expect(partOf(phases, path), `${label}: ${path} needs ${other}`).toBeGreaterThanOrEqual(partOf(phases, other));
      expect(partOf(groups, path), `${label}: ${path} needs ${other}`).toBe(partOf(groups, other));
    }
    for (const [path, others] of needsOf(code)) {
      for (const other of others) expect(partOf(groups, path), label).toBe(partOf(groups, other));
    }
  }
});
