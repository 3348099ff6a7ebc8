import type { Node, ParamPattern } from 'oxc-parser';
import type { Call } from '../../facts.ts';
import { chainOf, chainOfType, elementOf, memberOf, rooted } from './chains.ts';
import { readLoad, readLoadOf, readThen } from './loads.ts';
import { type OpenChain, Scope } from './names.ts';
import { bindPattern, childNodes, keyName, stringValue } from './nodes.ts';
import type { Reading } from './reading.ts';

/** Reads which names the code under a node binds and uses. */
export function walk(node: Node, scope: Scope, reading: Reading): void {
  switch (node.type) {
    case 'Identifier':
      reading.refer(node.name, scope, node.start);
      return;
    case 'MemberExpression':
      walkMember(node, scope, reading, null);
      return;
    case 'CallExpression':
    case 'NewExpression':
      walkCall(node, scope, reading);
      return;
    case 'ImportExpression':
      readLoad(node, '*', scope, reading);
      walk(node.source, scope, reading);
      return;
    case 'VariableDeclaration': {
      const target = node.kind === 'var' ? scope.ofFunction : scope;
      for (const one of node.declarations) walkDeclarator(one, target, scope, reading);
      return;
    }
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'TSDeclareFunction':
    case 'TSEmptyBodyFunctionExpression': {
      const inner = new Scope(scope, true);
      inner.bind('this');
      if (node.id !== null) (node.type === 'FunctionExpression' ? inner : scope).bind(node.id.name);
      walkSignature(node, inner, reading);
      return;
    }
    case 'ArrowFunctionExpression':
    case 'TSFunctionType':
    case 'TSConstructorType':
    case 'TSCallSignatureDeclaration':
    case 'TSConstructSignatureDeclaration':
      walkSignature(node, new Scope(scope, true), reading);
      return;
    case 'TSMethodSignature':
      walkKey(node, scope, reading);
      walkSignature(node, new Scope(scope, true), reading);
      return;
    case 'ClassDeclaration':
    case 'ClassExpression': {
      const inner = new Scope(scope, false);
      if (node.id !== null) (node.type === 'ClassDeclaration' ? scope : inner).bind(node.id.name);
      inner.bind('this');
      // Only classes at the top of the file have definitions.
      if (node.type === 'ClassDeclaration' && node.id !== null && scope === reading.module)
        inner.giveSource('this', rooted(node.id.name, true, scope));
      walkChildren(node, inner, reading, 'id');
      return;
    }
    case 'MethodDefinition':
    case 'TSAbstractMethodDefinition':
      walkKey(node, scope, reading);
      for (const one of node.decorators) walk(one, scope, reading);
      // `this` is the object of the class in methods of objects only.
      walkSignature(node.value, methodScope(scope, node.static), reading);
      return;
    case 'PropertyDefinition':
    case 'TSAbstractPropertyDefinition':
    case 'AccessorProperty':
    case 'TSAbstractAccessorProperty':
    case 'TSPropertySignature':
    case 'Property':
      walkKey(node, scope, reading);
      walkChildren(node, scope, reading, 'key');
      return;
    case 'TSInterfaceDeclaration':
    case 'TSTypeAliasDeclaration':
    case 'TSEnumDeclaration':
      scope.bind(node.id.name);
      walkChildren(node, new Scope(scope, false), reading, 'id');
      return;
    case 'TSEnumMember':
      if (node.id.type === 'Identifier') {
        scope.bind(node.id.name);
        reading.memberNames.add(node.id.name);
      }
      if (node.initializer !== null) walk(node.initializer, scope, reading);
      return;
    case 'TSModuleDeclaration':
      if (node.id.type === 'Identifier' && !node.global) scope.bind(node.id.name);
      else readAugmented(node.body, reading);
      if (node.body !== null) walk(node.body, new Scope(scope, true), reading);
      return;
    case 'TSTypeParameter':
      scope.bind(node.name.name);
      walkChildren(node, scope, reading, 'name');
      return;
    case 'TSMappedType': {
      const inner = new Scope(scope, false);
      inner.bind(node.key.name);
      walkChildren(node, inner, reading, 'key');
      return;
    }
    case 'TSQualifiedName':
      if (node.left.type === 'Identifier') reading.refer(node.left.name, scope, node.start, node.right.name);
      else walk(node.left, scope, reading);
      reading.memberUses.add(node.right.name, reading.lineOf(node.right.start), null);
      return;
    case 'TSImportType': {
      const first = node.qualifier === null ? null : leftmost(node.qualifier);
      const read = reading.addImport('type', node.source.value, node.start);
      read.names.push(reading.nameOf(first ?? '*', null, null, node.start));
      if (node.typeArguments !== null) walk(node.typeArguments, scope, reading);
      return;
    }
    case 'TSIndexSignature':
      for (const one of node.parameters) walk(one.typeAnnotation, scope, reading);
      walk(node.typeAnnotation, scope, reading);
      return;
    case 'TSTypePredicate':
      if (node.typeAnnotation !== null) walk(node.typeAnnotation, scope, reading);
      return;
    case 'TSNamedTupleMember':
      walkChildren(node, scope, reading, 'label');
      return;
    case 'ForOfStatement':
      walkForOf(node, new Scope(scope, false), reading);
      return;
    case 'BinaryExpression': {
      const name = node.operator === 'in' && node.left.type !== 'PrivateIdentifier' ? stringValue(node.left) : null;
      if (name !== null) reading.lookedFor.add(name);
      if (node.operator === 'instanceof') readNarrowed(node.left, scope, reading);
      walkChildren(node, scope, reading);
      return;
    }
    case 'BlockStatement':
    case 'StaticBlock':
    case 'TSModuleBlock':
    case 'ForStatement':
    case 'ForInStatement':
    case 'SwitchStatement':
    case 'TSConditionalType':
      walkChildren(node, new Scope(scope, node.type === 'StaticBlock'), reading);
      return;
    case 'AssignmentExpression':
      if (node.left.type === 'MemberExpression') readNewMember(node.left, reading);
      walkChildren(node, scope, reading);
      return;
    case 'IfStatement':
    case 'ConditionalExpression':
    case 'WhileStatement':
      readGuards(node.test, scope, reading);
      walkChildren(node, scope, reading);
      return;
    case 'LogicalExpression':
      readGuards(node.left, scope, reading);
      walkChildren(node, scope, reading);
      return;
    case 'ExpressionStatement': {
      // A function that asserts something of its arguments may be called anything, but most are called so.
      const call = node.expression;
      const isAssertion =
        call.type === 'CallExpression' &&
        /assert|check|ensure|expect|invariant/i.test(reading.slice(call.callee.start, call.callee.end));
      if (isAssertion) readGuards(call, scope, reading);
      walkChildren(node, scope, reading);
      return;
    }
    case 'TryStatement':
      reading.guards += 1;
      walk(node.block, scope, reading);
      reading.guards -= 1;
      walkChildren(node, scope, reading, 'block');
      return;
    case 'CatchClause': {
      const inner = new Scope(scope, false);
      if (node.param !== null) walkPattern(node.param, inner, reading);
      walk(node.body, inner, reading);
      return;
    }
    case 'LabeledStatement':
      walk(node.body, scope, reading);
      return;
    case 'BreakStatement':
    case 'ContinueStatement':
    case 'MetaProperty':
    case 'ImportDeclaration':
    case 'ExportAllDeclaration':
    case 'JSXClosingElement':
      return;
    case 'ExportNamedDeclaration':
      if (node.declaration !== null) walk(node.declaration, scope, reading);
      else if (node.source === null) walkSpecifiers(node.specifiers, scope, reading);
      return;
    case 'JSXIdentifier':
      return;
    case 'JSXOpeningElement':
      walkElementName(node.name, scope, reading);
      walkChildren(node, scope, reading, 'name');
      return;
    default:
      walkChildren(node, scope, reading);
      return;
  }
}

