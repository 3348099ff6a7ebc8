import { arityOfList } from '../parameters.ts';
import { type DefinitionRule, field, type Outline, type OutlineRules } from '../tree-sitter/outline.ts';
import { syntaxProblems } from '../tree-sitter/problems.ts';
import { NO_NODE, type SyntaxNode, type SyntaxTree } from '../tree-sitter/syntax-tree.ts';

const type: DefinitionRule = { kind: 'class', names: field('name'), isExported: () => true };

export const PHP_RULES: OutlineRules = {
  language: 'php',
  definitions: {
    class_declaration: type,
    interface_declaration: type,
    trait_declaration: type,
    enum_declaration: type,
    function_definition: { kind: 'function', names: field('name'), arity: arityOf },
    method_declaration: { kind: 'method', names: field('name'), arity: arityOf },
    const_element: { kind: 'variable', names: firstName },
    enum_case: { kind: 'variable', names: field('name') },
    property_element: { kind: 'variable', names: variableName },
    property_promotion_parameter: { kind: 'variable', names: variableName },
  },
  scopes: ['anonymous_function', 'arrow_function'],
  locals: {},
  names: ['name'],
  members: {
    member_access_expression: { member: 'name' },
    nullsafe_member_access_expression: { member: 'name' },
    member_call_expression: { member: 'name' },
    nullsafe_member_call_expression: { member: 'name' },
    scoped_call_expression: { member: 'name', object: 'scope' },
  },
  others: {
    namespace_definition: (walk, node) => {
      const body = walk.tree.child(node, 'body');
      return body === NO_NODE ? walk.tree.next(node) : body;
    },
    namespace_use_declaration: addUses,
    require_once_expression: addRequire,
    require_expression: addRequire,
    include_once_expression: addRequire,
    include_expression: addRequire,
    // Variables belong to their functions.
    variable_name: (walk, node) => walk.tree.next(node),
    class_constant_access_expression: useConstant,
    qualified_name: useQualified,
    argument: skipName,
  },
  builtins: new Set(
    '__CLASS__ __DIR__ __FILE__ __LINE__ __NAMESPACE__ false mixed null parent self static true'.split(' '),
  ),
  problems: (tree) => syntaxProblems(tree, isKnownGap),
};

/** Syntax that is newer than the grammar. */
function isKnownGap(line: string): boolean {
  return /\|>|\bclone\b|\b(?:public|private|protected)\(set\)|\{\s*(?:get|set)\b|\bnew\b[^;]*\)->/.test(line);
}

/** `use A\{B, function c as d};` An import for each class, since each has a file. */
function addUses(walk: Outline, node: SyntaxNode): SyntaxNode {
  const { tree } = walk;
  const match = /^use\s+((?:function|const)\s+)?([^{;]*?)\s*(?:\{([^}]*)\})?\s*;?$/s.exec(tree.textOf(node));
  if (match === null) return tree.next(node);
  const [, kind = '', before = '', group] = match;
  const clauses = group === undefined ? before.split(',') : group.split(',').map((each) => joinedName(before, each));
  for (const clause of clauses)
    addUse(walk, kind !== '' || /^(?:function|const)\s/.test(clause.trim()), clause, tree.line(node));
  return tree.next(node);
}

/** In a group, `function` is written before the name. */
function joinedName(prefix: string, clause: string): string {
  const [, kind = '', name = ''] = /^\s*((?:function|const)\s+)?(.*?)\s*$/s.exec(clause)!;
  return name === '' ? '' : `${kind}${prefix}${name}`;
}

/** A function or constant is not in a file of its name, so its import is from its namespace. */
function addUse(walk: Outline, isOfNamespace: boolean, clause: string, line: number): void {
  const match = /^\s*(?:(?:function|const)\s+)?\\?([\w\\]+)(?:\s+as\s+(\w+))?\s*$/.exec(clause);
  if (match === null) return;
  const path = match[1]!.split('\\');
  const name = path.at(-1)!;
  const from = (isOfNamespace ? path.slice(0, -1) : path).join('\\');
  walk.addImport({ kind: 'static', from, names: [{ name, local: match[2] ?? name }], line });
}

function addRequire(walk: Outline, node: SyntaxNode): SyntaxNode | undefined {
  const { tree } = walk;
  const match = /^\w+\s*\(?\s*(?:(?:__DIR__|dirname\(__FILE__\))\s*\.\s*)?(?:'([^'$]+)'|"([^"$]+)")\s*\)?$/.exec(
    tree.textOf(node),
  );
  if (match === null) return undefined;
  const path = (match[1] ?? match[2]!).replace(/^\/+/, '');
  const names = [{ name: '*', local: null, exportedAs: '*' }];
  walk.addImport({ kind: 'static', from: `./${path}`, names, line: tree.line(node) });
  return tree.next(node);
}

/** `Name::CONSTANT` */
function useConstant(walk: Outline, node: SyntaxNode): undefined {
  const { tree } = walk;
  const names = tree.children(node).filter((child) => tree.type(child) === 'name');
  const constant = names.at(-1);
  if (constant === undefined || tree.textOf(constant) === 'class') return;
  walk.memberUses.add(tree.textOf(constant), tree.line(constant));
  walk.handled.add(constant);
  if (names.length > 1) walk.use(names[0]!, tree.textOf(constant));
}

/** `\A\B\C` names a class without an import. */
function useQualified(walk: Outline, node: SyntaxNode): SyntaxNode {
  const { tree } = walk;
  const path = tree.textOf(node).replace(/^\\/, '').split('\\');
  const line = tree.line(node);
  if (tree.textOf(node).startsWith('\\') && path.length > 1) {
    walk.addImport({ kind: 'static', from: path.join('\\'), names: [{ name: path.at(-1)!, local: null }], line });
  }
  return tree.next(node);
}

/** `name: value` in a call. */
function skipName(walk: Outline, node: SyntaxNode): undefined {
  walk.handled.add(walk.tree.child(node, 'name'));
}

function firstName(tree: SyntaxTree, node: SyntaxNode): SyntaxNode[] {
  const name = tree.childOfType(node, 'name');
  return name === NO_NODE ? [] : [name];
}

/** Without the `$`. */
function variableName(tree: SyntaxTree, node: SyntaxNode): SyntaxNode[] {
  const variable = tree.childOfType(node, 'variable_name');
  return variable === NO_NODE ? [] : firstName(tree, variable);
}

function arityOf(tree: SyntaxTree, node: SyntaxNode) {
  const list = tree.child(node, 'parameters');
  if (list === NO_NODE) return null;
  const arity = arityOfList(tree, list, {
    required: ['simple_parameter', 'property_promotion_parameter'],
    optional: [],
    rest: ['variadic_parameter'],
  });
  const optional = tree.children(list).filter((child) => tree.child(child, 'default_value') !== NO_NODE).length;
  return arity === null ? null : { least: arity.least - optional, most: arity.most };
}
