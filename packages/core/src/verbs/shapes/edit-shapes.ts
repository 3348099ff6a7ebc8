/** The shapes of requests to edit files, and of what comes of them. */
import * as z from 'zod';
import { checkpointBrief, jsonName, named, objectId } from './shapes.ts';

const count = z.int().min(0);
const octalMode = z
  .string()
  .regex(/^0?[0-7]{3,4}$/)
  .describe('permission bits, three or four octal digits');

const editOperation = named(
  'Edit',
  'One edit of one file. Without `op` it is a replacement. Texts are UTF-8; line ends, byte-order mark and final newline of the file are kept.',
  z.union([
    z.strictObject({
      op: z.literal('replace').optional(),
      old_string: z.string().describe('must stand in the file exactly once, unless `replace_all`'),
      new_string: z.string(),
      replace_all: z.boolean().optional(),
      tolerant: z
        .boolean()
        .optional()
        .describe('where it is not found exactly, spaces and tabs around lines may differ'),
    }),
    z.strictObject({
      op: z.literal('insert'),
      line: z.int().min(0).describe('the text goes behind so many lines; 0 is the top'),
      text: z.string(),
    }),
    z.strictObject({
      op: z.literal('write'),
      content: z.string().describe('the whole content; makes the file where there is none'),
      exact: z.boolean().optional().describe('do not keep CRLF line ends and a byte-order mark of the file'),
    }),
    z.strictObject({
      op: z.literal('patch'),
      patch: z.string().describe('a unified patch of this one file'),
      fuzz: z
        .int()
        .min(0)
        .max(3)
        .optional()
        .describe('lines of context at the ends of a hunk that may differ; 0 without it'),
    }),
    z.strictObject({
      op: z.literal('create'),
      content: z.string().describe('the file must not exist'),
      mode: octalMode.optional(),
    }),
    z.strictObject({ op: z.literal('delete') }),
    z.strictObject({ op: z.literal('rename'), to: jsonName.describe('nothing may stand there') }),
    z.strictObject({ op: z.literal('mode'), mode: octalMode }),
  ]),
);

export const editRequest = z.strictObject({
  files: z
    .array(
      z.strictObject({
        file_path: jsonName.describe('relative to the folder that is worked in, or absolute in the workspace'),
        edits: z.array(editOperation).min(1).describe('applied in order, each on the result of the one before'),
        expected_hash: z
          .string()
          .regex(/^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/)
          .optional()
          .describe('of the content that was read: SHA-256, or the id of its git blob; another content is a conflict'),
        force: z.boolean().optional().describe('edit the file although nobody may write it'),
      }),
    )
    .min(1)
    .describe('no file twice; the order is kept'),
  dry_run: z.boolean().optional().describe('change nothing, and give the diff'),
  include_content: z.boolean().optional().describe('give the final content of every file'),
  backup: z.boolean().optional().describe('accepted and ignored: backups are always made'),
  message: z.string().optional().describe('what the edit is for'),
});

const editStatus = named(
  'EditStatus',
  'What became of one edit.',
  z.strictObject({
    index: count.describe('of the edit in its file, from 0'),
    op: z.enum(['replace', 'insert', 'write', 'patch', 'create', 'delete', 'rename', 'mode']),
    outcome: z.enum(['applied', 'failed', 'skipped']),
    replacements: count.nullable(),
    lines: z.array(z.int().min(1)).length(2).nullable().describe('first and last line that differ, in the new text'),
    added: count.nullable().describe('lines'),
    removed: count.nullable(),
    notes: z.array(z.string()),
    error: z.strictObject({ code: z.string(), message: z.string(), data: z.unknown() }).nullable(),
  }),
);

export const edited = z.strictObject({
  total_files: count,
  files_succeeded: count,
  files_failed: count,
  total_edits: count,
  files: z.array(
    z.strictObject({
      file_path: jsonName.describe('as it was given'),
      edits_applied: count,
      edit_status: z.array(editStatus),
      operation: z.enum(['create', 'write', 'delete', 'rename', 'mode', 'none']),
      before_hash: objectId.nullable().describe('of the content before, as a git blob; null: there was no file'),
      after_hash: objectId.nullable(),
      backup_path: jsonName.nullable().describe('a plain copy of the file as it was; null where there was none'),
      final_content: z
        .union([z.string(), z.strictObject({ b64: z.base64() })])
        .nullable()
        .optional(),
    }),
  ),
  dry_run: z.boolean(),
  diff: z
    .strictObject({
      text: z.string(),
      left_out: z.array(z.strictObject({ path: jsonName, why: z.enum(['binary', 'too-long', 'cut', 'left-out']) })),
    })
    .nullable()
    .describe('for a dry run: of all files; what is not in it is named'),
  checkpoint_before: checkpointBrief.nullable(),
  checkpoint_after: checkpointBrief.nullable().describe('null where nothing changed, and for a dry run'),
  undo: z.string().nullable().describe('the command that takes the edit back'),
});
