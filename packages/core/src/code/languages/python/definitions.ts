import type { Definition, DefinitionKind } from '../../facts.ts';
import { NO_NODE, type SyntaxNode, type SyntaxTree } from '../tree-sitter/syntax-tree.ts';

type Arity = Definition['arity'];

/** Decorators after which a function is called as it was defined. */
const TRANSPARENT = new Set(
  (
    'abstractmethod asynccontextmanager cache classmethod contextmanager deprecated final lru_cache override ' +
    'staticmethod'
  ).split(' '),
);

const LONGEST_SIGNATURE = 1000;

interface DefinedAt {
  /** The definition, without its decorators. */
  readonly node: SyntaxNode;
  /** With its decorators, or the same. */
  readonly outer: SyntaxNode;
  readonly kind: DefinitionKind;
  readonly container: string | null;
}

/** @param at a function or a class */
export function pythonDefinition(tree: SyntaxTree, at: DefinedAt): Definition | null {
  const name = tree.child(at.node, 'name');
  if (name === NO_NODE) return null;
  const decorators = decoratorsOf(tree, at.outer);
  return {
    name: tree.textOf(name),
    kind: at.kind,
    container: at.container,
    line: tree.line(at.node),
    endLine: tree.endLine(at.node),
    signature: [...decorators.map((each) => `@${each}`), headOf(tree, at.node)].join(' ').slice(0, LONGEST_SIGNATURE),
    arity: at.kind === 'class' ? null : arityOf(tree, at, decorators),
  };
}

/** The arity of a class is that of its `__init__`. */
export function withConstructors(definitions: readonly Definition[]): Definition[] {
  const constructors = new Map(
    definitions
      .filter(({ name, kind }) => name === '__init__' && kind === 'method')
      .map((each) => [each.container, each]),
  );
  return definitions.map((each) => {
    const init = each.kind === 'class' ? constructors.get(each.name) : undefined;
    return init === undefined ? each : { ...each, arity: init.arity };
  });
}

/** @param target an identifier, or the attribute of `self` */
export function pythonVariable(
  tree: SyntaxTree,
  target: SyntaxNode,
  container: string | null,
  type: SyntaxNode,
): Definition {
  const name = tree.textOf(target);
  const line = tree.line(target);
  const signature = type === NO_NODE ? name : `${name}: ${spaced(tree.textOf(type))}`;
  return {
    name,
    kind: 'variable',
    container,
    line,
    endLine: line,
    signature: signature.slice(0, LONGEST_SIGNATURE),
    arity: null,
  };
}

/** The names of the decorators: `functools.lru_cache`. */
function decoratorsOf(tree: SyntaxTree, outer: SyntaxNode): string[] {
  if (tree.type(outer) !== 'decorated_definition') return [];
  return tree
    .children(outer)
    .filter((child) => tree.type(child) === 'decorator')
    .map((child) => /^@\s*([\w.\s]*)/.exec(tree.textOf(child))![1]!.replace(/\s+/g, ''));
}

/** From the beginning to the body. */
function headOf(tree: SyntaxTree, node: SyntaxNode): string {
  const body = tree.child(node, 'body');
  const end = body === NO_NODE ? tree.end(node) : tree.start(body);
  const head = tree.text.slice(tree.start(node), end).replace(/#.*$/gm, '');
  return spaced(head).replace(/\s*:$/, '');
}

function spaced(text: string): string {
  return text
    .replace(/\s+/g, ' ')
    .replace(/([([{]) | (?=[)\]}])/g, '$1')
    .replace(/,(?=[)\]}])/g, '')
    .trim();
}

function arityOf(tree: SyntaxTree, { node, kind }: DefinedAt, decorators: readonly string[]): Arity {
  const parameters = tree.child(node, 'parameters');
  const names = decorators.map((each) => each.slice(each.lastIndexOf('.') + 1));
  if (parameters === NO_NODE || names.some((name) => !TRANSPARENT.has(name))) return null;
  let least = 0;
  let most: number | null = 0;
  let positional = 0;
  for (const child of tree.children(parameters)) {
    const kindOfParameter = parameterKind(tree, child);
    if (kindOfParameter === 'any') most = null;
    if (kindOfParameter !== 'required' && kindOfParameter !== 'optional') continue;
    positional++;
    // The object that a method belongs to is not an argument.
    if (positional === 1 && kind === 'method' && !names.includes('staticmethod')) continue;
    if (kindOfParameter === 'required') least++;
    if (most !== null) most++;
  }
  return { least, most };
}

function parameterKind(tree: SyntaxTree, node: SyntaxNode): 'required' | 'optional' | 'any' | null {
  switch (tree.type(node)) {
    case 'identifier':
    case 'tuple_pattern':
      return 'required';
    case 'default_parameter':
    case 'typed_default_parameter':
      return 'optional';
    case 'typed_parameter': {
      const type = tree.type(node + 1);
      return type === 'list_splat_pattern' || type === 'dictionary_splat_pattern' ? 'any' : 'required';
    }
    case 'list_splat_pattern':
    case 'dictionary_splat_pattern':
      return 'any';
    default:
      return null;
  }
}
