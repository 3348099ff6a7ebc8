import type { Export, FileFacts } from '../../facts.ts';
import { syntaxProblems } from '../tree-sitter/problems.ts';
import type { SyntaxTree } from '../tree-sitter/syntax-tree.ts';
import { withConstructors } from './definitions.ts';
import { HANDLERS } from './handlers.ts';
import { newWalk, type PythonWalk } from './walk.ts';

/** Makes the reader of the facts of Python files. */
export function pythonReader(tree: SyntaxTree): () => FileFacts {
  const handlers = tree.byType(HANDLERS);
  return () => {
    const walk = newWalk(tree);
    for (let node = 0; node < tree.count; ) {
      walk.scopes.reach(node);
      const body = walk.bodies.get(node);
      if (body !== undefined) walk.scopes.enter(body);
      node = tree.handlerOf(handlers, node)?.(walk, node) ?? node + 1;
    }
    return factsOf(walk);
  };
}

function factsOf(walk: PythonWalk): FileFacts {
  const { tree, scopes, imports } = walk;
  const uses = scopes.resolve((dotted, line) => imports.addText(dotted, line));
  return {
    language: 'python',
    imports: imports.all(),
    exports: exportsOf(walk),
    hasHiddenExports: walk.hasHiddenExports || scopes.module.bindings.has('__getattr__'),
    ...(walk.starNamesAre === 'known' ? { starNames: walk.starNames } : {}),
    definitions: withConstructors(walk.definitions),
    uses,
    memberUses: walk.memberUses.all(),
    problems: syntaxProblems(tree, isNewerSyntax),
  };
}

/** What the module binds itself. Its imports say what it passes on. */
function exportsOf({ scopes, definitions }: PythonWalk): Export[] {
  const lines = new Map<string, number>();
  for (const { name, container, line } of definitions) {
    if (container === null && !lines.has(name)) lines.set(name, line);
  }
  return [...scopes.module.bindings]
    .filter(([, binding]) => binding === null)
    .map(([name]) => ({ name, local: name, line: lines.get(name) ?? 1 }));
}

/** Syntax that the grammar does not know: `except A, B:`, template strings, `lazy import`, unpacking in comprehensions. */
function isNewerSyntax(line: string): boolean {
  return /^\s*except\b[^:]*,|\b[rR]?[tT][rR]?["']|^\s*lazy\s+(?:import|from)\b|[[{(]\s*\*\*?[^,]*\bfor\b/.test(line);
}
