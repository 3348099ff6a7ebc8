/** Settling what a dead process left half done, before the store or files change. */

import { SavepointError } from '../model/errors.ts';
import type { Workspace } from '../timeline/capture/capture.ts';
import { listUnsettled } from '../transaction/journal.ts';
import { type Recovered, recover, type Settlement, type Waiting } from '../transaction/recover.ts';
import type { EventStream } from './events.ts';
import { overlapping } from './overlap.ts';
import { publicationAgain } from './publication.ts';
import type { Operating, Writing } from './writing.ts';

type Decision = 'forward' | 'back' | null;

/** Settles journals of this workspace and of those that overlap it; the locks of all of them are held. */
export async function settle(events: EventStream, writing: Writing, decision: Decision): Promise<Settlement> {
  const { context, workspace } = writing;
  const settled: Recovered[] = [];
  const waiting: Waiting[] = [];
  for (const other of overlapping(context, workspace)) {
    if (other.id !== workspace.id) other.store.refs.collectDebris();
    const done = await recoverIn(other, writing, decision);
    settled.push(...done.settled);
    waiting.push(...done.waiting);
  }
  if (settled.length > 0) events.emit('recovered', { settled });
  return { settled, waiting };
}

/**
 * A capture goes on while an operation is pending: it changes nothing that the operation would have to know.
 * @returns what is pending; null: nothing
 */
export async function settleForCapture(writing: Writing): Promise<SavepointError | null> {
  try {
    const { waiting } = await recoverIn(writing.workspace, writing, null);
    return waiting[0]?.error ?? null;
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'PENDING') return error;
    throw error;
  }
}

/** For what would take away what a pending operation needs. @throws SavepointError PENDING */
export function settled(operating: Operating): Operating {
  const [first] = operating.waiting;
  if (first !== undefined) throw first.error;
  return operating;
}

export function isPending({ ports, store }: Workspace): boolean {
  return listUnsettled(ports, store.layout.journal).journals.length > 0;
}

function recoverIn(workspace: Workspace, { lock, pace }: Writing, decision: Decision): Promise<Settlement> {
  const { ports, store } = workspace;
  return recover({
    ports,
    layout: store.layout,
    objects: store.objects,
    lock,
    pace,
    decision,
    publication: (journal) => publicationAgain(workspace, lock, pace, journal),
  });
}
