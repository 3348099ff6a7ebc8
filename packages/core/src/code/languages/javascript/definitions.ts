/** What a file defines at its top level, with the members of classes, types and objects. */

import type { Class, Function as FunctionNode, Node, ParamPattern, Program, TSSignature, TSType } from 'oxc-parser';
import type { Arity, Definition, DefinitionKind } from '../../facts.ts';
import { chainOf, chainOfBase, chainOfType, withTypeParameters, wrapped } from './chains.ts';
import type { OpenChain, Scope } from './names.ts';
import { bindPattern, isAsserted, keyName, unwrappedValue } from './nodes.ts';
import type { Reading } from './reading.ts';

/** The longest text that is kept of a signature. Longer ones end in a hash. */
const LONGEST = 240;

export function readDefinitions(program: Program, reading: Reading): void {
  readStatements(program.body, null, reading);
  mergeOverloads(reading);
}

type NodeOf<Type extends Node['type']> = Extract<Node, { readonly type: Type }>;

interface Found {
  readonly name: string;
  readonly kind: DefinitionKind;
  readonly container: string | null;
  /** The whole definition. */
  readonly at: Node;
  readonly signature: string;
  readonly arity?: Arity | null;
  readonly hasHiddenMembers?: boolean;
  readonly type?: OpenChain | null;
  readonly bases?: readonly (OpenChain | null)[] | null;
}

function readStatements(statements: readonly Node[], container: string | null, reading: Reading): void {
  for (const node of statements) {
    if (node.type === 'ExportNamedDeclaration') {
      if (node.declaration !== null) readDeclaration(node.declaration, container, reading);
    } else if (node.type === 'ExportDefaultDeclaration') {
      readDefault(node.declaration, reading);
    } else readDeclaration(node, container, reading);
  }
}

function readDeclaration(node: Node, container: string | null, reading: Reading): void {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      if (node.id !== null) addFunction({ name: node.id.name, at: node, container }, node, reading);
      return;
    case 'ClassDeclaration':
      if (node.id !== null) addClass(node.id.name, node, node, container, reading);
      return;
    case 'VariableDeclaration':
      for (const one of node.declarations) addVariable(one, node.kind, container, reading);
      return;
    case 'TSInterfaceDeclaration': {
      const { name } = node.id;
      const scope = withTypeParameters(node, reading.module);
      const isOpen = node.body.body.some(isUnnamed);
      const bases = isOpen ? null : node.extends.map(({ expression }) => chainOfBase(expression, scope));
      const hasHiddenMembers = isOpen || node.extends.length > 0;
      const signature = whole(node, reading);
      add({ name, kind: 'type', container, at: node, signature, hasHiddenMembers, bases }, reading);
      addSignatures(node.body.body, name, scope, reading);
      return;
    }
    case 'TSTypeAliasDeclaration':
      addAlias(node, container, reading);
      return;
    case 'TSEnumDeclaration': {
      const { name } = node.id;
      add({ name, kind: 'type', container, at: node, signature: `enum ${name}` }, reading);
      for (const one of node.body.members) {
        const member = one.id.type === 'Identifier' ? one.id.name : one.id.type === 'Literal' ? one.id.value : null;
        if (member === null) continue;
        add({ name: member, kind: 'variable', container: name, at: one, signature: whole(one, reading) }, reading);
      }
      return;
    }
    case 'TSModuleDeclaration':
      if (node.id.type !== 'Identifier' || node.global) return;
      add({ name: node.id.name, kind: 'module', container, at: node, signature: `namespace ${node.id.name}` }, reading);
      if (node.body !== null) readStatements(node.body.body, node.id.name, reading);
      return;
    default:
      return;
  }
}

function addAlias(node: NodeOf<'TSTypeAliasDeclaration'>, container: string | null, reading: Reading): void {
  const { name } = node.id;
  const scope = withTypeParameters(node, reading.module);
  const given = node.typeAnnotation;
  const parts = given.type === 'TSIntersectionType' ? given.types : [given];
  const literals = parts.flatMap((one) => (one.type === 'TSTypeLiteral' ? [one] : []));
  const members = literals.flatMap((one) => one.members);
  const isLiteral = given.type === 'TSTypeLiteral';
  const isOpen = members.some(isUnnamed);
  const isJoined = !isOpen && (isLiteral || given.type === 'TSIntersectionType');
  const bases = isJoined
    ? parts.filter((one) => one.type !== 'TSTypeLiteral').map((one) => chainOfType(one, scope))
    : null;
  add(
    {
      ...{ name, kind: 'type', container, at: node, signature: whole(node, reading), bases },
      hasHiddenMembers: !isLiteral || isOpen,
      type: literals.length > 0 ? null : chainOfType(given, scope),
    },
    reading,
  );
  addSignatures(members, name, scope, reading);
}

