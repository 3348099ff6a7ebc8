import { treePathOf } from '../../io/locate-path.ts';
import { TRIGGERS } from '../../model/checkpoint.ts';
import { exactName, nameToJson } from '../../model/names.ts';
import { UNKNOWN_BECAUSE } from '../../timeline/blame/blame.ts';
import { rangesToJson } from '../shapes/blame-to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const blame = verb({
  name: 'blame',
  summary: 'show who wrote each line of a file',
  description:
    'For each line of a file: its author (an agent with its session and tool call, the user, or outside), how sure ' +
    'that is, and the change and checkpoint that wrote it. Renames are followed. A line that a restore, a rollback, an ' +
    'undo or a redo brought back belongs to its first author. A line that moved within the file belongs to who moved ' +
    'it.\n\nThe file is taken as it is now: changes that are not in a checkpoint yet count. Lines that are older than the ' +
    'timeline are marked; `git blame` may know their authors. Binary files, and files over 8 MiB, are refused.',
  changes: 'nothing',
  schemas: ({ z, jsonName, changeId, checkpointId, checkpointName, recordedChange }) => ({
    input: z.strictObject({
      file: jsonName.describe('the file'),
      at: checkpointName.optional().describe('the file as of this checkpoint; default: as it is now'),
      lines: z
        .array(z.int().min(1))
        .length(2)
        .optional()
        .describe('only these lines: the first and the last, counted from 1; default: all'),
      text: z.boolean().optional().describe('also return the lines themselves'),
    }),
    output: z.strictObject({
      file: jsonName,
      at: checkpointId.nullable().describe('null: the file as it is now'),
      total: z.int().min(0).describe('the number of lines of the file'),
      ranges: z
        .array(
          z.strictObject({
            first: z.int().min(1),
            last: z.int().min(1),
            origin: z
              .enum(['change', 'uncaptured', 'older', 'unknown'])
              .describe(
                '`change`: a change on the timeline wrote the lines; `uncaptured`: a change that is not in a checkpoint ' +
                  'yet; `older`: they are older than the timeline; `unknown`: it is not recorded who wrote them',
              ),
            why: z
              .enum(UNKNOWN_BECAUSE)
              .nullable()
              .describe(
                'for `unknown`; `unlisted`: the checkpoint has no complete list of changes; `dropped`: a checkpoint that is ' +
                  'gone had them first; `skipped`: the file was not captured for a time; `missing`: the content before is ' +
                  'gone; `too-long`: the contents are too long to compare',
              ),
            change: changeId.nullable(),
            checkpoint: checkpointId
              .nullable()
              .describe(
                'of the change; for `older`, the oldest one; for `unknown`, the first that is known to have the lines',
              ),
            time: z.iso.datetime().nullable().describe('of the checkpoint'),
            trigger: z.enum(TRIGGERS).nullable().describe('of the checkpoint'),
            description: z.string().nullable().describe('of the checkpoint: what the tool call or operation did'),
            message: z.string().nullable().describe("the agent's id of the message that the checkpoint belongs to"),
            path: jsonName.nullable().describe('the path of the file in that change'),
            authors: recordedChange.shape.authors.describe('all possible authors; empty if none is known'),
            grade: recordedChange.shape.grade.nullable().describe('null for `older`; `open` for `unknown`'),
            evidence: recordedChange.shape.evidence,
            text: z.array(jsonName).nullable().describe('the lines without their line feeds, if they were requested'),
          }),
        )
        .describe('neighbouring lines with one origin, in the order of the file'),
    }),
  }),

  async handle(savepoint, { file, at, lines, text }, { signal }) {
    const path = treePathOf(await savepoint.place(), file);
    const [first, last] = lines ?? [];
    const range = first === undefined || last === undefined ? undefined : { first, last };
    const found = await savepoint.blame(
      { path: exactName(path), ...withoutUndefined({ at, lines: range }) },
      withoutUndefined({ signal }),
    );
    return {
      file: nameToJson(path),
      at: found.at?.id ?? null,
      total: found.total,
      ranges: rangesToJson(found, text === true),
    };
  },
});
