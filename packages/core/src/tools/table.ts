/** The tools. One more is one more row; its schemas come from its verb. */
import * as z from 'zod';
import { showContent, showText } from '../content/show-name.ts';
import { nameFromJson } from '../model/names.ts';
import { VERBS } from '../verbs/table.ts';
import { withoutLongContents } from './contents.ts';
import { actLines, captureLines, changeLines, checkpointLine, counts, editLines, name } from './lines.ts';
import { type Annotations, type Fields, type Tool, tool } from './tool.ts';

const READS: Annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const ADDS: Annotations = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const CHANGES_FILES: Annotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
};

const TWO_STEPS =
  'Two steps: without preview_id nothing is changed and a preview comes back (every path, and a preview_id); with that ' +
  'preview_id it is done, or refused as CONFLICT when the files are no longer what the preview saw.';

const NAMES =
  'A checkpoint is named as cp_12, last, last~2, a commit id of at least 4 digits, @{10 minutes ago}, or message:ID.';

const ALL_OR_NONE =
  'All of it happens or nothing: everything is checked first, and all that is wrong comes back in one error. A checkpoint ' +
  'is taken before and after, so undo takes it back. An old_string must stand in the file exactly once, unless ' +
  'replace_all; with dry_run nothing is changed and the diff comes back.';

/** The fields of one file, beside those of the whole request. */
const ofOneFile = ({ files, ...request }: Fields): { readonly file: Fields; readonly request: Fields } => {
  const { element } = files as z.ZodArray<z.ZodObject<Record<string, z.ZodType>>>;
  return { file: element.shape, request };
};

