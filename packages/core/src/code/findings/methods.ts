/** Calls of methods that no method of that name accepts any more. The object of a call is not known, so all of them count. */

import type { TreePath } from '../../model/names.ts';
import type { Call, Definition } from '../facts.ts';
import type { CodeGraph } from '../graph/graph.ts';
import { fits, inWords, isTyped } from './arity.ts';
import { definitionOf } from './definition-of.ts';
import type { Change, Draft } from './draft.ts';
import { isNear } from './near.ts';

export function checkMethods(change: Change): readonly Draft[] {
  const changed = changedMethods(change);
  if (changed.size === 0) return [];
  const before = methodsNamed(change.base, changed);
  const now = methodsNamed(change.proposed, changed);
  const drafts: Draft[] = [];
  for (const [path, node] of change.proposed.nodes) {
    if (!isTyped(path)) continue;
    for (const { name, calls } of node.facts.memberUses) {
      const method = changed.get(name);
      const [had, has] = [before.get(name), now.get(name)];
      if (method === undefined || had === undefined || has === undefined || !isNear(change, path, method.path))
        continue;
      for (const call of calls ?? []) {
        if (fitsAny(call, had) && !fitsAny(call, has)) drafts.push(draftOf(path, call, method));
      }
    }
  }
  return drafts;
}

interface ChangedMethod {
  readonly path: TreePath;
  readonly before: Definition;
  readonly now: Definition;
}

function changedMethods(change: Change): Map<string, ChangedMethod> {
  const changed = new Map<string, ChangedMethod>();
  for (const path of change.changed) {
    if (!isTyped(path)) continue;
    for (const now of change.proposed.nodes.get(path)?.facts.definitions ?? []) {
      if (now.container === null || now.arity === null || now.name === 'constructor') continue;
      if (change.isOwnMember(path, now.name)) continue;
      const before = definitionOf(change.base, change.movedFrom.get(path) ?? path, now.name, now.container);
      if (before === null || before.arity === null || before.signature === now.signature) continue;
      changed.set(now.name, { path, before, now });
    }
  }
  return changed;
}

/** All methods of some names. Without a name that anything else may define, because then nothing is proven. */
function methodsNamed(graph: CodeGraph, names: ReadonlyMap<string, unknown>): Map<string, readonly Definition[]> {
  const methods = new Map<string, Definition[]>();
  const unknown = new Set<string>();
  for (const { facts } of graph.nodes.values()) {
    const own = new Set<string>();
    for (const one of facts.definitions) {
      if (one.container === null || !names.has(one.name)) continue;
      own.add(one.name);
      if (one.arity === null) unknown.add(one.name);
      methods.set(one.name, [...(methods.get(one.name) ?? []), one]);
    }
    for (const name of facts.memberNames ?? []) if (names.has(name) && !own.has(name)) unknown.add(name);
  }
  for (const name of unknown) methods.delete(name);
  return methods;
}

function fitsAny(call: Call, methods: readonly Definition[]): boolean {
  return methods.some(({ arity }) => arity === null || fits(call, arity));
}

function draftOf(path: TreePath, call: Call, { path: definer, before, now }: ChangedMethod): Draft {
  return {
    class: 'breaks',
    rule: 'changed-export',
    path,
    line: call.line,
    message: `'${now.name}' of '${now.container}' now takes ${inWords(now.arity)}, and this call has ${call.arguments}.`,
    evidence: [
      { path: definer, line: before.line, state: 'base', text: before.signature },
      { path: definer, line: now.line, state: 'proposed', text: now.signature },
    ],
  };
}