type NodeOf<Type extends Node['type']> = Extract<Node, { readonly type: Type }>;

function walkChildren(node: Node, scope: Scope, reading: Reading, except?: string): void {
  for (const child of childNodes(node, reading.childKeys, except)) walk(child, scope, reading);
}

function walkMember(node: NodeOf<'MemberExpression'>, scope: Scope, reading: Reading, call: Call | null): void {
  const name = node.computed
    ? stringValue(node.property)
    : node.property.type === 'Identifier'
      ? node.property.name
      : null;
  if (name !== null) reading.memberUses.add(name, reading.lineOf(node.property.start), call);
  else if (node.computed) walk(node.property, scope, reading);
  if (name !== null && reading.isTyped) reading.access(chainOf(node, scope), node.property.start, call);
  if (node.object.type === 'Identifier') reading.refer(node.object.name, scope, node.start, name, call);
  else if (name === null || !readLoadOf(node.object, [name], scope, reading)) walk(node.object, scope, reading);
}

function walkCall(node: NodeOf<'CallExpression'> | NodeOf<'NewExpression'>, scope: Scope, reading: Reading): void {
  if (readLoad(node, '*', scope, reading)) return;
  const inner = readThen(node, scope, reading);
  if (inner !== null) {
    for (const one of node.arguments) if ('body' in one && one.body !== null) walk(one.body, inner, reading);
    return;
  }
  const call: Call = {
    line: reading.lineOf(node.callee.start),
    arguments: node.arguments.filter(({ type }) => type !== 'SpreadElement').length,
    isOpen: node.arguments.some(({ type }) => type === 'SpreadElement'),
  };
  const callee = node.callee;
  if (callee.type === 'Identifier') {
    reading.refer(callee.name, scope, callee.start, null, call);
    // A variable may be a member of something.
    if (node.type === 'CallExpression' && reading.isTyped) reading.access(chainOf(callee, scope), callee.start, call);
  } else if (callee.type === 'MemberExpression') walkMember(callee, scope, reading, call);
  else walk(callee, scope, reading);
  walkChildren(node, scope, reading, 'callee');
}

