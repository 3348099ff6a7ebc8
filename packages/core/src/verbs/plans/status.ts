/** What `plan list` and `plan show` answer, for callers with one tool for both. */

import { commentShape, commentToJson } from '../shapes/comment-shape.ts';
import { planShapes } from '../shapes/plan-shape.ts';
import { verb, withoutUndefined } from '../verb.ts';
import { planList, planShow } from './propose.ts';

export const planStatus = verb({
  name: 'plan status',
  summary: 'list plans, or show one',
  description: 'Lists the plans like `plan list`, or shows one like `plan show`.',
  changes: 'nothing',
  schemas: (shapes, editShapes) => {
    const { z } = shapes;
    return {
      input: z.strictObject({
        id: z.string().optional().describe('show this plan, with its hunks; default: list all'),
        all: planList.schemas(shapes, editShapes).input.shape.all,
        patch: planShow.schemas(shapes, editShapes).input.shape.patch,
      }),
      output: z.strictObject({
        list: planList.schemas(shapes, editShapes).output.nullable(),
        plan: planShapes(shapes).whole.nullable(),
        comments: z.array(commentShape(shapes)).describe('of the user on lines, each once'),
      }),
    };
  },
  async handle(savepoint, { id, all, patch }, context) {
    const { signal, toolCall } = context;
    const answer =
      id === undefined
        ? { list: await planList.handle(savepoint, { all }, context), plan: null }
        : { list: null, plan: await planShow.handle(savepoint, { id, patch }, context) };
    const taken = await savepoint.comments({ ...withoutUndefined({ signal, toolCall }), forCaller: true });
    return { ...answer, comments: taken.map(commentToJson) };
  },
});
