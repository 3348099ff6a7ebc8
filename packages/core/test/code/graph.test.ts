import { seededRandom } from '@savepoint/testkit';
import { expect, it } from 'vitest';
import { buildGraph, type CodeGraph, updateGraph } from '../../src/code/graph/graph.ts';
import type { FileFacts } from '../../src/code/index.ts';
import type { CodeTree } from '../../src/code/language.ts';
import type { TreePath } from '../../src/model/names.ts';
import { changed, type Files, languages, reader, treeOf } from './change.ts';

it('is the same whether it is updated or built', async () => {
  const random = seededRandom(Number(process.env.SAVEPOINT_SEED ?? 1));
  let files: Files = {};
  let graph = buildGraph(treeOf(files), new Map(), languages.all);
  for (let step = 0; step < 150; step += 1) {
    const changes = Object.fromEntries([randomFile(), randomFile()]);
    files = changed(files, changes);
    const tree = treeOf(files);
    graph = updateGraph(graph, tree, await factsOf(tree, Object.keys(changes)), languages.all);
    const all = await factsOf(tree, Object.keys(files));
    const known = [...all].flatMap(([path, facts]) => (facts === null ? [] : [[path, facts] as const]));
    expect(plain(graph), `seed ${random.seed}, step ${step}`).toEqual(
      plain(buildGraph(tree, new Map(known), languages.all)),
    );
  }

  function randomFile(): readonly [string, string | null] {
    const path = random.pick(PATHS);
    if (path.endsWith('.json')) return [path, random.pick([null, ...CONFIGS])];
    return [path, random.pick([null, '', ...IMPORTS, ...IMPORTS.map((one) => `${one}\n${random.pick(IMPORTS)}`)])];
  }
});

const PATHS = [
  'a.ts',
  'b.ts',
  'b.js',
  'b/index.ts',
  'lib/a.ts',
  'lib/b.d.ts',
  'packages/p/src/index.ts',
  'tsconfig.json',
  'package.json',
  'packages/p/package.json',
];
const IMPORTS = [
  "import './a'",
  "export * from './b.js'",
  "import { x } from './lib/b'",
  "import y from '~/b'",
  "import 'p'",
  "import '../a'",
];
const CONFIGS = [
  '{ "compilerOptions": { "paths": { "~/*": ["./lib/*"] } } }',
  '{ "workspaces": ["packages/*"] }',
  '{ "name": "p" }',
];

async function factsOf(tree: CodeTree, paths: readonly string[]): Promise<Map<TreePath, FileFacts | null>> {
  const facts = new Map<TreePath, FileFacts | null>();
  for (const path of paths as readonly TreePath[]) {
    const bytes = tree.read(path);
    facts.set(
      path,
      bytes === null ? null : ((await reader.read([{ path, id: '', read: () => bytes }], null))[0] ?? null),
    );
  }
  return facts;
}

function plain({ nodes, importers }: CodeGraph): unknown {
  return {
    nodes: Object.fromEntries([...nodes].map(([path, { targets }]) => [path, targets])),
    importers: Object.fromEntries([...importers].map(([path, of]) => [path, [...of].sort()])),
  };
}
