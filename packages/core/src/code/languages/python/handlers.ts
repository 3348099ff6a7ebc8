import { NO_NODE, type SyntaxNode } from '../tree-sitter/syntax-tree.ts';
import { bindTarget, defineVariables, noteStarNames } from './assignments.ts';
import { readCall } from './calls.ts';
import { noteDataClass, noteField } from './data-classes.ts';
import { pythonDefinition } from './definitions.ts';
import { dottedName, literalText, namesInAnnotation } from './strings.ts';
import type { PythonWalk } from './walk.ts';

/** Reads a node, before what is in it. Returns where to go on, if not in it. */
type Handler = (walk: PythonWalk, node: SyntaxNode) => SyntaxNode | undefined;

const LONGEST_STRING = 250;

/** What each kind of node says. */
export const HANDLERS: Readonly<Record<string, Handler>> = {
  identifier: use,
  attribute: useMember,
  decorated_definition: noteDecorated,
  function_definition: defineFunction,
  class_definition: defineClass,
  lambda: enterLambda,
  list_comprehension: enterComprehension,
  set_comprehension: enterComprehension,
  dictionary_comprehension: enterComprehension,
  generator_expression: enterComprehension,
  for_in_clause: bindLeft,
  for_statement: assign,
  assignment: assign,
  augmented_assignment: assign,
  named_expression: bindWalrus,
  as_pattern: bindAlias,
  except_clause: bindAlias,
  import_statement: importModules,
  import_from_statement: importNames,
  future_import_statement: (walk, node) => walk.tree.next(node),
  global_statement: declare,
  nonlocal_statement: declare,
  keyword_argument: skipName,
  class_pattern: useClass,
  keyword_pattern: matchMember,
  dotted_name: matchName,
  splat_pattern: bindWhole,
  type_alias_statement: defineTypeAlias,
  type: noteAnnotation,
  block: noteEmptyBlock,
  try_statement: noteGuards,
  with_statement: noteSuppression,
  if_statement: noteTypeChecking,
  string: readString,
  call: readCall,
};

function use({ tree, scopes, handled, calls }: PythonWalk, node: SyntaxNode): undefined {
  if (!handled.has(node)) scopes.use([tree.textOf(node)], tree.line(node), calls.get(node));
}

/** `a.b.c`: the use of a name with its members, or members of something. */
function useMember(walk: PythonWalk, node: SyntaxNode): undefined {
  const { tree, handled, memberUses, scopes, calls } = walk;
  const isDefinition = handled.has(tree.child(node, 'attribute'));
  const chain: string[] = [];
  let object: SyntaxNode = node;
  for (; tree.type(object) === 'attribute'; object = tree.child(object, 'object')) {
    const member = tree.child(object, 'attribute');
    // An inner part of a chain that was read with the outer one.
    if (member === NO_NODE || (object === node ? handled.has(node) : handled.has(object))) return;
    handled.add(object);
    if (!handled.has(member)) memberUses.add(tree.textOf(member), tree.line(member), calls.get(object));
    handled.add(member);
    chain.push(tree.textOf(member));
    if (tree.child(object, 'object') === NO_NODE) return;
  }
  if (tree.type(object) !== 'identifier' || isDefinition) return;
  handled.add(object);
  chain.push(tree.textOf(object));
  scopes.use(chain.reverse(), tree.line(object), calls.get(node));
}

function noteDecorated({ tree, decorated }: PythonWalk, node: SyntaxNode): undefined {
  decorated.set(tree.child(node, 'definition'), node);
}

function defineFunction(walk: PythonWalk, node: SyntaxNode): undefined {
  const { tree, scopes, definitions, bodies } = walk;
  const { kind, name: container } = scopes.current;
  if (kind === 'module' || kind === 'class') {
    const found = pythonDefinition(tree, {
      node,
      outer: outerOf(walk, node),
      kind: kind === 'class' ? 'method' : 'function',
      container,
    });
    if (found !== null) definitions.push(found);
  }
  bindTarget(walk, tree.child(node, 'name'));
  enterTypeParameters(walk, node);
  const body = tree.child(node, 'body');
  if (body === NO_NODE) return;
  const scope = scopes.create('function', tree.next(body));
  bodies.set(body, scope);
  bindParameters(walk, tree.child(node, 'parameters'), scope);
}

function defineClass(walk: PythonWalk, node: SyntaxNode): undefined {
  const { tree, scopes, definitions, bodies } = walk;
  const nameNode = tree.child(node, 'name');
  const name = nameNode === NO_NODE ? '' : tree.textOf(nameNode);
  if (scopes.current.kind !== 'function') {
    const container = scopes.current.name;
    const found = pythonDefinition(tree, { node, outer: outerOf(walk, node), kind: 'class', container });
    if (found !== null) definitions.push(found);
  }
  noteDataClass(walk, outerOf(walk, node), name);
  bindTarget(walk, nameNode);
  enterTypeParameters(walk, node);
  const body = tree.child(node, 'body');
  if (body !== NO_NODE) bodies.set(body, scopes.create('class', tree.next(body), name));
}

