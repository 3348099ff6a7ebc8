/** The rollback operation: selects the changes, checks for open calls, and builds the preview. */

import { showName, showText } from '../content/show-name.ts';
import type { MergeSide } from '../content/three-way.ts';
import type { Pace } from '../io/pace.ts';
import type { Actor, Author, Grade } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import { isWithin, type TreePath } from '../model/names.ts';
import type { ChangeSet } from '../operation/change-set.ts';
import type { CurrentState, Operation } from '../operation/operation.ts';
import { type OpenCall, readOpenCalls } from '../store/state/open-calls.ts';
import { checkpointInfo, checkpointsUntilNow } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { hunksOf, type NumberedHunk } from '../timeline/diff/hunks.ts';
import { type PathResult, type RollbackChangeSet, rollbackChanges } from './rollback-changes.ts';
import {
  type ChosenChange,
  type SelectedChanges,
  type Selection,
  type SkippedChange,
  selectChanges,
} from './selection.ts';

export interface RollbackRequest {
  readonly selection: Selection;
  readonly actor: Actor;
  /** How well the author of a change must be known. */
  readonly least: Grade;
  readonly skipConflicts: boolean;
  readonly prefer: ReadonlyMap<TreePath, MergeSide>;
  /** Proceed even if an open call may write the same files. A preview ignores open calls. */
  readonly force: boolean;
}

/** What is known of a rollback once it is planned. */
export interface RollbackPreview {
  readonly chosen: readonly ChosenChange[];
  readonly skipped: readonly SkippedChange[];
  readonly results: readonly PathResult[];
  readonly rolledBack: RollbackChangeSet['rolledBack'];
  /** Open calls that may write the same files. */
  readonly openCalls: readonly OpenCall[];
  /** The hunks of each chosen change that has any. Filled only if single changes were chosen. */
  readonly hunks: ReadonlyMap<string, readonly NumberedHunk[]>;
}

const EMPTY_PREVIEW: RollbackPreview = {
  chosen: [],
  skipped: [],
  results: [],
  rolledBack: [],
  openCalls: [],
  hunks: new Map(),
};

const CONFLICT_HINT =
  'Nothing was changed. --ours PATH keeps the current lines of a path, --theirs PATH reverts the change anyway, and ' +
  '--skip-conflicts skips all changes that do not merge.';

export function rollbackOperation(
  workspace: Workspace,
  request: RollbackRequest,
  pace: Pace,
): { readonly operation: Operation; readonly preview: () => RollbackPreview } {
  let preview = EMPTY_PREVIEW;
  const operation: Operation = {
    info: { ...checkpointInfo('rollback', request.actor), description: 'Rolled back nothing' },
    backups: null,
    plan: async (current) => {
      const checkpoints = await checkpointsUntilNow(workspace, current, pace);
      const { selection, least } = request;
      const selected = await selectChanges(current.objects, checkpoints, selection, least, pace);
      const planned = await rollbackChanges({ ...request, current, ...selected, keep: () => null }, pace);
      const openCalls = blockingCalls(workspace, selected, planned.changeSet);
      preview = {
        ...selected,
        ...planned,
        openCalls,
        hunks: hunksForPreview(current, request.selection, selected),
      };
      if (openCalls.length > 0 && !request.force) throwCallOpen(openCalls);
      const { rolledBack } = planned;
      return { ...planned.changeSet, hint: CONFLICT_HINT, description: describe(preview), rolledBack };
    },
  };
  return { operation, preview: () => preview };
}

/**
 * Finds open calls by the authors of the chosen changes, and open calls that may write the paths. A background call may
 * never end, so without declared paths it blocks only rollbacks of its own agent. Savepoint's own tools wait for the
 * lock, so they do not count.
 */
function blockingCalls({ ports, store }: Workspace, { chosen }: SelectedChanges, plan: ChangeSet): readonly OpenCall[] {
  if (plan.paths.length === 0) return [];
  const authors = new Set(
    chosen.flatMap(({ change }) => change.by.authors.map(({ actor, session }) => authorKey(actor, session))),
  );
  return readOpenCalls(ports, store.layout).filter((call) => {
    if (call.own) return false;
    if (authors.has(authorKey(call.actor, call.session))) return true;
    if (call.declared === null) return !call.background;
    return call.declared.some((declared) => plan.paths.some(({ path }) => isWithin(path, declared)));
  });
}

function authorKey(actor: Actor, session: Author['session']): string {
  return JSON.stringify([actor.kind, actor.name, session]);
}

function throwCallOpen(openCalls: readonly OpenCall[]): never {
  const calls = openCalls.map(({ id, session, actor, tool }) => ({
    call: id,
    session,
    agent: actor.name,
    tool: tool.name,
    summary: tool.summary,
  }));
  const [first] = calls as [(typeof calls)[number], ...typeof calls];
  const more = calls.length === 1 ? '' : `, and ${calls.length - 1} more`;
  const what = `${showText(first.tool)}${first.summary === '' ? '' : `: ${showText(first.summary)}`}`;
  throw new SavepointError(
    'CALL_OPEN',
    `${showText(first.agent)} has an open call (${what}; call ${showText(first.call)})${more}.`,
    { calls },
  );
}

const MAX_CHANGES_WITH_HUNKS = 20;

function hunksForPreview(
  current: CurrentState,
  selection: Selection,
  { chosen }: SelectedChanges,
): RollbackPreview['hunks'] {
  const found = new Map<string, readonly NumberedHunk[]>();
  if (selection.changes === undefined && selection.hunks === undefined) return found;
  for (const { change, files } of chosen.slice(0, MAX_CHANGES_WITH_HUNKS)) {
    const hunks = hunksOf(current.objects, change);
    // If a change is chosen by its id, hunks that are already reverted cannot be chosen.
    const isLeft = (hunk: number): boolean => files.some((file) => file.hunks === null || file.hunks.includes(hunk));
    const shown = selection.hunks === undefined ? hunks?.filter(({ number }) => isLeft(number)) : hunks;
    if (shown != null && shown.length > 0) found.set(change.id, shown);
  }
  return found;
}

/** `Rolled back 3 changes of claude: src/a.ts, src/b.ts`. */
function describe({ chosen, rolledBack, results }: RollbackPreview): string {
  const back = new Set<string>(rolledBack.map((id) => id.replace(/:.*/, '')));
  const authors = chosen
    .filter(({ change }) => back.has(change.id))
    .flatMap(({ change }) => change.by.authors.map(({ actor }) => showText(actor.name)));
  const names = [...new Set(authors)].slice(0, 3).join(', ');
  const done = results.filter(({ result }) => result === 'restored' || result === 'merged');
  const paths = done.slice(0, 3).map(({ path }) => showName(path));
  if (rolledBack.length === 0) return 'Rolled back nothing';
  const count = `${back.size} change${back.size === 1 ? '' : 's'}`;
  return `Rolled back ${count} of ${names}: ${paths.join(', ')}${done.length > paths.length ? ', …' : ''}`;
}
