import { briefToJson, captureToJson } from '../shapes/to-json.ts';
import { given, verb } from '../verb.ts';

export const checkpoint = verb({
  name: 'checkpoint',
  summary: 'take a checkpoint of the workspace as it is',
  description:
    'Captures every file of the workspace and puts the state on its timeline, also when nothing changed. The first one ' +
    'makes the store. The workspace is the nearest enclosing folder that has checkpoints, else the enclosing ' +
    'repository, else the folder itself. Your files, index, HEAD and refs are not touched.',
  changes: 'store',
  schemas: ({ z, checkpointBrief, capture, problem }) => ({
    input: z.strictObject({
      message: z.string().optional().describe('the description; without one, what changed is the description'),
      testResult: z.enum(['pass', 'fail']).optional().describe('how the tests went on this very state'),
    }),
    output: z.strictObject({
      checkpoint: checkpointBrief,
      capture,
      pending: problem
        .nullable()
        .describe('an act of a dead process that waits for a decision; captures go on meanwhile'),
    }),
  }),

  async handle(savepoint, input, context) {
    const message = input.message?.trim() === '' ? undefined : input.message;
    const taken = await savepoint.checkpoint(
      given({ message, testResult: input.testResult, signal: context.signal, toolCall: context.toolCall }),
    );
    return {
      checkpoint: briefToJson(taken.checkpoint),
      capture: captureToJson(taken.scan),
      pending: taken.pending?.toJSON() ?? null,
    };
  },
});