function outerOf({ decorated }: PythonWalk, node: SyntaxNode): SyntaxNode {
  return decorated.get(node) ?? node;
}

/** `def f[T](…)`: T is known in the whole definition. */
function enterTypeParameters(walk: PythonWalk, node: SyntaxNode): void {
  const { tree, scopes } = walk;
  const parameters = tree.child(node, 'type_parameters');
  if (parameters === NO_NODE) return;
  const scope = scopes.create('comprehension', tree.next(node));
  for (const child of tree.children(parameters)) bindFirstIdentifier(walk, child, scope);
  scopes.enter(scope);
}

function bindFirstIdentifier(
  walk: PythonWalk,
  node: SyntaxNode,
  scope: ReturnType<PythonWalk['scopes']['create']>,
): void {
  const { tree } = walk;
  for (let at = node; at < tree.next(node); at++) {
    if (tree.type(at) !== 'identifier') continue;
    bindTarget(walk, at, scope);
    return;
  }
}

function bindParameters(
  walk: PythonWalk,
  parameters: SyntaxNode,
  scope: ReturnType<PythonWalk['scopes']['create']>,
): void {
  const { tree } = walk;
  if (parameters === NO_NODE) return;
  for (const child of tree.children(parameters)) {
    const type = tree.type(child);
    if (type === 'default_parameter' || type === 'typed_default_parameter')
      bindTarget(walk, tree.child(child, 'name'), scope);
    else if (type === 'typed_parameter') bindTarget(walk, child + 1, scope);
    else bindTarget(walk, child, scope);
  }
}

function enterLambda(walk: PythonWalk, node: SyntaxNode): undefined {
  const { tree, scopes, bodies } = walk;
  const body = tree.child(node, 'body');
  if (body === NO_NODE) return;
  const scope = scopes.create('function', tree.next(body));
  bodies.set(body, scope);
  bindParameters(walk, tree.child(node, 'parameters'), scope);
}

function enterComprehension({ tree, scopes }: PythonWalk, node: SyntaxNode): undefined {
  scopes.enter(scopes.create('comprehension', tree.next(node)));
}

function bindLeft(walk: PythonWalk, node: SyntaxNode): undefined {
  bindTarget(walk, walk.tree.child(node, 'left'));
}

