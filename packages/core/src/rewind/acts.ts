/** The acts themselves: restore, undo, redo. */

import type { Act, Today } from '../act/act.ts';
import { showName } from '../content/show-name.ts';
import type { Pace } from '../io/pace.ts';
import type { Actor, Checkpoint } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import { nameToJson, type TreePath } from '../model/names.ts';
import { rememberFolders } from '../store/snapshot.ts';
import { plainTelling, type Workspace } from '../timeline/capture.ts';
import { stateAt } from '../timeline/snapshot-diff.ts';
import type { IgnoreFile } from '../workspace/ignore-rules.ts';
import { actHistory } from './history.ts';
import { planInverse } from './plan-inverse.ts';
import { planRestore, planRestoreKeeping } from './plan-restore.ts';

/**
 * How a restore treats what changed since the last checkpoint.
 * - `exact`: the paths become equal to the checkpoint
 * - `keep-outside`: what changed since the last checkpoint stays, merged where the restore changes the same file
 */
export type RestoreMode = 'exact' | 'keep-outside';

export interface RestoreRequest {
  readonly target: Checkpoint;
  readonly scope: readonly TreePath[];
  readonly mode: RestoreMode;
  readonly actor: Actor;
  readonly global: IgnoreFile;
}

const EVERYTHING: readonly TreePath[] = ['' as TreePath];

export function restoreAct(request: RestoreRequest, pace: Pace): Act {
  const { target, scope, mode, global } = request;
  return {
    telling: {
      ...plainTelling('restore', request.actor),
      target: target.id,
      description: describeRestore(target, scope),
    },
    backups: null,
    plan: (today) => {
      refuseUnknown(today, target, scope);
      const input = {
        objects: today.objects,
        now: today.snapshot,
        own: today.own,
        rootsNow: today.roots,
        target,
        scope: scope.length === 0 ? EVERYTHING : scope,
        global,
      };
      return mode === 'keep-outside' && today.last !== null
        ? planRestoreKeeping({ ...input, last: today.last.snapshot }, pace)
        : planRestore(input, pace);
    },
  };
}

/** A path that is in neither state is a slip of the hand: "nothing to restore" would sound as if all were well. */
function refuseUnknown(today: Today, target: Checkpoint, scope: readonly TreePath[]): void {
  const read = rememberFolders(today.objects);
  const isNowhere = (path: TreePath): boolean =>
    [target.snapshot, today.snapshot].every((snapshot) => {
      const { entry, skip } = stateAt(read, snapshot, path);
      return entry === null && skip === null;
    });
  const unknown = scope.filter((path) => path !== '' && isNowhere(path));
  const [first] = unknown;
  if (first === undefined) return;
  const why = `is neither in ${target.id} nor in the folder`;
  throw new SavepointError(
    'PATH_REFUSED',
    `${showName(first)} ${why}.`,
    { path: nameToJson(first), why, paths: unknown.map((path) => ({ path: nameToJson(path), why })) },
    { hint: `Nothing was changed. \`savepoint diff ${target.id} --stat\` lists the paths that differ.` },
  );
}

/** @throws SavepointError NOTHING_TO_UNDO */
export function undoAct(workspace: Workspace, actor: Actor, pace: Pace): Act {
  const act = actHistory(workspace.timeline).done.at(-1);
  if (act === undefined)
    throw new SavepointError('NOTHING_TO_UNDO', 'Savepoint has done nothing here that could be undone.');
  return inverseAct(workspace, act, 'undo', actor, pace);
}

/** @throws SavepointError NOTHING_TO_REDO */
export function redoAct(workspace: Workspace, actor: Actor, pace: Pace): Act {
  const act = actHistory(workspace.timeline).undone.at(-1);
  if (act === undefined) throw new SavepointError('NOTHING_TO_REDO', 'No undo is left that could be redone.');
  return inverseAct(workspace, act, 'redo', actor, pace);
}

function inverseAct(workspace: Workspace, act: Checkpoint, trigger: 'undo' | 'redo', actor: Actor, pace: Pace): Act {
  const previous = workspace.timeline.list().find(({ number }) => `cp_${number}` === act.previous);
  if (previous === undefined) {
    const code = trigger === 'undo' ? 'NOTHING_TO_UNDO' : 'NOTHING_TO_REDO';
    throw new SavepointError(code, `The checkpoint before ${act.id} is gone, so ${act.id} cannot be taken back.`);
  }
  const found = workspace.timeline.read(previous);
  return {
    telling: {
      ...plainTelling(trigger, actor),
      undoes: act.id,
      description: `${trigger === 'undo' ? 'Undid' : 'Redid'} ${describeInverse(workspace, act, trigger)}`,
    },
    backups: null,
    plan: (today) =>
      planInverse(
        {
          objects: today.objects,
          before: found.snapshot,
          after: act.snapshot,
          now: today.snapshot,
          own: today.own,
          ofOneAct: true,
          keep: () => null,
          within: EVERYTHING,
        },
        pace,
      ),
  };
}

/** A redo is told by the act that it brings again, not by the undo that it takes back. */
function describeInverse(workspace: Workspace, act: Checkpoint, trigger: 'undo' | 'redo'): string {
  let told = act;
  if (trigger === 'redo') {
    const ref = workspace.timeline.list().find(({ number }) => `cp_${number}` === act.undoes);
    if (ref !== undefined) told = workspace.timeline.read(ref);
  }
  return `${told.id} (${told.description})`;
}

function describeRestore(target: Checkpoint, scope: readonly TreePath[]): string {
  if (scope.length === 0 || scope.includes('' as TreePath)) return `Restored ${target.id}`;
  const named = scope.slice(0, 3).map(showName).join(', ');
  return `Restored ${named}${scope.length > 3 ? ', …' : ''} from ${target.id}`;
}
