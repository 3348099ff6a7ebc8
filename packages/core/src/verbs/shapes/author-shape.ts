/** The shapes of actors and of the possible authors of a change. */
import * as z from 'zod';
import { GRADES } from '../../model/checkpoint.ts';
import { named } from './names.ts';

export const actor = named(
  'Actor',
  'Who made a change. `outside`: no hook reported it, so the author is unknown.',
  z.strictObject({
    kind: z.enum(['user', 'agent', 'outside']),
    name: z.string(),
    version: z.string().nullable(),
    id: z.string().nullable().describe('the id of a sub-agent, within its session'),
  }),
);

export const authorship = {
  authors: z.array(
    z.strictObject({
      actor,
      session: z.string().nullable(),
      call: z.string().nullable().describe("the agent's own id of the call"),
      tool: z.string().nullable(),
    }),
  ),
  sure: z.boolean().describe('whether `grade` is `sure`'),
  grade: z
    .enum(GRADES)
    .describe('`likely`: only one author was active; `open`: more than one may have made it, and all are named'),
};