function readDefault(node: Node, reading: Reading): void {
  const name = 'id' in node && node.id?.type === 'Identifier' ? node.id.name : 'default';
  if (node.type === 'FunctionDeclaration' || node.type === 'TSDeclareFunction') {
    addFunction({ name, at: node, container: null }, node, reading);
  } else if (node.type === 'ClassDeclaration') addClass(name, node, node, null, reading);
  else if (node.type === 'TSInterfaceDeclaration') readDeclaration(node, null, reading);
  else if (node.type !== 'Identifier') addValue('default', node, node, null, reading);
}

interface FunctionPlace {
  readonly name: string;
  /** The whole definition. */
  readonly at: Node;
  readonly container: string | null;
  /** With the type parameters around it. Absent: there are none. */
  readonly scope?: Scope;
}

function addFunction(
  { name, at, container, scope }: FunctionPlace,
  node: (FunctionNode | NodeOf<'ArrowFunctionExpression'>) & { readonly body: Node | null },
  reading: Reading,
): void {
  const signature = clipped(reading.slice(node.start, node.body?.start ?? node.end).replace(/(?: =>|;)$/, ''));
  const kind = container === null ? 'function' : 'method';
  add(
    {
      name,
      kind,
      container,
      at,
      signature,
      arity: arityOf(node.params),
      type: resultOf(node, scope ?? reading.module),
    },
    reading,
  );
}

/** What a call gives, as far as it is declared. */
function resultOf(node: FunctionNode | NodeOf<'ArrowFunctionExpression'>, scope: Scope): OpenChain | null {
  const declared = node.returnType?.typeAnnotation;
  return declared === undefined ? null : wrapped('(', chainOfType(declared, withTypeParameters(node, scope)));
}

function addClass(name: string, node: Class, at: Node, container: string | null, reading: Reading): void {
  const members = node.body.body;
  const made = members.find((one) => one.type === 'MethodDefinition' && one.kind === 'constructor');
  const arity =
    made?.type === 'MethodDefinition' ? arityOf(made.value.params) : node.superClass === null ? arityOf([]) : null;
  const signature = clipped(reading.slice(node.start, node.body.start));
  const hasHiddenMembers = node.superClass !== null || (node.implements?.length ?? 0) > 0;
  const scope = withTypeParameters(node, reading.module);
  const isOpen = members.some(isUnnamed);
  const bases = isOpen ? null : node.superClass === null ? [] : [chainOfBase(node.superClass, scope)];
  add(
    {
      ...{ name, kind: 'class', container, at, signature, arity, bases },
      hasHiddenMembers: hasHiddenMembers || isOpen,
    },
    reading,
  );
  for (const one of members) addClassMember(one, name, scope, reading);
}

/** Whether a member means any number of members, or its name is known only when the code runs. */
function isUnnamed(node: Node): boolean {
  if (node.type === 'TSIndexSignature') return true;
  if (node.type === 'TSCallSignatureDeclaration' || node.type === 'TSConstructSignatureDeclaration') return true;
  return 'computed' in node && node.computed && 'key' in node && keyName(node) === null;
}

