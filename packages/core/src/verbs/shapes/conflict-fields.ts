/** The fields with which callers resolve conflicts. */
import * as z from 'zod';
import { jsonName, objectId } from './names.ts';

/** How to resolve conflicts, in every verb that goes back. */
export const conflictFields = {
  skipConflicts: z.boolean().optional().describe('leave out paths that do not merge'),
  ours: z.array(jsonName).optional().describe('on a conflict in these paths, keep the current lines'),
  theirs: z.array(jsonName).optional().describe('on a conflict in these paths, take the lines to bring back'),
  resolutions: z
    .array(
      z.strictObject({
        path: jsonName,
        content: jsonName.describe('the entire merged content'),
        ours: objectId.optional().describe('id of the file that it was merged from; CONFLICT if it changed'),
      }),
    )
    .optional()
    .describe('contents merged by hand, only for paths in conflict'),
  detail: z
    .strictObject({
      patch: z.boolean().optional().describe('what would change, as a patch'),
      sides: z.array(jsonName).optional().describe('paths in conflict whose contents are wanted in full'),
    })
    .optional()
    .describe('what else a dry run returns, as `detail`'),
};
