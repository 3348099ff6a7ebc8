/** What the code itself says about a change: between two checkpoints, in the folder, in a plan, or of edits. */

import type { TypeLimits } from '../../check/types/type-findings.ts';
import type { FileEdits } from '../../edit/file-edits.ts';
import type { PreparedFile } from '../../edit/prepare-edits.ts';
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
import { filesAfterEdits } from './edits.ts';

/** Which change: of a plan, of edits, or between two states. */
export interface FindingsQuery {
  /** The changes of this plan that are not rejected, against the files that it was proposed on. */
  readonly plan?: string;
  /** What these edits would do to the current files, as for `previewEdit`. Nothing is written. */
  readonly edits?: readonly FileEdits[];
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
   * @throws SavepointError USAGE for a combination of a plan, edits and checkpoints, UNKNOWN_PLAN, UNKNOWN_CHECKPOINT,
   *   NO_CHECKPOINT, CANCELLED, and for edits what `edit` throws before it changes anything
   */
  findings(query?: FindingsQuery, options?: FindingsOptions): Promise<CodeReport>;
}

export function findingCalls(engine: Engine): FindingCalls {
  return {
    findings: (query = {}, options = {}) =>
      engine.read(async (workspace, context) => {
        assertOneChange(query);
        const { edits, to, plan, types } = query;
        const files = edits === undefined ? [] : await filesAfterEdits(engine, edits, engine.pace(options));
        const isOfFolder = plan === undefined && to === undefined;
        const now = isOfFolder || types === true ? await currentFiles(engine, workspace, files, options) : null;
        const states = await statesOf(engine, workspace, query, options, now);
        if (now !== null && types === true) return withTypesIn(engine, [workspace, context], states, now, options);
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

async function withTypesIn(
  engine: Engine,
  within: readonly [Workspace, Context],
  states: StatesToAnalyse,
  { captured, roots }: FolderNow,
  options: FindingsOptions,
): Promise<CodeReport> {
  const [workspace] = within;
  const analysed = await findingsBetween(engine, workspace, states, options);
  const { withTypeErrors } = await import('../code/type-errors.ts');
  const place = { place: inFolder(workspace.root), disk: captured, roots };
  return withTypeErrors(engine, within, analysed, { ...states, ...place }, options);
}

/** @param now null: neither state is that of the folder, and only the store is read */
async function statesOf(
  engine: Engine,
  workspace: Workspace,
  { plan: id, edits, from, to }: FindingsQuery,
  options: CallOptions,
  now: FolderNow | null,
): Promise<StatesToAnalyse> {
  const { objects } = now ?? workspace.store;
  if (id !== undefined) {
    const plan = findPlan(workspace, id);
    const batch = new OverlayBatch(objects);
    const { selected } = await selectionOf(batch, plan, engine.pace(options));
    return { objects: batch, base: plan.before, proposed: selected };
  }
  if (edits !== undefined && now !== null) return { objects, base: now.captured, proposed: now.edited };
  const { snapshot: base } = engine.resolve(workspace, from ?? 'last');
  if (to !== undefined || now === null) {
    return { objects, base, proposed: engine.resolve(workspace, to ?? 'last').snapshot };
  }
  return { objects, base, proposed: now.captured };
}

/** @throws SavepointError USAGE */
function assertOneChange({ plan, edits, from, to }: FindingsQuery): void {
  const ofStates = from !== undefined || to !== undefined;
  if (plan !== undefined && (ofStates || edits !== undefined)) {
    throw new SavepointError('USAGE', 'A plan cannot be combined with checkpoints or edits.', { argument: 'plan' });
  }
  if (edits !== undefined && ofStates) {
    throw new SavepointError('USAGE', 'Edits cannot be combined with checkpoints.', { argument: 'edits' });
  }
}

/** The folder as it is. The objects also have what no checkpoint has. */
interface FolderNow {
  readonly objects: ObjectReader;
  readonly captured: Snapshot;
  /** With the edits. */
  readonly edited: Snapshot;
  readonly roots: Checkpoint['roots'];
}

async function currentFiles(
  engine: Engine,
  workspace: Workspace,
  edited: readonly PreparedFile[],
  options: CallOptions,
): Promise<FolderNow> {
  if (edited.length === 0) {
    const { scan, objects } = await scanWorkspace(workspace, engine.pace(options), { missing: 'empty' });
    return { objects, captured: scan.snapshot, edited: scan.snapshot, roots: scan.roots };
  }
  const { folderWithEdits, pathsOfEdits } = await import('../code/edited-folder.ts');
  const wanted = { missing: 'empty', must: pathsOfEdits(edited) } as const;
  const { scan, objects } = await scanWorkspace(workspace, engine.pace(options), wanted);
  const { snapshot, roots } = scan;
  const after = folderWithEdits(edited, { snapshot, objects }, engine.ports.umask());
  return { objects, captured: snapshot, edited: after, roots };
}
