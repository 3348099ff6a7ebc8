/** The table of tools. To add a tool, add a row; its schemas come from its verb. */
import * as z from 'zod';
import { planProposed, planRevised } from '../verbs/plans/proposal.ts';
import { planStatus } from '../verbs/plans/status.ts';
import { VERBS } from '../verbs/table.ts';
import { catAnswer, catLines } from './answers/cat.ts';
import { blameAnswer, blameLines, diffAnswer, diffLines, historyAnswer, historyLines } from './answers/changes.ts';
import { createAnswer, createLines, listAnswer, listLines, showAnswer, showLines } from './answers/checkpoints.ts';
import { editAnswer, editLines } from './answers/edit.ts';
import { guardAnswer, guardLines } from './answers/guard.ts';
import { mapAnswer } from './answers/map.ts';
import {
  inverseAnswer,
  inverseLines,
  restoreAnswer,
  restoreLines,
  rollbackAnswer,
  rollbackLines,
} from './answers/operation.ts';
import {
  planApplyAnswer,
  planApplyLines,
  planCheckAnswer,
  planCheckLines,
  planStatusAnswer,
  planStatusLines,
} from './answers/plans.ts';
import { proposalAnswer, proposalLines } from './answers/proposal.ts';
import { CONTENT_CHARACTERS, MOST_CONTENT_CHARACTERS, withoutLongContents } from './contents.ts';
import { asElsewhere } from './short-schemas.ts';
import { type Annotations, type SchemaFields, type Tool, tool } from './tool.ts';

const READS: Annotations = { readOnlyHint: true, openWorldHint: false };
const ADDS: Annotations = { destructiveHint: false, openWorldHint: false };
const CHANGES_FILES: Annotations = { destructiveHint: true, openWorldHint: false };

const TWO_STEPS =
  'Two steps: without preview_id, only a preview with its preview_id. With it, carries that out; CONFLICT if files ' +
  'changed since.';

const NAMES = 'Name a checkpoint as in checkpoint_restore.';

/** One tool has the description in full: a model reads it only once. */
const CHECKPOINT = { description: 'as in checkpoint_restore' };

const CONFLICT_FIELDS = {
  skip_conflicts: 'skipConflicts',
  ours: 'ours',
  theirs: 'theirs',
  resolutions: 'resolutions',
} as const;

const ALL_OR_NONE = 'All edits are applied or none, and all errors are returned together. undo can revert it.';

/** A model sees and reverts only its own work unless it says otherwise. */
const SCOPE = z
  .enum(['own', 'all'])
  .optional()
  .describe('`own` (default): only changes of your own session; `all`: changes of every author');

const HISTORY_LIMIT = 20;

/** Fits into the text of an answer, and as base64 into its JSON. */
const CAT_BYTES = 16 * 1024;

/** Splits the fields of one file from those of the request. Findings are in the answers of plans. */
const ofOneFile = ({
  files,
  findings: _,
  ...request
}: SchemaFields): { readonly file: SchemaFields; readonly request: SchemaFields } => {
  const { element } = files as z.ZodArray<z.ZodObject<Record<string, z.ZodType>>>;
  return { file: element.shape, request };
};

/** The changes of a plan: edits as in `multi_edit_files`, or a patch. */
const planFields = ({ files, patch }: SchemaFields): SchemaFields => ({
  files: asElsewhere(files as z.ZodType, 'as in multi_edit_files: [{file_path, edits: [{old_string, new_string}]}]'),
  patch: (patch as z.ZodType).describe('instead of files: a unified diff of many files'),
});

const PLAN_ID = z.string().max(200).describe('of the plan');

const MAX_CONTENT = z
  .int()
  .min(0)
  .max(MOST_CONTENT_CHARACTERS)
  .optional()
  .describe(`most characters of all contents (default ${CONTENT_CHARACTERS})`);

