import { arityOfList } from '../parameters.ts';
import { type DefinitionRule, field, type OutlineRules } from '../tree-sitter/outline.ts';
import { syntaxProblems } from '../tree-sitter/problems.ts';
import { NO_NODE, type SyntaxNode, type SyntaxTree } from '../tree-sitter/syntax-tree.ts';
import { addCrate, addModule, addUse } from './imports.ts';

const BUILTINS =
  'Self self super crate Box Clone Copy Default Drop Eq Err Fn FnMut FnOnce From FromIterator Into IntoIterator Iterator ' +
  'None Ok Option Ord PartialEq PartialOrd Result Send Sized Some String Sync ToOwned ToString TryFrom TryInto Unpin Vec ' +
  'AsMut AsRef Debug Hash alloc assert assert_eq assert_ne cfg concat core dbg debug_assert debug_assert_eq ' +
  'debug_assert_ne derive env eprint eprintln format include_bytes include_str line matches panic print println std ' +
  'stringify test todo unimplemented unreachable vec write writeln _';

const type: DefinitionRule = { kind: 'type', names: field('name') };
const value: DefinitionRule = { kind: 'variable', names: field('name') };
const callable: DefinitionRule = { kind: 'function', names: field('name'), arity: arityOf };

export const RUST_RULES: OutlineRules = {
  language: 'rust',
  definitions: {
    function_item: callable,
    function_signature_item: callable,
    struct_item: type,
    enum_item: type,
    union_item: type,
    trait_item: type,
    type_item: type,
    associated_type: type,
    const_item: value,
    static_item: value,
    enum_variant: value,
    field_declaration: value,
    macro_definition: { kind: 'function', names: field('name') },
    mod_item: { kind: 'module', names: field('name') },
  },
  scopes: ['block', 'closure_expression', 'for_expression', 'match_arm', 'if_expression', 'while_expression'],
  locals: {
    parameter: ['pattern'],
    let_declaration: ['pattern'],
    let_condition: ['pattern'],
    for_expression: ['pattern'],
    closure_parameters: [],
    type_parameter: ['name'],
    const_parameter: ['name'],
  },
  names: ['identifier', 'type_identifier', 'shorthand_field_identifier'],
  members: {
    field_expression: { member: 'field', object: 'value' },
    scoped_identifier: { member: 'name', object: 'path' },
    scoped_type_identifier: { member: 'name', object: 'path' },
  },
  others: {
    use_declaration: addUse,
    mod_item: addModule,
    extern_crate_declaration: addCrate,
    lifetime: (walk, node) => walk.tree.next(node),
    impl_item: (walk, node) => {
      const of = walk.tree.child(node, 'type');
      const name = of === NO_NODE ? '' : typeName(walk.tree, of);
      walk.enterContainer(node, name, 'class');
      walk.enterScope(node, false);
      return undefined;
    },
    match_pattern: (walk, node) => bindPattern(walk.tree, node, (name) => walk.bindIn(name)),
    attribute_item: (walk, node) => walk.tree.next(node),
    inner_attribute_item: (walk, node) => walk.tree.next(node),
  },
  builtins: new Set(BUILTINS.split(' ')),
  problems: (tree) =>
    syntaxProblems(tree, (line) => /\b(?:gen|safe|async\s*\||let\s*chains|unsafe\s+extern)\b|&raw\b|\bc"/.test(line)),
};

/** In a pattern, names in lower case are bound. */
function bindPattern(tree: SyntaxTree, node: SyntaxNode, bind: (name: SyntaxNode) => void): undefined {
  const condition = tree.child(node, 'condition');
  const end = condition === NO_NODE ? tree.next(node) : condition;
  for (let at = node; at < end; ) {
    const kind = tree.type(at);
    if (kind === 'identifier' && /^[a-z_]/.test(tree.textOf(at))) bind(at);
    at = kind === 'scoped_identifier' || kind === 'scoped_type_identifier' ? tree.next(at) : at + 1;
  }
}

/** `Shop` of `Shop<T>`, `&a::Shop`. */
function typeName(tree: SyntaxTree, node: SyntaxNode): string {
  for (let at = node; at < tree.next(node); at++) {
    const kind = tree.type(at);
    if (kind === 'type_arguments') at = tree.next(at) - 1;
    else if (kind === 'scoped_type_identifier') {
      const name = tree.child(at, 'name');
      if (name !== NO_NODE) return tree.textOf(name);
    } else if (kind === 'type_identifier' || kind === 'primitive_type') return tree.textOf(at);
  }
  return '';
}

function arityOf(tree: SyntaxTree, node: SyntaxNode) {
  return arityOfList(tree, tree.child(node, 'parameters'), {
    required: ['parameter'],
    optional: [],
    rest: ['variadic_parameter'],
  });
}
