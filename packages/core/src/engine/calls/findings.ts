/** What the code itself says about a change: between two checkpoints, in the folder, or in a plan. */

import type { TypeLimits } from '../../check/types/type-findings.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { Snapshot } from '../../model/entries.ts';
import { SavepointError } from '../../model/errors.ts';
import { selectionOf } from '../../plan/selection.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { OverlayBatch } from '../../store/snapshot/overlay.ts';
import { scanWorkspace } from '../../timeline/capture/capture.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { AnalysedStates, CodeReport } from '../code/analysis.ts';
import { inFolder } from '../code/in-folder.ts';
import type { StatesToAnalyse } from '../code/open-states.ts';
import type { Context } from '../context.ts';
import type { Engine } from '../engine.ts';
import { findPlan } from '../plans/stored-plans.ts';

/** Which change: of a plan, or between two states. */
export interface FindingsQuery {
  /** The changes of this plan that are not rejected, against the files that it was proposed on. */
  readonly plan?: string;
  /** A checkpoint. Default: the last one. */
  readonly from?: string;
  /** A checkpoint. Default: the current files. */
  readonly to?: string;
  /** Also ask the project's own TypeScript, if a person trusts the check that runs it. Default false. */
  readonly types?: boolean;
}

/** With the limits of each type checker: `timeoutMs`, default 5 minutes, and `maxMemory` in bytes, default 4 GiB. */
export interface FindingsOptions extends CallOptions, Partial<TypeLimits> {}

export interface FindingCalls {
  /**
   * Analyses the code of both states, without running it. Only what is new in the second one is a finding. Nothing is
   * stored, except facts about files in the cache.
   * @throws SavepointError USAGE for a plan with checkpoints, UNKNOWN_PLAN, UNKNOWN_CHECKPOINT, NO_CHECKPOINT, CANCELLED
   */
  findings(query?: FindingsQuery, options?: FindingsOptions): Promise<CodeReport>;
}

export function findingCalls(engine: Engine): FindingCalls {
  return {
    findings: (query = {}, options = {}) =>
      engine.read(async (workspace, context) => {
        if (query.types === true) return findingsWithTypes(engine, workspace, context, query, options);
        const states = await statesOf(engine, workspace, query, options);
        return (await findingsBetween(engine, workspace, states, options)).report;
      }),
  };
}

/** @throws SavepointError CANCELLED */
export async function findingsBetween(
  engine: Engine,
  workspace: Workspace,
  states: StatesToAnalyse,
  options: CallOptions,
): Promise<AnalysedStates> {
  // Loaded lazily: most calls analyse nothing.
  const { analyseStates } = await import('../code/analysis.ts');
  return analyseStates(engine, workspace, states, options);
}

async function findingsWithTypes(
  engine: Engine,
  workspace: Workspace,
  context: Context,
  query: FindingsQuery,
  options: FindingsOptions,
): Promise<CodeReport> {
  const now = await currentFiles(engine, workspace, options);
  const states = await statesOf(engine, workspace, query, options, now);
  const analysed = await findingsBetween(engine, workspace, states, options);
  const { withTypeErrors } = await import('../code/type-errors.ts');
  const place = { place: inFolder(workspace.root), disk: now.proposed, roots: now.roots };
  return withTypeErrors(engine, [workspace, context], analysed, { ...states, ...place }, options);
}

async function statesOf(
  engine: Engine,
  workspace: Workspace,
  { plan: id, from, to }: FindingsQuery,
  options: CallOptions,
  now: FolderNow | null = null,
): Promise<StatesToAnalyse> {
  const { objects } = now ?? workspace.store;
  if (id !== undefined) {
    if (from !== undefined || to !== undefined) {
      throw new SavepointError('USAGE', 'A plan cannot be combined with checkpoints.', { argument: 'plan' });
    }
    const plan = findPlan(workspace, id);
    const batch = new OverlayBatch(objects);
    const { selected } = await selectionOf(batch, plan, engine.pace(options));
    return { objects: batch, base: plan.before, proposed: selected };
  }
  const { snapshot: base } = engine.resolve(workspace, from ?? 'last');
  if (to !== undefined) return { objects, base, proposed: engine.resolve(workspace, to).snapshot };
  const { objects: read, proposed } = now ?? (await currentFiles(engine, workspace, options));
  return { objects: read, base, proposed };
}

/** The folder as it is. The objects also have what no checkpoint has. */
interface FolderNow {
  readonly objects: ObjectReader;
  readonly proposed: Snapshot;
  readonly roots: Checkpoint['roots'];
}

async function currentFiles(engine: Engine, workspace: Workspace, options: CallOptions): Promise<FolderNow> {
  const { scan, objects } = await scanWorkspace(workspace, engine.pace(options), { missing: 'empty' });
  return { objects, proposed: scan.snapshot, roots: scan.roots };
}
