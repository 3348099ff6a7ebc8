/** How checks went on the states of checkpoints, as far as it is kept. */

import type { Checkpoint } from '../../model/checkpoint.ts';
import {
  type CheckSummaries,
  type CheckSummary,
  readCheckSummaries,
  withSummary,
  writeCheckSummaries,
} from '../../store/state/check-summaries.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { asSavepointError } from '../../transaction/outcome.ts';
import type { Engine } from '../engine.ts';

/** If what is kept cannot be read, warns and keeps nothing: the answer of the checks does not depend on it. */
export async function addCheckSummary(engine: Engine, number: number, made: Omit<CheckSummary, 'time'>): Promise<void> {
  await engine.write({}, 'existing', async ({ workspace, lock }) => {
    const { ports, store, timeline } = workspace;
    const known = summariesOf(engine, workspace);
    if (known === null) return;
    const existing = new Set(timeline.list().map((one) => one.number));
    const kept = new Map([...known].filter(([one]) => existing.has(one)));
    lock.assertHeld();
    writeCheckSummaries(ports, store.layout, withSummary(kept, number, { ...made, time: ports.clock.now() }));
  });
}

/** Returns a function that tells how the checks of a checkpoint went; null: none is known. */
export function checksOfCheckpoints(
  engine: Engine,
  workspace: Workspace,
): (checkpoint: Pick<Checkpoint, 'number'>) => CheckSummary | null {
  const known = summariesOf(engine, workspace);
  return ({ number }) => known?.get(number) ?? null;
}

function summariesOf(engine: Engine, { ports, store }: Workspace): CheckSummaries | null {
  try {
    return readCheckSummaries(ports, store.layout);
  } catch (error) {
    engine.events.emit('warning', { message: asSavepointError(error).message });
    return null;
  }
}
