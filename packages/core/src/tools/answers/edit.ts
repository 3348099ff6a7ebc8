/** The answer of an edit, for a model: the fields, and the same as lines of text. */
import { showContent, showText } from '../../content/show-name.ts';
import { bytesFromText, type JsonName } from '../../model/names.ts';
import type { VERBS } from '../../verbs/table.ts';
import type { OutputOf } from '../../verbs/verb.ts';
import { present } from './fields.ts';
import { type Counted, countText, linesText, pathText } from './text.ts';

type EditJson = OutputOf<typeof VERBS.edit>;
type FileJson = EditJson['files'][number];
type StatusJson = FileJson['edit_status'][number];

export interface EditAnswer {
  readonly total_files: number;
  readonly files_succeeded: number;
  readonly files_failed: number;
  readonly total_edits: number;
  readonly description?: string;
  readonly dry_run?: true;
  readonly files: readonly FileRow[];
  readonly diff?: string;
  readonly not_in_diff?: readonly { readonly path: JsonName; readonly why: string }[];
  readonly checkpoint_before?: string;
  /** Absent: nothing changed. */
  readonly checkpoint_after?: string;
}

interface FileRow {
  readonly file_path: JsonName;
  readonly operation: string;
  readonly edits_applied: number;
  readonly edit_status: readonly StatusRow[];
  /** The git blob id of the new content, for `expected_hash`. */
  readonly after_hash?: string;
  readonly backup_path?: JsonName;
  readonly final_content?: FileJson['final_content'];
}

interface StatusRow extends Counted {
  readonly op: string;
  readonly outcome: string;
  readonly replacements?: number;
  /** First and last changed line. */
  readonly lines?: readonly number[];
  readonly notes?: readonly string[];
}

export function editAnswer(output: EditJson): EditAnswer {
  const { total_files, files_succeeded, files_failed, total_edits, dry_run, diff } = output;
  return {
    total_files,
    files_succeeded,
    files_failed,
    total_edits,
    ...(dry_run ? { dry_run: true as const } : {}),
    files: output.files.map(fileRow),
    ...present<Pick<EditAnswer, 'description' | 'diff' | 'not_in_diff' | 'checkpoint_before' | 'checkpoint_after'>>({
      description: output.checkpoint_after?.description,
      diff: diff?.text,
      not_in_diff: diff?.left_out,
      checkpoint_before: output.checkpoint_before?.id,
      checkpoint_after: output.checkpoint_after?.id,
    }),
  };
}

export function editLines(answer: EditAnswer): string[] {
  const { dry_run: isPreview, files, diff, description, checkpoint_before: before, checkpoint_after: after } = answer;
  const rows = files.flatMap(fileLines);
  const contents = files.flatMap(contentLines);
  const total = `(${countText(answer.total_files, 'file')}, ${countText(answer.total_edits, 'edit')})`;
  if (isPreview === true) {
    const left = (answer.not_in_diff ?? []).map(({ path, why }) => `  not in the diff (${why}): ${pathText(path)}`);
    const text = diff === undefined ? [] : [showContent(bytesFromText(diff))];
    return [`Preview; nothing was changed ${total}:`, ...rows, ...text, ...left, ...contents];
  }
  if (after === undefined)
    return [`Nothing to do: the files already have this content ${total}.`, ...rows, ...contents];
  return [
    `Done: ${showText(description ?? '')} ${total}`,
    ...rows,
    ...(before === undefined ? [] : [`Checkpoint before: ${before}`]),
    `Checkpoint now: ${after}. Use undo to revert the edit.`,
    ...contents,
  ];
}

function fileRow({ final_content, ...file }: FileJson): FileRow {
  const { file_path, operation, edits_applied, edit_status, after_hash, backup_path } = file;
  return {
    file_path,
    operation,
    edits_applied,
    edit_status: edit_status.map(statusRow),
    ...present<Pick<FileRow, 'after_hash' | 'backup_path'>>({ after_hash, backup_path }),
    // Null means that the file was deleted, or that its content is too long.
    ...(final_content === undefined ? {} : { final_content }),
  };
}

function statusRow({ op, outcome, replacements, lines, added, removed, notes }: StatusJson): StatusRow {
  return present<StatusRow>({ op, outcome, replacements, lines, added, removed, notes });
}

function fileLines({ file_path, operation, edits_applied, edit_status, ...file }: FileRow): string[] {
  const { after_hash: hash, backup_path: backup } = file;
  const facts = [
    countText(edits_applied, 'edit'),
    ...(backup === undefined ? [] : [`backup: ${pathText(backup)}`]),
    ...(hash === undefined ? [] : [`hash: ${hash}`]),
  ];
  return [
    `  ${operation}  ${pathText(file_path)}  (${facts.join('; ')})`,
    ...edit_status.map((status, index) => `    edit ${index + 1}: ${statusText(status)}`),
  ];
}

/** The line before a content says how many lines it has, so that the content cannot imitate what follows it. */
function contentLines({ file_path, final_content: content }: FileRow): string[] {
  if (content === undefined || content === null) return [];
  const name = pathText(file_path);
  if (typeof content !== 'string') return [`Final content of ${name}, which is not text (base64):`, content.b64];
  const lines = content.split('\n');
  const end = lines.at(-1) === '' ? '' : ', without a newline at the end';
  const count = lines.length - (end === '' ? 1 : 0);
  return [
    `Final content of ${name} (${countText(count, 'line')}${end}):`,
    ...(count === 0 ? [] : [showContent(bytesFromText(end === '' ? content.slice(0, -1) : content))]),
  ];
}

function statusText(status: StatusRow): string {
  const { op, outcome, lines: [first, last] = [], replacements, notes = [] } = status;
  const at = first === undefined ? '' : `, lines ${first}-${last}`;
  const times = replacements === undefined || replacements === 1 ? '' : `, ${replacements} replacements`;
  return `${op} ${outcome}${times}${at}${linesText(status)}${notes.map((note) => `; ${showText(note)}`).join('')}`;
}
