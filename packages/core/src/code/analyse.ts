import { baseName, type TreePath } from '../model/names.ts';
import type { FileFacts } from './facts.ts';
import type { CodeFinding } from './finding.ts';
import { checkAccesses } from './findings/accesses.ts';
import { checkApi } from './findings/api.ts';
import { checkCycles } from './findings/cycles.ts';
import { checkTests, type Reach, reachOf } from './findings/dependents.ts';
import { type Change, type Draft, findingsOf } from './findings/draft.ts';
import { checkImports } from './findings/imports.ts';
import { checkMembers } from './findings/members.ts';
import { checkMethods } from './findings/methods.ts';
import { checkOwnFile } from './findings/own-file.ts';
import { checkSignatures } from './findings/signatures.ts';
import { buildGraph, type CodeGraph, updateGraph } from './graph/graph.ts';
import { passesOn } from './graph/resolve-name.ts';
import type { CodeTree } from './language.ts';
import type { FactJob, FactReader, LanguageTable } from './reader.ts';

export interface AnalysisInput {
  readonly base: CodeTree;
  readonly proposed: CodeTree;
  readonly languages: LanguageTable;
  readonly reader: FactReader;
  /** The graph of the base, from an earlier analysis. Absent: it is built. */
  readonly graph?: CodeGraph;
  /** The files that differ. Absent: all files are compared. */
  readonly changed?: readonly TreePath[];
  readonly signal?: AbortSignal;
}

export interface Analysis extends Reach {
  /** The worst first. */
  readonly findings: readonly CodeFinding[];
  /** The graph of the base, for the next analysis. */
  readonly base: CodeGraph;
  readonly proposed: CodeGraph;
}

/** What reads files for an analysis. */
export type AnalysisReader = Pick<AnalysisInput, 'languages' | 'reader' | 'signal'>;

/** Says what a change breaks. */
export async function analyse(input: AnalysisInput): Promise<Analysis> {
  const { base, proposed, changed } = await graphsOf(input);
  const change = changeOf(base, proposed, changed, input.languages);
  input.signal?.throwIfAborted();
  const findings = findingsOf(checkAll(change), change);
  return { findings, ...reachOf(change, findings), base, proposed };
}

/** The graphs of both states of a change. Only files that differ are read, unless the graph of the base has to be built. */
export async function graphsOf(
  input: AnalysisInput,
): Promise<Pick<Analysis, 'base' | 'proposed'> & { readonly changed: readonly TreePath[] }> {
  const base = input.graph ?? (await graphOf(input.base, input));
  const changed = input.changed ?? changesBetween(input.base, input.proposed);
  const proposed = await graphAfter(base, afterBase(input.base, input.proposed), changed, input);
  return { base, proposed, changed };
}

/** The graph of another state, of which only the files that differ are read. */
export async function graphAfter(
  graph: CodeGraph,
  tree: CodeTree,
  changed: readonly TreePath[],
  input: AnalysisReader,
): Promise<CodeGraph> {
  return updateGraph(graph, tree, await factsOf(tree, changed, input), input.languages.all);
}

/** Reads all files of a state, and builds its graph. */
export async function graphOf(tree: CodeTree, input: AnalysisReader): Promise<CodeGraph> {
  const facts = await factsOf(tree, [...tree.files.keys()], input);
  const known = [...facts].flatMap(([path, one]) => (one === null ? [] : [[path, one] as const]));
  return buildGraph(tree, new Map(known), input.languages.all);
}

/** The proposed state, with the folders of the base: one that is gone now was not written by a compiler. */
function afterBase(base: CodeTree, proposed: CodeTree): CodeTree {
  return {
    files: proposed.files,
    hasFolder: (path) => proposed.hasFolder(path),
    hadFolder: (path) => base.hasFolder(path),
    read: (path) => proposed.read(path),
  };
}

