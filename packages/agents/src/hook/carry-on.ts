/** The work of a job: what a hook did not wait for. */

import { type DiskPath, type OpenOptions, open } from '@savepoint/core';
import type { Job } from './job.ts';

/** A capture of a huge workspace may stand before this one. */
const WAIT_MS = 30 * 60_000;

/** @throws SavepointError */
export async function carryOn(
  job: Job,
  machine: Pick<OpenOptions, 'ports' | 'places' | 'settings' | 'exporter'>,
): Promise<void> {
  const savepoint = open({ dir: job.dir as DiskPath, ...machine, waitMs: WAIT_MS });
  const session = savepoint.session({ agent: job.agent, id: job.session });
  const { work } = job;
  switch (work.kind) {
    case 'start':
      await session.start();
      return;
    case 'prompt':
      await session.prompt(work.text, work.messageId);
      return;
    case 'catch-up':
      // Somebody else's capture may have caught up meanwhile.
      if ((await session.openCalls()).some(({ late }) => late)) await session.catchUp();
      return;
    case 'end':
      await session.end(work.call, { background: work.background });
      return;
    case 'settle':
      await session.settle(work.by);
      return;
    case 'close':
      await session.close();
      await savepoint.idle();
  }
}
