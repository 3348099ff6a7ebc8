/** Recovers the transactions of a dead process before the store or files change. */

import { SavepointError } from '../model/errors.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { listUnfinished } from '../transaction/journal.ts';
import { type RecoveredTransaction, type Recovery, recover, type WaitingTransaction } from '../transaction/recover.ts';
import type { EventStream } from './events.ts';
import { overlappingWorkspaces } from './overlap.ts';
import { recoveryPublication } from './publication.ts';
import type { WriteContext, WriteOperationContext } from './write-context.ts';

type Decision = 'forward' | 'back' | null;

/** Recovers the transactions of this workspace and of those that overlap it. The caller holds all their locks. */
export async function recoverOverlapping(
  events: EventStream,
  writing: WriteContext,
  decision: Decision,
): Promise<Recovery> {
  const { context, workspace } = writing;
  const recovered: RecoveredTransaction[] = [];
  const waiting: WaitingTransaction[] = [];
  for (const other of overlappingWorkspaces(context, workspace)) {
    if (other.id !== workspace.id) other.store.refs.collectDebris();
    const done = await recoverIn(other, writing, decision);
    recovered.push(...done.recovered);
    waiting.push(...done.waiting);
  }
  if (recovered.length > 0) events.emit('recovered', { settled: recovered });
  return { recovered, waiting };
}

/**
 * Recovers before a capture. The capture continues while an operation is pending, because it changes nothing that the
 * operation depends on.
 * @returns the pending error, or null
 */
export async function recoverForCapture(writing: WriteContext): Promise<SavepointError | null> {
  try {
    const { waiting } = await recoverIn(writing.workspace, writing, null);
    return waiting[0]?.error ?? null;
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'PENDING') return error;
    throw error;
  }
}

/** For calls that would remove data that a pending operation needs. @throws SavepointError PENDING */
export function assertNothingPending(operating: WriteOperationContext): WriteOperationContext {
  const [first] = operating.waiting;
  if (first !== undefined) throw first.error;
  return operating;
}

export function hasPendingOperation({ ports, store }: Workspace): boolean {
  return listUnfinished(ports, store.layout.journal).journals.length > 0;
}

function recoverIn(workspace: Workspace, { lock, pace }: WriteContext, decision: Decision): Promise<Recovery> {
  const { ports, store } = workspace;
  return recover({
    ports,
    layout: store.layout,
    objects: store.objects,
    lock,
    pace,
    decision,
    publication: (journal) => recoveryPublication(workspace, lock, pace, journal),
  });
}
