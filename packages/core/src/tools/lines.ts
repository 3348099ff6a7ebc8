/** Lines that a model reads. What comes from disk or from people is escaped. */
import { showContent, showName, showText } from '../content/show-name.ts';
import { type JsonName, nameFromJson } from '../model/names.ts';
import type { VERBS } from '../verbs/table.ts';
import type { OutputOf } from '../verbs/verb.ts';

type Brief = OutputOf<typeof VERBS.checkpoint>['checkpoint'];
type Change = OutputOf<typeof VERBS.diff>['changes'][number];
type Edited = OutputOf<typeof VERBS.edit>;
type Operation = Omit<OutputOf<typeof VERBS.undo>, 'undoes'>;

export function name(path: JsonName): string {
  return path === '' ? '.' : showName(nameFromJson(path));
}

export function checkpointLine({ id, time, trigger, actor, description, totals, testResult }: Brief): string {
  const by = actor.kind === 'user' ? 'the user' : `${actor.kind} ${showText(actor.name)}`;
  const tests = testResult === null ? '' : `, tests ${testResult}`;
  return `${id}  ${time}  ${trigger} by ${by}: ${showText(description)} (${counts(totals)}${tests})`;
}

export function counts({ files, added, removed }: Brief['totals']): string {
  return `${files} ${files === 1 ? 'path' : 'paths'}, +${added} -${removed} lines`;
}

export function changeLines(changes: readonly Change[]): string[] {
  return changes.map(({ path, operation, from, added, removed }) => {
    const lines = added === null && removed === null ? '' : `  +${added ?? 0} -${removed ?? 0}`;
    return `  ${operation}  ${from === null ? '' : `${name(from)} -> `}${name(path)}${lines}`;
  });
}

interface Captured {
  readonly partial: readonly { readonly path: JsonName; readonly reason: string }[];
  readonly leftOut: readonly { readonly path: JsonName; readonly reason: string }[];
  readonly unsettled: readonly JsonName[];
  readonly warnings: readonly string[];
}

/** What a checkpoint does not hold, or not for sure. */
export function captureLines({ partial, leftOut, unsettled, warnings }: Captured): string[] {
  return [
    ...partial.map(({ path }) => `  not captured, could not be read: ${name(path)}`),
    ...leftOut.map(({ path, reason }) => `  not captured (${reason}): ${name(path)}`),
    ...unsettled.map((path) => `  kept changing while it was read: ${name(path)}`),
    ...warnings.map((message) => `  warning: ${showText(message)}`),
  ];
}

const INDEXES: Record<Operation['heads'][number]['index'], string> = {
  rebuilt: 'its index becomes what the commit has',
  'put-back': 'its index becomes what it was, with what was staged',
  left: 'its index stays',
};

export function actLines(act: Operation): string[] {
  const { outcome, description, plan, before, checkpoint, heads, headMoved, repositoriesGone, keptFiles } = act;
  const beginnings: Record<Operation['outcome'], string> = {
    done: 'Done',
    nothing: 'There was nothing to do',
    ready: 'Preview',
    conflict: 'Preview: it would be refused, as files hold something that would be lost',
    refused: 'Preview: it would be refused, as paths cannot be saved first',
  };
  return [
    `${beginnings[outcome]}: ${showText(description)} (${plan.paths.length} ${plan.paths.length === 1 ? 'path' : 'paths'})`,
    ...plan.paths.map(({ path, operation, merged }) => `  ${operation}  ${name(path)}${merged ? '  (merged)' : ''}`),
    ...plan.conflicts.map(({ path, why }) => `  conflict  ${name(path)}: ${showText(why)}`),
    ...plan.refused.map(({ path, why }) => `  refused  ${name(path)}: ${showText(why)}`),
    ...plan.kept.map(({ path, why }) => `  stays as it is  ${name(path)}: ${showText(why)}`),
    ...heads.map(({ path, before: from, after: to, index, unreachableCount }) => {
      const left = unreachableCount === 0 ? '' : `; no branch leads to ${unreachableCount} commits then`;
      const stays = from.branch === to.branch && from.commit === to.commit;
      return `  ${name(path)}: ${stays ? '' : 'its branch and HEAD move as well, and '}${INDEXES[index]}${left}`;
    }),
    ...headMoved.map(({ path }) => `  ${name(path)}: its branch or commit is another one now; only files come back`),
    ...repositoriesGone.map((path) => `  ${name(path)}: its .git is gone and does not come back`),
    ...keptFiles.map(({ path, backup }) => `  ${name(path)} was written meanwhile; those bytes are in ${name(backup)}`),
    ...(outcome === 'done' && before !== null ? [`State before: ${before.id}`] : []),
    ...(outcome === 'done' && checkpoint !== null ? [`State now: ${checkpoint.id}`] : []),
  ];
}

export function editLines({ files, dry_run, diff, checkpoint_before, checkpoint_after }: Edited): string[] {
  const rows = files.map(({ file_path, operation, edits_applied, backup_path }) => {
    const backup = backup_path === null ? '' : `; as it was: ${name(backup_path)}`;
    return `  ${operation}  ${name(file_path)}  (${edits_applied} ${edits_applied === 1 ? 'edit' : 'edits'}${backup})`;
  });
  const notes = files.flatMap(({ file_path, edit_status }) =>
    edit_status.flatMap((status) => status.notes.map((note) => `  ${name(file_path)}: ${showText(note)}`)),
  );
  if (dry_run) {
    const left = (diff?.left_out ?? []).map(({ path, why }) => `  not in the diff (${why}): ${name(path)}`);
    const text = diff === null ? [] : [showContent(Buffer.from(diff.text, 'utf8').toString('latin1'))];
    return ['Nothing was changed. It would do this:', ...rows, ...notes, ...text, ...left];
  }
  if (checkpoint_after === null)
    return ['There was nothing to do: the files are like that already.', ...rows, ...notes];
  return [
    `Done: ${showText(checkpoint_after.description)}`,
    ...rows,
    ...notes,
    ...(checkpoint_before === null ? [] : [`State before: ${checkpoint_before.id}`]),
    `State now: ${checkpoint_after.id}; undo takes it back.`,
  ];
}
