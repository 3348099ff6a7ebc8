import type { FilesOfPlan } from '../../engine/file-content.ts';
import { treePathOf } from '../../io/locate-path.ts';
import { SavepointError } from '../../model/errors.ts';
import { exactName, nameToJson } from '../../model/names.ts';
import { PLAN_STATES, type PlanState } from '../../model/plan.ts';
import { verb, withoutUndefined } from '../verb.ts';

const DEFAULT_LENGTH = 1024 * 1024;
const MAX_LENGTH = 16 * DEFAULT_LENGTH;

export const cat = verb({
  name: 'cat',
  summary: 'print a file as it was at a checkpoint, in a plan, or now',
  description:
    'Prints the bytes of a file, or a part of them: as a checkpoint or a plan has them, or without either as a checkpoint ' +
    'taken now would. For a symbolic link, prints its target. Changes nothing.',
  changes: 'nothing',
  schemas: ({ z, jsonName, checkpointId, checkpointName, objectId }) => ({
    input: z.strictObject({
      checkpoint: checkpointName.optional(),
      plan: z.string().optional(),
      state: z
        .enum(PLAN_STATES)
        .optional()
        .describe('of the plan; `selected`: what would be applied (default `proposed`)'),
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
      checkpoint: checkpointId.nullable().describe('null: the content is from the plan, or from the folder'),
      plan: z
        .strictObject({ id: z.string(), state: z.enum(PLAN_STATES), revision: z.int().min(1) })
        .nullable()
        .describe('where the content is from, if not from a checkpoint or the folder'),
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

  async handle(savepoint, { checkpoint, plan, state, path: given, offset, length }, { signal }) {
    const from = sourceOf(checkpoint, plan, state);
    const path = treePathOf(await savepoint.place(), given);
    const options = withoutUndefined({ offset, length: length ?? DEFAULT_LENGTH, signal });
    const found = await savepoint.cat(from, exactName(path), options);
    return {
      checkpoint: found.checkpoint?.id ?? null,
      plan: found.plan,
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

/** @throws SavepointError USAGE */
function sourceOf(
  checkpoint: string | undefined,
  plan: string | undefined,
  state: PlanState | undefined,
): string | FilesOfPlan | null {
  if (plan === undefined) {
    if (state === undefined) return checkpoint ?? null;
    throw new SavepointError('USAGE', '`state` needs a plan.', { argument: 'state' });
  }
  if (checkpoint === undefined) return { plan, ...withoutUndefined({ state }) };
  throw new SavepointError('USAGE', 'Give either a checkpoint or a plan.', { argument: 'plan' });
}
