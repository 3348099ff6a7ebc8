/** Exports of CommonJS files: assignments to `exports` and `module.exports`. */

import type { Node, Program } from 'oxc-parser';
import { keyName, stringValue } from './nodes.ts';
import type { Reading } from './reading.ts';

/** Records the exports of a file that has no `import` and `export`. */
export function readCommonJs(program: Program, reading: Reading): void {
  if (!/\bexports\b/.test(reading.text)) return;
  for (const statement of program.body) {
    if (statement.type === 'ExpressionStatement') readStatement(statement.expression, reading);
  }
  // Any other place that mentions `exports` may add names.
  const seen = reading.exports.length > 0 || reading.hasHiddenExports;
  if (!seen || usesElsewhere(program, reading)) reading.hasHiddenExports = true;
  if (!reading.exports.some(({ name }) => name === 'default')) reading.addExport('default', 'module.exports', program);
}

type Assignment = Extract<Node, { readonly type: 'AssignmentExpression' }>;

function readStatement(node: Node, reading: Reading): void {
  if (node.type === 'AssignmentExpression' && node.operator === '=') {
    readAssignment(node, reading);
    return;
  }
  if (node.type !== 'CallExpression') return;
  const [target, key] = node.arguments;
  if (target === undefined || key === undefined || !isExports(target)) return;
  const name = stringValue(key);
  if (name !== null) reading.addExport(name, null, node);
  else reading.hasHiddenExports = true;
}

function readAssignment(node: Assignment, reading: Reading): void {
  const { left, right } = node;
  if (left.type !== 'MemberExpression') return;
  if (isExports(left)) readWhole(right, reading);
  else if (isExports(left.object)) {
    const name =
      left.property.type === 'Identifier' && !left.computed ? left.property.name : stringValue(left.property);
    if (name === null) reading.hasHiddenExports = true;
    else reading.addExport(name, right.type === 'Identifier' ? right.name : null, node);
  }
  // `exports.a = exports.b = …`
  if (right.type === 'AssignmentExpression') readAssignment(right, reading);
}

/** `module.exports = …` */
function readWhole(value: Node, reading: Reading): void {
  reading.addExport('default', value.type === 'Identifier' ? value.name : 'module.exports', value);
  if (value.type !== 'ObjectExpression') {
    reading.hasHiddenExports = true;
    return;
  }
  for (const one of value.properties) {
    const name = one.type === 'Property' ? keyName(one) : null;
    if (name === null || one.type !== 'Property') reading.hasHiddenExports = true;
    else reading.addExport(name, one.value.type === 'Identifier' ? one.value.name : null, one);
  }
}

function isExports(node: Node): boolean {
  if (node.type === 'Identifier') return node.name === 'exports';
  return (
    node.type === 'MemberExpression' &&
    !node.computed &&
    node.object.type === 'Identifier' &&
    node.object.name === 'module' &&
    node.property.type === 'Identifier' &&
    node.property.name === 'exports'
  );
}

/** Whether `exports` is mentioned more often than the exports that were found explain. */
function usesElsewhere(program: Program, reading: Reading): boolean {
  let explained = 0;
  for (const statement of program.body) {
    if (statement.type !== 'ExpressionStatement') continue;
    const { expression } = statement;
    for (let node: Node = expression; node.type === 'AssignmentExpression'; node = node.right) {
      if (node.left.type === 'MemberExpression' && (isExports(node.left) || isExports(node.left.object)))
        explained += 1;
    }
    if (expression.type !== 'CallExpression') continue;
    const [target, key] = expression.arguments;
    if (target !== undefined && key !== undefined && isExports(target) && stringValue(key) !== null) explained += 1;
  }
  return (reading.text.match(/\bexports\b/g)?.length ?? 0) > explained;
}
