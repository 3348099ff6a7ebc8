/** What of forks does not merge with the workspace as it is, or after the merge of another fork. */

import { conflictsOfForks } from '../../fork/compare-forks.ts';
import type { Fork } from '../../fork/fork.ts';
import { baseOf } from '../../fork/fork-base.ts';
import { proposedBy } from '../../fork/merge-fork.ts';
import { lookAtFork } from '../../fork/open-fork.ts';
import { ChangeSetDraft } from '../../operation/change-set.ts';
import type { Operation } from '../../operation/operation.ts';
import { checkpointInfo } from '../../timeline/capture/compose.ts';
import { preview } from '../operate.ts';
import type { MergeContext } from './merge-fork.ts';

/** Looks at the workspace as an operation does, and plans no change. */
export async function conflictsIn(
  { engine, workspace, pace }: MergeContext,
  forks: readonly Fork[],
): Promise<Awaited<ReturnType<typeof conflictsOfForks>>> {
  let found: Awaited<ReturnType<typeof conflictsOfForks>> = { alone: [], together: [] };
  const operation: Operation = {
    info: { ...checkpointInfo('merge', engine.actor), description: '' },
    backups: null,
    plan: async (current) => {
      const changes: Parameters<typeof conflictsOfForks>[0][number][] = [];
      for (const fork of forks) {
        const base = baseOf(workspace, fork).snapshot;
        const proposed = await lookAtFork(workspace, fork, (copy) =>
          proposedBy(workspace, { copy, base, paths: [] }, current.objects, pace),
        );
        changes.push({ name: fork.name, base, proposed });
      }
      found = await conflictsOfForks(changes, current, pace);
      return new ChangeSetDraft().finish();
    },
  };
  await preview(engine, workspace, operation, {});
  return found;
}
