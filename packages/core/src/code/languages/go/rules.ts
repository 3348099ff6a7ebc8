import type { Definition } from '../../facts.ts';
import { type DefinitionRule, field, fields, type Outline, type OutlineRules } from '../tree-sitter/outline.ts';
import { syntaxProblems } from '../tree-sitter/problems.ts';
import { NO_NODE, type SyntaxNode, type SyntaxTree } from '../tree-sitter/syntax-tree.ts';

const BUILTINS =
  'any append bool byte cap clear close comparable complex complex128 complex64 copy delete error false float32 float64 ' +
  'imag int int16 int32 int64 int8 iota len make max min new nil panic print println real recover rune string true uint ' +
  'uint16 uint32 uint64 uint8 uintptr _';

/** Every name at the level of the file is seen by the other files of its package. */
const isAtTop: DefinitionRule['isExported'] = () => true;
const type: DefinitionRule = { kind: 'type', names: field('name'), isExported: isAtTop };
const variable: DefinitionRule = {
  kind: 'variable',
  names: (tree, node) => fields(tree, node, 'name'),
  isExported: isAtTop,
};

export const GO_RULES: OutlineRules = {
  language: 'go',
  definitions: {
    function_declaration: { kind: 'function', names: field('name'), arity: arityOf, isExported: isAtTop },
    method_declaration: {
      kind: 'method',
      names: field('name'),
      container: receiverOf,
      arity: arityOf,
      isExported: () => false,
    },
    method_elem: { kind: 'method', names: field('name'), arity: arityOf },
    type_spec: type,
    type_alias: type,
    var_spec: variable,
    const_spec: variable,
    field_declaration: { ...variable, isExported: () => false },
  },
  scopes: [
    'func_literal',
    'block',
    'if_statement',
    'for_statement',
    'expression_case',
    'type_case',
    'communication_case',
  ],
  locals: {
    parameter_declaration: ['name'],
    variadic_parameter_declaration: ['name'],
    type_parameter_declaration: ['name'],
    short_var_declaration: ['left'],
    range_clause: ['left'],
    receive_statement: ['left'],
    type_switch_statement: ['alias'],
  },
  names: ['identifier', 'type_identifier', 'package_identifier'],
  members: {
    selector_expression: { member: 'field', object: 'operand' },
    qualified_type: { member: 'name', object: 'package' },
  },
  others: {
    package_clause: (walk, node) => walk.tree.next(node),
    import_spec: addImport,
    keyed_element: skipKey,
  },
  builtins: new Set(BUILTINS.split(' ')),
  problems: (tree) => syntaxProblems(tree, () => false),
  // The other files of the package.
  begin: (walk) => walk.addImport({ kind: 'static', from: '.', names: [{ name: '*', local: null }], line: 1 }),
};

function addImport(walk: Outline, node: SyntaxNode): SyntaxNode {
  const { tree } = walk;
  const path = tree.child(node, 'path');
  const from = path === NO_NODE ? '' : tree.textOf(path).slice(1, -1);
  const alias = tree.child(node, 'name');
  const local = alias === NO_NODE ? packageName(from) : tree.textOf(alias);
  const names = local === '_' ? [] : [{ name: '*', local: local === '.' ? null : local }];
  if (from !== '') walk.addImport({ kind: 'static', from, names, line: tree.line(node) });
  return tree.next(node);
}

/** What a package is usually called: `v2` and `go-` are not a part of the name. */
function packageName(path: string): string {
  const parts = path.split('/').filter((part) => !/^v\d+$/.test(part));
  return (parts.at(-1) ?? path)
    .replace(/\.v\d+$/, '')
    .replace(/^go-/, '')
    .replace(/-go$/, '');
}

/** `Field: value` in a literal: the name of a field. */
function skipKey(walk: Outline, node: SyntaxNode): undefined {
  const key = walk.tree.child(node, 'key');
  const name = key === NO_NODE ? NO_NODE : walk.tree.childOfType(key, 'identifier');
  if (name === NO_NODE) return;
  walk.memberUses.add(walk.tree.textOf(name), walk.tree.line(name));
  // In a map it is the use of a name.
  walk.use(name);
}

function receiverOf(tree: SyntaxTree, node: SyntaxNode): string | null {
  const receiver = tree.child(node, 'receiver');
  if (receiver === NO_NODE) return null;
  for (let at = receiver; at < tree.next(receiver); at++)
    if (tree.type(at) === 'type_identifier') return tree.textOf(at);
  return null;
}

function arityOf(tree: SyntaxTree, node: SyntaxNode): Definition['arity'] {
  const parameters = tree.child(node, 'parameters');
  if (parameters === NO_NODE) return null;
  let least = 0;
  let isOpen = false;
  for (const child of tree.children(parameters)) {
    if (tree.type(child) === 'variadic_parameter_declaration') isOpen = true;
    else if (tree.type(child) === 'parameter_declaration') least += Math.max(1, fields(tree, child, 'name').length);
  }
  return { least, most: isOpen ? null : least };
}
