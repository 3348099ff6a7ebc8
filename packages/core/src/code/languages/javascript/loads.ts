/** Imports in expressions: `require('./a')`, `import('./a')`, and names of modules in calls of test frameworks. */

import type { Node } from 'oxc-parser';
import { type OpenImport, Scope } from './names.ts';
import { bindPattern, keyName, stringValue, unwrapped } from './nodes.ts';
import type { Reading } from './reading.ts';

/** Calls of test frameworks that name a module. */
const MODULE_NAMING =
  /^(?:mock|unmock|doMock|doUnmock|dontMock|setMock|requireActual|requireMock|importActual|importMock|unstable_mockModule)$/;

/** Records the import that a node is, of a name of the other file. Returns whether it is one. */
export function readLoad(node: Node, name: string, scope: Scope, reading: Reading): boolean {
  const read = openLoad(node, scope, reading);
  read?.names.push(reading.nameOf(name, null, null, node.start));
  return read !== null;
}

/**
 * Records the import that an expression is, with the names that are taken of it. Returns whether it is one.
 * @param names the pattern that it is assigned to, or the members of it
 */
export function readLoadOf(node: Node, names: Node | readonly string[], scope: Scope, reading: Reading): boolean {
  const loaded = unwrapped(node);
  // What is not awaited has the members of a promise.
  if (loaded.type === 'ImportExpression' && node.type !== 'AwaitExpression' && !isAwaited(node)) return false;
  const read = openLoad(loaded, scope, reading);
  if (read === null) return false;
  if (isNames(names)) {
    for (const name of names) read.names.push(reading.nameOf(name, null, null, node.start));
  } else bindLoad(read, names, scope, reading);
  return true;
}

/**
 * Records `import('./a').then(callback)` with the names that the callback takes. Returns the scope for the callback's body;
 * null: the call is something else.
 */
export function readThen(node: Node, scope: Scope, reading: Reading): Scope | null {
  if (node.type !== 'CallExpression' || node.callee.type !== 'MemberExpression') return null;
  const { object, property } = node.callee;
  const [callback] = node.arguments;
  if (object.type !== 'ImportExpression' || property.type !== 'Identifier' || property.name !== 'then') return null;
  if (callback?.type !== 'ArrowFunctionExpression' && callback?.type !== 'FunctionExpression') return null;
  const [param] = callback.params;
  if (param === undefined || param.type === 'RestElement' || param.type === 'TSParameterProperty') return null;
  const read = openLoad(object, scope, reading);
  if (read === null) return null;
  const inner = new Scope(scope, true);
  bindLoad(read, param, inner, reading);
  return inner;
}

function isAwaited(node: Node): boolean {
  if (node.type === 'AwaitExpression') return true;
  return 'expression' in node && typeof node.expression === 'object' && isAwaited(node.expression);
}

function isNames(names: Node | readonly string[]): names is readonly string[] {
  return Array.isArray(names);
}

function openLoad(node: Node, scope: Scope, reading: Reading): OpenImport | null {
  if (node.type === 'ImportExpression') {
    const from = stringValue(node.source);
    return from === null ? null : reading.addImport('dynamic', from, node.start);
  }
  const argument = 'arguments' in node ? node.arguments[0] : undefined;
  const from = argument === undefined ? null : stringValue(argument);
  if (from === null || !('callee' in node)) return null;
  const { callee } = node;
  if (node.type === 'CallExpression' && callee.type === 'Identifier' && callee.name === 'require') {
    return reading.addImport(scope.ofFunction === reading.module ? 'static' : 'dynamic', from, node.start);
  }
  if (!from.startsWith('.')) return null;
  const isNamed =
    callee.type === 'MemberExpression' && callee.property.type === 'Identifier' && !callee.computed
      ? MODULE_NAMING.test(callee.property.name) || isRequireResolve(callee)
      : callee.type === 'Identifier' && callee.name === 'URL' && isOwnUrl(node.arguments[1]);
  if (isNamed) reading.addImport('text', from, node.start);
  // The other arguments may contain imports, so this node is read further.
  return null;
}

function isRequireResolve(callee: Node): boolean {
  return (
    callee.type === 'MemberExpression' &&
    callee.object.type === 'Identifier' &&
    callee.object.name === 'require' &&
    callee.property.type === 'Identifier' &&
    callee.property.name === 'resolve'
  );
}

function isOwnUrl(node: Node | undefined): boolean {
  return node?.type === 'MemberExpression' && node.object.type === 'MetaProperty';
}

function bindLoad(read: OpenImport, pattern: Node, scope: Scope, reading: Reading): void {
  if (pattern.type === 'Identifier') {
    const bound = reading.nameOf('*', pattern.name, null, pattern.start);
    read.names.push(bound);
    scope.bind(pattern.name, bound);
    return;
  }
  if (pattern.type !== 'ObjectPattern') {
    read.names.push(reading.nameOf('*', null, null, pattern.start));
    bindPattern(pattern, (name) => scope.bind(name));
    return;
  }
  for (const one of pattern.properties) {
    const value =
      one.type === 'Property' ? (one.value.type === 'AssignmentPattern' ? one.value.left : one.value) : null;
    const name = one.type === 'Property' ? keyName(one) : null;
    if (name === null || value?.type !== 'Identifier') {
      read.names.push(reading.nameOf(name ?? '*', null, null, one.start));
      bindPattern(value ?? one, (local) => scope.bind(local));
      continue;
    }
    const bound = reading.nameOf(name, value.name, null, one.start);
    read.names.push(bound);
    scope.bind(value.name, bound);
  }
}
