import type { Patch } from '../../content/unified-patch.ts';
import { treePathOf } from '../../io/given-path.ts';
import { SavepointError } from '../../model/errors.ts';
import { nameToJson } from '../../model/names.ts';
import type { Savepoint } from '../../savepoint.ts';
import { briefToJson, changeToJson, rootChangeToJson } from '../shapes/to-json.ts';
import { given, verb } from '../verb.ts';

export const diff = verb({
  name: 'diff',
  summary: 'show what differs between two checkpoints, or one and the folder',
  description:
    'Without checkpoints: the last one against the folder as it is. With one: that one against the folder. With two: ' +
    'the first against the second. Paths limit it; they are relative to the folder that you work in, while the paths ' +
    'in the answer are relative to the workspace. With a change: that one alone, with its hunks numbered.\n\n' +
    "The patch is in git's format: `git apply` makes the second state of the first with it.",
  changes: 'nothing',
  schemas: ({ z, jsonName, changeId, checkpointName, checkpointBrief, change, totals, rootChange }) => {
    const range = z.array(z.int().min(0)).length(2);
    return {
      input: z.strictObject({
        from: checkpointName.optional().describe('without it: the last checkpoint'),
        to: checkpointName.optional().describe('without it: the folder as it is'),
        paths: z.array(jsonName).optional().describe('only these and what is below them'),
        patch: z.boolean().optional().describe('give a patch, too'),
        change: changeId.optional().describe('that change alone, always with a patch; goes with none of the others'),
      }),
      output: z.strictObject({
        from: checkpointBrief.nullable().describe('null: for a change whose checkpoint before is gone'),
        to: checkpointBrief.nullable().describe('null: the folder as it is'),
        changes: z.array(change),
        totals,
        rootChanges: z.array(rootChange).describe('roots that came, went or moved; whatever paths were asked for'),
        patch: z
          .strictObject({
            text: jsonName.describe('the patch itself: text, or base64 where it holds bytes that are no UTF-8'),
            gaps: z
              .array(z.strictObject({ path: jsonName, why: z.enum(['binary', 'too-long', 'cut', 'left-out']) }))
              .describe('changes that the patch does not give in full; `git apply` refuses it then'),
          })
          .nullable(),
        hunks: z
          .array(
            z.strictObject({
              number: z.int().min(1).describe('names it for a roll-back'),
              before: range.describe('first line and how many, of the text before'),
              after: range,
              lines: z.array(jsonName).describe('each with its sign: space, `-` or `+`'),
            }),
          )
          .nullable()
          .describe('of the change that was asked for; null without one, and for one that has none to tell apart'),
      }),
    };
  },

  async handle(savepoint, input, context) {
    if (input.change !== undefined) return ofChange(savepoint, input.change, input, context.signal);
    const wanted = input.paths ?? [];
    const place = wanted.length === 0 ? null : await savepoint.place();
    const paths = place === null ? [] : wanted.map((path) => treePathOf(place, path));
    const { from, to, patch } = input;
    const found = await savepoint.diff(given({ from, to, paths, patch, signal: context.signal }));
    return {
      from: briefToJson(found.from),
      to: found.to === null ? null : briefToJson(found.to),
      changes: found.changes.map(changeToJson),
      totals: { ...found.totals },
      rootChanges: found.rootChanges.map(rootChangeToJson),
      patch: found.patch && patchToJson(found.patch),
      hunks: null,
    };
  },
});

async function ofChange(
  savepoint: Savepoint,
  id: string,
  { from, to, paths }: { readonly from?: unknown; readonly to?: unknown; readonly paths?: unknown },
  signal: AbortSignal | undefined,
) {
  if (from !== undefined || to !== undefined || paths !== undefined) {
    throw new SavepointError('USAGE', 'A change is shown alone: no checkpoints and no paths go with it.', {
      argument: 'change',
    });
  }
  const { change, checkpoint, patch, hunks } = await savepoint.diffChange(id, given({ signal }));
  const before = checkpoint.previous === null ? null : await ifThere(savepoint, checkpoint.previous);
  return {
    from: before,
    to: briefToJson(checkpoint),
    changes: [changeToJson(change)],
    totals: { files: 1, added: change.added ?? 0, removed: change.removed ?? 0 },
    rootChanges: [],
    patch: patchToJson(patch),
    hunks:
      hunks?.map(({ number, beforeStart, beforeCount, afterStart, afterCount, lines }) => ({
        number,
        // A range of no lines is told by the line before it, as patches do.
        before: [beforeCount === 0 ? beforeStart : beforeStart + 1, beforeCount],
        after: [afterCount === 0 ? afterStart : afterStart + 1, afterCount],
        lines: lines.map(nameToJson),
      })) ?? null,
  };
}

async function ifThere(savepoint: Savepoint, id: string) {
  try {
    return briefToJson(await savepoint.show(id));
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'UNKNOWN_CHECKPOINT') return null;
    throw error;
  }
}

function patchToJson({ text, gaps }: Patch) {
  return {
    text: nameToJson(text.toString('latin1')),
    gaps: gaps.map(({ path, why }) => ({ path: nameToJson(path), why })),
  };
}
