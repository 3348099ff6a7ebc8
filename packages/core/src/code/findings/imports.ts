/** Imports that lead nowhere, and names that the other file does not export any more. */

import type { TreePath } from '../../model/names.ts';
import type { Import, Use } from '../facts.ts';
import type { Evidence } from '../finding.ts';
import { type CodeGraph, type FileNode, pathsOf } from '../graph/graph.ts';
import { type NameResolution, type Origin, resolveExport, resolveImportedName } from '../graph/resolve-name.ts';
import { isTyped } from './arity.ts';
import { definitionOf, newPlaceOf } from './definition-of.ts';
import { brokenFileKey, type Change, type Draft, exportKey } from './draft.ts';
import { checkText } from './text.ts';

/** Checks all imports of a file. */
export function checkImports(path: TreePath, change: Change): readonly Draft[] {
  const node = change.proposed.nodes.get(path);
  if (node === undefined) return [];
  const before = change.base.nodes.get(change.movedFrom.get(path) ?? path);
  return node.facts.imports.flatMap((read, nth) => {
    if (node.texts?.has(nth) || read.kind === 'text') return checkText({ path, node, before, nth }, change);
    const place = { path, node, before, read, nth, nthBefore: sameImport(before, read) };
    if (node.targets[nth]?.to === 'files') return checkNames(place, change);
    return checkTarget(place, change);
  });
}

/** An import in a file, in both states. */
interface ImportPlace {
  readonly path: TreePath;
  readonly node: FileNode;
  readonly before: FileNode | undefined;
  readonly read: Import;
  readonly nth: number;
  /** The same import in the base; -1: it is new. */
  readonly nthBefore: number;
}

function sameImport(before: FileNode | undefined, { from, kind }: Import): number {
  if (before === undefined) return -1;
  const exact = before.facts.imports.findIndex((one) => one.from === from && one.kind === kind);
  return exact >= 0 ? exact : before.facts.imports.findIndex((one) => one.from === from);
}

/** An import that leads to no file. */
function checkTarget({ path, node, before, read, nth, nthBefore }: ImportPlace, change: Change): readonly Draft[] {
  const target = node.targets[nth];
  const led = pathsOf(before?.targets[nthBefore]);
  const isNew = nthBefore < 0 && target?.to === 'missing';
  if (led.length === 0 && !isNew) return [];
  const gone = led.find((one) => !change.proposed.tree.files.has(one));
  const moved = gone === undefined ? undefined : change.moved.get(gone);
  const what =
    gone === undefined
      ? 'no file has this name'
      : moved === undefined
        ? `${gone} is removed`
        : `${gone} is moved to ${moved}`;
  const evidence: readonly Evidence[] =
    gone === undefined ? [] : [{ path: gone, line: null, state: 'base', text: 'the file that it led to' }];
  return [
    {
      class: read.isGuarded ? 'may-be-affected' : 'breaks',
      rule: 'unresolved-import',
      path,
      line: read.line,
      message: `The import '${read.from}' does not resolve: ${what}.`,
      evidence,
      keys: read.names.flatMap(({ exportedAs }) => (exportedAs === null ? [] : [exportKey(path, exportedAs)])),
    },
  ];
}

function checkNames(place: ImportPlace, change: Change): readonly Draft[] {
  const script = place.read.names.length === 0 ? undefined : newScriptOf(place, change);
  if (script !== undefined) return [notAModule(place, script)];
  return place.read.names.flatMap((name) => {
    const found = resolveImportedName(change.proposed, place.node, place.nth, name.name);
    if (found.state === 'missing' || found.state === 'unknown') {
      const led = resolvedBefore(place, name.name, change);
      return missing(
        { ...place, name: name.name, lines: usedLines(place, name.local, name.line), exportedAs: name.exportedAs },
        found,
        led,
        change,
      );
    }
    if (found.state !== 'found') return [];
    const led = resolvedBefore(place, name.name, change);
    return name.members.flatMap((member) => checkMember(place, member, found, led, change));
  });
}

