import type { DiffResult } from '../../engine/calls/checkpoints.ts';
import { treePathOf } from '../../io/locate-path.ts';
import { SavepointError } from '../../model/errors.ts';
import { nameToJson } from '../../model/names.ts';
import type { Savepoint } from '../../savepoint.ts';
import { limitedTo } from '../input/paths.ts';
import { findingsShape, findingsToJson } from '../shapes/findings-shape.ts';
import { briefToJson, changeToJson, patchToJson, rootChangeToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const diff = verb({
  name: 'diff',
  summary: 'show changes between checkpoints, or a checkpoint and the files',
  description:
    'Without checkpoints, compares the last checkpoint with the current files. With one, compares it with the ' +
    'current files. With two, compares the first with the second. Paths limit the diff. They are relative to the ' +
    'current folder; paths in the output are relative to the workspace. With the id of a change, shows only that ' +
    "change, with numbered hunks.\n\nThe patch is in git's format: `git apply` turns the first state into the " +
    'second.\n\nWith `review`, also says what the change breaks elsewhere in the code, as `findings` does.',
  changes: 'nothing',
  schemas: (shapes) => {
    const { z, jsonName, changeId, checkpointName, checkpointBrief, change, totals, rootChange, patch } = shapes;
    const range = z.array(z.int().min(0)).length(2);
    return {
      input: z.strictObject({
        from: checkpointName.optional().describe('default: the last checkpoint'),
        to: checkpointName.optional().describe('default: the current files'),
        paths: z.array(jsonName).min(1).optional().describe('only these paths and below'),
        patch: z.boolean().optional().describe('also return a patch'),
        review: z
          .boolean()
          .optional()
          .describe('also analyse the code; of the whole workspace, so not together with paths'),
        types: z.boolean().optional().describe('with `review`: also type errors, as `findings` with `types`'),
        change: changeId
          .optional()
          .describe('only this change, always with a patch; cannot be combined with the other options'),
      }),
      output: z.strictObject({
        from: checkpointBrief.nullable().describe('null if the checkpoint before the given change has been deleted'),
        to: checkpointBrief.nullable().describe('null for the current files'),
        changes: z.array(change),
        totals,
        rootChanges: z
          .array(rootChange)
          .describe('roots that were added, removed or moved, regardless of the given paths'),
        patch: patch.nullable(),
        warnings: z.array(z.string()).describe('damage of the store because of which the list is not complete'),
        hunks: z
          .array(
            z.strictObject({
              number: z.int().min(1).describe('identifies the hunk in a rollback'),
              before: range.describe('first line and number of lines, in the text before'),
              after: range,
              lines: z.array(jsonName).describe('each starts with a space, `-` or `+`'),
            }),
          )
          .nullable()
          .describe('the hunks of the given change; null without a change, and for a change without hunks'),
        review: findingsShape(shapes).nullable().describe('null unless requested'),
      }),
    };
  },

  async handle(savepoint, input, context) {
    if (input.change !== undefined)
      return changeDiffToJson(
        savepoint,
        input.change,
        { from: undefined, to: undefined, paths: undefined, review: undefined, ...input },
        context.signal,
      );
    const wanted = input.paths ?? [];
    const place = wanted.length === 0 ? null : await savepoint.place();
    const paths = place === null ? [] : wanted.map((path) => treePathOf(place, path));
    const { from, to, patch, review = false, types = false } = input;
    if (types && !review) throw new SavepointError('USAGE', 'Types are a part of a review.', { argument: 'types' });
    if (review && wanted.length > 0) throw notWithReview('paths');
    const found = await savepoint.diff(
      withoutUndefined({ from, to, ...limitedTo(paths), patch, signal: context.signal }),
    );
    return {
      from: briefToJson(found.from),
      to: found.to === null ? null : briefToJson(found.to),
      changes: found.changes.map(changeToJson),
      totals: { ...found.totals },
      rootChanges: found.rootChanges.map(rootChangeToJson),
      patch: found.patch && patchToJson(found.patch),
      warnings: [...found.problems],
      hunks: null,
      review: review ? await reviewOf(savepoint, found, types, context.signal) : null,
    };
  },
});

/** Between the same checkpoints, also if their names mean others by now. */
async function reviewOf(
  savepoint: Savepoint,
  { from, to }: DiffResult,
  types: boolean,
  signal: AbortSignal | undefined,
) {
  const states = to === null ? { from: from.id } : { from: from.id, to: to.id };
  return findingsToJson(await savepoint.findings({ ...states, types }, withoutUndefined({ signal })));
}

function notWithReview(argument: string): SavepointError {
  return new SavepointError(
    'USAGE',
    'A review is of the whole difference, so it cannot be limited to paths or a change.',
    {
      argument,
    },
  );
}

async function changeDiffToJson(
  savepoint: Savepoint,
  id: string,
  { from, to, paths, review }: Readonly<Record<'from' | 'to' | 'paths' | 'review', unknown>>,
  signal: AbortSignal | undefined,
) {
  if (review === true) throw notWithReview('change');
  if (from !== undefined || to !== undefined || paths !== undefined) {
    throw new SavepointError('USAGE', 'A change cannot be combined with checkpoints or paths.', {
      argument: 'change',
    });
  }
  const { change, checkpoint, patch, hunks } = await savepoint.diffChange(id, withoutUndefined({ signal }));
  const before = checkpoint.previous === null ? null : await briefIfExists(savepoint, checkpoint.previous);
  return {
    from: before,
    to: briefToJson(checkpoint),
    changes: [changeToJson(change)],
    totals: { files: 1, added: change.added ?? 0, removed: change.removed ?? 0 },
    rootChanges: [],
    warnings: [],
    patch: patchToJson(patch),
    hunks:
      hunks?.map(({ number, beforeStart, beforeCount, afterStart, afterCount, lines }) => ({
        number,
        // As in patches, an empty range gives the line before it.
        before: [beforeCount === 0 ? beforeStart : beforeStart + 1, beforeCount],
        after: [afterCount === 0 ? afterStart : afterStart + 1, afterCount],
        lines: lines.map(nameToJson),
      })) ?? null,
    review: null,
  };
}

async function briefIfExists(savepoint: Savepoint, id: string) {
  try {
    return briefToJson(await savepoint.show(id));
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'UNKNOWN_CHECKPOINT') return null;
    throw error;
  }
}
