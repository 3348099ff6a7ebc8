/** Chains of members, such as `a.b().c`, and types, as texts that are looked up in other files later (`FileFacts.accesses`). */

import type { Node, TSType } from 'oxc-parser';
import { type OpenChain, Scope } from './names.ts';
import { isConst, stringValue } from './nodes.ts';

/** The object whose method returns `this`. */
const RECEIVER = '^';
/** Longer chains are not followed. */
const MOST_STEPS = 12;
/** How many variables may be initialised with each other. */
const DEEPEST = 8;
const NAME = /^[\w$]+$/;
const STEP = /\.[\w$]+|\(\)|\[\]|~/g;

/** The chain that an expression is; null: it is something else. */
export function chainOf(node: Node, scope: Scope): OpenChain | null {
  switch (node.type) {
    case 'Identifier':
      return NAME.test(node.name) ? rooted(node.name, false, scope) : null;
    case 'ThisExpression':
      return rooted('this', false, scope);
    case 'MemberExpression': {
      const name = node.computed
        ? stringValue(node.property)
        : node.property.type === 'Identifier'
          ? node.property.name
          : null;
      if (name === null) return node.computed ? followed(chainOf(node.object, scope), '[]') : null;
      return memberOf(chainOf(node.object, scope), name);
    }
    case 'CallExpression':
      return followed(chainOf(node.callee, scope), '()');
    case 'NewExpression':
      return node.callee.type === 'Identifier' && NAME.test(node.callee.name)
        ? rooted(node.callee.name, true, scope)
        : null;
    case 'AwaitExpression':
      return followed(chainOf(node.argument, scope), '~');
    case 'ParenthesizedExpression':
    case 'TSNonNullExpression':
    case 'TSSatisfiesExpression':
    case 'ChainExpression':
      return chainOf(node.expression, scope);
    case 'TSAsExpression':
    case 'TSTypeAssertion':
      return isConst(node.typeAnnotation) ? chainOf(node.expression, scope) : chainOfType(node.typeAnnotation, scope);
    default:
      return null;
  }
}

/** The chain of a type that is one name, perhaps with members, in lists or promises; null: it is another type. */
export function chainOfType(type: TSType, scope: Scope): OpenChain | null {
  switch (type.type) {
    case 'TSTypeReference':
      return chainOfReference(type, scope);
    case 'TSArrayType':
      return wrapped('[', chainOfType(type.elementType, scope));
    case 'TSTypeOperator':
      return type.operator === 'readonly' ? chainOfType(type.typeAnnotation, scope) : null;
    case 'TSParenthesizedType':
      return chainOfType(type.typeAnnotation, scope);
    case 'TSUnionType': {
      const rest = type.types.filter((one) => one.type !== 'TSUndefinedKeyword' && one.type !== 'TSNullKeyword');
      const [only] = rest;
      return only !== undefined && rest.length === 1 ? chainOfType(only, scope) : null;
    }
    case 'TSIndexedAccessType': {
      const name = type.indexType.type === 'TSLiteralType' ? stringValue(type.indexType.literal) : null;
      if (name !== null) return memberOf(chainOfType(type.objectType, scope), name);
      return type.indexType.type === 'TSNumberKeyword' ? followed(chainOfType(type.objectType, scope), '[]') : null;
    }
    case 'TSTypeQuery':
      return type.exprName.type === 'TSImportType' ? null : chainOfName(type.exprName, false, scope);
    case 'TSFunctionType':
      return wrapped('(', chainOfType(type.returnType.typeAnnotation, withTypeParameters(type, scope)));
    case 'TSThisType':
      return rooted(RECEIVER, true, scope);
    default:
      return null;
  }
}

/** What is behind the name of an interface or of a class that others extend. */
export function chainOfBase(node: Node, scope: Scope): OpenChain | null {
  if (node.type === 'MemberExpression' && !node.computed && node.property.type === 'Identifier') {
    return memberOf(chainOfBase(node.object, scope), node.property.name);
  }
  return node.type === 'Identifier' ? rooted(node.name, true, scope) : null;
}

export function memberOf(chain: OpenChain | null, name: string): OpenChain | null {
  return NAME.test(name) ? followed(chain, `.${name}`) : null;
}

export function elementOf(chain: OpenChain | null): OpenChain | null {
  return followed(chain, '[]');
}