/** The only file that an import leads to, if nothing can be imported from it any more. */
function newScriptOf({ path, node, nth }: ImportPlace, { base, proposed, movedFrom }: Change): TreePath | undefined {
  const [target, ...more] = isTyped(path) ? pathsOf(node.targets[nth]) : [];
  if (target === undefined || more.length > 0 || proposed.nodes.get(target)?.facts.isScript !== true) return undefined;
  const before = base.nodes.get(movedFrom.get(target) ?? target);
  return before === undefined || before.facts.isScript === true ? undefined : target;
}

function notAModule({ path, read }: ImportPlace, script: TreePath): Draft {
  const message = `${script} exports nothing any more, so it is not a module, and this import of it fails.`;
  const keys = read.names.flatMap(({ exportedAs }) => (exportedAs === null ? [] : [exportKey(path, exportedAs)]));
  const evidence = [{ path: script, line: null, state: 'proposed', text: 'no import and no export' }] as const;
  return {
    class: read.isGuarded ? 'may-be-affected' : 'breaks',
    ...{ rule: 'removed-export', path, line: read.line, message, evidence, keys },
  };
}

function usedLines({ node, read }: ImportPlace, local: string | null, line: number): readonly number[] {
  if (read.kind === 'static' || read.kind === 'type' || local === null) return [line];
  return node.facts.uses.find(({ name }) => name === local)?.lines ?? [line];
}

function resolvedBefore(place: ImportPlace, name: string, change: Change): NameResolution | null {
  if (place.before === undefined || place.nthBefore < 0) return null;
  const had = place.before.facts.imports.some(
    ({ from, names }) => from === place.read.from && names.some((one) => one.name === name),
  );
  // A name that is new in an old import is checked like a new import.
  return had ? resolveImportedName(change.base, place.before, place.nthBefore, name) : null;
}

interface MissingName extends ImportPlace {
  readonly name: string;
  readonly lines: readonly number[];
  readonly exportedAs: string | null;
}

function missing(
  place: MissingName,
  found: NameResolution,
  led: NameResolution | null,
  change: Change,
): readonly Draft[] {
  const { path, read, name, exportedAs } = place;
  const targets = pathsOf(place.node.targets[place.nth]);
  const [target] = targets;
  if (target === undefined) return [];
  const line = place.lines[0] ?? read.line;
  const keys = exportedAs === null ? [] : [exportKey(path, exportedAs)];
  if (found.state === 'unknown') {
    const broken = brokenOnTheWay(change, targets);
    if (led?.state !== 'found' || broken === null) return [];
    const message = `'${name}' is imported through ${broken}, which has a syntax error.`;
    return [
      {
        class: 'follows',
        rule: 'unresolved-name',
        path,
        line,
        message,
        evidence: [],
        follows: brokenFileKey(broken),
        onlyFollows: true,
        keys,
      },
    ];
  }
  if (found.state !== 'missing') return [];
  // Where it led nowhere before, nothing is new. It may have led out of the workspace, through a file of the workspace.
  if (led?.state === 'missing') return [];
  const guarded = read.isGuarded ? 'may-be-affected' : 'breaks';
  const origin = led?.state === 'found' ? led.origins[0] : undefined;
  const isRemoved = origin !== undefined || led?.state === 'outside';
  const where = origin === undefined ? '' : newPlaceOf(origin, change);
  return [
    {
      class: guarded,
      rule: isRemoved ? 'removed-export' : 'unresolved-name',
      path,
      line,
      message: isRemoved
        ? `${target} no longer exports '${name}', which this file imports${where}.`
        : `${target} does not export '${name}', which this file imports.`,
      evidence: origin === undefined ? [] : definitionEvidence(change.base, origin.path, origin.name),
      ...followsOf(found),
      keys,
    },
  ];
}

