import type { Definition, DefinitionKind } from '../../facts.ts';
import { arityOfList } from '../parameters.ts';
import { type DefinitionRule, field, fields, type Outline, type OutlineRules } from '../tree-sitter/outline.ts';
import { NO_NODE, type SyntaxNode, type SyntaxTree } from '../tree-sitter/syntax-tree.ts';
import { unbalancedBrackets } from './brackets.ts';

const type: DefinitionRule = { kind: 'type', names: typeNames, isExported: () => true };
/** Others can use it by including this file, or by declaring it again. */
const isVisible: DefinitionRule['isExported'] = (tree, node) => !/^\s*(?:\w+\s+)*static\b/.test(headText(tree, node));

export const C_RULES: OutlineRules = {
  language: 'c',
  definitions: {
    function_definition: { kind: 'function', names: declaredNames, arity: arityOf, isExported: isVisible },
    declaration: { kind: 'variable', kindOf, names: declaredNames, arity: arityOf, isExported: isVisible },
    field_declaration: { kind: 'variable', kindOf, names: declaredNames, arity: arityOf, isExported: () => false },
    type_definition: { kind: 'variable', names: declaredNames, isExported: () => true },
    struct_specifier: type,
    union_specifier: type,
    enum_specifier: type,
    enumerator: { kind: 'variable', names: field('name'), isExported: () => true },
    preproc_def: { kind: 'variable', names: field('name'), isExported: () => true },
    preproc_function_def: { kind: 'variable', names: field('name'), arity: macroArity, isExported: () => true },
  },
  scopes: ['compound_statement', 'for_statement'],
  locals: {
    parameter_declaration: ['declarator'],
    preproc_params: [],
  },
  names: ['identifier', 'type_identifier'],
  members: { field_expression: { member: 'field', object: 'argument' } },
  others: { preproc_include: addInclude },
  builtins: new Set('NULL bool false nullptr size_t true'.split(' ')),
  problems: (tree) => unbalancedBrackets(tree.text),
};

export const CPP_RULES: OutlineRules = {
  ...C_RULES,
  language: 'cpp',
  definitions: {
    ...C_RULES.definitions,
    class_specifier: { ...type, kind: 'class' },
    namespace_definition: { kind: 'module', names: field('name'), isExported: () => false },
    alias_declaration: { kind: 'variable', names: field('name'), isExported: () => true },
    concept_definition: { kind: 'variable', names: field('name'), isExported: () => true },
  },
  scopes: [...C_RULES.scopes, 'lambda_expression', 'for_range_loop', 'catch_clause'],
  locals: {
    ...C_RULES.locals,
    optional_parameter_declaration: ['declarator'],
    variadic_parameter_declaration: ['declarator'],
    for_range_loop: ['declarator'],
    type_parameter_declaration: [],
    optional_type_parameter_declaration: ['name'],
    structured_binding_declarator: [],
  },
  names: [...C_RULES.names, 'namespace_identifier'],
  members: {
    ...C_RULES.members,
    qualified_identifier: { member: 'name', object: 'scope' },
  },
  others: {
    ...C_RULES.others,
    template_declaration: (walk, node) => void walk.enterScope(node, false),
  },
  builtins: new Set('NULL bool false nullptr size_t std string_view this true'.split(' ')),
};

/** Everything of the other file, and of what it includes, is passed on. */
function addInclude(walk: Outline, node: SyntaxNode): SyntaxNode {
  const { tree } = walk;
  const path = tree.child(node, 'path');
  const text = path === NO_NODE ? '' : tree.textOf(path);
  const match = /^"([^"]+)"$|^(<[^>]+>)$/.exec(text);
  if (match !== null) {
    const names = [{ name: '*', local: null, exportedAs: '*' }];
    walk.addImport({ kind: 'static', from: match[1] ?? match[2]!, names, line: tree.line(node) });
  }
  return tree.next(node);
}

/** A type with a body. Without, it is only used. */
function typeNames(tree: SyntaxTree, node: SyntaxNode): SyntaxNode[] {
  return tree.child(node, 'body') === NO_NODE ? [] : field('name')(tree, node);
}

/** The names in declarators, such as `f` in `int (*f)(int)`. */
function declaredNames(tree: SyntaxTree, node: SyntaxNode): SyntaxNode[] {
  return fields(tree, node, 'declarator')
    .map((each) => nameIn(tree, each))
    .filter((name) => name !== NO_NODE);
}

const NAMES = new Set(['identifier', 'field_identifier', 'type_identifier', 'destructor_name', 'operator_name']);

function nameIn(tree: SyntaxTree, declarator: SyntaxNode): SyntaxNode {
  for (let node = declarator; node !== NO_NODE; ) {
    const kind = tree.type(node);
    if (NAMES.has(kind)) return node;
    const inner = tree.child(node, kind === 'qualified_identifier' ? 'name' : 'declarator');
    node = inner !== NO_NODE ? inner : innerOf(tree, node);
  }
  return NO_NODE;
}

/** Some declarators have no field for what is in them. */
function innerOf(tree: SyntaxTree, node: SyntaxNode): SyntaxNode {
  return (
    tree.children(node).find((child) => NAMES.has(tree.type(child)) || tree.type(child).endsWith('_declarator')) ??
    NO_NODE
  );
}

function arityOf(tree: SyntaxTree, node: SyntaxNode): Definition['arity'] {
  const declarator = functionDeclarator(tree, node);
  if (declarator === NO_NODE) return null;
  const list = tree.child(declarator, 'parameters');
  if (list !== NO_NODE && /^\(\s*void\s*\)$/.test(tree.textOf(list))) return { least: 0, most: 0 };
  return arityOfList(tree, list, {
    required: ['parameter_declaration'],
    optional: ['optional_parameter_declaration'],
    rest: ['variadic_parameter', 'variadic_parameter_declaration', '...'],
  });
}

function kindOf(tree: SyntaxTree, node: SyntaxNode): DefinitionKind {
  const declarator = tree.child(node, 'declarator');
  const isFunction = declarator !== NO_NODE && functionDeclarator(tree, node) !== NO_NODE;
  // `int (*f)(int)` is a variable.
  return isFunction && !/^\W*\(\s*\*/.test(tree.textOf(declarator)) ? 'function' : 'variable';
}

/** Behind pointers: `int *f(int)`. */
function functionDeclarator(tree: SyntaxTree, node: SyntaxNode): SyntaxNode {
  for (let at = tree.child(node, 'declarator'); at !== NO_NODE; at = tree.child(at, 'declarator')) {
    if (tree.type(at) === 'function_declarator') return at;
  }
  return NO_NODE;
}

function macroArity(tree: SyntaxTree, node: SyntaxNode): Definition['arity'] {
  return arityOfList(tree, tree.child(node, 'parameters'), { required: ['identifier'], optional: [], rest: ['...'] });
}

function headText(tree: SyntaxTree, node: SyntaxNode): string {
  return tree.text.slice(tree.start(node), Math.min(tree.end(node), tree.start(node) + 200));
}
