import { nameToJson } from '../../model/names.ts';
import { contextText } from '../shapes/context-text.ts';
import { verb, withoutUndefined } from '../verb.ts';

const DEFAULT_CHARACTERS = 4_000;
const MIN_CHARACTERS = 400;
const MAX_CHARACTERS = 200_000;
const DEFAULT_DEPTH = 2;
const MAX_DEPTH = 16;
const NEWEST_CHECKPOINTS = 5;

export const context = verb({
  name: 'context',
  summary: 'print a workspace summary for an LLM',
  description:
    'Summarises the workspace as a text of limited length. A single repository is described in detail: branch, ' +
    'commit, operation in progress, changed paths, newest checkpoints. Several repositories are listed briefly, ' +
    'changed ones first if there are many. On request, files and folders are listed as well. The text is cut at the ' +
    'end of a line, and says how many lines were left out. Names are escaped, so that no name can start a line or ' +
    'imitate another one.',
  changes: 'nothing',
  schemas: ({ z, jsonName }) => ({
    input: z.strictObject({
      max: z
        .int()
        .min(MIN_CHARACTERS)
        .max(MAX_CHARACTERS)
        .optional()
        .describe(`maximum number of characters (default ${DEFAULT_CHARACTERS})`),
      structure: z.boolean().optional().describe('also list files and folders'),
      depth: z
        .int()
        .min(1)
        .max(MAX_DEPTH)
        .optional()
        .describe(`levels of folders to list with \`structure\` (default ${DEFAULT_DEPTH})`),
    }),
    output: z.strictObject({
      workspace: jsonName,
      roots: z.int().min(1).describe('number of roots'),
      text: z.string(),
      leftOut: z.int().min(0).describe('number of lines that were left out'),
    }),
  }),

  async handle(savepoint, { max, structure, depth }, { signal }) {
    const levels = structure === true ? (depth ?? DEFAULT_DEPTH) : 0;
    const surveyed = await savepoint.context(
      { checkpoints: NEWEST_CHECKPOINTS, depth: levels },
      withoutUndefined({ signal }),
    );
    return {
      workspace: nameToJson(surveyed.root),
      roots: surveyed.roots.length,
      ...contextText(surveyed, max ?? DEFAULT_CHARACTERS),
    };
  },
});