export function wrapped(by: '[' | '~' | '(', chain: OpenChain | null): OpenChain | null {
  return chain === null ? null : { ...chain, wraps: by + chain.wraps };
}

export function rooted(root: string, isType: boolean, scope: Scope): OpenChain {
  return { wraps: '', root, isType, scope, steps: '' };
}

/** A scope inside another one, with the type parameters of a definition. */
export function withTypeParameters(node: Node, scope: Scope): Scope {
  const given = 'typeParameters' in node ? node.typeParameters : null;
  if (given?.type !== 'TSTypeParameterDeclaration' || given.params.length === 0) return scope;
  const inner = new Scope(scope, false);
  for (const { name } of given.params) inner.bind(name.name);
  return inner;
}

/**
 * The text of a chain, which starts with a name of the file itself: of a value, or with `:` of a type. Null: it starts with
 * anything else, such as a parameter whose type is not said.
 */
export function closedChain(open: OpenChain | null, module: Scope, depth = 0): string | null {
  if (open === null || depth > DEEPEST) return null;
  const { wraps, root, isType, scope, steps } = open;
  if (root === RECEIVER) return `${wraps}${RECEIVER}${steps}`;
  const found = scope.find(root);
  if (found === null) return null;
  const isOfFile = found.scope === module;
  if (isType) return isOfFile ? `${wraps}:${root}${steps}` : null;
  const source = found.imported === null ? found.scope.sourceOf(root) : null;
  if (source === null) return isOfFile ? `${wraps}${root}${steps}` : null;
  const start = closedChain(source, module, depth + 1);
  const text = start === null ? null : applied(start, steps);
  return text === null ? null : wraps + text;
}

/** Applies steps to the text of a type or value. Null: what a step gives is not known. */
function applied(start: string, steps: string): string | null {
  let rest = start;
  const left = steps.match(STEP) ?? [];
  while (/^[[~(]/.test(rest) && left.length > 0) {
    const [step] = left;
    const isUnwrapped = rest.startsWith('[') ? step === '[]' : rest.startsWith('~') ? step === '~' : step === '()';
    if (!isUnwrapped && (step !== '~' || rest.startsWith('~'))) return null;
    left.shift();
    if (isUnwrapped) rest = rest.slice(1);
  }
  return rest + left.join('');
}

function followed(chain: OpenChain | null, step: string): OpenChain | null {
  if (chain === null || chain.wraps !== '') return null;
  const steps = chain.steps + step;
  return steps.length > MOST_STEPS && (steps.match(STEP)?.length ?? 0) > MOST_STEPS ? null : { ...chain, steps };
}

type NodeOf<Type extends Node['type']> = Extract<Node, { readonly type: Type }>;

const SAME_MEMBERS = new Set(['Readonly', 'Required', 'Partial', 'NonNullable', 'Awaited']);
const LISTS = new Set(['Array', 'ReadonlyArray', 'Set', 'ReadonlySet', 'Iterable', 'IterableIterator']);

function chainOfReference(type: NodeOf<'TSTypeReference'>, scope: Scope): OpenChain | null {
  if (type.typeName.type !== 'Identifier') return chainOfName(type.typeName, true, scope);
  const { name } = type.typeName;
  const [argument] = type.typeArguments?.params ?? [];
  if (argument === undefined || scope.find(name) !== null) return rooted(name, true, scope);
  if (SAME_MEMBERS.has(name)) return chainOfType(argument, scope);
  if (LISTS.has(name)) return wrapped('[', chainOfType(argument, scope));
  if (name === 'Promise' || name === 'PromiseLike') return wrapped('~', chainOfType(argument, scope));
  if (name === 'InstanceType' && argument.type === 'TSTypeQuery' && argument.exprName.type === 'Identifier')
    return rooted(argument.exprName.name, true, scope);
  if (name === 'ReturnType') return followed(chainOfType(argument, scope), '()');
  return rooted(name, true, scope);
}

function chainOfName(node: Node, isType: boolean, scope: Scope): OpenChain | null {
  if (node.type === 'TSQualifiedName') return memberOf(chainOfName(node.left, isType, scope), node.right.name);
  return node.type === 'Identifier' && NAME.test(node.name) ? rooted(node.name, isType, scope) : null;
}