function checkAll(change: Change): readonly Draft[] {
  const drafts = [
    ...[...change.changed].flatMap((path) => checkOwnFile(path, change)),
    ...filesToCheck(change).flatMap((path) => [...checkImports(path, change), ...checkSignatures(path, change)]),
    ...checkAccesses(change),
  ];
  // A member of something that is imported is found by that import.
  const places = new Set(drafts.map(({ path, line }) => `${path}:${line}`));
  const members = [...checkMembers(change), ...checkMethods(change)].filter(
    ({ path, line }) => !places.has(`${path}:${line}`),
  );
  return [...drafts, ...members, ...checkCycles(change), ...checkApi(change), ...checkTests(change)];
}

function changesBetween(base: CodeTree, proposed: CodeTree): readonly TreePath[] {
  const changed: TreePath[] = [];
  for (const [path, id] of proposed.files) if (base.files.get(path) !== id) changed.push(path);
  for (const path of base.files.keys()) if (!proposed.files.has(path)) changed.push(path);
  return changed;
}

async function factsOf(
  tree: CodeTree,
  paths: readonly TreePath[],
  { languages, reader, signal }: AnalysisReader,
): Promise<ReadonlyMap<TreePath, FileFacts | null>> {
  const facts = new Map<TreePath, FileFacts | null>(paths.map((path) => [path, null]));
  const jobs = paths.flatMap((path): readonly FactJob[] => {
    const id = languages.of(path) === null ? undefined : tree.files.get(path);
    return id === undefined ? [] : [{ path, id, read: () => tree.read(path) }];
  });
  const read = await reader.read(jobs, signal ?? null);
  for (const [nth, { path }] of jobs.entries()) facts.set(path, read[nth] ?? null);
  return facts;
}

function changeOf(
  base: CodeGraph,
  proposed: CodeGraph,
  changed: readonly TreePath[],
  languages: LanguageTable,
): Change {
  const moved = movedFiles(base.tree, proposed.tree, changed);
  return {
    base,
    proposed,
    changed: new Set(changed),
    renewed: new Set([...proposed.nodes].flatMap(([path, node]) => (base.nodes.get(path) === node ? [] : [path]))),
    moved,
    movedFrom: new Map([...moved].map(([from, to]) => [to, from])),
    isMeasured: (path) => languages.of(path)?.isMeasured ?? false,
    isOwnName: (path, name) => languages.of(path)?.ownNames?.has(name) ?? false,
    isOwnMember: (path, name) => languages.of(path)?.ownMembers?.has(name) ?? false,
  };
}

/** Pairs removed files with new ones: of the same contents, or otherwise of the same name if there is only one. */
function movedFiles(base: CodeTree, proposed: CodeTree, changed: readonly TreePath[]): Map<TreePath, TreePath> {
  const moved = new Map<TreePath, TreePath>();
  const added = new Set(changed.filter((path) => !base.files.has(path)));
  const removed = changed.filter((path) => !proposed.files.has(path));
  const pair = (same: (from: TreePath, to: TreePath) => boolean): void => {
    for (const from of removed) {
      if (moved.has(from)) continue;
      const found = [...added].filter((to) => same(from, to));
      const [to] = found;
      if (to === undefined || found.length > 1) continue;
      moved.set(from, to);
      added.delete(to);
    }
  };
  pair((from, to) => base.files.get(from) === proposed.files.get(to));
  pair((from, to) => baseName(from) === baseName(to));
  return moved;
}

/** The files whose imports may lead elsewhere now. */
function filesToCheck({ base, proposed, changed, renewed }: Change): readonly TreePath[] {
  const through = new Set([...changed, ...renewed]);
  const check = new Set(through);
  for (const path of through) {
    for (const graph of [base, proposed]) {
      for (const importer of graph.importers.get(path) ?? []) {
        check.add(importer);
        const node = proposed.nodes.get(importer);
        if (node !== undefined && passesOn(node.facts)) through.add(importer);
      }
    }
  }
  return [...check].filter((path) => proposed.nodes.has(path));
}
