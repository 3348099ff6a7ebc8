/** What a changed file says about itself: syntax errors, and names that it used to bind. */

import type { TreePath } from '../../model/names.ts';
import type { FileFacts } from '../facts.ts';
import { brokenFileKey, type Change, type Draft } from './draft.ts';

export function checkOwnFile(path: TreePath, change: Change): readonly Draft[] {
  const now = change.proposed.nodes.get(path)?.facts;
  const before = change.base.nodes.get(change.movedFrom.get(path) ?? path)?.facts;
  if (now === undefined) return [];
  if (now.problems.length > 0) return syntaxErrors(path, now, before);
  return before === undefined ? [] : unboundNames(path, now, before, change);
}

function syntaxErrors(path: TreePath, now: FileFacts, before: FileFacts | undefined): readonly Draft[] {
  const known = (before?.problems ?? []).map(({ message }) => message);
  return now.problems.flatMap(({ line, message }): readonly Draft[] => {
    const nth = known.indexOf(message);
    if (nth >= 0) {
      known.splice(nth, 1);
      return [];
    }
    const text = `Syntax error: ${message}`;
    return [
      { class: 'breaks', rule: 'syntax-error', path, line, message: text, evidence: [], keys: [brokenFileKey(path)] },
    ];
  });
}

/** Names that the file bound before, and that it still uses although it does not bind them any more. */
function unboundNames(path: TreePath, now: FileFacts, before: FileFacts, change: Change): readonly Draft[] {
  const bound = boundNames(now);
  const had = boundNames(before);
  const used = new Set(before.uses.map(({ name }) => name));
  return now.uses.flatMap(({ name, lines }): readonly Draft[] => {
    const old = had.get(name);
    if (old === undefined || bound.has(name) || !used.has(name)) return [];
    if (change.isOwnName(path, name) || isGlobal(name, now, change)) return [];
    const message = `'${name}' is used, but this file no longer ${old.isImport ? 'imports' : 'defines'} it.`;
    const evidence = [
      { path, line: old.line, state: 'base', text: `it was ${old.isImport ? 'imported' : 'defined'} here` },
    ] as const;
    return [{ class: 'breaks', rule: 'unresolved-name', path, line: lines[0] ?? null, message, evidence }];
  });
}

/** Whether an import of all names may bind a name, or some file defines it for all files. */
function isGlobal(name: string, now: FileFacts, { proposed }: Change): boolean {
  const importsAll = now.imports.some(({ names }) =>
    names.some((one) => one.name === '*' && one.local === null && one.exportedAs === null),
  );
  if (importsAll || now.language !== 'javascript') return importsAll;
  return [...proposed.nodes.values()].some(({ facts }) => {
    if (facts.language !== 'javascript') return false;
    if (facts.augmented?.includes(name)) return true;
    const isScript = facts.isScript ?? (facts.imports.length === 0 && facts.exports.length === 0 && facts !== now);
    return isScript && facts.definitions.some((one) => one.name === name && one.container === null);
  });
}

function boundNames(facts: FileFacts): ReadonlyMap<string, { readonly line: number; readonly isImport: boolean }> {
  const names = new Map<string, { line: number; isImport: boolean }>();
  for (const { name, container, line } of facts.definitions) {
    if (container === null) names.set(name, { line, isImport: false });
  }
  for (const read of facts.imports) {
    for (const { local, line } of read.names) if (local !== null) names.set(local, { line, isImport: true });
  }
  return names;
}
