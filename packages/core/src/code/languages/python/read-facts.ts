import type { Export, FileFacts, SyntaxProblem } from '../../facts.ts';
import { syntaxProblems } from '../tree-sitter/problems.ts';
import type { SyntaxTree } from '../tree-sitter/syntax-tree.ts';
import { withConstructors } from './definitions.ts';
import { HANDLERS } from './handlers.ts';
import { newWalk, type PythonWalk } from './walk.ts';

/**
 * Syntax that the grammar does not know: defaults of type parameters, `except A, B:`, template strings, `lazy import`,
 * unpacking in comprehensions.
 */
const NEWER_SYNTAX = [
  /^\s*(?:class|(?:async\s+)?def|type)\s+\w+\s*\[[^\]]*=/,
  /^\s*except\b[^:]*,/,
  /\b[rR]?[tT][rR]?["']/,
  /^\s*lazy\s+(?:import|from)\b/,
  /[[{(]\s*\*\*?[^,]*\bfor\b/,
];

const MOST_EMPTY_BLOCKS = 20;

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
  const { scopes, imports } = walk;
  const uses = scopes.resolve((dotted, line) => imports.addText(dotted, line));
  return {
    language: 'python',
    imports: imports.all(),
    exports: exportsOf(walk),
    hasHiddenExports: walk.hasHiddenExports || scopes.module.bindings.has('__getattr__'),
    ...(walk.starNamesAre === 'known' ? { starNames: walk.starNames } : {}),
    definitions: withConstructors(walk.definitions, walk.fields),
    uses,
    memberUses: walk.memberUses.all(),
    memberNames: [...walk.memberNames],
    problems: problemsOf(walk),
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

function problemsOf({ tree, emptyBlocks }: PythonWalk): SyntaxProblem[] {
  const problems = syntaxProblems(tree, isNewerSyntax);
  const isWhole = tree.errors.length + tree.missing.length === 0;
  // What is empty beside an error is a part of it.
  if (!isWhole) return problems;
  return emptyBlocks
    .slice(0, MOST_EMPTY_BLOCKS)
    .map((node) => ({ line: tree.line(node), message: 'Expected an indented block.' }));
}

function isNewerSyntax(line: string): boolean {
  return NEWER_SYNTAX.some((pattern) => pattern.test(line));
}
