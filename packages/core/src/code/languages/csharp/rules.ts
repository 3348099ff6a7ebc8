import type { Definition, SyntaxProblem } from '../../facts.ts';
import { unbalancedBrackets } from '../c/brackets.ts';
import { type DefinitionRule, field, fields, type Outline, type OutlineRules } from '../tree-sitter/outline.ts';
import { NO_NODE, type SyntaxNode, type SyntaxTree } from '../tree-sitter/syntax-tree.ts';

const type: DefinitionRule = { kind: 'class', names: field('name'), isExported: () => true };
const method: DefinitionRule = { kind: 'method', names: field('name'), arity: arityOf };
const property: DefinitionRule = { kind: 'variable', names: field('name') };
const variables: DefinitionRule = { kind: 'variable', names: declarators };
const namespace: DefinitionRule = { kind: 'module', names: field('name'), isExported: () => false };

export const CSHARP_RULES: OutlineRules = {
  language: 'csharp',
  definitions: {
    class_declaration: type,
    struct_declaration: type,
    interface_declaration: type,
    record_declaration: { ...type, arity: arityOf },
    enum_declaration: type,
    delegate_declaration: { ...type, arity: arityOf },
    method_declaration: method,
    constructor_declaration: method,
    local_function_statement: method,
    property_declaration: property,
    event_declaration: property,
    enum_member_declaration: property,
    field_declaration: variables,
    event_field_declaration: variables,
    namespace_declaration: namespace,
  },
  scopes: [
    'block',
    'lambda_expression',
    'anonymous_method_expression',
    'for_statement',
    'foreach_statement',
    'catch_clause',
  ],
  locals: {
    parameter: ['name'],
    implicit_parameter: [],
    variable_declarator: ['name'],
    foreach_statement: ['left'],
    catch_declaration: ['name'],
    declaration_pattern: ['name'],
    declaration_expression: ['name'],
    type_parameter: ['name'],
    from_clause: ['name'],
  },
  names: ['identifier', 'implicit_parameter'],
  members: {
    member_access_expression: { member: 'name', object: 'expression' },
    member_binding_expression: { member: 'name' },
    qualified_name: { member: 'name', object: 'qualifier' },
  },
  others: {
    using_directive: addUsing,
    file_scoped_namespace_declaration: enterNamespace,
    argument: skipName,
  },
  builtins: new Set('_ nameof notnull unmanaged value var when'.split(' ')),
  problems: problemsOf,
};

/** The grammar does not know all of the language. Where brackets do not match either, it is right. */
function problemsOf(tree: SyntaxTree): readonly SyntaxProblem[] {
  const fits = tree.errors.length + tree.missing.length === 0;
  return fits || /^\s*#(?:if|else)/m.test(tree.text) ? [] : unbalancedBrackets(tree.text);
}

/** The names of a namespace can be used without it, and those of a class after `using static`. */
function addUsing(walk: Outline, node: SyntaxNode): SyntaxNode {
  const { tree } = walk;
  const match = /^(?:global\s+)?using\s+(?:static\s+)?(?:(\w+)\s*=\s*)?([\w.:]+)/.exec(tree.textOf(node));
  if (match !== null) {
    const from = match[2]!.replace(/^global::/, '');
    const names = [{ name: '*', local: match[1] ?? null }];
    walk.addImport({ kind: 'static', from, names, line: tree.line(node) });
  }
  return tree.next(node);
}

/** It ends with the file. */
function enterNamespace(walk: Outline, node: SyntaxNode): SyntaxNode {
  const { tree } = walk;
  const name = tree.child(node, 'name');
  if (name !== NO_NODE) walk.enterContainer(0, tree.textOf(name), 'module');
  return tree.next(name === NO_NODE ? node : name);
}

/** `name: value` in a call. */
function skipName(walk: Outline, node: SyntaxNode): undefined {
  walk.handled.add(walk.tree.child(node, 'name'));
}

function declarators(tree: SyntaxTree, node: SyntaxNode): SyntaxNode[] {
  const declaration = tree.childOfType(node, 'variable_declaration');
  if (declaration === NO_NODE) return [];
  return tree
    .children(declaration)
    .filter((child) => tree.type(child) === 'variable_declarator')
    .map((child) => tree.child(child, 'name'))
    .filter((name) => name !== NO_NODE);
}

function arityOf(tree: SyntaxTree, node: SyntaxNode): Definition['arity'] {
  const named = tree.child(node, 'parameters');
  const list = named === NO_NODE ? tree.childOfType(node, 'parameter_list') : named;
  if (list === NO_NODE) return null;
  let least = 0;
  let optional = 0;
  for (const child of tree.children(list)) {
    if (tree.type(child) !== 'parameter') continue;
    if (tree.childOfType(child, '=') !== NO_NODE) optional++;
    else least++;
  }
  // The grammar has no node for `params`.
  const isOpen = fields(tree, list, 'name').length > 0 || /\bparams\b/.test(tree.textOf(list));
  return { least, most: isOpen ? null : least + optional };
}
