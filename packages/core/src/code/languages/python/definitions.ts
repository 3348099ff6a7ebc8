import type { Arity, Definition, DefinitionKind, Parameter } from '../../facts.ts';
import { NO_NODE, type SyntaxNode, type SyntaxTree } from '../tree-sitter/syntax-tree.ts';

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
    ...(at.kind === 'class' && hasHiddenMembers(tree, at.node, decorators) ? { hasHiddenMembers: true } : {}),
  };
}

/**
 * The arity of a class is that of its `__init__`, or follows from its fields.
 * @param fields those of data classes
 */
export function withConstructors(
  definitions: readonly Definition[],
  fields: ReadonlyMap<string, readonly Parameter[]>,
): Definition[] {
  const constructors = new Map(
    definitions
      .filter(({ name, kind }) => name === '__init__' && kind === 'method')
      .map((each) => [each.container, each]),
  );
  const dynamic = new Set(
    definitions.filter(({ name }) => /^__getattr(?:ibute)?__$/.test(name)).map(({ container }) => container),
  );
  return definitions.map((each) => {
    if (each.kind !== 'class') return each;
    const init = constructors.get(each.name);
    const finds = dynamic.has(each.name) ? { hasHiddenMembers: true } : {};
    const made = each.hasHiddenMembers ? undefined : fields.get(each.name);
    const arity = init === undefined && made !== undefined ? arityOfParameters(made) : null;
    return { ...each, ...finds, arity: init?.arity ?? arity };
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

/** Whether a class has bases, a metaclass, or decorators that may add members. */
function hasHiddenMembers(tree: SyntaxTree, node: SyntaxNode, decorators: readonly string[]): boolean {
  const bases = tree.child(node, 'superclasses');
  const all =
    bases === NO_NODE ? [] : tree.children(bases).filter((child) => !/^[(),]$|^comment$/.test(tree.type(child)));
  const isPlain = (base: SyntaxNode) =>
    /^(?:object|(?:\w+\.)?(?:ABC|Protocol|Generic)(?:\[.*\])?)$/s.test(tree.textOf(base));
  const isKnown = (name: string) => /(?:^|\.)(?:dataclass|final|total_ordering|runtime_checkable)$/.test(name);
  return !all.every(isPlain) || !decorators.every(isKnown);
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

function arityOf(tree: SyntaxTree, { node, kind }: DefinedAt, decorators: readonly string[]): Arity | null {
  const list = tree.child(node, 'parameters');
  const names = decorators.map((each) => each.slice(each.lastIndexOf('.') + 1));
  if (list === NO_NODE || names.some((name) => !TRANSPARENT.has(name))) return null;
  const parameters = parametersOf(tree, list);
  // The object that a method belongs to is not an argument.
  const hasObject = kind === 'method' && !names.includes('staticmethod') && isByPlace(parameters[0]);
  return arityOfParameters(hasObject ? parameters.slice(1) : parameters);
}

function arityOfParameters(parameters: readonly Parameter[]): Arity {
  const single = parameters.filter(({ by }) => by !== 'rest' && by !== 'names');
  return {
    least: single.filter(({ isOptional }) => !isOptional).length,
    most: single.length === parameters.length ? single.length : null,
    parameters,
  };
}

function isByPlace(parameter: Parameter | undefined): boolean {
  return parameter?.by === 'either' || parameter?.by === 'place';
}

function parametersOf(tree: SyntaxTree, list: SyntaxNode): Parameter[] {
  const found: Parameter[] = [];
  let by: Parameter['by'] = 'either';
  for (const child of tree.children(list)) {
    switch (tree.type(child)) {
      case 'identifier':
      case 'tuple_pattern':
        found.push({ name: tree.textOf(child), isOptional: false, by });
        break;
      case 'default_parameter':
      case 'typed_default_parameter':
        found.push({ name: tree.textOf(tree.child(child, 'name')), isOptional: true, by });
        break;
      case 'typed_parameter':
      case 'list_splat_pattern':
      case 'dictionary_splat_pattern': {
        const name = tree.type(child) === 'typed_parameter' ? child + 1 : child;
        const kind = tree.type(name);
        if (kind === 'list_splat_pattern') {
          found.push({ name: tree.textOf(name).slice(1), isOptional: true, by: 'rest' });
          by = 'name';
        } else if (kind === 'dictionary_splat_pattern')
          found.push({ name: tree.textOf(name).slice(2), isOptional: true, by: 'names' });
        else found.push({ name: tree.textOf(name), isOptional: false, by });
        break;
      }
      case 'keyword_separator':
        by = 'name';
        break;
      case 'positional_separator':
        // Those before it are given by place only.
        found.forEach((each, index) => {
          found[index] = { ...each, by: 'place' };
        });
        break;
      default:
    }
  }
  return found;
}
