import type { Node, TSType } from 'oxc-parser';
import type { ChildKeys } from './reading.ts';

/** Returns the nodes directly under a node, except those of one property. */
export function childNodes(node: Node, keys: ChildKeys, except?: string): readonly Node[] {
  const found: Node[] = [];
  for (const key of keys[node.type] ?? []) {
    if (key === except) continue;
    const value: unknown = Reflect.get(node, key);
    if (Array.isArray(value)) for (const one of value) isNode(one) && found.push(one);
    else if (isNode(value)) found.push(value);
  }
  return found;
}

/** Calls back with each name that a pattern binds. */
export function bindPattern(pattern: Node, bind: (name: string, at: Node) => void): void {
  switch (pattern.type) {
    case 'Identifier':
      bind(pattern.name, pattern);
      return;
    case 'AssignmentPattern':
      bindPattern(pattern.left, bind);
      return;
    case 'RestElement':
      bindPattern(pattern.argument, bind);
      return;
    case 'TSParameterProperty':
      bindPattern(pattern.parameter, bind);
      return;
    case 'ArrayPattern':
      for (const one of pattern.elements) if (one !== null) bindPattern(one, bind);
      return;
    case 'ObjectPattern':
      for (const one of pattern.properties) bindPattern(one.type === 'Property' ? one.value : one, bind);
      return;
    default:
      return;
  }
}

/** Returns the name of a property or member; null: it is private, or only known when the code runs. */
export function keyName(node: { readonly key: Node; readonly computed: boolean }): string | null {
  if (!node.computed && node.key.type === 'Identifier') return node.key.name;
  return stringValue(node.key);
}

/** Returns the value of a string that is constant; null: it is anything else. */
export function stringValue(node: Node): string | null {
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : null;
  if (node.type !== 'TemplateLiteral' || node.expressions.length > 0) return null;
  return node.quasis[0]?.value.cooked ?? null;
}

/** Removes what does not change the value of an expression, and `freeze`. */
export function unwrappedValue(node: Node): Node {
  const value = unwrapped(node);
  if (value.type !== 'CallExpression') return value;
  const [frozen] = value.arguments;
  const { callee } = value;
  const name = callee.type === 'MemberExpression' ? callee.property : callee;
  return frozen !== undefined && name.type === 'Identifier' && name.name === 'freeze' ? unwrapped(frozen) : value;
}

/** Removes what does not change the value of an expression. */
export function unwrapped(node: Node): Node {
  switch (node.type) {
    case 'ParenthesizedExpression':
    case 'AwaitExpression':
    case 'TSAsExpression':
    case 'TSTypeAssertion':
    case 'TSNonNullExpression':
    case 'TSSatisfiesExpression':
    case 'ChainExpression':
      return unwrapped('argument' in node ? node.argument : node.expression);
    default:
      return node;
  }
}

/** Whether the code says which type an expression has (`x as T`), so that its value does not tell its members. */
export function isAsserted(node: Node): boolean {
  if (node.type === 'TSAsExpression' || node.type === 'TSTypeAssertion') return !isConst(node.typeAnnotation);
  return node.type === 'ParenthesizedExpression' || node.type === 'TSSatisfiesExpression'
    ? isAsserted(node.expression)
    : false;
}

/** Whether a type is the one of `as const`. */
export function isConst(type: TSType): boolean {
  return type.type === 'TSTypeReference' && type.typeName.type === 'Identifier' && type.typeName.name === 'const';
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}
