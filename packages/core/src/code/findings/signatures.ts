/** Uses of definitions whose signature changed. A call breaks where it fitted before and provably no longer fits. */

import type { TreePath } from '../../model/names.ts';
import type { Arity, Call, Definition, Use } from '../facts.ts';
import type { FileNode } from '../graph/graph.ts';
import { type Origin, resolveExport, resolveImportedName } from '../graph/resolve-name.ts';
import { fits, inWords, isTyped } from './arity.ts';
import { definitionOf } from './definition-of.ts';
import type { Change, Draft } from './draft.ts';

/** Checks what a file uses of changed definitions, of other files and of itself. */
export function checkSignatures(path: TreePath, change: Change): readonly Draft[] {
  const node = change.proposed.nodes.get(path);
  if (node === undefined) return [];
  const uses = new Map(node.facts.uses.map((use) => [use.name, use]));
  const found: Draft[] = [];
  const check = (origin: Origin, container: string | null, use: Use | undefined): void => {
    if (use !== undefined) found.push(...checkUse({ path, node, use, origin, container }, change));
  };
  for (const [nth, read] of node.facts.imports.entries()) {
    for (const { name, local, members } of read.names) {
      const resolved = resolveImportedName(change.proposed, node, nth, name);
      for (const origin of resolved.state === 'found' ? resolved.origins : []) {
        if (origin.name !== '*') {
          if (local !== null) check(origin, null, uses.get(local));
          for (const use of members) check({ path: origin.path, name: use.name }, origin.name, use);
          continue;
        }
        for (const use of members) {
          const member = resolveExport(change.proposed, origin.path, use.name);
          for (const one of member.state === 'found' ? member.origins : []) check(one, null, use);
        }
      }
    }
  }
  if (change.changed.has(path)) {
    for (const { name, container, arity } of node.facts.definitions) {
      if (container === null && arity !== null) check({ path, name }, null, uses.get(name));
    }
  }
  return found;
}

interface UsePlace {
  readonly path: TreePath;
  readonly node: FileNode;
  readonly use: Use;
  readonly origin: Origin;
  readonly container: string | null;
}

function checkUse({ path, node, use, origin, container }: UsePlace, change: Change): readonly Draft[] {
  if (!change.changed.has(origin.path)) return [];
  const before = definitionOf(change.base, change.movedFrom.get(origin.path) ?? origin.path, origin.name, container);
  const now = definitionOf(change.proposed, origin.path, origin.name, container);
  if (before === null || now === null || isSame(before, now)) return [];
  const evidence = [
    {
      path: change.movedFrom.get(origin.path) ?? origin.path,
      line: before.line,
      state: 'base',
      text: before.signature,
    },
    { path: origin.path, line: now.line, state: 'proposed', text: now.signature },
  ] as const;
  const broken = brokenCalls(before.arity, now.arity, use.calls ?? []);
  // JavaScript accepts any number of arguments, and the other file may be used from both.
  const isProven = isTyped(path) && isTyped(origin.path);
  const drafts = broken.map(
    (call): Draft => ({
      class: isProven && (node.facts.problems.length === 0 || path !== origin.path) ? 'breaks' : 'may-be-affected',
      rule: 'changed-export',
      path,
      line: call.line,
      message: `'${origin.name}' now takes ${inWords(now.arity)}, and this call has ${call.arguments}.`,
      evidence,
    }),
  );
  if (drafts.length > 0 || change.changed.has(path)) return drafts;
  const what = before.kind === now.kind ? 'The signature' : 'The kind';
  const message = `${what} of '${origin.name}' in ${origin.path} changed, which this file uses.`;
  return [{ class: 'may-be-affected', rule: 'changed-export', path, line: use.lines[0] ?? null, message, evidence }];
}

function isSame(one: Definition, other: Definition): boolean {
  return (
    one.signature === other.signature &&
    one.kind === other.kind &&
    one.arity?.least === other.arity?.least &&
    one.arity?.most === other.arity?.most
  );
}

function brokenCalls(before: Arity | null, now: Arity | null, calls: readonly Call[]): readonly Call[] {
  if (before === null || now === null) return [];
  return calls.filter((call) => fits(call, before) && !fits(call, now));
}
