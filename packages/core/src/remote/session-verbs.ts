/** The steps of an agent's session as verbs, for a session in a sandbox that is controlled from outside. */

import type * as z from 'zod';
import type { Actor, Checkpoint, ConversationPosition } from '../model/checkpoint.ts';
import { nameToJson } from '../model/names.ts';
import type { GivenWrite } from '../model/reported-write.ts';
import type { Savepoint } from '../savepoint.ts';
import type { Session } from '../session/session.ts';
import { briefToJson, gapToJson, recordedChangeToJson } from '../verbs/shapes/to-json.ts';
import { type Shapes, verb, withoutUndefined } from '../verbs/verb.ts';

const INTERNAL_DESCRIPTION = 'Internal; used by `openRemote`.';

function sessionShape({ z }: Shapes) {
  return z.strictObject({
    id: z.string().min(1),
    agent: z.strictObject({ name: z.string().min(1), version: z.string().optional(), id: z.string().optional() }),
  });
}

function conversationShape({ z }: Shapes) {
  return z.strictObject({
    messages: z.int().min(0).nullable(),
    messageId: z.string().optional(),
    lastUser: z.string().optional(),
    lastAssistant: z.string().optional(),
    model: z.string().optional(),
    contextSize: z.int().min(0).optional(),
  });
}

function writesShape({ z, jsonName }: Shapes) {
  const replacement = z.strictObject({ old: z.string(), new: z.string(), all: z.boolean() });
  const text = z.string().nullable();
  return z.array(
    z.strictObject({
      path: jsonName,
      found: text.optional(),
      result: z.union([text, z.array(replacement)]),
      changedByUser: z.boolean().optional(),
    }),
  );
}

type WritesJson = z.output<ReturnType<typeof writesShape>>;

function checkpointShape({ z, checkpointBrief }: Shapes) {
  return z.strictObject({ checkpoint: checkpointBrief.nullable().describe('null if none was taken') });
}

const sessionStart = verb({
  name: 'session start',
  summary: 'start or continue a session',
  description: INTERNAL_DESCRIPTION,
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({ session: sessionShape(shapes), conversation: conversationShape(shapes).optional() }),
    output: checkpointShape(shapes),
  }),
  async handle(savepoint, { session, conversation }, { signal }) {
    const options = withoutUndefined({ signal, conversation: conversationOf(conversation) });
    return checkpointOutput(await openSession(savepoint, session).start(options));
  },
});

const sessionPrompt = verb({
  name: 'session prompt',
  summary: 'record a prompt',
  description: INTERNAL_DESCRIPTION,
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({
      session: sessionShape(shapes),
      text: shapes.z.string(),
      messageId: shapes.z.string().nullable(),
      conversation: conversationShape(shapes).optional(),
    }),
    output: checkpointShape(shapes),
  }),
  async handle(savepoint, { session, text, messageId, conversation }, { signal }) {
    const options = withoutUndefined({ signal, conversation: conversationOf(conversation) });
    return checkpointOutput(await openSession(savepoint, session).prompt(text, messageId, options));
  },
});

const sessionBegin = verb({
  name: 'session begin',
  summary: 'record the start of a tool call',
  description: INTERNAL_DESCRIPTION,
  changes: 'store',
  schemas: (shapes) => {
    const { z, jsonName } = shapes;
    return {
      input: z.strictObject({
        session: sessionShape(shapes),
        request: z.strictObject({
          tool: z.string(),
          kind: z.enum(['write', 'edit', 'shell', 'other']).optional(),
          args: z.unknown().optional(),
          paths: z.array(jsonName).optional().describe('relative to the workspace'),
          writes: writesShape(shapes).optional(),
          dir: jsonName.optional().describe('absolute'),
          id: z.string().min(1).optional(),
          summary: z.string().optional(),
          track: z.boolean().optional(),
        }),
      }),
      output: z.strictObject({ id: z.string().describe('of the call') }),
    };
  },
  async handle(savepoint, { session, request: { paths, writes, dir, ...rest } }, { signal }) {
    const given = {
      paths,
      writes: writes === undefined ? undefined : writesOf(writes),
      dir,
    };
    const request = { tool: rest.tool, ...withoutUndefined({ ...rest, ...given }) };
    return { id: (await openSession(savepoint, session).begin(request, withoutUndefined({ signal }))).id };
  },
});

function writesOf(writes: WritesJson): readonly GivenWrite[] {
  return writes.map(({ path, result, ...rest }) => ({ path, result, ...withoutUndefined(rest) }));
}

const sessionEnd = verb({
  name: 'session end',
  summary: 'record the end of a tool call',
  description: INTERNAL_DESCRIPTION,
  changes: 'store',
  schemas: (shapes) => {
    const { z, checkpointBrief, recordedChange, gap, jsonName, problem } = shapes;
    return {
      input: z.strictObject({
        session: sessionShape(shapes),
        id: z.string(),
        background: z.boolean().optional(),
        writes: writesShape(shapes).optional(),
        ranMs: z.number().min(0).optional(),
      }),
      output: z.strictObject({
        found: z.boolean(),
        checkpoint: checkpointBrief.nullable(),
        changes: z.array(recordedChange),
        uncovered: z.array(gap),
        putBack: z.strictObject({ paths: z.array(jsonName), problem: problem.nullable() }).nullable(),
      }),
    };
  },
  async handle(savepoint, { session, id, background, writes, ranMs }, { signal }) {
    const reported = writes === undefined ? undefined : writesOf(writes);
    const options = withoutUndefined({ signal, background, writes: reported, ranMs });
    const ended = await openSession(savepoint, session).end(id, options);
    const { found, checkpoint, changes, uncovered, putBack } = ended;
    return {
      found,
      checkpoint: checkpoint && briefToJson(checkpoint),
      changes: changes.map(recordedChangeToJson),
      uncovered: uncovered.map(gapToJson),
      putBack: putBack && {
        paths: putBack.paths.map(nameToJson),
        problem: putBack.problem === null ? null : putBack.problem.toJSON(),
      },
    };
  },
});

const sessionClose = verb({
  name: 'session close',
  summary: 'record the end of a session',
  description: INTERNAL_DESCRIPTION,
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({ session: sessionShape(shapes) }),
    output: shapes.z.strictObject({}),
  }),
  async handle(savepoint, { session }, { signal }) {
    await openSession(savepoint, session).close(withoutUndefined({ signal }));
    await savepoint.idle();
    return {};
  },
});

export const SESSION_VERBS = { sessionStart, sessionPrompt, sessionBegin, sessionEnd, sessionClose } as const;

interface SessionJson {
  readonly id: string;
  readonly agent: { readonly name: string; readonly version?: string | undefined; readonly id?: string | undefined };
}

function openSession(savepoint: Savepoint, { id, agent: { name, ...rest } }: SessionJson): Session {
  const agent: Actor = { kind: 'agent', name, ...withoutUndefined(rest) };
  return savepoint.session({ id, agent });
}

type Optional<T> = { readonly [Key in keyof T]: T[Key] | undefined };

function conversationOf(position: Optional<ConversationPosition> | undefined): ConversationPosition | undefined {
  return position === undefined ? undefined : { messages: position.messages ?? null, ...withoutUndefined(position) };
}

function checkpointOutput(checkpoint: Checkpoint | null) {
  return { checkpoint: checkpoint && briefToJson(checkpoint) };
}
