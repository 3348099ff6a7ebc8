/** Frozen paths: reads them, and reverts what agents changed there. */

import type { Checkpoint } from '../model/checkpoint.ts';
import type { SavepointError } from '../model/errors.ts';
import type { TreePath } from '../model/names.ts';
import { runOperation } from '../operation/operation.ts';
import { frozenPathsChanged, putBackOperation } from '../rewind/put-back.ts';
import type { PutBack } from '../session/host.ts';
import { layoutOf } from '../store/layout.ts';
import { type FrozenPath, readFrozen } from '../store/state/frozen.ts';
import { asSavepointError } from '../transaction/outcome.ts';
import { announceOperation } from './announce.ts';
import type { Context } from './context.ts';
import type { Engine } from './engine.ts';

export function frozenPathsIn(context: Context): readonly FrozenPath[] {
  const found = context.find();
  return found === null ? [] : readFrozen(context.ports, layoutOf(found.record.storePath));
}

/**
 * Reverts changes of agents to frozen paths, checkpoint by checkpoint, the newest first.
 * @returns null if there was nothing to revert
 */
export async function putBackFrozen(engine: Engine, checkpoints: readonly Checkpoint[]): Promise<PutBack | null> {
  const paths = new Set<TreePath>();
  let problem: SavepointError | null = null;
  for (const left of [...checkpoints].reverse()) {
    const { previous } = left;
    try {
      const touched = frozenPathsChanged(left, frozenPathsIn(engine.context()));
      if (touched.length === 0 || previous === null) continue;
      await engine.operate({}, async (operating) => {
        const { context, workspace, pace } = operating;
        const found = engine.resolve(workspace, previous);
        const frozen = readFrozen(workspace.ports, workspace.store.layout);
        const operation = putBackOperation(left, found, frozen, touched, pace);
        const result = await runOperation(operating, operation, null);
        announceOperation(engine, context, null, result);
        for (const { path } of result.plan.paths) paths.add(path);
      });
    } catch (error) {
      problem = asSavepointError(error);
      engine.events.emit('warning', { message: `Frozen paths could not be reverted: ${problem.message}` });
    }
  }
  return paths.size === 0 && problem === null ? null : { paths: [...paths], problem };
}
