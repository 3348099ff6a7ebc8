import { treePathOf } from '../../io/locate-path.ts';
import { exactName, nameToJson } from '../../model/names.ts';
import { verb, withoutUndefined } from '../verb.ts';

const DEFAULT_LENGTH = 1024 * 1024;
const MAX_LENGTH = 16 * DEFAULT_LENGTH;

export const cat = verb({
  name: 'cat',
  summary: 'print a file as it was at a checkpoint',
  description:
    'Prints the bytes of a file as a checkpoint has them, or a part of them. For a symbolic link, prints its target. ' +
    'Changes nothing.',
  changes: 'nothing',
  schemas: ({ z, jsonName, checkpointId, checkpointName, objectId }) => ({
    input: z.strictObject({
      checkpoint: checkpointName,
      path: jsonName.describe('relative to the current folder'),
      offset: z.int().min(0).optional().describe('first byte to return (default 0)'),
      length: z
        .int()
        .min(0)
        .max(MAX_LENGTH)
        .optional()
        .describe(`maximum number of bytes (default ${DEFAULT_LENGTH}, at most ${MAX_LENGTH})`),
    }),
    output: z.strictObject({
      checkpoint: checkpointId,
      path: jsonName,
      kind: z.enum(['file', 'link']).describe('the content of a link is its target'),
      id: objectId.describe('the blob with the entire content'),
      size: z.int().min(0).describe('bytes of the entire content'),
      offset: z.int().min(0),
      length: z.int().min(0).describe('bytes in `content`'),
      content: jsonName.describe('these bytes: text if they are valid UTF-8, else base64'),
      more: z.boolean().describe('more bytes follow; continue with `offset` plus `length`'),
    }),
  }),

  async handle(savepoint, { checkpoint, path: given, offset, length }) {
    const path = treePathOf(await savepoint.place(), given);
    const range = withoutUndefined({ offset, length: length ?? DEFAULT_LENGTH });
    const found = await savepoint.cat(checkpoint, exactName(path), range);
    return {
      checkpoint: found.checkpoint.id,
      path: nameToJson(path),
      kind: found.entry.kind,
      id: found.entry.id,
      size: found.size,
      offset: found.offset,
      length: found.bytes.length,
      content: nameToJson(found.bytes.toString('latin1')),
      more: found.offset + found.bytes.length < found.size,
    };
  },
});
