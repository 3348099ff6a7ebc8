/** The rollback operation: selects the changes, checks for open calls, and builds the preview. */

import { showName, showText } from '../content/show-name.ts';
import type { Pace } from '../io/pace.ts';
import type { Actor, Author, Grade } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import type { CallId } from '../model/ids.ts';
import { isWithin, type TreePath } from '../model/names.ts';
import type { ChangeSet } from '../operation/change-set.ts';
import type { CurrentState, Operation } from '../operation/operation.ts';
import { type OpenCall, readOpenCalls } from '../store/state/open-calls.ts';
import { checkpointInfo, checkpointsUntilNow } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import { hunksOf, type NumberedHunk } from '../timeline/diff/hunks.ts';
import { type ConflictChoices, NO_CHOICES, resolveConflicts } from './conflict-choices.ts';
import { withAuthors } from './conflict-texts.ts';
import { type IncompleteCheckpoint, incompleteCheckpoints } from './incomplete.ts';
import { LineAuthors } from './line-authors.ts';
import { type PathResult, type RollbackChangeSet, rollbackChanges } from './rollback-changes.ts';
import {
  type ChosenChange,
  matchesAuthor,
  type SelectedChanges,
  type Selection,
  type SkippedChange,
  selectChanges,
} from './selection.ts';

export interface RollbackRequest {
  readonly selection: Selection<TreePath>;
  readonly actor: Actor;
  /** How well the author of a change must be known. */
  readonly least: Grade;
  readonly choices: ConflictChoices;
  /** Proceed even if an open call may write the same files. A preview ignores open calls. */
  readonly force: boolean;
  /** The call that runs the rollback in its shell: it does not wait for itself. */
  readonly inside?: CallId | null;
  /** Why the changes are reverted, in one line that precedes the description. */
  readonly because?: string;
  /** Open calls that do not prevent it. */
  readonly passesOver?: (call: OpenCall) => boolean;
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
  /** If there are any, more changes may match than are known. */
  readonly incomplete: readonly IncompleteCheckpoint[];
}

export const EMPTY_PREVIEW: RollbackPreview = {
  chosen: [],
  skipped: [],
  results: [],
  rolledBack: [],
  openCalls: [],
  hunks: new Map(),
  incomplete: [],
};

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
      const { choices } = request;
      const { prefer, resolutions } = choices;
      // A path with a resolution is not skipped.
      const skipConflicts = choices.skipConflicts && resolutions.size === 0;
      const input = { prefer, skipConflicts, current, ...selected, keep: () => null };
      const authors = new LineAuthors(workspace, current, pace);
      const planned = await withResolutions(await rollbackChanges(input, pace), current, choices, authors);
      const blocking = blockingCalls(workspace, selected, planned.changeSet, request.inside ?? null);
      const openCalls = blocking.filter((call) => request.passesOver?.(call) !== true);
      preview = {
        ...selected,
        ...planned,
        openCalls,
        hunks: hunksForPreview(current, request.selection, selected),
        incomplete: incompleteCheckpoints({
          selection,
          checkpoints,
          unreadable: [...workspace.timeline.newestFirst()].flatMap(({ damaged }) => damaged?.id ?? []),
          damaged: selected.damaged,
          isByAuthor: ({ changes }) =>
            changes?.some(({ by }) => by.authors.some((author) => matchesAuthor(selection, author))) ?? false,
        }),
      };
      if (openCalls.length > 0 && !request.force) throwCallOpen(openCalls);
      const { rolledBack } = planned;
      const because = request.because === undefined ? '' : `${request.because} `;
      return { ...planned.changeSet, description: `${because}${describe(preview)}`, rolledBack };
    },
  };
  return { operation, preview: () => preview };
}

/** `3 changes and 1 hunk`. @param rolledBack ids of whole changes, and of hunks of others */
export function rolledBackText(rolledBack: readonly string[]): string {
  const hunks = rolledBack.filter((id) => id.includes(':')).length;
  const changes = rolledBack.length - hunks;
  return [
    ...(changes > 0 || hunks === 0 ? [`${changes} change${changes === 1 ? '' : 's'}`] : []),
    ...(hunks > 0 ? [`${hunks} hunk${hunks === 1 ? '' : 's'}`] : []),
  ].join(' and ');
}

/** A change that a person merged by hand counts as rolled back: the result no longer is what it left. */
export async function withResolutions(
  planned: RollbackChangeSet,
  current: CurrentState,
  { skipConflicts, resolutions }: ConflictChoices,
  authors: LineAuthors,
): Promise<RollbackChangeSet> {
  const isConflict = ({ result }: PathResult): boolean => result === 'conflict';
  const named = await withAuthors(planned.results.filter(isConflict), authors);
  const reasons = new Map(named.map(({ path, why }) => [path, why]));
  const results = planned.results.map((one) =>
    isConflict(one) ? { ...one, why: reasons.get(one.path) ?? one.why } : one,
  );
  const conflicts = planned.changeSet.conflicts.map((one) => ({ ...one, why: reasons.get(one.path) ?? one.why }));
  const choices = { ...NO_CHOICES, skipConflicts, resolutions };
  const changeSet = await resolveConflicts({ ...planned.changeSet, conflicts }, current, choices, authors);
  const isOpen = new Set([...changeSet.conflicts, ...changeSet.kept].map(({ path }) => path));
  const isResolved = ({ path, result }: PathResult): boolean =>
    result === 'conflict' && resolutions.has(path) && !isOpen.has(path);
  const resolved = results.filter(isResolved);
  return {
    changeSet,
    results: results.map((one) =>
      isResolved(one) ? { ...one, result: 'merged', why: 'merged by hand', sides: null } : one,
    ),
    rolledBack: [...new Set([...planned.rolledBack, ...resolved.flatMap(({ changes }) => changes)])],
  };
}

/**
 * Finds open calls by the authors of the chosen changes, and open calls that may write the paths. A background call may
 * never end, so without declared paths it blocks only rollbacks of its own agent. Savepoint's own tools wait for the
 * lock, so they do not count. Nor does a call that hosts an agent which reports its own calls.
 */
export function blockingCalls(
  { ports, store }: Workspace,
  { chosen }: Pick<SelectedChanges, 'chosen'>,
  plan: ChangeSet,
  inside: CallId | null,
): readonly OpenCall[] {
  if (plan.paths.length === 0) return [];
  const authors = new Set(
    chosen.flatMap(({ change }) => change.by.authors.map(({ actor, session }) => authorKey(actor, session))),
  );
  return readOpenCalls(ports, store.layout).filter((call) => {
    if (call.own || call.hasReportingAgent === true || call.id === inside) return false;
    if (authors.has(authorKey(call.actor, call.session))) return true;
    if (call.declared === null) return !call.background;
    return call.declared.some((declared) => plan.paths.some(({ path }) => isWithin(path, declared)));
  });
}

export function throwCallOpen(openCalls: readonly OpenCall[]): never {
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

function authorKey(actor: Actor, session: Author['session']): string {
  return JSON.stringify([actor.kind, actor.name, session]);
}

const MAX_CHANGES_WITH_HUNKS = 20;

function hunksForPreview(
  current: CurrentState,
  selection: Selection<TreePath>,
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
  return `Rolled back ${rolledBackText(rolledBack)} of ${names}: ${paths.join(', ')}${done.length > paths.length ? ', …' : ''}`;
}
