import type * as z from 'zod';
import { type PatchSide, unifiedPatch } from '../../content/unified-patch.ts';
import { editsRefusedError, refusedFile, refusedText } from '../../edit/edits-refused.ts';
import type { FileEdit, FileEdits } from '../../edit/file-edits.ts';
import type { FileProblem, PreparedFile } from '../../edit/prepare-edits.ts';
import { statusToJson } from '../../edit/status-json.ts';
import type { EditResult } from '../../engine/calls/edits.ts';
import type { WorkspaceLocation } from '../../engine/calls/workspaces.ts';
import { treePathOf } from '../../io/locate-path.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { SavepointError } from '../../model/errors.ts';
import { exactName, type JsonName, nameToJson, textFromBytes, WORKSPACE_ITSELF } from '../../model/names.ts';
import type { Savepoint } from '../../savepoint.ts';
import { findingsShape, findingsToJson } from '../shapes/findings-shape.ts';
import { briefToJson } from '../shapes/to-json.ts';
import { type EditShapes, verb, withoutUndefined } from '../verb.ts';

export const edit = verb({
  name: 'edit',
  summary: 'edit several files, all or none',
  description:
    'Edits any number of files in one operation: either all of them change or none does. All edits are validated ' +
    'first, and all errors are returned together. A checkpoint is taken before and after, so `undo` can revert the ' +
    'edit.\n\nWith `dry_run`, nothing is written. `findings` then says what the edit would break elsewhere in the code, as ' +
    '`savepoint findings` does.',
  changes: 'files',
  schemas: (shapes, { editRequest, edited }) => ({
    input: editRequest.extend({
      findings: shapes.z.boolean().optional().describe('with `dry_run`: also what it would break elsewhere'),
    }),
    output: edited.extend({
      findings: findingsShape(shapes).nullable().describe('null unless requested'),
    }),
  }),

  async handle(savepoint, input, context) {
    const options = withoutUndefined({ signal: context.signal, toolCall: context.toolCall });
    if (input.findings === true && input.dry_run !== true) {
      throw new SavepointError('USAGE', 'Findings are a part of a dry run.', { argument: 'findings' }, { hint: HINT });
    }
    const requests = await fileEditsOf(savepoint, input, options);
    if (input.dry_run === true) {
      const seen = await savepoint.previewEdit(requests, options);
      if (!seen.ok) throw editsRefusedError(seen.problems, requests.length);
      const { signal } = context;
      const findings =
        input.findings === true ? await savepoint.findings({ edits: requests }, withoutUndefined({ signal })) : null;
      return { ...editOutput(seen.files, null, input), findings: findings && findingsToJson(findings) };
    }
    const result = await savepoint.edit(requests, { ...options, ...withoutUndefined({ message: input.message }) });
    return { ...editOutput(result.files, result, input), findings: null };
  },

  async otherProblems(savepoint, input, context) {
    const { wholeFiles, startsOfFiles, count } = await validParts(input);
    const options = withoutUndefined({ signal: context.signal });
    const files = [...wholeFiles, ...startsOfFiles];
    if (files.length === 0) return null;
    const { requests, problems } = parsePaths(await savepoint.place({ orNew: true }), files);
    const seen = await savepoint.previewEdit(requests, options);
    const starts = new Set(startsOfFiles.map(({ file_path }) => file_path));
    // What the invalid edits would do is unknown. So how files collide with each other is, too.
    const found = [...problems, ...(seen.ok ? [] : seen.problems)].filter(
      ({ given, code }) => code !== 'ALREADY_THERE' && !(starts.has(given) && code !== 'EDIT_FAILED'),
    );
    const details = found.map(refusedFile);
    return details.length === 0 ? null : { message: refusedText(details, count), details };
  },
});

const HINT = 'Nothing was changed. Set `dry_run`, too, or compare the files after the edit with `savepoint findings`.';

type EditInput = z.output<EditShapes['editRequest']>;
type EditJson = z.output<EditShapes['edited']>;

type FileInput = EditInput['files'][number];

/** @throws SavepointError EDITS_REFUSED with every path that cannot be one */
export async function fileEditsOf(
  savepoint: Savepoint,
  input: Pick<EditInput, 'files'>,
  options: CallOptions,
): Promise<readonly FileEdits[]> {
  const { requests, problems } = parsePaths(await savepoint.place({ orNew: true }), input.files);
  if (problems.length === 0) return requests;
  // Report the other errors in the same answer.
  const seen = await savepoint.previewEdit(requests, options);
  const order = new Map(input.files.map(({ file_path }, index) => [JSON.stringify(file_path), index]));
  const at = (name: JsonName): number => order.get(JSON.stringify(name)) ?? 0;
  const all = [...problems, ...(seen.ok ? [] : seen.problems)].sort((a, b) => at(a.given) - at(b.given));
  throw editsRefusedError(all, input.files.length);
}

function parsePaths(
  place: WorkspaceLocation,
  files: readonly FileInput[],
): { readonly requests: readonly FileEdits[]; readonly problems: readonly FileProblem[] } {
  const problems: FileProblem[] = [];
  const requests: FileEdits[] = [];
  for (const { file_path, edits, expected_hash, force } of files) {
    try {
      requests.push({
        given: file_path,
        path: exactName(treePathOf(place, file_path)),
        edits: edits.map((each) => editOf(each, place)),
        expectedHash: expected_hash ?? null,
        force: force ?? false,
      });
    } catch (error) {
      if (!(error instanceof SavepointError) || error.code !== 'PATH_REFUSED') throw error;
      const path = WORKSPACE_ITSELF;
      problems.push({ given: file_path, path, code: 'PATH_REFUSED', message: error.message, statuses: [] });
    }
  }
  return { requests, problems };
}