function walkDeclarator(node: NodeOf<'VariableDeclarator'>, target: Scope, scope: Scope, reading: Reading): void {
  const { id, init } = node;
  if (init !== null && readLoadOf(init, id, target, reading)) return;
  bindPattern(id, (name) => target.bind(name));
  const isOfDeclaration = id.typeAnnotation == null && init !== null;
  walkInPattern(id, target, reading, isOfDeclaration ? chainOf(init, scope) : null);
  if (init === null) return;
  if (id.type === 'ObjectPattern' && init.type === 'Identifier') {
    for (const one of id.properties) {
      const name = one.type === 'Property' ? keyName(one) : null;
      reading.refer(init.name, scope, one.start, name);
    }
    return;
  }
  walk(init, scope, reading);
}

/** Binds the names of a pattern, and reads its default values and types. */
function walkPattern(pattern: ParamPattern, scope: Scope, reading: Reading): void {
  bindPattern(pattern, (name) => scope.bind(name));
  walkInPattern(pattern, scope, reading);
}

function walkInPattern(node: Node, scope: Scope, reading: Reading, given: OpenChain | null = null): void {
  const type =
    'typeAnnotation' in node && node.typeAnnotation?.type === 'TSTypeAnnotation' ? node.typeAnnotation : null;
  const source = type === null ? given : chainOfType(type.typeAnnotation, scope);
  switch (node.type) {
    case 'Identifier':
      scope.giveSource(node.name, source);
      walkChildren(node, scope, reading);
      return;
    case 'TSParameterProperty':
      if (node.parameter.type === 'Identifier') reading.memberNames.add(node.parameter.name);
      walkInPattern(node.parameter, scope, reading);
      return;
    case 'AssignmentPattern':
      walkInPattern(node.left, scope, reading, source);
      walk(node.right, scope, reading);
      return;
    case 'Property': {
      const name = keyName(node);
      const member = name === null ? null : memberOf(source, name);
      if (name !== null) reading.memberUses.add(name, reading.lineOf(node.start), null);
      else walk(node.key, scope, reading);
      reading.access(member, node.start);
      walkInPattern(node.value, scope, reading, member);
      return;
    }
    case 'ArrayPattern':
      for (const child of childNodes(node, reading.childKeys)) {
        walkInPattern(child, scope, reading, child.type === 'RestElement' ? source : elementOf(source));
      }
      return;
    case 'ObjectPattern':
      for (const child of childNodes(node, reading.childKeys)) walkInPattern(child, scope, reading, source);
      return;
    case 'RestElement':
      for (const child of childNodes(node, reading.childKeys)) walkInPattern(child, scope, reading);
      return;
    default:
      walk(node, scope, reading);
      return;
  }
}

function walkForOf(node: NodeOf<'ForOfStatement'>, scope: Scope, reading: Reading): void {
  walkChildren(node, scope, reading);
  const [declared] = node.left.type === 'VariableDeclaration' ? node.left.declarations : [];
  if (declared?.id.type === 'Identifier' && !node.await)
    scope.giveSource(declared.id.name, elementOf(chainOf(node.right, scope)));
}

/** The scope of a method, in which `this` is what the class says. */
function methodScope(scope: Scope, isStatic: boolean): Scope {
  const inner = new Scope(scope, true);
  if (isStatic) inner.bind('this');
  return inner;
}

function readDeclaredName(name: string, reading: Reading): void {
  reading.memberNames.add(name);
  reading.augmented.add(name);
}

