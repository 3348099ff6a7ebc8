/** Fields of the results of several operations. */
import * as z from 'zod';

/** What the library's calls return as well. These operations only restore files, and fail with an error otherwise. */
export const filesOutcome = {
  restored: z.boolean().describe('whether files were restored, or were already so; false for a dry run'),
  conversationRewound: z.literal(false).describe('only `restore` goes back in a conversation'),
  error: z.null().describe('why a conversation did not go back'),
};

/** Calls of agents that have not ended. */
export const openCalls = z.array(
  z.strictObject({
    call: z.string(),
    session: z.string(),
    agent: z.string(),
    tool: z.string(),
    summary: z.string(),
  }),
);
