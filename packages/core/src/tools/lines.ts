/** Output lines for a model. Text from disk or from people is escaped. */
import { showContent, showName, showText, wouldDo } from '../content/show-name.ts';
import { type JsonName, nameFromJson } from '../model/names.ts';
import type { VERBS } from '../verbs/table.ts';
import type { OutputOf } from '../verbs/verb.ts';

type BriefJson = OutputOf<typeof VERBS.checkpoint>['checkpoint'];
type ChangeJson = OutputOf<typeof VERBS.diff>['changes'][number];
type EditJson = OutputOf<typeof VERBS.edit>;
type OperationJson = Omit<OutputOf<typeof VERBS.undo>, 'undoes'>;

export function pathText(path: JsonName): string {
  return path === '' ? '.' : showName(nameFromJson(path));
}

export function checkpointLine({ id, time, trigger, actor, description, totals, testResult }: BriefJson): string {
  const by = actor.kind === 'user' ? 'the user' : `${actor.kind} ${showText(actor.name)}`;
  const tests = testResult === null ? '' : `, tests ${testResult}`;
  return `${id}  ${time}  ${trigger}, by ${by}: ${showText(description)} (${countsText(totals)}${tests})`;
}

export function countsText({ files, added, removed }: BriefJson['totals']): string {
  return `${files} ${files === 1 ? 'path' : 'paths'}, +${added} -${removed} lines`;
}

export function changeLines(changes: readonly ChangeJson[]): string[] {
  return changes.map(({ path, operation, from, added, removed, beforeUncaptured }) => {
    const before = beforeUncaptured === null ? '' : `  (before: not captured, ${beforeUncaptured})`;
    const lines = added === null && removed === null ? '' : `  +${added ?? 0} -${removed ?? 0}`;
    return `  ${operation}  ${from === null ? '' : `${pathText(from)} -> `}${pathText(path)}${lines}${before}`;
  });
}

interface CaptureJson {
  readonly partial: readonly { readonly path: JsonName; readonly reason: string }[];
  readonly leftOut: readonly { readonly path: JsonName; readonly reason: string }[];
  readonly unsettled: readonly JsonName[];
  readonly warnings: readonly string[];
}

/** What a checkpoint does not hold, or may hold in an inconsistent state. */
export function captureLines({ partial, leftOut, unsettled, warnings }: CaptureJson): string[] {
  return [
    ...partial.map(({ path }) => `  not captured (unreadable): ${pathText(path)}`),
    ...leftOut.map(({ path, reason }) => `  not captured (${reason}): ${pathText(path)}`),
    ...unsettled.map((path) => `  kept changing while being read: ${pathText(path)}`),
    ...warnings.map((message) => `  warning: ${showText(message)}`),
  ];
}

const INDEXES: Record<OperationJson['heads'][number]['index'], string> = {
  rebuilt: 'index rebuilt from the commit',
  'put-back': 'index restored, including staged changes',
  left: 'index unchanged',
};

export function operationLines(operation: OperationJson): string[] {
  const { outcome, description, plan, before, checkpoint, heads, headMoved, repositoriesGone, keptFiles } = operation;
  const paths = `${plan.paths.length} ${plan.paths.length === 1 ? 'path' : 'paths'}`;
  const preview = `Preview: ${showText(wouldDo(description))} (${paths})`;
  const beginnings: Record<OperationJson['outcome'], string> = {
    done: `Done: ${showText(description)} (${paths})`,
    nothing: `Nothing to do: ${showText(operation.dryRun ? wouldDo(description) : description)}`,
    ready: preview,
    conflict: `${preview}, but would fail because of conflicts (CONFLICT)`,
    refused: `${preview}, but would be refused`,
  };
  return [
    beginnings[outcome],
    ...plan.paths.map(
      ({ path, operation, merged }) => `  ${operation}  ${pathText(path)}${merged ? '  (merged)' : ''}`,
    ),
    ...plan.conflicts.map(({ path, why }) => `  conflict  ${pathText(path)}: ${showText(why)}`),
    ...plan.refused.map(({ path, why }) => `  refused  ${pathText(path)}: ${showText(why)}`),
    ...plan.kept.map(({ path, why }) => `  unchanged  ${pathText(path)}: ${showText(why)}`),
    ...plan.notes.map(({ path, note }) => `  ${pathText(path)} ${showText(note)}`),
    ...heads.map(({ path, before: from, after: to, index, unreachableCount }) => {
      const commits = `${unreachableCount} ${unreachableCount === 1 ? 'unreachable commit' : 'unreachable commits'} (kept in the store)`;
      const left = unreachableCount === 0 ? '' : `; ${commits}`;
      const stays = from.branch === to.branch && from.commit === to.commit;
      return `  ${pathText(path)}: ${stays ? '' : 'branch and HEAD move as well; '}${INDEXES[index]}${left}`;
    }),
    ...headMoved.map(({ path }) => `  ${pathText(path)}: branch or commit has changed since; only files are restored`),
    ...repositoriesGone.map((path) => `  ${pathText(path)}: .git no longer exists and is not restored`),
    ...keptFiles.map(
      ({ path, backup }) =>
        `  ${pathText(path)}: another program wrote to it meanwhile; its data is in ${pathText(backup)}`,
    ),
    ...(outcome === 'done' && before !== null ? [`Checkpoint before: ${before.id}`] : []),
    ...(outcome === 'done' && checkpoint !== null ? [`Checkpoint now: ${checkpoint.id}`] : []),
  ];
}

export function editLines({ files, dry_run, diff, checkpoint_before, checkpoint_after }: EditJson): string[] {
  const rows = files.map(({ file_path, operation, edits_applied, backup_path }) => {
    const backup = backup_path === null ? '' : `; backup: ${pathText(backup_path)}`;
    return `  ${operation}  ${pathText(file_path)}  (${edits_applied} ${edits_applied === 1 ? 'edit' : 'edits'}${backup})`;
  });
  const notes = files.flatMap(({ file_path, edit_status }) =>
    edit_status.flatMap((status) => status.notes.map((note) => `  ${pathText(file_path)}: ${showText(note)}`)),
  );
  if (dry_run) {
    const left = (diff?.left_out ?? []).map(({ path, why }) => `  not in the diff (${why}): ${pathText(path)}`);
    const text = diff === null ? [] : [showContent(Buffer.from(diff.text, 'utf8').toString('latin1'))];
    return ['Preview; nothing was changed:', ...rows, ...notes, ...text, ...left];
  }
  if (checkpoint_after === null) return ['Nothing to do: the files already have this content.', ...rows, ...notes];
  return [
    `Done: ${showText(checkpoint_after.description)}`,
    ...rows,
    ...notes,
    ...(checkpoint_before === null ? [] : [`Checkpoint before: ${checkpoint_before.id}`]),
    `Checkpoint now: ${checkpoint_after.id}. Use undo to revert the edit.`,
  ];
}

/** Like `operationLines`, with earlier states if there was nothing to restore. */
export function restoreLines(output: OutputOf<typeof VERBS.restore>): string[] {
  return [
    ...operationLines(output),
    ...output.alternatives.map(
      ({ name, checkpoint, files }) =>
        `${files} ${files === 1 ? 'path differs' : 'paths differ'} from ${name}: ${checkpointLine(checkpoint)}`,
    ),
  ];
}
