/** The bytes of a file at a checkpoint, in a plan, or in the folder as it is now. */

import { givenPath } from '../io/given-path.ts';
import type { Pace } from '../io/pace.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { Checkpoint } from '../model/checkpoint.ts';
import type { JsonName } from '../model/names.ts';
import type { Plan, PlanState } from '../model/plan.ts';
import { selectionOf } from '../plan/selection.ts';
import type { ObjectBatch } from '../store/objects/object-reader.ts';
import { OverlayBatch } from '../store/snapshot/overlay.ts';
import { readCurrentFile } from '../timeline/capture/read-current-file.ts';
import { type FileBytes, type FileRange, readFileIn, type StateToRead } from '../timeline/query/read-file.ts';
import type { Engine } from './engine.ts';
import { findPlan } from './plans/stored-plans.ts';

/** The files of a plan. */
export interface FilesOfPlan {
  /** An id, or `last`. */
  readonly plan: string;
  /** Default: `proposed`. */
  readonly state?: PlanState;
}

export interface ReadFileOptions extends CallOptions, FileRange {}

/** The bytes of a file, and where they are from. Without a checkpoint and a plan, they are from the folder. */
export interface FileContent extends FileBytes {
  readonly checkpoint: Checkpoint | null;
  readonly plan: { readonly id: Plan['id']; readonly state: PlanState; readonly revision: number } | null;
}

/**
 * @param from the name of a checkpoint, a plan, or null for the folder
 * @throws SavepointError PATH_REFUSED if there is no file, and what finds the checkpoint or plan throws
 */
export function readFileFrom(
  engine: Engine,
  from: string | FilesOfPlan | null,
  given: JsonName,
  options: ReadFileOptions,
): Promise<FileContent> {
  return engine.read(async (workspace) => {
    const pace = engine.pace(options);
    const { objects } = workspace.store;
    if (typeof from === 'string') {
      const checkpoint = engine.resolve(workspace, from);
      const found = readFileIn(objects, checkpointToRead(checkpoint), givenPath(workspace, given), options);
      return { ...found, checkpoint, plan: null };
    }
    if (from === null) {
      const found = await readCurrentFile(workspace, givenPath(workspace, given), options, pace);
      return { ...found, checkpoint: null, plan: null };
    }
    const { state = 'proposed' } = from;
    const plan = findPlan(workspace, from.plan);
    const path = givenPath(workspace, given);
    const batch = new OverlayBatch(objects);
    const found = readFileIn(batch, await planToRead(batch, plan, state, pace), path, options);
    return { ...found, checkpoint: null, plan: { id: plan.id, state, revision: plan.revision } };
  });
}

function checkpointToRead({ id, snapshot }: Checkpoint): StateToRead {
  const hint = `\`savepoint history --file PATH\` lists the changes of a file, and \`savepoint show ${id}\` those of the checkpoint.`;
  return { snapshot, name: id, hint };
}

/** @param batch receives the contents of files of which some hunks were rejected */
async function planToRead(batch: ObjectBatch, plan: Plan, state: PlanState, pace: Pace): Promise<StateToRead> {
  const hint = `\`savepoint plan show ${plan.id}\` lists the changes of the plan.`;
  if (state === 'base') return { snapshot: plan.before, name: `the base of ${plan.id}`, hint };
  if (state === 'proposed') return { snapshot: plan.proposed, name: `${plan.id} as proposed`, hint };
  const { selected } = await selectionOf(batch, plan, pace);
  return { snapshot: selected, name: `${plan.id} as selected`, hint };
}
