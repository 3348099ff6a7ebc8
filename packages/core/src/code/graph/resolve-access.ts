/** Follows chains of members through the types that files declare (`FileFacts.accesses`). */

import type { TreePath } from '../../model/names.ts';
import type { Definition } from '../facts.ts';
import { isTypeScript } from '../languages/javascript/is-typescript.ts';
import type { CodeGraph } from './graph.ts';
import { type Origin, resolveExport, resolveLocal } from './resolve-name.ts';

/**
 * What the last member of a chain is.
 * - `found`: a file of the workspace defines it. Null: it is a name of a module.
 * - `missing`: all members of its object are known, and it is none of them. `of`: the object's type.
 * - `outside`: its object is a list, a promise or a function
 */
export type AccessResolution =
  | { readonly state: 'found'; readonly path: TreePath; readonly definition: Definition | null }
  | { readonly state: 'missing'; readonly of: Origin }
  | { readonly state: 'unknown' | 'outside' };

/** Where a chain leads. */
export function resolveAccess(graph: CodeGraph, path: TreePath, chain: string): AccessResolution {
  const cut = chain.lastIndexOf('.');
  const holder = evaluated(graph, { path, text: chain.slice(0, cut), receiver: null }, 0);
  return holder === null ? UNKNOWN : memberOf(graph, holder, chain.slice(cut + 1), 0);
}

/** Whether a type of the workspace extends another one, and has a member of its own. */
export function isMemberOfHeir(graph: CodeGraph, of: Origin, member: string): boolean {
  for (const [path, { facts }] of graph.nodes) {
    for (const { name, container } of facts.definitions) {
      if (name !== member || container === null) continue;
      if (isHeir(graph, { path, name: container }, of, 0)) return true;
    }
  }
  return false;
}

/** A definition that has members: of a type if `isType`, of a value otherwise. Its name is `*` if it is a module. */
interface Holder extends Origin {
  readonly isType: boolean;
}

/** A list, a promise or a function. `text` is what is in it, seen from its file. */
interface Wrapping extends Expression {
  readonly wrap: string;
}

interface Expression {
  readonly path: TreePath;
  readonly text: string;
  /** What `^` means. */
  readonly receiver: Value | null;
}

type Value = Holder | Wrapping;

const UNKNOWN: AccessResolution = { state: 'unknown' };
/** How many types may refer to each other. */
const DEEPEST = 24;
const OF_OBJECTS = new Set(Object.getOwnPropertyNames(Object.prototype));
const OF_FUNCTIONS = new Set(Object.getOwnPropertyNames(Function.prototype).concat('prototype'));

