/** The fields with which callers resolve conflicts. */
import * as z from 'zod';
import { jsonName, objectId } from './names.ts';

/** How to resolve conflicts, in every verb that goes back. */
export const conflictFields = {
  skipConflicts: z.boolean().optional().describe('skip changes that do not merge, and do the rest'),
  ours: z.array(jsonName).optional().describe('on a conflict in these paths, keep the current lines'),
  theirs: z.array(jsonName).optional().describe('on a conflict in these paths, take the lines to bring back'),
  resolutions: z
    .array(
      z.strictObject({
        path: jsonName,
        content: jsonName.describe('the entire merged content: text, or base64'),
        ours: objectId.optional().describe('the current file that it was merged from; if it is another one, CONFLICT'),
      }),
    )
    .optional()
    .describe('contents merged by hand, for paths in conflict; if a path is not in conflict, USAGE'),
};
