import { nameToJson } from '../model/names.ts';
import { treePathOf } from './given-paths.ts';
import { briefToJson, changeToJson } from './to-json.ts';
import { given, verb } from './verb.ts';

export const diff = verb({
  name: 'diff',
  summary: 'show what differs between two checkpoints, or one and the folder',
  description:
    'Without checkpoints: the last one against the folder as it is. With one: that one against the folder. With two: ' +
    'the first against the second. Paths limit it; they are relative to the folder that you work in, while the paths ' +
    'in the answer are relative to the workspace.\n\n' +
    "The patch is in git's format: `git apply` makes the second state of the first with it.",
  changes: 'nothing',
  schemas: ({ z, jsonName, checkpointName, checkpointBrief, change, totals }) => ({
    input: z.strictObject({
      from: checkpointName.optional().describe('without it: the last checkpoint'),
      to: checkpointName.optional().describe('without it: the folder as it is'),
      paths: z.array(jsonName).optional().describe('only these and what is below them'),
      patch: z.boolean().optional().describe('give a patch, too'),
    }),
    output: z.strictObject({
      from: checkpointBrief,
      to: checkpointBrief.nullable().describe('null: the folder as it is'),
      changes: z.array(change),
      totals,
      patch: z
        .strictObject({
          text: jsonName.describe('the patch itself: text, or base64 where it holds bytes that are no UTF-8'),
          gaps: z
            .array(z.strictObject({ path: jsonName, why: z.enum(['binary', 'too-long', 'cut', 'left-out']) }))
            .describe('changes that the patch does not give in full; `git apply` refuses it then'),
        })
        .nullable(),
    }),
  }),

  async handle(savepoint, input, context) {
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
      patch: found.patch && {
        text: nameToJson(found.patch.text.toString('latin1')),
        gaps: found.patch.gaps.map(({ path, why }) => ({ path: nameToJson(path), why })),
      },
    };
  },
});