function evaluated(graph: CodeGraph, { path, text, receiver }: Expression, depth: number): Value | null {
  if (depth > DEEPEST) return null;
  if (/^[[~(]/.test(text)) return { wrap: text.charAt(0), path, text: text.slice(1), receiver };
  const [, root = '', steps = ''] = /^(\^|:?[\w$]+)(.*)$/s.exec(text) ?? [];
  let value = root === '^' ? receiver : rootOf(graph, path, root);
  for (const step of steps.match(/\.[\w$]+|\(\)|\[\]|~/g) ?? []) {
    if (value === null) return null;
    value = after(graph, value, step, depth + 1);
  }
  return value;
}

function rootOf(graph: CodeGraph, path: TreePath, root: string): Holder | null {
  const isType = root.startsWith(':');
  const name = isType ? root.slice(1) : root;
  const found = resolveLocal(graph, path, name);
  const [origin] = found.state === 'found' ? found.origins : [];
  return origin === undefined || (found.state === 'found' && found.origins.length > 1) ? null : { ...origin, isType };
}

function after(graph: CodeGraph, given: Value, step: string, depth: number): Value | null {
  if (step.startsWith('.')) {
    const name = step.slice(1);
    const holder = settled(graph, given, depth);
    if (holder !== null && 'name' in holder && holder.name === '*') return exported(graph, holder, name);
    const found = holder === null ? UNKNOWN : memberOf(graph, holder, name, depth);
    const type = found.state === 'found' ? found.definition?.type : undefined;
    if (found.state !== 'found' || type === undefined) return null;
    return evaluated(graph, { path: found.path, text: type, receiver: holder }, depth + 1);
  }
  const value = settled(graph, given, depth);
  if (value === null) return null;
  if ('wrap' in value) {
    const isUnwrapped = value.wrap === (step === '()' ? '(' : step === '[]' ? '[' : '~');
    if (isUnwrapped) return evaluated(graph, value, depth + 1);
    return step === '~' ? value : null;
  }
  if (step === '~') return value;
  const [only] = step === '()' ? definitionsOf(graph, value) : [];
  if (only?.kind !== 'function' || only.type === undefined) return null;
  const result = evaluated(graph, { path: value.path, text: only.type, receiver: null }, depth + 1);
  return result !== null && 'wrap' in result && result.wrap === '(' ? evaluated(graph, result, depth + 1) : null;
}

function exported(graph: CodeGraph, { path, isType }: Holder, name: string): Holder | null {
  const found = resolveExport(graph, path, name);
  const [origin] = found.state === 'found' && found.origins.length === 1 ? found.origins : [];
  return origin === undefined ? null : { ...origin, isType };
}

/** Follows variables and other names of types to what has the members. */
function settled(graph: CodeGraph, value: Value, depth: number): Value | null {
  if ('wrap' in value || value.name === '*') return value;
  const [only, ...more] = definitionsOf(graph, value);
  if (only?.type === undefined || more.length > 0) return value;
  if (only.kind !== 'variable' && only.kind !== 'type') return value;
  const next = evaluated(graph, { path: value.path, text: only.type, receiver: null }, depth + 1);
  return next === null || depth > DEEPEST ? null : settled(graph, next, depth + 1);
}

function memberOf(graph: CodeGraph, given: Value, name: string, depth: number): AccessResolution {
  const value = settled(graph, given, depth);
  if (value === null || depth > DEEPEST) return UNKNOWN;
  if ('wrap' in value) return { state: 'outside' };
  if (value.name === '*') return memberOfModule(graph, value, name);
  const definitions = definitionsOf(graph, value);
  if (definitions.length === 0 || isAugmented(graph, value.name)) return UNKNOWN;
  const own = graph.nodes.get(value.path)?.facts.definitions.filter((one) => one.container === value.name) ?? [];
  const same = own.filter((one) => one.name === name);
  const [definition] = same;
  if (definition !== undefined) {
    // A field and a static one, or members of two types of the same name.
    return { state: 'found', path: value.path, definition: same.length === 1 ? definition : null };
  }
  if (OF_OBJECTS.has(name) || (!value.isType && OF_FUNCTIONS.has(name))) return UNKNOWN;
  const isScript = graph.nodes.get(value.path)?.facts.isScript === true;
  // Assignments add members in JavaScript, and other scripts may add members to a type of a script.
  let isKnown = isTypeScript(value.path) && !(value.isType && isScript);
  for (const one of definitions) {
    if (one.kind === 'function' || one.kind === 'module') isKnown = false;
    // One member of an enumeration is a string or a number.
    else if (value.isType && one.signature.startsWith('enum ')) isKnown = false;
    else if (one.hasHiddenMembers && one.bases === undefined) isKnown = false;
    for (const base of one.bases ?? []) {
      const holder = evaluated(graph, { path: value.path, text: base, receiver: null }, depth + 1);
      const inherited = holder === null ? UNKNOWN : memberOf(graph, holder, name, depth + 1);
      if (inherited.state === 'found') return inherited;
      if (inherited.state !== 'missing') isKnown = false;
    }
  }
  return isKnown ? { state: 'missing', of: value } : UNKNOWN;
}

function memberOfModule(graph: CodeGraph, module: Holder, name: string): AccessResolution {
  const found = resolveExport(graph, module.path, name);
  if (found.state === 'found') return { state: 'found', path: module.path, definition: null };
  return found.state === 'missing' && found.passedBy === null && name !== 'default'
    ? { state: 'missing', of: module }
    : UNKNOWN;
}

/** The definitions that a name has as a type or as a value. */
function definitionsOf(graph: CodeGraph, { path, name, isType }: Holder): readonly Definition[] {
  const all = graph.nodes.get(path)?.facts.definitions.filter((one) => one.name === name && one.container === null);
  return (all ?? []).filter(({ kind, signature }) => {
    if (kind === 'class' || kind === 'module') return true;
    return isType ? kind === 'type' : kind !== 'type' || signature.startsWith('enum ') || isMergedType(all ?? []);
  });
}

/** An interface of the name of a class adds to its members. */
function isMergedType(all: readonly Definition[]): boolean {
  return all.some(({ kind }) => kind === 'class');
}

function isHeir(graph: CodeGraph, one: Origin, of: Origin, depth: number): boolean {
  if (depth > DEEPEST) return false;
  const definitions = definitionsOf(graph, { ...one, isType: true });
  return definitions.some(({ bases }) =>
    bases?.some((text) => {
      const base = evaluated(graph, { path: one.path, text, receiver: null }, depth + 1);
      if (base === null || 'wrap' in base) return false;
      return (base.path === of.path && base.name === of.name) || isHeir(graph, base, of, depth + 1);
    }),
  );
}

const augmented = new WeakMap<CodeGraph, ReadonlySet<string>>();

/** Whether some file adds members to types of a name. */
function isAugmented(graph: CodeGraph, name: string): boolean {
  let names = augmented.get(graph);
  if (names === undefined) {
    names = new Set([...graph.nodes.values()].flatMap(({ facts }) => facts.augmented ?? []));
    augmented.set(graph, names);
  }
  return names.has(name);
}
