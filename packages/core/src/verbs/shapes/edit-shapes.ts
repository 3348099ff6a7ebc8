/** The shapes of edit requests and their results. */
import * as z from 'zod';
import { checkpointBrief, jsonName, named, objectId } from './shapes.ts';

const count = z.int().min(0);
const octalMode = z
  .string()
  .regex(/^0?[0-7]{3,4}$/)
  .describe('permission bits in octal');

const editOperation = named(
  'Edit',
  'Without `op`, it is a replacement. Text is UTF-8. Line endings, byte-order mark and final newline are kept.',
  z.union([
    z.strictObject({
      op: z.literal('replace').optional(),
      old_string: z.string().describe('must occur exactly once in the file, unless `replace_all` is set'),
      new_string: z.string(),
      replace_all: z.boolean().optional(),
      tolerant: z
        .boolean()
        .optional()
        .describe('if there is no exact match, ignore spaces and tabs at the start and end of lines'),
    }),
    z.strictObject({
      op: z.literal('insert'),
      line: z.int().min(0).describe('insert after this line; 0 inserts at the top'),
      text: z.string(),
    }),
    z.strictObject({
      op: z.literal('write'),
      content: z.string().describe('the complete content; creates the file if it does not exist'),
      exact: z.boolean().optional().describe('as given: do not keep CRLF and byte-order mark'),
    }),
    z.strictObject({
      op: z.literal('patch'),
      patch: z.string().describe('a unified diff of this file only'),
      fuzz: z
        .int()
        .min(0)
        .max(3)
        .optional()
        .describe('context lines at either end of a hunk that may differ (default 0)'),
    }),
    z.strictObject({
      op: z.literal('create'),
      content: z.string().describe('the file must not exist'),
      mode: octalMode.optional(),
    }),
    z.strictObject({ op: z.literal('delete') }),
    z.strictObject({ op: z.literal('rename'), to: jsonName.describe('nothing may exist at this path') }),
    z.strictObject({ op: z.literal('mode'), mode: octalMode }),
  ]),
);

export const editRequest = z.strictObject({
  files: z
    .array(
      z.strictObject({
        file_path: jsonName.describe('relative to the current folder, or absolute inside the workspace'),
        edits: z.array(editOperation).min(1).describe('applied in order, each to the result of the previous one'),
        expected_hash: z
          .string()
          .regex(/^(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/)
          .optional()
          .describe('SHA-256 or git blob id of the content that you read; CONFLICT if the file differs'),
        force: z.boolean().optional().describe('even if it is write-protected'),
        backup: z.boolean().optional().describe('ignored'),
      }),
    )
    .min(1)
    .describe('each file at most once; the order is kept'),
  dry_run: z.boolean().optional().describe('change nothing and return the diff'),
  include_content: z.boolean().optional().describe('return the final content of every file'),
  backup: z.boolean().optional().describe('ignored'),
  message: z.string().optional().describe('the purpose of the edit'),
});

const editStatus = named(
  'EditStatus',
  'The result of one edit.',
  z.strictObject({
    index: count.describe('of the edit within its file, starting at 0'),
    op: z.enum(['replace', 'insert', 'write', 'patch', 'create', 'delete', 'rename', 'mode']),
    outcome: z.enum(['applied', 'failed', 'skipped']),
    replacements: count.nullable(),
    lines: z.array(z.int().min(1)).length(2).nullable().describe('first and last changed line, in the new text'),
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
      file_path: jsonName.describe('as given in the request'),
      edits_applied: count,
      edit_status: z.array(editStatus),
      operation: z.enum(['create', 'write', 'delete', 'rename', 'mode', 'none']),
      before_hash: objectId.nullable().describe('git blob id of the content before; null if the file did not exist'),
      after_hash: objectId.nullable(),
      backup_path: jsonName.nullable().describe('a plain copy of the previous file; null if there was none'),
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
      left_out: z.array(
        z.strictObject({ path: jsonName, why: z.enum(['binary', 'too-long', 'cut', 'left-out', 'damaged']) }),
      ),
    })
    .nullable()
    .describe('for a dry run: the diff of all files; omitted files are listed'),
  checkpoint_before: checkpointBrief.nullable(),
  checkpoint_after: checkpointBrief.nullable().describe('null if nothing changed, and for a dry run'),
  undo: z.string().nullable().describe('the command that undoes the edit'),
});
