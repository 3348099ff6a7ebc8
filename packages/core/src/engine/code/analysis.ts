/** Says what a change between two snapshots of a workspace breaks. Loaded lazily: it needs all languages. */

import type { KnownImports } from '../../check/types/finding-classes.ts';
import type { Dependent } from '../../code/findings/dependents.ts';
import { type CodeGraph, importedPaths } from '../../code/graph/graph.ts';
import { type Analysis, analyse, type CodeFinding } from '../../code/index.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { TreePath } from '../../model/names.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Engine } from '../engine.ts';
import { type OpenedStates, type StatesToAnalyse, withStates } from './open-states.ts';
import { type CodeUnsaid, unsaidOf } from './unsaid.ts';

/** A file outside a change that depends on it. */
export interface CodeDependent extends Dependent {
  /** What it imports of the change and of the other dependents, including files that are gone. */
  readonly needs: readonly TreePath[];
}

export interface CodeReport {
  /** The worst first. `follows` is an index of this list. */
  readonly findings: readonly CodeFinding[];
  /** How many more there are. */
  readonly omitted: number;
  /** Files outside the change that depend on it: those with findings first, then the nearest. */
  readonly dependents: readonly CodeDependent[];
  /** Tests that reach a changed file, the nearest first. */
  readonly tests: readonly TreePath[];
  /** What changed files import of each other, in the proposed state. */
  readonly dependencies: readonly { readonly path: TreePath; readonly needs: TreePath }[];
  /** What cannot be said. */
  readonly unsaid: readonly CodeUnsaid[];
}

const MOST_FINDINGS = 5_000;
const MOST_PATHS = 5_000;
const MOST_NEEDS = 20_000;
const NOTHING: CodeReport = { findings: [], omitted: 0, dependents: [], tests: [], dependencies: [], unsaid: [] };

/** What the code says, and what a type checker needs to know of it. */
export interface AnalysedStates {
  readonly report: CodeReport;
  /** Made when it is needed. */
  readonly imports: () => KnownImports;
}

/** @throws SavepointError CANCELLED */
export function analyseStates(
  engine: Pick<Engine, 'lastGraph' | 'pace'>,
  workspace: Workspace,
  states: StatesToAnalyse,
  options: CallOptions,
): Promise<AnalysedStates> {
  return withStates(engine, workspace, states, options, {
    run: async (opened) => {
      const analysis = await analyse(opened);
      return { report: reportOf(analysis, opened), imports: () => knownImports(analysis.proposed) };
    },
    refuse: (why) => ({ report: { ...NOTHING, unsaid: [why] }, imports: () => new Map() }),
  });
}

/** As many as a report has. */
export function worstOf(findings: readonly CodeFinding[]): Pick<CodeReport, 'findings' | 'omitted'> {
  return {
    findings: findings.slice(0, MOST_FINDINGS).map(withKnownCause),
    omitted: Math.max(0, findings.length - MOST_FINDINGS),
  };
}

function knownImports({ nodes }: CodeGraph): KnownImports {
  return new Map([...nodes].map(([path, node]) => [path, [...new Set(importedPaths(node))]]));
}

function reportOf(analysis: Analysis, { changed, languages }: OpenedStates): CodeReport {
  const { findings, tests, proposed } = analysis;
  return {
    ...worstOf(findings),
    dependents: dependentsOf(analysis, changed),
    tests: tests.slice(0, MOST_PATHS),
    dependencies: dependenciesOf(proposed, changed),
    unsaid: unsaidOf(proposed, changed, languages),
  };
}

/** The cause may be among those that are left out. */
function withKnownCause(finding: CodeFinding): CodeFinding {
  const { follows } = finding;
  return follows === null || follows < MOST_FINDINGS ? finding : { ...finding, follows: null };
}

function dependentsOf(
  { dependents, base, proposed }: Analysis,
  changed: readonly TreePath[],
): readonly CodeDependent[] {
  const shown = dependents.slice(0, MOST_PATHS);
  const among = new Set([...changed, ...shown.map(({ path }) => path)]);
  let left = MOST_NEEDS;
  return shown.map((one) => {
    const { path } = one;
    const now = importsIn(proposed, path).filter((needed) => among.has(needed));
    const gone = importsIn(base, path).filter((needed) => among.has(needed) && !proposed.tree.files.has(needed));
    const needs = [...new Set([...now, ...gone])].filter((needed) => needed !== path).slice(0, left);
    left -= needs.length;
    return { ...one, needs };
  });
}

function importsIn({ nodes }: CodeGraph, path: TreePath): readonly TreePath[] {
  const node = nodes.get(path);
  return node === undefined ? [] : importedPaths(node);
}

function dependenciesOf(graph: CodeGraph, changed: readonly TreePath[]): CodeReport['dependencies'] {
  const among = new Set(changed);
  return changed
    .flatMap((path) => {
      const needs = new Set(importsIn(graph, path));
      return [...needs].filter((one) => one !== path && among.has(one)).map((one) => ({ path, needs: one }));
    })
    .slice(0, MOST_PATHS);
}
