/** The JSON of a comment. */

import type { CommentView } from '../../engine/comments/placed.ts';
import { isKnownAgent } from '../../model/agent-names.ts';
import { COMMENT_SIDES } from '../../model/comment.ts';
import { checkpointId } from '../../model/ids.ts';
import { nameToJson } from '../../model/names.ts';
import type { Shapes } from '../verb.ts';
import { actorToJson, timeToJson } from './to-json.ts';

export function commentShape({ z, actor, checkpointId: checkpoint, jsonName }: Shapes) {
  const time = z.string().describe('ISO 8601');
  const act = { by: actor, time };
  const line = z.int().min(1);
  return z.strictObject({
    id: z.string(),
    ...act,
    text: z.string(),
    status: z.enum(['open', 'sent', 'resolved']).describe('`open`: no agent has it yet; `sent`: one has'),
    path: jsonName,
    side: z.enum(COMMENT_SIDES).describe('`before`: lines that the change removed, or as they were before it'),
    plan: z.strictObject({ id: z.string(), revision: z.int().min(1) }).nullable(),
    checkpoint: checkpoint.describe('that has the lines, or was the last one when it was made'),
    made_at: z.strictObject({ first: line, last: line }).describe('the lines when it was made'),
    lines: jsonName.describe('their text then'),
    place: z
      .strictObject({ first: line, last: line })
      .nullable()
      .describe('where they are now; null: they are gone, so it is outdated'),
    agent: z.string().nullable().describe('that gets it; null: whichever comes next'),
    session: z.string().nullable().describe('that gets it; once it is over, the next one of the agent'),
    delivery: z
      .enum(['prompt', 'tool'])
      .describe('`tool`: the agent has no hooks, so it gets it only if it calls `plan_status`'),
    sent: z.strictObject({ time, agent: z.string(), session: z.string().nullable() }).nullable(),
    resolved: z.strictObject(act).nullable(),
  });
}

export function commentToJson({ comment, status, place }: CommentView) {
  const { id, by, time, text, anchor, agent, session, sent, resolved } = comment;
  const { plan, path, side, first, last, lines } = anchor;
  return {
    id,
    by: actorToJson(by),
    time: timeToJson(time),
    text,
    status,
    path: nameToJson(path),
    side,
    plan,
    checkpoint: checkpointId(anchor.checkpoint),
    made_at: { first, last },
    lines: nameToJson(lines),
    place: place === null ? null : { first: place.first, last: place.last },
    agent,
    session,
    delivery: agent === null || isKnownAgent(agent) ? ('prompt' as const) : ('tool' as const),
    sent: sent === null ? null : { ...sent, time: timeToJson(sent.time) },
    resolved: resolved === null ? null : { by: actorToJson(resolved.by), time: timeToJson(resolved.time) },
  };
}
