/** Members that no file defines any more, while they are used. */

import type { TreePath } from '../../model/names.ts';
import type { Definition } from '../facts.ts';
import type { CodeGraph } from '../graph/graph.ts';
import { resolveLocal } from '../graph/resolve-name.ts';
import { definitionOf } from './definition-of.ts';
import type { Change, Draft } from './draft.ts';
import { isNear } from './near.ts';

/** How many classes may inherit from each other. */
const DEEPEST = 12;
/** Base classes of Python's library without members of their own, by their modules. */
const PLAIN_BASES: Readonly<Record<string, readonly string[]>> = {
  abc: ['ABC'],
  typing: ['Generic', 'Protocol'],
  typing_extensions: ['Generic', 'Protocol'],
};

/** Checks all uses of members that the change removed everywhere. */
export function checkMembers(change: Change): readonly Draft[] {
  const removed = removedMembers(change);
  for (const [, node] of change.proposed.nodes) {
    if (removed.size === 0) break;
    for (const name of node.facts.memberNames ?? []) removed.delete(name);
    for (const { name } of node.facts.definitions) removed.delete(name);
  }
  if (removed.size === 0) return [];
  const drafts: Draft[] = [];
  for (const [path, node] of change.proposed.nodes) {
    for (const use of node.facts.memberUses) {
      const gone = removed.get(use.name);
      if (gone === undefined || gone.language !== node.facts.language) continue;
      drafts.push({
        class: !gone.mayBeElsewhere && isNear(change, path, gone.path) ? 'breaks' : 'may-be-affected',
        rule: 'removed-method',
        path,
        line: use.lines[0] ?? null,
        message: `No file defines a member '${use.name}' any more, which this file uses. It was one of '${gone.definition.container}'.`,
        evidence: [{ path: gone.path, line: gone.definition.line, state: 'base', text: gone.definition.signature }],
      });
    }
  }
  return drafts;
}

interface RemovedMember {
  readonly path: TreePath;
  readonly language: string;
  readonly definition: Definition;
  /** Whether its class is gone, and perhaps in a file that is imported now but not there, or may have any member now. */
  readonly mayBeElsewhere: boolean;
}

function removedMembers(change: Change): Map<string, RemovedMember> {
  const { base, proposed, changed, moved } = change;
  const removed = new Map<string, RemovedMember>();
  for (const path of changed) {
    const facts = base.nodes.get(path)?.facts;
    const now = proposed.nodes.get(moved.get(path) ?? path)?.facts;
    // A file that cannot be understood does not tell what it still defines.
    if (facts === undefined || facts.memberNames === undefined || (now?.problems.length ?? 0) > 0) continue;
    const lacksFile = hasNewMissingImport(path, change);
    for (const definition of facts.definitions) {
      const { name, container, kind } = definition;
      if (container === null || kind === 'type' || change.isOwnMember(path, name) || name.length < 3) continue;
      const holders = now?.definitions.filter((one) => one.name === container && one.container === null) ?? [];
      const mayBeElsewhere =
        (lacksFile && holders.length === 0) ||
        holders.some((one) => inheritsFromOutside(proposed, moved.get(path) ?? path, one)) ||
        (holders.some(mayHaveAny) && !facts.definitions.some((one) => one.name === container && mayHaveAny(one)));
      removed.set(name, { path, language: facts.language, definition, mayBeElsewhere });
    }
  }
  return removed;
}

/** Whether a class has a base, or a base of a base, that no file of the workspace defines. */
function inheritsFromOutside(graph: CodeGraph, path: TreePath, { kind, signature }: Definition, depth = 0): boolean {
  if (kind !== 'class' || depth > DEEPEST) return false;
  const named =
    /\bextends ([\w$]+)/.exec(signature)?.slice(1) ?? /^class \w+ ?\((.*)\)$/.exec(signature)?.[1]?.split(',');
  return (named ?? []).some((text) => {
    const name = /^ ?([\w$]+)(?! ?=)/.exec(text)?.[1];
    if (name === undefined || isPlainBase(graph, path, name)) return false;
    const found = resolveLocal(graph, path, name);
    if (found.state !== 'found') return found.state !== 'missing';
    return found.origins.some((origin) => {
      const base = definitionOf(graph, origin.path, origin.name);
      return base !== null && inheritsFromOutside(graph, origin.path, base, depth + 1);
    });
  });
}

function isPlainBase({ nodes }: CodeGraph, path: TreePath, base: string): boolean {
  const imports = nodes.get(path)?.facts.imports ?? [];
  return imports.some(({ from, names }) =>
    names.some(({ name, local }) => local === base && (PLAIN_BASES[from]?.includes(name) ?? false)),
  );
}

/** Whether something may have members that no file defines, such as those of a `Record`. */
function mayHaveAny({ kind, container, hasHiddenMembers, bases }: Definition): boolean {
  return container === null && (kind === 'function' || (hasHiddenMembers === true && bases === undefined));
}

/** Whether a file has a new import that leads to no file. */
function hasNewMissingImport(path: TreePath, { base, proposed, moved }: Change): boolean {
  const before = new Set(base.nodes.get(path)?.facts.imports.map(({ from }) => from));
  const now = proposed.nodes.get(moved.get(path) ?? path);
  return now?.facts.imports.some(({ from }, nth) => !before.has(from) && now.targets[nth]?.to === 'missing') ?? false;
}
