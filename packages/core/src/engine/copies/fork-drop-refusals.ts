/** Why a fork is not dropped unless it is forced. */

import { showName, showText } from '../../content/show-name.ts';
import { commitsOfFork, commitsText, howToGet } from '../../fork/commits-of-fork.ts';
import type { Fork } from '../../fork/fork.ts';
import type { RunningInFork } from '../../fork/runs.ts';
import type { Pace } from '../../io/pace.ts';
import { SavepointError } from '../../model/errors.ts';
import type { TreePath } from '../../model/names.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { SnapshotComparison } from '../../timeline/diff/compare.ts';

/** What is known of it. */
export interface ForkToDrop {
  readonly name: string;
  readonly state: 'unchanged' | 'merged' | 'changed';
  readonly difference: Pick<SnapshotComparison, 'totals'>;
  readonly uncaptured: readonly TreePath[];
}

/** @throws SavepointError NEEDS_CONFIRMATION if something is not merged or was not captured, or a command runs */
export function assertNothingLost(
  { name, state, difference: { totals }, uncaptured }: ForkToDrop,
  running: RunningInFork | null,
): void {
  const [first] = uncaptured;
  const lost = first === undefined ? '' : ', except what was not captured. Copy that first';
  assertIdle({ name }, running, lost);
  if (state !== 'changed' && first === undefined) return;
  const what =
    state === 'changed'
      ? `${totals.files} files that are not merged`
      : `what was not captured, for example ${showName(first ?? '')}`;
  throw notDropped(name, `Fork ${name} has ${what}.`, `Merge it with \`savepoint fork merge ${name}\``, '', lost);
}

/** @throws SavepointError NEEDS_CONFIRMATION */
export function assertIdle({ name }: Pick<Fork, 'name'>, running: RunningInFork | null, lost = ''): void {
  if (running === null) return;
  const what = `A command runs in fork ${name}: ${showText(running.command.join(' '))}.`;
  const other = `Wait until it ends${running.end === null ? '' : `, end it with \`${running.end}\``}`;
  throw notDropped(name, what, other, ', which ends it', lost);
}

/** @throws SavepointError NEEDS_CONFIRMATION */
export async function assertNoCommits(workspace: Workspace, fork: Fork, pace: Pace): Promise<void> {
  const found = await commitsOfFork(workspace, fork, pace);
  const what = commitsText(found);
  if (what === null) return;
  const { name } = fork;
  const how = howToGet(fork, found);
  throw new SavepointError(
    'NEEDS_CONFIRMATION',
    `Fork ${name} has ${what}.`,
    { verb: 'fork drop' },
    { hint: `${how === '' ? 'Look at it' : `Get them first: ${how}`}, or repeat with --force: then they are gone.` },
  );
}

function notDropped(name: string, what: string, other: string, ends: string, lost: string): SavepointError {
  const back = `\`savepoint fork create ${name} --from dropped:${name}\` brings it back${lost}.`;
  const hint = `${other}, or repeat with --force${ends}. Its last state is then kept: ${back}`;
  return new SavepointError('NEEDS_CONFIRMATION', what, { verb: 'fork drop' }, { hint });
}