function assign(walk: PythonWalk, node: SyntaxNode): undefined {
  const { tree, scopes } = walk;
  const left = tree.child(node, 'left');
  if (left === NO_NODE) return;
  defineVariables(walk, left, tree.child(node, 'type'));
  noteField(walk, node, left);
  bindTarget(walk, left);
  if (scopes.current === scopes.module && tree.textOf(left) === '__all__')
    noteStarNames(walk, tree.child(node, 'right'));
  if (tree.type(left) === 'subscript' && /^(?:globals\(\)|(?:sys\.)?modules)\s*\[/.test(tree.textOf(left)))
    walk.hasHiddenExports = true;
}

function bindWalrus(walk: PythonWalk, node: SyntaxNode): undefined {
  const name = walk.tree.child(node, 'name');
  const scope = walk.scopes.aroundComprehensions;
  if (scope === walk.scopes.module) defineVariables(walk, name, NO_NODE);
  bindTarget(walk, name, scope);
}

function bindAlias(walk: PythonWalk, node: SyntaxNode): undefined {
  const { tree } = walk;
  const alias = tree.child(node, 'alias');
  if (alias !== NO_NODE) bindTarget(walk, alias);
  else if (tree.type(node) === 'as_pattern') {
    const last = tree.children(node).at(-1);
    if (last !== undefined) bindTarget(walk, last);
  }
}

function importModules(walk: PythonWalk, node: SyntaxNode): SyntaxNode {
  walk.imports.addModules(node, around(walk, node));
  return walk.tree.next(node);
}

function importNames(walk: PythonWalk, node: SyntaxNode): SyntaxNode {
  walk.imports.addNames(node, around(walk, node));
  return walk.tree.next(node);
}

function around({ guarded, forTypes }: PythonWalk, node: SyntaxNode) {
  return { isGuarded: guarded.includes(node), isForTypes: forTypes.includes(node) };
}

function declare({ tree, scopes }: PythonWalk, node: SyntaxNode): SyntaxNode {
  const kind = tree.type(node) === 'global_statement' ? 'global' : 'nonlocal';
  for (const child of tree.children(node)) {
    if (tree.type(child) === 'identifier') scopes.declare(tree.textOf(child), kind);
  }
  return tree.next(node);
}

function skipName({ tree, handled }: PythonWalk, node: SyntaxNode): undefined {
  handled.add(tree.child(node, 'name'));
}

/** `case package.Class(member=value)` */
function useClass({ tree, scopes, handled }: PythonWalk, node: SyntaxNode): undefined {
  const name = tree.childOfType(node, 'dotted_name');
  if (name === NO_NODE) return;
  handled.add(name);
  scopes.use(tree.textOf(name).split('.'), tree.line(name));
}

function matchMember({ tree, handled, memberUses }: PythonWalk, node: SyntaxNode): undefined {
  const name = tree.childOfType(node, 'identifier');
  if (name === NO_NODE) return;
  handled.add(name);
  memberUses.add(tree.textOf(name), tree.line(name));
}

/** In a pattern, a single name is bound, and a dotted one is a value. */
function matchName(walk: PythonWalk, node: SyntaxNode): SyntaxNode {
  const { tree, scopes, handled } = walk;
  const names = tree.textOf(node).split('.');
  if (handled.has(node)) return tree.next(node);
  if (names.length === 1) bindTarget(walk, node);
  else scopes.use(names, tree.line(node));
  return tree.next(node);
}

function bindWhole(walk: PythonWalk, node: SyntaxNode): undefined {
  bindTarget(walk, node);
}

function defineTypeAlias(walk: PythonWalk, node: SyntaxNode): undefined {
  const { tree, scopes } = walk;
  const left = tree.child(node, 'left');
  if (left === NO_NODE) return;
  const scope = scopes.create('comprehension', tree.next(node));
  let isFirst = true;
  for (let at = left; at < tree.next(left); at++) {
    if (tree.type(at) !== 'identifier') continue;
    if (isFirst) defineVariables(walk, at, NO_NODE, 'type');
    bindTarget(walk, at, isFirst ? scopes.current : scope);
    isFirst = false;
  }
  scopes.enter(scope);
}

function noteAnnotation(walk: PythonWalk, node: SyntaxNode): undefined {
  walk.annotationUntil = Math.max(walk.annotationUntil, walk.tree.next(node));
}

function noteEmptyBlock({ tree, emptyBlocks }: PythonWalk, node: SyntaxNode): undefined {
  if (tree.children(node).every((child) => tree.type(child) === 'comment')) emptyBlocks.push(node);
}

const CATCHES_IMPORT_ERROR = /^except\*?\s*(?::|[^:]*\b(?:ImportError|ModuleNotFoundError|Exception|BaseException)\b)/;

function noteGuards({ tree, guarded }: PythonWalk, node: SyntaxNode): undefined {
  const clauses = tree.children(node).filter((child) => tree.type(child) === 'except_clause');
  const catching = clauses.filter((clause) =>
    CATCHES_IMPORT_ERROR.test(tree.text.slice(tree.start(clause), tree.start(clause) + 300)),
  );
  if (catching.length === 0) return;
  guarded.add(tree, tree.child(node, 'body'));
  for (const clause of catching) guarded.add(tree, clause);
}

/** `with suppress(ImportError):` */
function noteSuppression({ tree, guarded }: PythonWalk, node: SyntaxNode): undefined {
  const body = tree.child(node, 'body');
  const head =
    body === NO_NODE ? '' : tree.text.slice(tree.start(node), Math.min(tree.start(body), tree.start(node) + 300));
  if (/\bsuppress\([^)]*\b(?:ImportError|ModuleNotFoundError)\b/.test(head)) guarded.add(tree, body);
}

function noteTypeChecking({ tree, forTypes }: PythonWalk, node: SyntaxNode): undefined {
  const condition = tree.child(node, 'condition');
  if (condition !== NO_NODE && /^(?:\w+\.)?TYPE_CHECKING$/.test(tree.textOf(condition)))
    forTypes.add(tree, tree.child(node, 'consequence'));
}

function readString(walk: PythonWalk, node: SyntaxNode): SyntaxNode | undefined {
  const { tree, scopes, imports, handled } = walk;
  if (tree.childOfType(node, 'interpolation') !== NO_NODE) return undefined;
  if (!handled.has(node) && tree.end(node) - tree.start(node) <= LONGEST_STRING) {
    const text = literalText(tree.textOf(node)) ?? '';
    const line = tree.line(node);
    const dotted = dottedName(text);
    if (node < walk.annotationUntil) for (const chain of namesInAnnotation(text)) scopes.useIfBound(chain, line);
    else if (dotted !== null) imports.addText(dotted, line);
  }
  return tree.next(node);
}
