import { DEFINITION_KINDS } from '../../code/facts.ts';
import { treePathOf } from '../../io/locate-path.ts';
import { exactName, nameToJson } from '../../model/names.ts';
import { unsaidShape, unsaidToJson } from '../shapes/findings-shape.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const map = verb({
  name: 'map',
  summary: 'name the source files that matter most, with their main symbols',
  description:
    'Ranks the source files by how much others refer to them, and names as many as fit into the length, each with at most ' +
    'three symbols: those that other files use most. With files in focus, what they use and what uses them comes first, ' +
    'and they are left out themselves. References go by names, so a map is a hint, not a proof. What it leaves out is ' +
    'said.',
  changes: 'nothing',
  schemas: (shapes) => {
    const { z, jsonName } = shapes;
    return {
      input: z.strictObject({
        tokens: z.int().min(1).max(1_000_000).optional().describe('its length at most (default 2000)'),
        focus: z.array(jsonName).optional().describe('files and folders that you work on'),
      }),
      output: z.strictObject({
        files: z
          .array(
            z.strictObject({
              path: jsonName,
              rank: z.number().min(0).max(1).describe('all files of the workspace have 1 together'),
              symbols: z.array(
                z.strictObject({
                  name: z.string(),
                  kind: z.enum(DEFINITION_KINDS),
                  container: z.string().nullable().describe('the class, type or module that it belongs to'),
                  line: z.int().min(1),
                  signature: z.string(),
                }),
              ),
            }),
          )
          .describe('the highest rank first'),
        left: z.int().min(0).describe('how many files with definitions did not fit'),
        tokens: z.int().min(0),
        unknownFocus: z.array(jsonName).describe('files and folders in focus that have no source file'),
        unsaid: unsaidShape(shapes),
      }),
    };
  },

  async handle(savepoint, { tokens, focus = [] }, { signal }) {
    const place = focus.length === 0 ? null : await savepoint.place();
    const wanted = place === null ? [] : focus.map((path) => exactName(treePathOf(place, path)));
    const { files, left, unknownFocus, unsaid, ...rest } = await savepoint.map(
      { ...(wanted.length === 0 ? {} : { focus: wanted }), ...withoutUndefined({ tokens }) },
      withoutUndefined({ signal }),
    );
    return {
      files: files.map(({ path, rank, symbols }) => ({ path: nameToJson(path), rank, symbols: [...symbols] })),
      left,
      tokens: rest.tokens,
      unknownFocus: unknownFocus.map(nameToJson),
      unsaid: unsaidToJson(unsaid),
    };
  },
});
