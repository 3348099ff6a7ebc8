/** Members that the declared type of a thing had, and no longer has, and calls of members that no longer fit. */

import type { TreePath } from '../../model/names.ts';
import type { Definition, FileFacts, Use } from '../facts.ts';
import { type AccessResolution, isMemberOfHeir, resolveAccess } from '../graph/resolve-access.ts';
import { fits, inWords, isTyped } from './arity.ts';
import type { Change, Draft } from './draft.ts';

export function checkAccesses(change: Change): readonly Draft[] {
  const names = changedNames(change);
  if (names.size === 0) return [];
  const drafts: Draft[] = [];
  for (const path of dependentsOf(change)) {
    const facts = isTyped(path) ? change.proposed.nodes.get(path)?.facts : undefined;
    for (const use of facts?.accesses ?? []) {
      if (use.name.split(/[^\w$]+/).some((part) => names.has(part))) drafts.push(...checkAccess(path, use, change));
    }
  }
  return drafts;
}

/** The names of what files of the change define otherwise than before. */
function changedNames({ base, proposed, changed, moved }: Change): ReadonlySet<string> {
  const names = new Set<string>();
  for (const path of changed) {
    const before = keysOf(base.nodes.get(path)?.facts);
    const now = keysOf(proposed.nodes.get(moved.get(path) ?? path)?.facts);
    for (const [key, name] of before) if (!now.has(key)) names.add(name);
  }
  return names;
}

function keysOf(facts: FileFacts | undefined): ReadonlyMap<string, string> {
  const definitions = isFullyRead(facts) ? facts.definitions : [];
  return new Map(definitions.map(({ line: _line, endLine: _end, ...one }) => [JSON.stringify(one), one.name] as const));
}

function isFullyRead(facts: FileFacts | undefined): facts is FileFacts {
  return facts?.accesses !== undefined && facts.problems.length === 0;
}

/** The files of a change with all that depend on them. */
function dependentsOf({ base, proposed, changed }: Change): ReadonlySet<TreePath> {
  const paths = new Set(changed);
  for (const path of paths) {
    for (const graph of [base, proposed]) for (const one of graph.importers.get(path) ?? []) paths.add(one);
  }
  return paths;
}

function checkAccess(path: TreePath, use: Use, change: Change): readonly Draft[] {
  const before = resolveAccess(change.base, change.movedFrom.get(path) ?? path, use.name);
  if (before.state !== 'found' && before.state !== 'outside') return [];
  const now = resolveAccess(change.proposed, path, use.name);
  if (now.state === 'missing') return [removed(path, use, before, now, change)];
  if (now.state !== 'found' || before.state !== 'found') return [];
  const [had, has] = [before.definition, now.definition];
  if (had?.arity == null || has?.arity == null) return [];
  const evidence = [evidenceOf(before.path, had, 'base'), evidenceOf(now.path, has, 'proposed')];
  const { arity } = has;
  return (use.calls ?? []).flatMap((call): readonly Draft[] => {
    if (had.arity === null || !fits(call, had.arity) || fits(call, arity)) return [];
    const message = `'${has.name}' of '${has.container}' now takes ${inWords(arity)}, and this call has ${call.arguments}.`;
    return [{ class: 'breaks', rule: 'changed-export', path, line: call.line, message, evidence }];
  });
}

function removed(
  path: TreePath,
  use: Use,
  before: AccessResolution,
  now: AccessResolution & { readonly state: 'missing' },
  change: Change,
): Draft {
  const member = use.name.slice(use.name.lastIndexOf('.') + 1);
  const { of } = now;
  const what = of.name === '*' ? of.path : `'${of.name}' of ${of.path}`;
  const isNarrowed = change.proposed.nodes.get(path)?.facts.narrowed?.includes(use.name) ?? false;
  // The code may have made sure that it is one of the heirs.
  const mayBeHeir = isNarrowed || (of.name !== '*' && isMemberOfHeir(change.proposed, of, member));
  return {
    class: mayBeHeir ? 'may-be-affected' : 'breaks',
    rule: 'removed-method',
    path,
    line: use.lines[0] ?? null,
    message: `${what} has no '${member}', which this file uses.`,
    evidence:
      before.state === 'found' && before.definition !== null
        ? [evidenceOf(before.path, before.definition, 'base')]
        : [],
  };
}

function evidenceOf(path: TreePath, { line, signature }: Definition, state: 'base' | 'proposed'): Draft['evidence'][0] {
  return { path, line, state, text: signature };
}