function addClassMember(node: Node, container: string, scope: Scope, reading: Reading): void {
  if (!('key' in node) || !('computed' in node)) return;
  const name = keyName(node);
  if (name === null) return;
  if (node.type === 'MethodDefinition' || node.type === 'TSAbstractMethodDefinition') {
    const { value } = node;
    if (node.kind === 'constructor') {
      for (const one of value.params) {
        if (one.type !== 'TSParameterProperty') continue;
        bindPattern(one, (field) =>
          add(
            {
              ...{ name: field, kind: 'variable', container, at: one, signature: whole(one, reading) },
              type: declaredType(one.parameter, scope),
            },
            reading,
          ),
        );
      }
    }
    const signature = clipped(reading.slice(node.start, value.body?.start ?? node.end));
    const isCalled = node.kind === 'method' || node.kind === 'constructor';
    const arity = isCalled ? arityOf(value.params) : null;
    const type =
      isCalled || node.kind === 'set' ? resultOf(value, scope) : typeOf(value.returnType?.typeAnnotation, scope);
    add({ name, kind: 'method', container, at: node, signature, arity, type }, reading);
  } else if ('value' in node) {
    const value = node.value;
    const declared = declaredType(node, scope);
    const isDeclared = 'typeAnnotation' in node && node.typeAnnotation != null;
    if (!isDeclared && isFunction(value)) addFunction({ name, at: node, container, scope }, value, reading);
    else {
      const end = isNodeLike(value) ? value.start : node.end;
      const signature = clipped(reading.slice(node.start, end).replace(/[=;]$/, '').trim());
      const type = isDeclared || !isNodeLike(value) ? declared : chainOf(value, scope);
      add({ name, kind: 'variable', container, at: node, signature, type }, reading);
    }
  }
}

function typeOf(type: TSType | undefined, scope: Scope): OpenChain | null {
  return type === undefined ? null : chainOfType(type, scope);
}

/** The type that is written at a variable, a parameter or a property. */
function declaredType(node: Node, scope: Scope): OpenChain | null {
  if (node.type === 'AssignmentPattern') return declaredType(node.left, scope);
  const annotation = 'typeAnnotation' in node ? node.typeAnnotation : null;
  return annotation?.type === 'TSTypeAnnotation' ? chainOfType(annotation.typeAnnotation, scope) : null;
}

function addVariable(
  node: NodeOf<'VariableDeclarator'>,
  keyword: string,
  container: string | null,
  reading: Reading,
): void {
  if (node.id.type !== 'Identifier') {
    bindPattern(node.id, (name, at) =>
      add({ name, kind: 'variable', container, at, signature: `${keyword} ${name}` }, reading),
    );
    return;
  }
  if (node.init !== null) {
    addValue(node.id.name, node.init, node, container, reading);
    return;
  }
  const signature = clipped(`${keyword} ${reading.slice(node.id.start, node.id.end)}`);
  const type = declaredType(node.id, reading.module);
  add({ name: node.id.name, kind: 'variable', container, at: node, signature, hasHiddenMembers: true, type }, reading);
}

/** A value with a name: a function, a class, an object with members, or anything else. */
function addValue(name: string, given: Node, at: Node, container: string | null, reading: Reading): void {
  const value = unwrappedValue(given);
  // The type in front of the value says what a caller sees.
  const isDeclared = at.type === 'VariableDeclarator' && at.id.type === 'Identifier' && at.id.typeAnnotation != null;
  const isTyped = isDeclared || isAsserted(given);
  if (!isTyped && isFunction(value)) {
    addFunction({ name, at, container }, value, reading);
    return;
  }
  if (!isTyped && value.type === 'ClassExpression') {
    addClass(name, value, at, container, reading);
    return;
  }
  const signature = clipped(at === given ? name : reading.slice(at.start, given.start).replace(/=$/, '').trim());
  const type = isDeclared ? declaredType(at.id, reading.module) : chainOf(given, reading.module);
  if (value.type !== 'ObjectExpression') {
    add({ name, kind: 'variable', container, at, signature, hasHiddenMembers: true, type }, reading);
    return;
  }
  const names = value.properties.map((one) => (one.type === 'Property' ? keyName(one) : null));
  const hasHiddenMembers = isTyped || names.includes(null);
  add({ name, kind: 'variable', container, at, signature, hasHiddenMembers, type }, reading);
  if (container !== null) return;
  for (const [nth, one] of value.properties.entries()) {
    const key = names[nth] ?? null;
    if (key !== null && one.type === 'Property') addProperty(key, one, name, isTyped, reading);
  }
}

function addProperty(
  name: string,
  node: NodeOf<'Property'>,
  container: string,
  isTyped: boolean,
  reading: Reading,
): void {
  if (!isTyped && isFunction(node.value)) {
    addFunction({ name, at: node, container }, node.value, reading);
    return;
  }
  add({ name, kind: 'variable', container, at: node, signature: name, hasHiddenMembers: true }, reading);
}

