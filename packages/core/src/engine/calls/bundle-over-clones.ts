/**
 * Restores a bundle over clones of its repositories. The checkpoints of the bundle are added first. Then its newest one
 * is restored like any other: with a checkpoint before and one after, in one transaction, so that `undo` reverts it.
 */

import type { ValidBundle } from '../../bundle/check/check-bundle.ts';
import { assertClones } from '../../bundle/import/match-clones.ts';
import { isFsError } from '../../io/fs.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { SavepointError } from '../../model/errors.ts';
import type { Operation, OperationResult, Preview } from '../../operation/operation.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { CheckpointRef } from '../../timeline/record/timeline.ts';
import type { Engine } from '../engine.ts';
import { type OperationOptions, preview, runAndAnnounce } from '../operate.ts';
import type { WriteContext } from '../write-context.ts';
import { restoreIn } from './rewind.ts';

/** How the files of clones are overwritten; see `restoreBundle`. */
export interface OverClonesOptions extends OperationOptions {
  /** Also restore the branch, HEAD and index of each repository. Default false: `.git` stays unchanged. */
  readonly git?: boolean;
  /** Proceed even if a root was not captured, or cannot be captured now. Such roots are left untouched. Default false. */
  readonly allowPartial?: boolean;
}

/** The restore of a bundle's newest checkpoint over clones. */
export class OverClones {
  constructor(
    private readonly engine: Engine,
    private readonly options: OverClonesOptions,
  ) {}

  /** The checkpoints of the bundle must be in the store of the workspace. */
  preview(workspace: Workspace, bundle: ValidBundle): Promise<Preview> {
    return preview(this.engine, workspace, this.#operation(workspace, bundle), this.options);
  }

  /** The checkpoints of the bundle must be published. */
  run(writing: WriteContext, bundle: ValidBundle): Promise<OperationResult> {
    const operation = this.#operation(writing.workspace, bundle);
    return runAndAnnounce(this.engine, { ...writing, waiting: [] }, 'restore:completed', operation, this.options);
  }

  /**
   * Publishes the checkpoints of the bundle first. If the restore fails, withdraws them.
   * @param refs the checkpoints of the bundle, the newest last
   */
  async publishAndRun(
    writing: WriteContext,
    bundle: ValidBundle,
    refs: readonly CheckpointRef[],
  ): Promise<OperationResult> {
    writing.workspace.timeline.publishAll(refs);
    try {
      return await this.run(writing, bundle);
    } catch (error) {
      // A pending operation goes on from these checkpoints.
      if (!(error instanceof SavepointError && error.code === 'PENDING')) withdraw(writing.workspace, refs);
      throw error;
    }
  }

  #operation(workspace: Workspace, { checkpoints }: ValidBundle): Operation {
    const pace = this.engine.pace(this.options);
    const target = checkpoints.at(-1) as Checkpoint;
    const { operation } = restoreIn(this.engine, workspace, target, { ...this.options, mode: 'exact' }, pace);
    return {
      ...operation,
      plan: (current) => {
        assertClones(workspace.ports, workspace.root, current.roots, target, checkpoints);
        return operation.plan(current);
      },
    };
  }
}

/**
 * Whether a restore of the newest checkpoint of the bundle is still to be done: its checkpoints are the newest ones, or
 * only the checkpoint before that restore follows them.
 */
export function isStillToRestore({ timeline }: Workspace, { checkpoints }: ValidBundle): boolean {
  const target = checkpoints.at(-1) as Checkpoint;
  const { latest } = timeline.end();
  if (latest === null) return false;
  return latest.id === target.id || (latest.precedes === 'restore' && latest.target === target.id);
}

/**
 * Drops imported checkpoints again, unless something was added to them since. If that fails, they do no harm: restoring
 * the same bundle again continues from them.
 */
function withdraw({ timeline }: Workspace, imported: readonly CheckpointRef[]): void {
  try {
    if (timeline.lastNumber() === imported.at(-1)?.number) timeline.drop(imported.map(({ number }) => number));
  } catch (error) {
    if (!isFsError(error) && !(error instanceof SavepointError)) throw error;
  }
}
