import { nameToJson } from '../../model/names.ts';
import { contextText } from '../shapes/context-text.ts';
import { given, verb } from '../verb.ts';

const DEFAULT_MOST = 4_000;
const LEAST = 400;
const MOST = 200_000;
const DEFAULT_DEPTH = 2;
const DEEPEST = 16;
const CHECKPOINTS = 5;

export const context = verb({
  name: 'context',
  summary: 'tell a model about the workspace in a bounded text',
  description:
    'One repository in detail (branch, commit, what is in flight, which paths changed, the newest checkpoints), several ' +
    'in short, the changed ones first where there are many; on request what lies in each. The text is never longer than ' +
    'asked, ends at a line, and says how much was left out. Names are escaped: none can begin a line or pass for another.',
  changes: 'nothing',
  schemas: ({ z, jsonName }) => ({
    input: z.strictObject({
      max: z.int().min(LEAST).max(MOST).optional().describe(`characters of the text; ${DEFAULT_MOST} without it`),
      structure: z.boolean().optional().describe('also which folders and files there are'),
      depth: z
        .int()
        .min(1)
        .max(DEEPEST)
        .optional()
        .describe(`how many levels of folders, for \`structure\`; ${DEFAULT_DEPTH} without it`),
    }),
    output: z.strictObject({
      workspace: jsonName,
      roots: z.int().min(1).describe('how many there are'),
      text: z.string(),
      leftOut: z.int().min(0).describe('lines that there was no room for'),
    }),
  }),

  async handle(savepoint, { max, structure, depth }, { signal }) {
    const levels = structure === true ? (depth ?? DEFAULT_DEPTH) : 0;
    const seen = await savepoint.context({ checkpoints: CHECKPOINTS, depth: levels }, given({ signal }));
    return {
      workspace: nameToJson(seen.root),
      roots: seen.roots.length,
      ...contextText(seen, max ?? DEFAULT_MOST),
    };
  },
});
