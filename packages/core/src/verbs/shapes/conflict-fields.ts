/** The fields with which callers resolve conflicts. */
import * as z from 'zod';
import { jsonName, objectId } from './names.ts';

/** How to resolve conflicts, in every verb that goes back. */
export const conflictFields = {
  skipConflicts: z.boolean().optional().describe('leave paths alone that do not merge, and do the rest'),
  ours: z.array(jsonName).optional().describe('on a conflict in these paths, keep the current lines'),
  theirs: z.array(jsonName).optional().describe('on a conflict in these paths, take the lines to bring back'),
  resolutions: z
    .array(
      z.strictObject({
        path: jsonName,
        content: jsonName.describe('the entire merged content'),
        ours: objectId
          .optional()
          .describe('id of the current file that it was merged from; CONFLICT if it is another one'),
      }),
    )
    .optional()
    .describe('contents merged by hand, only for paths in conflict'),
};