/** In the order in which they are listed. */
export const TOOLS = [
  tool({
    name: 'multi_edit_files',
    verb: VERBS.edit,
    title: 'Edit many files at once',
    description: `Edits any number of files in one act. ${ALL_OR_NONE} Use it whenever a change touches more than one file.`,
    annotations: CHANGES_FILES,
    takes: 'all',
    twoSteps: false,
    shorten: withoutLongContents,
    render: editLines,
  }),
  tool({
    name: 'multi_edit',
    verb: VERBS.edit,
    title: 'Edit one file',
    description: `Makes several edits of one file in one act, each on the result of the one before. ${ALL_OR_NONE}`,
    annotations: CHANGES_FILES,
    takes: {
      shape: (input) => {
        const { file, request } = ofOneFile(input);
        return { ...file, ...request };
      },
      toInput: ({ file_path, edits, expected_hash, force, ...request }) => ({
        files: [given({ file_path, edits, expected_hash, force })],
        ...request,
      }),
    },
    twoSteps: false,
    shorten: withoutLongContents,
    render: editLines,
  }),
  tool({
    name: 'write_file',
    verb: VERBS.edit,
    title: 'Write a file',
    description:
      'Writes the whole content of one file, and makes the file where there is none. The state before is kept in a ' +
      'checkpoint, so undo takes it back. Give expected_hash to be refused when the file changed since you read it.',
    annotations: CHANGES_FILES,
    takes: {
      shape: (input) => {
        const { file, request } = ofOneFile(input);
        const { edits: _, ...ofFile } = file;
        const { include_content: __, ...ofRequest } = request;
        const content = z.string().describe('the whole content, as text');
        return { file_path: file['file_path'] as z.ZodType, content, ...ofFile, ...ofRequest };
      },
      toInput: ({ file_path, content, expected_hash, force, ...request }) => ({
        files: [given({ file_path, edits: [{ op: 'write', content }], expected_hash, force })],
        ...request,
      }),
    },
    twoSteps: false,
    render: editLines,
  }),
  tool({
    name: 'checkpoint_create',
    verb: VERBS.checkpoint,
    title: 'Take a checkpoint',
    description:
      'Saves every file of the workspace as it is now, so that checkpoint_restore can bring this state back byte for ' +
      'byte. Use it before risky work and when something works. Files, git index, HEAD and refs are not touched.',
    annotations: ADDS,
    takes: { fields: { message: 'message', test_result: 'testResult' } },
    twoSteps: false,
    render: ({ checkpoint, capture, pending }) => [
      `Took ${checkpointLine(checkpoint)}`,
      ...captureLines(capture),
      ...(pending === null ? [] : [`pending: ${showText(pending.message)} ${showText(pending.hint)}`]),
    ],
  }),
  tool({
    name: 'checkpoint_list',
    verb: VERBS.list,
    title: 'List checkpoints',
    description:
      'Lists the checkpoints of the workspace, newest first: id, time, who took it and why, and how much changed in it. ' +
      'Tiny steps in a row are told by their newest, and those taken only because something was about to begin are left ' +
      'out; view "all" gives every one. `before` (as cp_12) gives older ones.',
    annotations: READS,
    takes: { fields: { limit: 'limit', before: 'before', view: 'view', session: 'session' } },
    twoSteps: false,
    render: ({ checkpoints, folded, hidden, damaged, more, next }) => [
      ...(checkpoints.length + damaged.length === 0 ? ['No checkpoints yet; checkpoint_create takes one.'] : []),
      ...checkpoints.map((one) => {
        const run = folded.find(({ into }) => into === one.id);
        return `${checkpointLine(one)}${run === undefined ? '' : `  [stands for ${run.ids.length} tiny steps before it, too]`}`;
      }),
      ...damaged.map(({ id, problem }) => `${id}  damaged: ${showText(problem.message)}`),
      ...(hidden > 0 ? [`${hidden} more are left out by the view; view "all" gives them.`] : []),
      ...(more ? [`There are older ones: give ${next} as \`before\`.`] : []),
    ],
  }),
  tool({
    name: 'checkpoint_show',
    verb: VERBS.show,
    title: 'Show a checkpoint',
    description: `Shows one checkpoint and which paths changed in it against the one before it. ${NAMES}`,
    annotations: READS,
    takes: { fields: { checkpoint: 'checkpoint' } },
    twoSteps: false,
    render: (shown) => [
      checkpointLine(shown),
      `${shown.counts.files} files, ${shown.counts.bytes} bytes`,
      ...shown.roots.map(({ path, kind, branch, commit }) => {
        const on = branch === null ? '' : ` on branch ${name(branch)}`;
        return `  ${kind} ${name(path)}${on}${commit === null ? '' : ` at ${showText(commit)}`}`;
      }),
      ...shown.rootChanges.map(
        ({ path, what }) => `  root ${name(path)} ${what} since ${showText(shown.previous ?? '')}`,
      ),
      ...(shown.changes === null ? ['Its changes are not on record.'] : changeLines(shown.changes)),
      ...shown.partial.map(({ path }) => `  not captured, could not be read: ${name(path)}`),
    ],
  }),
  tool({
    name: 'checkpoint_diff',
    verb: VERBS.diff,
    title: 'Compare checkpoints',
    description:
      'Says which paths differ, with lines added and removed. Without `from` and `to`: the last checkpoint against the ' +
      'files as they are now. With `from`: that one against the files. With both: the first against the second. ' +
      `\`patch: true\` adds a unified diff. \`change\` (as cp_12.3) alone shows one change. ${NAMES}`,
    annotations: READS,
    takes: { fields: { from: 'from', to: 'to', paths: 'paths', patch: 'patch', change: 'change' } },
    twoSteps: false,
    render: ({ from, to, changes, totals, patch }) => [
      `From ${from === null ? 'before' : from.id} to ${to === null ? 'the files as they are now' : to.id}: ${counts(totals)}`,
      ...changeLines(changes),
      ...(patch === null ? [] : [showContent(nameFromJson(patch.text))]),
      ...(patch?.gaps ?? []).map(({ path, why }) => `  not in the patch (${why}): ${name(path)}`),
    ],
  }),
  tool({
    name: 'workspace_context',
    verb: VERBS.context,
    title: 'Describe the workspace',
    description:
      'Says where you are: the repositories of the workspace with branch, commit, what is in flight and which paths ' +
      'changed, and the newest checkpoints; with `structure: true` also which folders and files there are. Bounded by ' +
      '`max` characters.',
    annotations: READS,
    takes: 'all',
    twoSteps: false,
    render: ({ text }) => text.split('\n'),
  }),
  tool({
    name: 'checkpoint_restore',
    verb: VERBS.restore,
    title: 'Restore a checkpoint',
    description:
      'Makes the files equal to a checkpoint, all or nothing; with `paths` only those and what is below them. What is ' +
      `there now is saved first, and undo takes the restore back. ${TWO_STEPS} ${NAMES}`,
    annotations: CHANGES_FILES,
    takes: { fields: { checkpoint: 'checkpoint', paths: 'paths', mode: 'mode' } },
    twoSteps: true,
    render: actLines,
  }),
  tool({
    name: 'undo',
    verb: VERBS.undo,
    title: 'Undo',
    description:
      'Takes back the newest act of Savepoint that stands (a restore or a redo). Changes made since then are kept; ' +
      `where both changed the same lines it is a CONFLICT and nothing changes. ${TWO_STEPS}`,
    annotations: CHANGES_FILES,
    takes: { fields: {} },
    twoSteps: true,
    render: actLines,
  }),
  tool({
    name: 'redo',
    verb: VERBS.redo,
    title: 'Redo',
    description: `Brings again what the last undo took back, as long as no other act came after it. ${TWO_STEPS}`,
    annotations: CHANGES_FILES,
    takes: { fields: {} },
    twoSteps: true,
    render: actLines,
  }),
] as const satisfies readonly Tool[];

export type ToolName = (typeof TOOLS)[number]['name'];

/** A field that was not given is not there. */
function given(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