/** In the order of the listing. */
export const TOOLS = [
  tool({
    name: 'multi_edit_files',
    verb: VERBS.edit,
    title: 'Edit several files',
    description: `Edits any number of files in one operation. ${ALL_OR_NONE} Use it if a change touches several files.`,
    annotations: CHANGES_FILES,
    argumentMapping: {
      shape: ({ findings: _, ...input }) => ({ ...input, max_content: MAX_CONTENT }),
      toInput: ({ max_content: _, ...input }) => input,
    },
    twoSteps: false,
    shorten: withoutLongContents,
    answer: editAnswer,
    render: editLines,
  }),
  tool({
    name: 'multi_edit',
    verb: VERBS.edit,
    title: 'Edit one file',
    description: `Applies several edits to one file. ${ALL_OR_NONE}`,
    annotations: CHANGES_FILES,
    argumentMapping: {
      shape: (input) => {
        const { file, request } = ofOneFile(input);
        return { ...file, ...request, max_content: MAX_CONTENT };
      },
      toInput: ({ file_path, edits, expected_hash, force, max_content: _, ...request }) => ({
        files: [withoutUndefined({ file_path, edits, expected_hash, force })],
        ...request,
      }),
    },
    twoSteps: false,
    shorten: withoutLongContents,
    answer: editAnswer,
    render: editLines,
  }),
  tool({
    name: 'write_file',
    verb: VERBS.edit,
    title: 'Write a file',
    description:
      'Writes the complete content of one file, and creates the file if it does not exist. undo can revert it.',
    annotations: CHANGES_FILES,
    argumentMapping: {
      shape: (input) => {
        const { file, request } = ofOneFile(input);
        const { edits: _, ...ofFile } = file;
        const { include_content: __, ...ofRequest } = request;
        const content = z.string().describe('the complete content, as text');
        return { file_path: file['file_path'] as z.ZodType, content, ...ofFile, ...ofRequest };
      },
      toInput: ({ file_path, content, expected_hash, force, ...request }) => ({
        files: [withoutUndefined({ file_path, edits: [{ op: 'write', content }], expected_hash, force })],
        ...request,
      }),
    },
    twoSteps: false,
    answer: editAnswer,
    render: editLines,
  }),
  tool({
    name: 'checkpoint_create',
    verb: VERBS.checkpoint,
    title: 'Take a checkpoint',
    description:
      'Saves the current state of all files of the workspace. checkpoint_restore can restore it byte for byte. Use ' +
      'it before risky changes, and when something works. Files, git index, HEAD and refs are not touched.',
    annotations: ADDS,
    argumentMapping: { fields: { message: 'message', test_result: 'testResult' } },
    twoSteps: false,
    answer: createAnswer,
    render: createLines,
  }),
  tool({
    name: 'checkpoint_list',
    verb: VERBS.list,
    title: 'List checkpoints',
    description:
      'Lists checkpoints, newest first: id, time, trigger, author and amount of change. Small steps are folded, and ' +
      'automatic checkpoints before calls and operations are hidden; view "all" shows all. View "turns" shows each ' +
      'prompt to an agent with what followed; its id is the checkpoint before it.',
    annotations: READS,
    argumentMapping: { fields: { limit: 'limit', before: 'before', view: 'view', session: 'session' } },
    twoSteps: false,
    answer: listAnswer,
    render: listLines,
  }),
  tool({
    name: 'checkpoint_show',
    verb: VERBS.show,
    title: 'Show a checkpoint',
    description: 'Shows a checkpoint and the paths that changed since the previous one, with their authors.',
    annotations: READS,
    argumentMapping: {
      shape: ({ checkpoint, patch }) => ({
        checkpoint: (checkpoint as z.ZodType).meta(CHECKPOINT),
        patch: patch as z.ZodType,
      }),
      toInput: (given) => given,
    },
    twoSteps: false,
    answer: showAnswer,
    render: showLines,
  }),
  tool({
    name: 'checkpoint_diff',
    verb: VERBS.diff,
    title: 'Compare checkpoints',
    description:
      'Lists the paths that differ between `from` and `to`, with added and removed lines. ' +
      `\`change\` alone (for example cp_12.3) shows one change. ${NAMES}`,
    annotations: READS,
    argumentMapping: { fields: { from: 'from', to: 'to', paths: 'paths', patch: 'patch', change: 'change' } },
    twoSteps: false,
    answer: diffAnswer,
    render: diffLines,
  }),
  tool({
    name: 'checkpoint_cat',
    verb: VERBS.cat,
    title: 'Read a file of a checkpoint or a plan',
    description: `Returns the content of a file as a checkpoint or a plan has it, or without either as it is now. Long files come in parts: continue at next while there is one.`,
    annotations: READS,
    argumentMapping: {
      shape: ({ length: _, checkpoint, ...input }) => ({
        checkpoint: (checkpoint as z.ZodType).meta(CHECKPOINT),
        ...input,
        length: z.int().min(1).max(CAT_BYTES).optional().describe(`most bytes (default ${CAT_BYTES})`),
      }),
      toInput: ({ length = CAT_BYTES, ...rest }) => ({ length, ...rest }),
    },
    twoSteps: false,
    answer: catAnswer,
    render: catLines,
  }),
  tool({
    name: 'history',
    verb: VERBS.history,
    title: 'List changes',
    description:
      'Lists changes of files, newest first: id (for example cp_12.3), author, how sure the author is, tool, path, and ' +
      'whether the change was reverted since.',
    annotations: READS,
    argumentMapping: {
      shape: ({ scope: _, limit: __, ...input }) => ({
        scope: SCOPE,
        ...input,
        limit: z.int().min(1).optional().describe(`most changes (default ${HISTORY_LIMIT})`),
      }),
      toInput: ({ scope = 'own', limit = HISTORY_LIMIT, ...rest }) => ({ scope, limit, ...rest }),
    },
    twoSteps: false,
    answer: historyAnswer,
    render: historyLines,
  }),
  tool({
    name: 'blame',
    verb: VERBS.blame,
    title: 'Show who wrote each line',
    description:
      'Names the author of each line of a file, in ranges: an agent with its session and tool, the user, or outside ' +
      '(no hook reported it), how sure that is, and the change and checkpoint that wrote the lines. Use it before you ' +
      `change or revert lines that may be somebody else's. ${NAMES}`,
    annotations: READS,
    argumentMapping: { fields: { file: 'file', lines: 'lines', at: 'at' } },
    twoSteps: false,
    answer: blameAnswer,
    render: blameLines,
  }),
  tool({
    name: 'workspace_context',
    verb: VERBS.context,
    title: 'Describe the workspace',
    description:
      'Summarises the workspace: its repositories with branch, commit, operation in progress and changed paths, and ' +
      'the newest checkpoints.',
    annotations: READS,
    argumentMapping: 'all',
    twoSteps: false,
    answer: ({ text }) => ({ text }),
    render: ({ text }) => text.split('\n'),
  }),
  tool({
    name: 'map',
    verb: VERBS.map,
    title: 'Map the code',
    description:
      'Names the source files that matter most, with their main symbols and lines. With `focus`, those near these files ' +
      'come first.',
    annotations: READS,
    argumentMapping: 'all',
    twoSteps: false,
    answer: mapAnswer,
    render: ({ text }) => text.split('\n'),
  }),
  tool({
    name: 'checkpoint_restore',
    verb: VERBS.restore,
    title: 'Restore a checkpoint',
    description:
      'Makes the files equal to a checkpoint, atomically; with `paths`, only those paths and below them. The current ' +
      `state is saved first, and undo can revert the restore. ${TWO_STEPS}`,
    annotations: CHANGES_FILES,
    argumentMapping: { fields: { checkpoint: 'checkpoint', paths: 'paths', mode: 'mode', ...CONFLICT_FIELDS } },
    twoSteps: true,
    answer: restoreAnswer,
    render: restoreLines,
  }),
  tool({
    name: 'rollback',
    verb: VERBS.rollback,
    title: 'Roll back changes',
    description:
      'Reverts chosen changes and keeps all others, by a three-way merge. By default all changes of your own session ' +
      'whose author is sure, also its restores. Changes that are only likely yours (made while one of your shell ' +
      'commands ran) or that others may have made are left and listed. scope "all" also reverts changes of other ' +
      `authors: only use it if the user asked for it. undo can revert a rollback. ${TWO_STEPS}`,
    annotations: CHANGES_FILES,
    argumentMapping: {
      shape: ({ changes, hunks, agent, session, call, after, paths, likely, includeShared, ...choices }) => ({
        scope: SCOPE,
        ...({ changes, hunks, paths, after, call, session, agent, likely } as SchemaFields),
        include_shared: includeShared as z.ZodType,
        ...Object.fromEntries(Object.entries(CONFLICT_FIELDS).map(([to, from]) => [to, choices[from] as z.ZodType])),
      }),
      toInput: ({ scope = 'own', include_shared: includeShared, skip_conflicts: skipConflicts, ...rest }) => ({
        scope,
        ...withoutUndefined({ includeShared, skipConflicts }),
        ...rest,
      }),
    },
    twoSteps: true,
    answer: rollbackAnswer,
    render: rollbackLines,
  }),
  tool({
    name: 'guard',
    verb: VERBS.guardSteps,
    title: 'Guard steps by checks',
    description:
      'Takes your own steps back if they break checks (tests, types, lint). Call it before the steps: it runs the checks ' +
      'and returns `since`. Call it after them with `since`: it runs the checks again, and if there are new failures, it ' +
      'rolls back what you changed since and returns them. What others changed stays. Only the user can trust a check.',
    annotations: CHANGES_FILES,
    argumentMapping: { fields: { checks: 'checks', since: 'since' } },
    twoSteps: false,
    answer: guardAnswer,
    render: guardLines,
  }),
  tool({
    name: 'undo',
    verb: VERBS.undo,
    title: 'Undo',
    description:
      'Reverts the last operation of Savepoint that is in effect (restore, rollback, edit or redo). Later changes ' +
      `are kept; if both changed the same lines, nothing is changed (CONFLICT). ${TWO_STEPS}`,
    annotations: CHANGES_FILES,
    argumentMapping: { fields: CONFLICT_FIELDS },
    twoSteps: true,
    answer: inverseAnswer,
    render: inverseLines,
  }),
  tool({
    name: 'redo',
    verb: VERBS.redo,
    title: 'Redo',
    description: `Redoes the last undone operation, unless another one followed the undo. ${TWO_STEPS}`,
    annotations: CHANGES_FILES,
    argumentMapping: { fields: CONFLICT_FIELDS },
    twoSteps: true,
    answer: inverseAnswer,
    render: inverseLines,
  }),
  tool({
    name: 'plan_propose',
    verb: planProposed,
    title: 'Propose a plan',
    description:
      'Proposes changes of files for review, without changing any file. The user reviews it hunk by hunk, and approves ' +
      'it; then plan_apply applies it, all or nothing. Use it if the user wants to see changes before they are made.',
    annotations: ADDS,
    argumentMapping: {
      shape: (input) => ({
        ...planFields(input),
        intent: input['intent'] as z.ZodType,
        phases: input['phases'] as z.ZodType,
      }),
      toInput: (given) => given,
    },
    twoSteps: false,
    answer: proposalAnswer,
    render: proposalLines,
  }),
  tool({
    name: 'plan_revise',
    verb: planRevised,
    title: 'Revise a plan',
    description:
      'Replaces all proposed changes of a plan by others, made on the files as they are. Decisions about hunks that stay ' +
      'the same are kept.',
    annotations: ADDS,
    argumentMapping: {
      shape: (input) => ({ id: PLAN_ID, revision: input['revision'] as z.ZodType, ...planFields(input) }),
      toInput: (given) => given,
    },
    twoSteps: false,
    answer: proposalAnswer,
    render: proposalLines,
  }),
  tool({
    name: 'plan_status',
    verb: planStatus,
    title: 'Show plans',
    description: 'Lists plans, or shows one: its status, what the user rejected, and their words about it.',
    annotations: READS,
    argumentMapping: 'all',
    twoSteps: false,
    answer: planStatusAnswer,
    render: planStatusLines,
  }),
  tool({
    name: 'plan_check',
    verb: VERBS.planCheck,
    title: 'Check a plan',
    description:
      'Runs the checks of the project (tests, types, lint) on a copy with the plan, and returns new failures. Only ' +
      'checks that the user trusts run.',
    annotations: ADDS,
    argumentMapping: { shape: ({ only }) => ({ id: PLAN_ID, only: only as z.ZodType }), toInput: (given) => given },
    twoSteps: false,
    answer: planCheckAnswer,
    render: planCheckLines,
  }),
  tool({
    name: 'plan_apply',
    verb: VERBS.planApply,
    title: 'Apply a plan',
    description:
      'Applies exactly what the user, or a policy of theirs, approved of a plan, all or nothing. Otherwise it is refused ' +
      '(NEEDS_CONFIRMATION), and no tool can approve. undo can revert it.',
    annotations: CHANGES_FILES,
    argumentMapping: {
      shape: ({ rebase }) => ({ id: PLAN_ID, rebase: rebase as z.ZodType }),
      toInput: (given) => given,
    },
    twoSteps: false,
    answer: planApplyAnswer,
    render: planApplyLines,
  }),
] as const satisfies readonly Tool[];

export type ToolName = (typeof TOOLS)[number]['name'];

/** Drops fields that are `undefined`. */
function withoutUndefined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
