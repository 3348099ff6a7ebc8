/** What the type checkers of the project say about a change, joined with what the code itself says. Loaded lazily. */

import type { Check } from '../../check/check.ts';
import { filesOfCaptured, filesOfSnapshot, filesWith } from '../../check/find/project-files.ts';
import type { ProposedTypes } from '../../check/types/ask-typescript.ts';
import { checkTypeScript } from '../../check/types/check-typescript.ts';
import { joinFindings } from '../../check/types/join-findings.ts';
import { findingsOfPython, unsaidOfPython } from '../../check/types/python-findings.ts';
import { statesOverDisk } from '../../check/types/states-over-disk.ts';
import {
  DEFAULT_TYPE_LIMITS,
  NOTHING_FOUND,
  type TypeFindings,
  type TypeLimits,
  type Unsaid,
} from '../../check/types/type-findings.ts';
import type { CodeFinding } from '../../code/finding.ts';
import { isTypeScript } from '../../code/languages/javascript/is-typescript.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Snapshot } from '../../model/entries.ts';
import { type TreePath, WORKSPACE_ITSELF } from '../../model/names.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { differingPaths } from '../../timeline/diff/snapshot-diff.ts';
import type { Context } from '../context.ts';
import type { RunCheckResult } from '../copies/check-state.ts';
import { findIn } from '../copies/find-checks.ts';
import { renamesBetween } from '../copies/renames.ts';
import { trustedChecks } from '../copies/trusted-checks.ts';
import type { Engine } from '../engine.ts';
import { type AnalysedStates, type CodeReport, worstOf } from './analysis.ts';
import type { StatesToAnalyse } from './open-states.ts';
import { type CodeUnsaid, unsaidOfTypes } from './unsaid.ts';

/** Where type checkers run. */
export interface TypePlace {
  /** A copy, or the folder itself. */
  readonly place: ProposedTypes['place'];
  /** What is on disk there. */
  readonly disk: Snapshot;
  readonly roots: readonly { readonly path: TreePath }[];
}

export interface TypeCheckOptions extends CallOptions, Partial<TypeLimits> {
  /** Receives what is known so far: once the changed files and those that import them are checked. */
  readonly onPart?: (report: CodeReport) => void;
}

/** A checker that cannot be asked is said, and is not an error. @throws SavepointError CANCELLED */
export async function withTypeErrors(
  engine: Engine,
  [workspace, context]: readonly [Workspace, Context],
  { report, imports }: AnalysedStates,
  states: StatesToAnalyse & TypePlace,
  options: TypeCheckOptions,
): Promise<CodeReport> {
  const { objects, base, proposed, disk, place, roots } = states;
  const over = statesOverDisk(objects, { base, proposed, disk });
  if (over === null) return joined(report, { ...NOTHING_FOUND, unsaid: [tooLarge()] });
  const moved = new Set(differingPaths(objects, disk, proposed));
  const captured = filesOfCaptured(workspace.ports.fs, place.files, { objects, snapshot: disk }, engine.listings);
  const files = filesWith(captured, filesOfSnapshot(objects, proposed), moved);
  const { checks } = findIn(context, workspace.root, files, roots);
  const python = unsaidOfPython(checks, differingPaths(objects, base, proposed));
  if (!hasTypeScript(checks, over.changed)) return joined(report, { ...NOTHING_FOUND, unsaid: python });
  const found: CodeFinding[] = [];
  const tell = (): void => engine.events.emit('progress', { phase: 'types', done: found.length, total: null });
  tell();
  const { signal, timeoutMs, maxMemory, onPart } = options;
  const types = await checkTypeScript({
    ...over,
    ports: workspace.ports,
    place,
    checks,
    trusted: trustedChecks(engine, workspace.store.layout),
    files,
    importers: importersIn(report),
    imports: imports(),
    renames: await renamesBetween(objects, states, engine.pace(options)),
    limits: {
      timeoutMs: timeoutMs ?? DEFAULT_TYPE_LIMITS.timeoutMs,
      maxMemory: maxMemory ?? DEFAULT_TYPE_LIMITS.maxMemory,
    },
    ...(signal === undefined ? {} : { signal }),
    onFindings: (added) => {
      found.push(...added);
      tell();
    },
    onGroup: (group) => {
      if (group === 'importers' && found.length > 0) onPart?.(joined(report, { ...NOTHING_FOUND, findings: found }));
    },
  });
  return joined(report, { ...types, unsaid: [...types.unsaid, ...python] });
}

/** The same, with what the type checkers of Python said when they ran as checks in a copy. @param checks all checks */
export function withPython(
  report: CodeReport,
  { imports }: AnalysedStates,
  changed: readonly TreePath[],
  { checks, results }: { readonly checks: readonly Check[]; readonly results: readonly RunCheckResult[] },
): CodeReport {
  const ran = checks.filter(({ name }) => results.some((one) => one.name === name)).map(({ tool }) => tool);
  const unsaid = report.unsaid.filter(({ reason, language }) => reason !== 'not-run' || !ran.includes(language ?? ''));
  const types = findingsOfPython(checks, results, { changed, importers: importersIn(report), imports });
  return joined({ ...report, unsaid }, types);
}

function joined(report: CodeReport, { findings, omitted, unsaid }: TypeFindings): CodeReport {
  const all = findings.length === 0 ? report.findings : joinFindings(report.findings, findings);
  const worst = worstOf(all);
  const said = unsaid.map((one): CodeUnsaid => unsaidOfTypes(one));
  return {
    ...report,
    ...worst,
    omitted: report.omitted + omitted + worst.omitted,
    unsaid: [...report.unsaid, ...said],
  };
}

function importersIn({ dependents }: CodeReport): readonly TreePath[] {
  return dependents.filter(({ distance }) => distance === 1).map(({ path }) => path);
}

function hasTypeScript(checks: readonly Check[], changed: readonly TreePath[]): boolean {
  if (checks.some(({ tool }) => tool === 'tsc')) return changed.length > 0;
  return changed.some(isTypeScript);
}

function tooLarge(): Unsaid {
  const message = 'Too much differs from the files on disk, so no type checker was asked.';
  return { reason: 'too-large', tool: null, path: WORKSPACE_ITSELF, message };
}