/** A member of a namespace, of a default object, of an enum or of a class. */
function checkMember(
  place: ImportPlace,
  use: Use,
  found: NameResolution & { readonly state: 'found' },
  led: NameResolution | null,
  change: Change,
): readonly Draft[] {
  const now = found.origins.map((one) => memberState(change.proposed, one, use.name));
  const [missingNow] = now;
  if (missingNow === undefined || now.some(({ state }) => state !== 'missing')) return [];
  const before = led?.state === 'found' ? led.origins : [];
  const state = before.map((origin) => memberState(change.base, origin, use.name).state);
  const [origin] = found.origins;
  if (origin === undefined) return [];
  const isNamespace = origin.name === '*';
  const was = before[state.indexOf('found')];
  if (was === undefined && (!isNamespace || before.length > 0)) return [];
  const what = isNamespace ? origin.path : `'${origin.name}' of ${origin.path}`;
  return [
    {
      class: place.read.isGuarded ? 'may-be-affected' : 'breaks',
      rule: was === undefined ? 'unresolved-name' : 'removed-export',
      path: place.path,
      line: use.lines[0] ?? place.read.line,
      message: `${what} ${was === undefined ? 'does not have' : 'no longer has'} '${use.name}', which this file uses.`,
      evidence: was === undefined ? [] : memberEvidence(change.base, was.path, was.name, use.name),
      ...followsOf(missingNow),
    },
  ];
}

/** What a missing name follows from, if a file on the way is broken. */
function followsOf(found: NameResolution): Pick<Draft, 'follows' | 'onlyFollows'> {
  if (found.state !== 'missing' || found.passedBy === null) return {};
  const { path, name } = found.passedBy;
  return { follows: exportKey(path, name), onlyFollows: name === '*' };
}

function memberState(graph: CodeGraph, origin: Origin, member: string): NameResolution {
  if (origin.name === '*') {
    return member === 'default' ? { state: 'unknown' } : resolveExport(graph, origin.path, member);
  }
  const facts = graph.nodes.get(origin.path)?.facts;
  const definitions = facts?.definitions.filter(({ name, container }) => name === origin.name && container === null);
  if (facts === undefined || definitions === undefined || definitions.length === 0) return { state: 'unknown' };
  if (facts.definitions.some(({ name, container }) => name === member && container === origin.name)) {
    return { state: 'found', origins: [origin] };
  }
  // In JavaScript, an assignment adds members.
  const isAssigned = !isTyped(origin.path) && facts.memberNames?.includes(member) === true;
  // In Python, anything may be the value of a variable.
  const isAny = origin.path.endsWith('.py') && definitions.some(({ kind }) => kind === 'variable');
  const isOpen = isAny || isAssigned || definitions.some((one) => one.hasHiddenMembers || one.kind === 'function');
  return isOpen ? { state: 'unknown' } : { state: 'missing', passedBy: null };
}

/** The first file on the way of an import that has a syntax error only in the proposed state. */
function brokenOnTheWay(change: Change, from: readonly TreePath[]): TreePath | null {
  const seen = new Set(from);
  for (const path of seen) {
    const node = change.proposed.nodes.get(path);
    if (node === undefined) continue;
    const before = change.base.nodes.get(change.movedFrom.get(path) ?? path);
    if (node.facts.problems.length > 0 && (before?.facts.problems.length ?? 0) === 0) return path;
    for (const [nth, read] of node.facts.imports.entries()) {
      if (read.names.some(({ exportedAs }) => exportedAs !== null))
        for (const next of pathsOf(node.targets[nth])) seen.add(next);
    }
  }
  return null;
}

function definitionEvidence(graph: CodeGraph, path: TreePath, name: string): readonly Evidence[] {
  const definition = definitionOf(graph, path, name);
  if (definition === null) return [{ path, line: null, state: 'base', text: `it exported '${name}'` }];
  return [{ path, line: definition.line, state: 'base', text: definition.signature }];
}

function memberEvidence(graph: CodeGraph, path: TreePath, container: string, member: string): readonly Evidence[] {
  if (container === '*') {
    const found = resolveExport(graph, path, member);
    const origin = found.state === 'found' ? found.origins[0] : undefined;
    return origin === undefined ? [] : definitionEvidence(graph, origin.path, origin.name);
  }
  const definition = definitionOf(graph, path, member, container);
  return definition === null ? [] : [{ path, line: definition.line, state: 'base', text: definition.signature }];
}
