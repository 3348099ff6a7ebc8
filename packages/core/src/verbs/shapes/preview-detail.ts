import * as z from 'zod';
import { jsonName, named } from './names.ts';

/** What a dry run returns on request. @param patch the shape of a patch */
export function previewDetail<Patch extends z.ZodType>(patch: Patch) {
  return named(
    'PreviewDetail',
    'What a dry run returns on request.',
    z.strictObject({
      patch: patch.nullable().describe('what would change; null: not requested'),
      sides: z
        .array(
          z.strictObject({
            path: jsonName,
            base: jsonName.nullable().describe('the content; null: there is none, or it is not a file, or over 2 MiB'),
            ours: jsonName.nullable(),
            theirs: jsonName.nullable(),
            parts: z
              .array(
                z.discriminatedUnion('kind', [
                  z.strictObject({ kind: z.literal('merged'), content: jsonName }),
                  z.strictObject({ kind: z.literal('conflict'), base: jsonName, ours: jsonName, theirs: jsonName }),
                ]),
              )
              .nullable()
              .describe('the merge in order, with all sides of each conflict; null: it cannot be merged by line'),
          }),
        )
        .describe('the requested paths that are in conflict'),
    }),
  );
}