function addSignatures(members: readonly TSSignature[], container: string, scope: Scope, reading: Reading): void {
  for (const one of members) {
    if (one.type !== 'TSPropertySignature' && one.type !== 'TSMethodSignature') continue;
    const name = keyName(one);
    if (name === null) continue;
    const isMethod = one.type === 'TSMethodSignature';
    const arity = isMethod ? arityOf(one.params) : null;
    const kind = isMethod ? 'method' : 'variable';
    const returned = isMethod ? one.returnType?.typeAnnotation : undefined;
    const type = isMethod ? wrapped('(', typeOf(returned, withTypeParameters(one, scope))) : declaredType(one, scope);
    add({ name, kind, container, at: one, signature: whole(one, reading), arity, type }, reading);
  }
}

/** Several signatures of one function are one definition, which can be called in any of these ways. */
function mergeOverloads(reading: Reading): void {
  const byName = new Map<string, Definition[]>();
  for (const one of reading.definitions) {
    if (one.arity === null) continue;
    const key = `${one.container ?? ''}\0${one.name}`;
    byName.set(key, [...(byName.get(key) ?? []), one]);
  }
  for (const several of byName.values()) {
    const [first] = several;
    if (first === undefined || several.length < 2) continue;
    const arities = several.flatMap(({ arity }) => arity ?? []);
    const isOpen = arities.some(({ most }) => most === null);
    const merged: Definition = {
      ...first,
      endLine: Math.max(...several.map(({ endLine }) => endLine)),
      signature: clipped(several.map(({ signature }) => signature).join(' | ')),
      arity: {
        least: Math.min(...arities.map(({ least }) => least)),
        most: isOpen ? null : Math.max(...arities.map(({ most }) => most ?? 0)),
      },
    };
    for (const one of several) reading.definitions.splice(reading.definitions.indexOf(one), 1);
    reading.definitions.push(merged);
    const types = several.flatMap((one) => reading.types.get(one)?.types ?? [null]);
    reading.types.set(merged, { types, bases: reading.types.get(first)?.bases ?? null });
  }
}

function add(found: Found, reading: Reading): void {
  const made: Definition = {
    name: found.name,
    kind: found.kind,
    container: found.container,
    line: reading.lineOf(found.at.start),
    endLine: reading.lineOf(found.at.end),
    signature: found.signature,
    arity: found.arity ?? null,
    ...(found.hasHiddenMembers ? { hasHiddenMembers: true } : {}),
  };
  reading.definitions.push(made);
  const { type = null, bases = null } = found;
  if (type !== null || bases !== null) reading.types.set(made, { types: [type], bases });
}

function arityOf(given: readonly ParamPattern[]): Arity {
  const params = given.filter((one) => !(one.type === 'Identifier' && one.name === 'this'));
  let least = 0;
  let most: number | null = 0;
  for (const [nth, one] of params.entries()) {
    if (one.type === 'RestElement') most = null;
    else {
      most = nth + 1;
      if (!isOptional(one)) least = nth + 1;
    }
  }
  return { least, most };
}

/** Whether a call may leave a parameter out. One that may be `void` can be left out, too. */
function isOptional(param: ParamPattern): boolean {
  if (param.type === 'AssignmentPattern') return true;
  if (param.type === 'TSParameterProperty') return isOptional(param.parameter);
  if ('optional' in param && param.optional === true) return true;
  const type = 'typeAnnotation' in param ? param.typeAnnotation?.typeAnnotation : undefined;
  return (type?.type === 'TSUnionType' ? type.types : [type]).some((one) => one?.type === 'TSVoidKeyword');
}

function isFunction(
  node: unknown,
): node is NodeOf<'ArrowFunctionExpression'> | NodeOf<'FunctionExpression'> | NodeOf<'TSEmptyBodyFunctionExpression'> {
  return isNodeLike(node) && /^(?:ArrowFunction|Function|TSEmptyBodyFunction)Expression$/.test(node.type);
}

function isNodeLike(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

function whole(node: Node, reading: Reading): string {
  return clipped(reading.slice(node.start, node.end).replace(/[;,]$/, ''));
}

function clipped(signature: string): string {
  if (signature.length <= LONGEST) return signature;
  let hash = 0;
  for (let at = 0; at < signature.length; at += 1) hash = (Math.imul(hash, 31) + signature.charCodeAt(at)) | 0;
  return `${signature.slice(0, LONGEST)}… #${(hash >>> 0).toString(16)}`;
}
