/** What a restore does with the conversation of an agent: its schema, and the conversion from the engine's types. */

import type * as z from 'zod';
import type { RewoundConversation } from '../../conversation/conversations.ts';
import type { ConversationPreview, RestoredConversation } from '../../engine/calls/restore-conversation.ts';
import type { SavepointError } from '../../model/errors.ts';
import { nameToJson } from '../../model/names.ts';
import type { Shapes } from '../verb.ts';

/** The fields that a restore adds to those of every operation. */
export function conversationFields({ z, named, jsonName, problem }: Shapes) {
  const count = z.int().min(0);
  const session = sessionShape({ z, named, jsonName });
  const conversation = named(
    'RestoredConversation',
    'What goes back in the conversation of an agent, or why it cannot.',
    z.strictObject({
      agent: z.string().nullable().describe('null if no session was active since the checkpoint'),
      session: z.string().nullable(),
      only: z.boolean().describe('whether the files stay'),
      possible: z.boolean(),
      reason: z.string().nullable().describe('why it cannot go back'),
      messages: count.describe('number of messages that it loses'),
      prompts: count.describe('number of prompts of the user among them'),
      removed: z
        .array(z.strictObject({ role: z.enum(['user', 'assistant', 'tool']), text: z.string().nullable() }))
        .describe('these messages, oldest first, at most 50, with their texts shortened'),
      words: z.string().nullable().describe('the prompt that it goes back to, to be edited and sent again'),
      original: session.nullable().describe('how the conversation continues that is not changed'),
    }),
  );
  return {
    conversation: conversation.nullable().describe('null if no conversation was to go back'),
    conversationRewound: z.boolean().describe('whether the conversation went back'),
    continue: session.nullable().describe('how the conversation continues that went back; null if none did'),
    error: problem.nullable().describe('why the conversation did not go back although the files did'),
  };
}

export function sessionShape({ z, named, jsonName }: Pick<Shapes, 'z' | 'named' | 'jsonName'>) {
  return named(
    'ContinuedSession',
    'How a session of an agent continues.',
    z.strictObject({
      session: z.string().describe("the agent's id of the session"),
      command: z.array(z.string()).describe('the program, with its arguments'),
      dir: jsonName.describe('the folder in which it must run'),
    }),
  );
}

type Fields = ReturnType<typeof conversationFields>;
type FieldsJson = { [Name in keyof Fields]: z.output<Fields[Name]> };

/** @param seen a preview or a result @param only whether the files stay */
export function conversationToJson(
  seen: {
    readonly conversation: ConversationPreview | RestoredConversation | null;
    readonly conversationRewound?: boolean;
    readonly error?: SavepointError | null;
  },
  only: boolean,
): FieldsJson {
  const { conversation, conversationRewound = false, error = null } = seen;
  const gone = conversation !== null && 'continue' in conversation ? conversation.continue : null;
  return {
    conversation: conversation && previewToJson(conversation, only),
    conversationRewound,
    continue: gone && sessionToJson(gone),
    error: error?.toJSON() ?? null,
  };
}

export function sessionToJson({ session, command, dir }: RewoundConversation): NonNullable<FieldsJson['continue']> {
  return { session, command: [...command], dir: nameToJson(dir) };
}

function previewToJson(
  { agent, session, plan, original }: ConversationPreview,
  only: boolean,
): NonNullable<FieldsJson['conversation']> {
  const none = { messages: 0, prompts: 0, removed: [], words: null };
  return {
    agent,
    session,
    only,
    possible: plan.isPossible,
    ...(plan.isPossible
      ? {
          reason: null,
          messages: plan.messages,
          prompts: plan.prompts,
          removed: plan.removed.map(({ role, text }) => ({ role, text })),
          words: plan.words,
        }
      : { reason: plan.reason, ...none }),
    original: original && sessionToJson(original),
  };
}
