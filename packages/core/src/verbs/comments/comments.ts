/** Verbs for comments of people on lines. */

import { treePathOf } from '../../io/locate-path.ts';
import { COMMENT_SIDES } from '../../model/comment.ts';
import { exactName } from '../../model/names.ts';
import { nullIfNoWorkspace } from '../input/no-workspace.ts';
import { commentShape, commentToJson } from '../shapes/comment-shape.ts';
import { type Shapes, verb, withoutUndefined } from '../verb.ts';

const stateFields = ({ z }: Shapes) => ({
  plan: z.string().optional().describe('a plan that proposes the lines'),
  at: z.string().optional().describe('the checkpoint after the change; default: the folder as it is now'),
  from: z.string().optional().describe('the checkpoint before the change; default: the one before `at`'),
});

export const commentAdd = verb({
  name: 'comment add',
  summary: 'comment on lines, for the agent that wrote them',
  description:
    'Records what a person says about lines of a file, of a checkpoint or of a plan. The agent gets it with its next ' +
    'prompt, once: in the session that wrote the lines or, once that is over, in the next session of the agent in this ' +
    'folder. The comment moves with its lines. Only a person may comment.',
  changes: 'store',
  schemas: (shapes) => {
    const { z, jsonName } = shapes;
    return {
      input: z.strictObject({
        path: jsonName,
        first: z.int().min(1).describe('the first line'),
        last: z.int().min(1).optional().describe('the last line; default: the first one'),
        text: z.string(),
        side: z.enum(COMMENT_SIDES).optional().describe('`before`: lines of the state before the change'),
        ...stateFields(shapes),
      }),
      output: commentShape(shapes),
    };
  },
  async handle(savepoint, { path, ...request }, { signal, toolCall }) {
    const place = await savepoint.place();
    const given = { ...withoutUndefined(request), path: exactName(treePathOf(place, path)) };
    const { first, text } = request;
    return commentToJson(await savepoint.addComment({ ...given, first, text }, withoutUndefined({ signal, toolCall })));
  },
});

export const commentList = verb({
  name: 'comment list',
  summary: 'list the comments on lines, and whether agents have them',
  description:
    'Lists comments with the place of their lines: in the folder as it is now, in a checkpoint or in a plan. A comment ' +
    'without a place is outdated: its lines are gone.',
  changes: 'nothing',
  schemas: (shapes) => {
    const { z, jsonName } = shapes;
    return {
      input: z.strictObject({
        paths: z.array(jsonName).min(1).optional().describe('only on these files, or below these folders'),
        all: z.boolean().optional().describe('also those that are resolved'),
        ...stateFields(shapes),
      }),
      output: z.strictObject({
        comments: z.array(commentShape(shapes)),
        resolved: z.int().min(0).describe('how many more are resolved, and left out without `all`'),
      }),
    };
  },
  async handle(savepoint, { paths = [], ...query }, { signal }) {
    const place = paths.length === 0 ? null : await savepoint.place();
    const within = place === null ? {} : { paths: paths.map((path) => exactName(treePathOf(place, path))) };
    const request = { ...withoutUndefined({ ...query, signal }), ...within, all: true };
    const found = ((await nullIfNoWorkspace(savepoint.comments(request))) ?? []).map(commentToJson);
    const comments = query.all === true ? found : found.filter(({ status }) => status !== 'resolved');
    return { comments, resolved: found.length - comments.length };
  },
});

export const commentResolve = verb({
  name: 'comment resolve',
  summary: 'mark a comment as settled, or open it again',
  description: 'An agent does not get a resolved comment. One that was sent is not sent again.',
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({
      id: shapes.z.string(),
      reopen: shapes.z.boolean().optional().describe('open it again instead'),
    }),
    output: commentShape(shapes),
  }),
  async handle(savepoint, { id, reopen }, { signal, toolCall }) {
    return commentToJson(await savepoint.resolveComment(id, reopen !== true, withoutUndefined({ signal, toolCall })));
  },
});

export const commentDelete = verb({
  name: 'comment delete',
  summary: 'delete a comment',
  description: 'Removes a comment with its text. An agent that has it keeps what it read.',
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({ id: shapes.z.string() }),
    output: commentShape(shapes),
  }),
  async handle(savepoint, { id }, { signal, toolCall }) {
    return commentToJson(await savepoint.deleteComment(id, withoutUndefined({ signal, toolCall })));
  },
});
