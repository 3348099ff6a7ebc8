/** Runs a job: background work that a hook did not wait for. */

import { type DiskPath, type OpenOptions, open } from '@savepoint/core';
import type { HookJob } from './job.ts';
import { loadOwnEntries } from './load-own-entries.ts';
import { positionOf } from './position.ts';

/** Long, because a capture of a huge workspace may hold the lock. */
const WAIT_MS = 30 * 60_000;

/** @throws SavepointError */
export async function runJob(
  job: HookJob,
  machine: Pick<OpenOptions, 'ports' | 'places' | 'settings' | 'exporter'>,
): Promise<void> {
  const savepoint = open({ dir: job.dir as DiskPath, ...machine, ownEntries: loadOwnEntries, waitMs: WAIT_MS });
  const session = savepoint.session({ agent: job.agent, id: job.session, ancestors: [] });
  const { work } = job;
  switch (work.kind) {
    case 'start':
      await session.start(positionOf(work.model));
      return;
    case 'prompt':
      await session.prompt(work.text, work.messageId, positionOf(work.model));
      return;
    case 'catch-up':
      // The capture of another process may have caught up meanwhile.
      if ((await session.openCalls()).some(({ late }) => late)) await session.catchUp();
      return;
    case 'end':
      await session.end(work.call, { by: job.actor.id ?? null, background: work.background });
      return;
    case 'end-turn':
      await session.endTurn(work.by);
      return;
    case 'close':
      await session.close();
      await savepoint.idle();
  }
}