/** Remembers the name of a member that an assignment adds: in TypeScript, only to functions. */
function readNewMember({ object, property, computed }: NodeOf<'MemberExpression'>, reading: Reading): void {
  const name = computed ? stringValue(property) : property.type === 'Identifier' ? property.name : null;
  const holder = object.type === 'Identifier' ? object.name : null;
  const isFunction = reading.definitions.some((one) => one.name === holder && one.kind === 'function');
  if (name !== null && (!reading.isTyped || isFunction)) reading.memberNames.add(name);
}

/** Remembers what the calls in a condition are about: they may be of functions that check types (`x is T`). */
function readGuards(test: Node, scope: Scope, reading: Reading): void {
  switch (test.type) {
    case 'CallExpression':
      for (const one of test.arguments) readNarrowed(one, scope, reading);
      if (test.callee.type === 'MemberExpression') readNarrowed(test.callee.object, scope, reading);
      return;
    case 'UnaryExpression':
      readGuards(test.argument, scope, reading);
      return;
    case 'ParenthesizedExpression':
      readGuards(test.expression, scope, reading);
      return;
    case 'LogicalExpression':
      readGuards(test.left, scope, reading);
      readGuards(test.right, scope, reading);
      return;
    default:
      return;
  }
}

function readNarrowed(node: Node, scope: Scope, reading: Reading): void {
  const chain = chainOf(node, scope);
  if (chain !== null) reading.narrowed.push(chain);
}

/** Remembers to which types a `declare module "…"` or `declare global` adds members, and which names it declares. */
function readAugmented(body: NodeOf<'TSModuleDeclaration'>['body'], reading: Reading): void {
  if (body?.type !== 'TSModuleBlock') return;
  for (const one of body.body) {
    const declared = one.type === 'ExportNamedDeclaration' ? one.declaration : one;
    if (declared?.type === 'TSInterfaceDeclaration') reading.augmented.add(declared.id.name);
    else if (declared?.type === 'TSModuleDeclaration' && declared.body != null) {
      if (declared.id.type === 'Identifier') reading.augmented.add(declared.id.name);
      readAugmented(declared.body, reading);
    } else if (declared?.type === 'VariableDeclaration') {
      for (const { id } of declared.declarations) bindPattern(id, (name) => readDeclaredName(name, reading));
    } else if (declared != null && 'id' in declared && declared.id?.type === 'Identifier')
      readDeclaredName(declared.id.name, reading);
  }
}

/** Reads the parts of anything that has parameters. */
function walkSignature(node: Node, scope: Scope, reading: Reading): void {
  if ('params' in node) {
    for (const one of node.params) {
      if (one.type !== 'TSTypeParameter' && !isType(one)) walkPattern(one, scope, reading);
      else walk(one, scope, reading);
    }
  }
  for (const child of childNodes(node, reading.childKeys, 'params')) {
    if ('id' in node && child === node.id) continue;
    if ('key' in node && child === node.key) continue;
    // The names of the body belong to the same scope as the parameters.
    if (child.type === 'BlockStatement') walkChildren(child, scope, reading);
    else walk(child, scope, reading);
  }
}

function isType(node: Node): node is Exclude<typeof node, ParamPattern> {
  return node.type.startsWith('TS') && node.type !== 'TSParameterProperty';
}

function walkKey(
  node: Node & { readonly key: Node; readonly computed: boolean },
  scope: Scope,
  reading: Reading,
): void {
  const name = keyName(node);
  if (name !== null) reading.memberNames.add(name);
  else if (node.computed) walk(node.key, scope, reading);
}

function walkSpecifiers(specifiers: readonly NodeOf<'ExportSpecifier'>[], scope: Scope, reading: Reading): void {
  for (const { local } of specifiers) if (local.type === 'Identifier') reading.refer(local.name, scope, local.start);
}

function walkElementName(name: Node, scope: Scope, reading: Reading): void {
  if (name.type === 'JSXIdentifier' && !/^[a-z]/.test(name.name)) reading.refer(name.name, scope, name.start);
  if (name.type !== 'JSXMemberExpression') return;
  if (name.object.type === 'JSXIdentifier') {
    reading.refer(name.object.name, scope, name.start, name.property.name);
  } else walkElementName(name.object, scope, reading);
}

function leftmost(qualifier: Node): string | null {
  if (qualifier.type === 'Identifier') return qualifier.name;
  return 'left' in qualifier ? leftmost(qualifier.left) : null;
}