/** The valid files of an invalid request; of files with an invalid edit, those with only the edits before it. */
async function validParts(input: unknown): Promise<{
  readonly wholeFiles: readonly FileInput[];
  readonly startsOfFiles: readonly FileInput[];
  readonly count: number;
}> {
  const { editRequest } = await import('../shapes/edit-shapes.ts');
  const { element } = editRequest.shape.files;
  const { files } = (typeof input === 'object' && input !== null ? input : {}) as { readonly files?: unknown };
  const wholeFiles: FileInput[] = [];
  const startsOfFiles: FileInput[] = [];
  const given: readonly unknown[] = Array.isArray(files) ? files : [];
  for (const file of given) {
    const parsed = element.safeParse(file);
    if (parsed.success) {
      wholeFiles.push(parsed.data);
      continue;
    }
    const [first] = parsed.error.issues
      .flatMap(({ path }) => (path[0] === 'edits' && typeof path[1] === 'number' ? [path[1]] : []))
      .sort((a, b) => a - b);
    if (first === undefined) continue;
    const { edits } = file as { readonly edits: readonly unknown[] };
    const start = element.safeParse({ ...(file as object), edits: edits.slice(0, first) });
    if (start.success) startsOfFiles.push(start.data);
  }
  return { wholeFiles, startsOfFiles, count: given.length };
}

function editOf(asked: EditInput['files'][number]['edits'][number], place: WorkspaceLocation): FileEdit {
  switch (asked.op) {
    case undefined:
    case 'replace':
      return {
        op: 'replace',
        old: asked.old_string,
        new: asked.new_string,
        replaceAll: asked.replace_all ?? false,
        tolerant: asked.tolerant ?? false,
      };
    case 'write':
      return { op: 'write', content: asked.content, exact: asked.exact ?? false };
    case 'patch':
      return { op: 'patch', patch: asked.patch, fuzz: asked.fuzz ?? 0 };
    case 'create':
      return { op: 'create', content: asked.content, mode: asked.mode === undefined ? null : octal(asked.mode) };
    case 'rename':
      return { op: 'rename', to: exactName(treePathOf(place, asked.to)) };
    case 'mode':
      return { op: 'mode', mode: octal(asked.mode) };
    default:
      return asked;
  }
}

function octal(mode: string): number {
  return Number.parseInt(mode, 8);
}

function editOutput(files: readonly PreparedFile[], result: EditResult | null, input: EditInput): EditJson {
  const backups = new Map(result?.backups.map(({ path, backup }) => [path, nameToJson(backup)]));
  const fileResults = files.map((file) => ({
    file_path: file.given,
    edits_applied: file.statuses.length,
    edit_status: file.statuses.map((status) => {
      const { lines, notes, ...rest } = statusToJson(status);
      return { ...rest, lines: lines === null ? null : [...lines], notes: [...notes] };
    }),
    operation: operationOf(file),
    before_hash: file.before?.id ?? null,
    after_hash: file.after === null ? null : file.after.id,
    backup_path: backups.get(file.path) ?? null,
    ...(input.include_content === true ? { final_content: contentToJson(file) } : {}),
  }));
  return {
    total_files: files.length,
    files_succeeded: files.length,
    files_failed: 0,
    total_edits: files.reduce((sum, { statuses }) => sum + statuses.length, 0),
    files: fileResults,
    dry_run: result === null,
    diff: result === null ? diffOf(files) : null,
    checkpoint_before: result === null ? null : briefToJson(result.before),
    checkpoint_after: result === null || result.checkpoint === null ? null : briefToJson(result.checkpoint),
    undo: result === null || result.checkpoint === null ? null : 'savepoint undo',
  };
}

function operationOf({ path, before, after }: PreparedFile): EditJson['files'][number]['operation'] {
  if (before === null) return 'create';
  if (after === null) return 'delete';
  if (after.path !== path) return 'rename';
  if (before.id !== after.id) return 'write';
  return before.mode === after.mode ? 'none' : 'mode';
}

function contentToJson({ after }: PreparedFile): EditJson['files'][number]['final_content'] {
  if (after === null) return null;
  const text = textFromBytes(after.content.toString('latin1'));
  return text === null ? { b64: after.content.toString('base64') } : text;
}

/** One diff of all files, in the order of the request. Its size is bounded; omitted files are listed. */
function diffOf(files: readonly PreparedFile[]): NonNullable<EditJson['diff']> {
  const { text, gaps } = unifiedPatch(
    files.flatMap((file) => {
      const { path, before, after } = file;
      const old = before && sideOf(before.kind, before);
      const now = after && sideOf(before?.kind ?? 'file', after);
      if (after !== null && after.path !== path) {
        return [
          { path, before: old, after: null },
          { path: after.path, before: null, after: now },
        ];
      }
      return [{ path, before: old, after: now }];
    }),
  );
  return {
    text: text.toString('utf8'),
    left_out: gaps.map(({ path, why }) => ({ path: nameToJson(path), why })),
  };
}

function sideOf(
  kind: 'file' | 'link',
  { id, content, mode }: Pick<NonNullable<PreparedFile['after']>, 'id' | 'content' | 'mode'>,
): PatchSide {
  return { kind, id, size: content.length, mode, read: () => content };
}
