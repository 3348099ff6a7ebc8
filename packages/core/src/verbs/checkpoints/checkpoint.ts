import { briefToJson, captureToJson } from '../shapes/to-json.ts';
import { verb, withoutUndefined } from '../verb.ts';

export const checkpoint = verb({
  name: 'checkpoint',
  summary: 'take a checkpoint of the workspace',
  description:
    'Captures all files of the workspace as a new checkpoint on its timeline, even if nothing changed. The first ' +
    'checkpoint creates the store. The workspace is the nearest enclosing folder that has checkpoints, else the ' +
    'enclosing repository, else the folder itself. Your files, index, HEAD and refs are not touched. While an ' +
    'interrupted operation is pending, the checkpoint may contain half of it; the result then names the operation.',
  changes: 'store',
  schemas: ({ z, checkpointBrief, capture, problem }) => ({
    input: z.strictObject({
      message: z.string().optional().describe('the description (default: a summary of the changes)'),
      testResult: z.enum(['pass', 'fail']).optional().describe('the result of the tests on this state'),
    }),
    output: z.strictObject({
      checkpoint: checkpointBrief,
      capture,
      pending: problem
        .nullable()
        .describe('an interrupted operation that needs a decision; checkpoints can still be taken'),
    }),
  }),

  status: ({ pending }) => (pending === null ? 0 : 4),

  async handle(savepoint, input, context) {
    const message = input.message?.trim() === '' ? undefined : input.message;
    const taken = await savepoint.checkpoint(
      withoutUndefined({ message, testResult: input.testResult, signal: context.signal, toolCall: context.toolCall }),
    );
    return {
      checkpoint: briefToJson(taken.checkpoint),
      capture: captureToJson(taken.scan),
      pending: taken.pending?.toJSON() ?? null,
    };
  },
});
