/** An agent's session, step by step, as verbs: for one that works in a sandbox and is led from outside. */

import { standingIn, treePathOf } from '../io/given-path.ts';
import type { Actor, Checkpoint, ConversationPosition } from '../model/checkpoint.ts';
import { type JsonName, nameToJson, type TreePath } from '../model/names.ts';
import type { Savepoint } from '../savepoint.ts';
import type { Session } from '../session/session.ts';
import { briefToJson, gapToJson, recordedToJson } from '../verbs/shapes/to-json.ts';
import { given, type Shapes, verb } from '../verbs/verb.ts';

const nobody = 'Internal; used by `openRemote`.';

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

function madeShape({ z, checkpointBrief }: Shapes) {
  return z.strictObject({ checkpoint: checkpointBrief.nullable().describe('null where none was wanted') });
}

const sessionStart = verb({
  name: 'session start',
  summary: 'start or continue a session',
  description: nobody,
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({ session: sessionShape(shapes), conversation: conversationShape(shapes).optional() }),
    output: madeShape(shapes),
  }),
  async handle(savepoint, { session, conversation }, { signal }) {
    const options = given({ signal, conversation: conversationOf(conversation) });
    return made(await open(savepoint, session).start(options));
  },
});

const sessionPrompt = verb({
  name: 'session prompt',
  summary: 'record a prompt',
  description: nobody,
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({
      session: sessionShape(shapes),
      text: shapes.z.string(),
      messageId: shapes.z.string().nullable(),
      conversation: conversationShape(shapes).optional(),
    }),
    output: madeShape(shapes),
  }),
  async handle(savepoint, { session, text, messageId, conversation }, { signal }) {
    const options = given({ signal, conversation: conversationOf(conversation) });
    return made(await open(savepoint, session).prompt(text, messageId, options));
  },
});

const sessionBegin = verb({
  name: 'session begin',
  summary: 'record the start of a tool call',
  description: nobody,
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
          id: z.string().min(1).optional(),
          summary: z.string().optional(),
          track: z.boolean().optional(),
        }),
      }),
      output: z.strictObject({ id: z.string().describe('of the call') }),
    };
  },
  async handle(savepoint, { session, request: { paths, ...rest } }, { signal }) {
    const own = paths === undefined ? undefined : await treePathsOf(savepoint, paths);
    const request = { tool: rest.tool, ...given({ ...rest, paths: own }) };
    return { id: (await open(savepoint, session).begin(request, given({ signal }))).id };
  },
});

/** @throws SavepointError PATH_REFUSED */
async function treePathsOf(savepoint: Savepoint, paths: readonly JsonName[]): Promise<readonly TreePath[]> {
  const place = await savepoint.place({ orNew: true });
  return paths.map((path) => treePathOf(standingIn(place, place.root), path));
}

const sessionEnd = verb({
  name: 'session end',
  summary: 'record the end of a tool call',
  description: nobody,
  changes: 'store',
  schemas: (shapes) => {
    const { z, checkpointBrief, recordedChange, gap, jsonName, problem } = shapes;
    return {
      input: z.strictObject({
        session: sessionShape(shapes),
        id: z.string(),
        background: z.boolean().optional(),
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
  async handle(savepoint, { session, id, background }, { signal }) {
    const ended = await open(savepoint, session).end(id, given({ signal, background }));
    const { found, checkpoint, changes, uncovered, putBack } = ended;
    return {
      found,
      checkpoint: checkpoint && briefToJson(checkpoint),
      changes: changes.map(recordedToJson),
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
  description: nobody,
  changes: 'store',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({ session: sessionShape(shapes) }),
    output: shapes.z.strictObject({}),
  }),
  async handle(savepoint, { session }, { signal }) {
    await open(savepoint, session).close(given({ signal }));
    await savepoint.idle();
    return {};
  },
});

export const SESSION_VERBS = { sessionStart, sessionPrompt, sessionBegin, sessionEnd, sessionClose } as const;

interface SessionJson {
  readonly id: string;
  readonly agent: { readonly name: string; readonly version?: string | undefined; readonly id?: string | undefined };
}

function open(savepoint: Savepoint, { id, agent: { name, ...rest } }: SessionJson): Session {
  const agent: Actor = { kind: 'agent', name, ...given(rest) };
  return savepoint.session({ id, agent });
}

type Optional<T> = { readonly [Key in keyof T]: T[Key] | undefined };

function conversationOf(told: Optional<ConversationPosition> | undefined): ConversationPosition | undefined {
  return told === undefined ? undefined : { messages: told.messages ?? null, ...given(told) };
}

function made(checkpoint: Checkpoint | null) {
  return { checkpoint: checkpoint && briefToJson(checkpoint) };
}
