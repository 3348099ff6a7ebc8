import type { Definition } from '../../facts.ts';
import { arityOfList } from '../parameters.ts';
import { type DefinitionRule, field, type Outline, type OutlineRules } from '../tree-sitter/outline.ts';
import { syntaxProblems } from '../tree-sitter/problems.ts';
import { NO_NODE, type SyntaxNode, type SyntaxTree } from '../tree-sitter/syntax-tree.ts';

const BUILTINS =
  'Array BasicObject Class Comparable Dir Enumerable Exception File Float Hash IO Integer Kernel Module NilClass Object ' +
  'Proc Range Regexp RuntimeError StandardError String Struct Symbol Thread Time abort attr_accessor attr_reader ' +
  'attr_writer binding block_given? catch extend format freeze include lambda loop module_function new p prepend private ' +
  'proc protected public puts raise rand require require_relative sleep sprintf throw warn';

const type: DefinitionRule = { kind: 'class', names: field('name'), isExported: () => true };
/** Everybody can call a method; which one, only its object says. */
const method: DefinitionRule = { kind: 'function', names: field('name'), arity: arityOf };

export const RUBY_RULES: OutlineRules = {
  language: 'ruby',
  definitions: {
    class: type,
    module: { ...type, kind: 'module' },
    method,
    singleton_method: method,
    assignment: { kind: 'variable', names: constantOf, isExported: () => true },
  },
  scopes: ['block', 'do_block', 'lambda'],
  locals: {
    method_parameters: [],
    block_parameters: [],
    lambda_parameters: [],
    assignment: ['left'],
    operator_assignment: ['left'],
    left_assignment_list: [],
    exception_variable: [],
    for: ['pattern'],
  },
  names: ['identifier', 'constant'],
  members: {
    call: { member: 'method', object: 'receiver' },
    scope_resolution: { member: 'name', object: 'scope' },
  },
  others: { call: readCall, alias: defineAlias },
  builtins: new Set(BUILTINS.split(' ')),
  problems: (tree) => syntaxProblems(tree, () => false),
};

function readCall(walk: Outline, node: SyntaxNode): SyntaxNode | undefined {
  const { tree } = walk;
  const method = tree.child(node, 'method');
  const args = tree.child(node, 'arguments');
  if (method === NO_NODE || args === NO_NODE || tree.child(node, 'receiver') !== NO_NODE) return undefined;
  const name = tree.textOf(method);
  if (/^(?:require|require_relative|load|autoload)$/.test(name)) return addRequire(walk, node, name, args);
  if (
    /^(?:attr_reader|attr_writer|attr_accessor|attr|define_method|alias_method|delegate|def_delegators?)$/.test(name)
  ) {
    const symbols = tree.children(args).filter((child) => tree.type(child) === 'simple_symbol');
    const defined = /^(?:define_method|alias_method)$/.test(name) ? symbols.slice(0, 1) : symbols;
    for (const symbol of defined) define(walk, symbol, node);
    if (name === 'alias_method') useSymbol(walk, symbols[1]);
  } else if (
    /^(?:send|public_send|method|respond_to\?|before_action|after_action|private|public|protected)$/.test(name)
  ) {
    for (const child of tree.children(args)) if (tree.type(child) === 'simple_symbol') useSymbol(walk, child);
  }
  return undefined;
}

function addRequire(walk: Outline, node: SyntaxNode, name: string, args: SyntaxNode): SyntaxNode | undefined {
  const { tree } = walk;
  const text = tree.children(args).find((child) => tree.type(child) === 'string');
  const content = text === undefined ? NO_NODE : tree.childOfType(text, 'string_content');
  if (text === undefined || content === NO_NODE || tree.childOfType(text, 'interpolation') !== NO_NODE)
    return undefined;
  const path = tree.textOf(content);
  const from = name === 'require_relative' && !path.startsWith('.') ? `./${path}` : path;
  const symbol = name === 'autoload' ? tree.childOfType(args, 'simple_symbol') : NO_NODE;
  const constant = symbol === NO_NODE ? '*' : tree.textOf(symbol).slice(1);
  const names = [{ name: constant, local: constant === '*' ? null : constant, exportedAs: constant }];
  walk.addImport({ kind: name === 'autoload' ? 'dynamic' : 'static', from, names, line: tree.line(node) });
  return tree.next(node);
}

function defineAlias(walk: Outline, node: SyntaxNode): undefined {
  const name = walk.tree.child(node, 'name');
  if (name !== NO_NODE) define(walk, name, node);
}

function define(walk: Outline, symbol: SyntaxNode, node: SyntaxNode): void {
  const { tree, container } = walk;
  const line = tree.line(node);
  const name = tree.textOf(symbol).replace(/^:/, '');
  walk.addDefinition({ name, kind: 'method', container, line, endLine: line, signature: name, arity: null });
}

function useSymbol({ tree, memberUses }: Outline, symbol: SyntaxNode | undefined): void {
  if (symbol !== undefined) memberUses.add(tree.textOf(symbol).slice(1), tree.line(symbol));
}

function constantOf(tree: SyntaxTree, node: SyntaxNode): SyntaxNode[] {
  const left = tree.child(node, 'left');
  return left !== NO_NODE && tree.type(left) === 'constant' ? [left] : [];
}

function arityOf(tree: SyntaxTree, node: SyntaxNode): Definition['arity'] {
  const list = tree.child(node, 'parameters');
  if (list === NO_NODE) return { least: 0, most: 0 };
  // Keywords are one argument, a hash, for who counts them.
  if (tree.childOfType(list, 'keyword_parameter') !== NO_NODE) return null;
  return arityOfList(tree, list, {
    required: ['identifier', 'destructured_parameter'],
    optional: ['optional_parameter'],
    rest: ['splat_parameter', 'hash_splat_parameter', 'forward_parameter'],
  });
}
