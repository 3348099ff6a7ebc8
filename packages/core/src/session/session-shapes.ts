/** The shapes of what callers pass to a session. */

import type { CallOptions } from '../model/call-options.ts';
import type { ConversationPosition } from '../model/checkpoint.ts';
import type { GivenWrite } from '../model/reported-write.ts';
import {
  anything,
  callback,
  count,
  fields,
  flag,
  listOf,
  number,
  oneOf,
  optional,
  orNull,
  type ShapeOf,
  signal,
  someFields,
  text,
  textOr,
} from '../model/shape-checks.ts';
import type { CallEnd, CallRequest } from './call-request.ts';
import type { GuardOptions, GuardStepRequest } from './guarded-work.ts';
import type { RollbackToOptions } from './rollback-to.ts';
import type { SessionOptions } from './session-options.ts';

export const CALL_OPTIONS = {
  signal,
  force: flag,
  toolCall: textOr(fields({ args: anything }, { tool: text })),
} satisfies ShapeOf<CallOptions>;

export const ACTOR = someFields({ version: text, id: text }, { kind: oneOf('user', 'agent', 'outside'), name: text });

const CONVERSATION = someFields({
  messages: orNull(count),
  messageId: text,
  lastUser: text,
  lastAssistant: text,
  model: text,
  contextSize: count,
} satisfies ShapeOf<ConversationPosition, 'recordedIn'>);

const WRITES = listOf(
  fields({ found: orNull(text), changedByUser: flag } satisfies ShapeOf<GivenWrite, 'path' | 'result'>, {
    path: anything,
    result: orNull(textOr(listOf(fields({}, { old: text, new: text, all: flag })))),
  }),
);

const REQUEST = fields(
  {
    kind: oneOf('write', 'edit', 'shell', 'other'),
    args: anything,
    paths: listOf(anything),
    dir: anything,
    writes: WRITES,
    id: text,
    actor: ACTOR,
    summary: text,
    own: flag,
    shell: someFields({}),
    hosts: flag,
    hostsAgent: text,
    track: flag,
  } satisfies ShapeOf<CallRequest, 'tool'>,
  { tool: text },
);

const TRIGGER_OPTIONS = optional(fields({ ...CALL_OPTIONS, conversation: CONVERSATION }));
const OPTIONS = optional(fields(CALL_OPTIONS));

export const SESSION_OPTIONS = fields(
  { id: text, track: flag, ancestors: listOf(anything) } satisfies ShapeOf<SessionOptions, 'agent'>,
  { agent: textOr(ACTOR) },
);

/** Checks the arguments of the methods of a session. @throws SavepointError USAGE */
export const checkSessionCall = {
  start: (options: unknown): void => TRIGGER_OPTIONS(options, 'options'),
  prompt: (prompt: unknown, messageId: unknown, options: unknown): void => {
    text(prompt, 'text');
    orNull(text)(messageId, 'messageId');
    TRIGGER_OPTIONS(options, 'options');
  },
  message: (messageId: unknown, message: unknown, options: unknown): void => {
    text(messageId, 'messageId');
    text(message, 'text');
    TRIGGER_OPTIONS(options, 'options');
  },
  begin: (request: unknown, options: unknown): void => {
    REQUEST(request, 'request');
    OPTIONS(options, 'options');
  },
  endTurn: (by: unknown, options: unknown): void => {
    orNull(text)(by, 'by');
    OPTIONS(options, 'options');
  },
  close: (options: unknown): void => optional(fields({ ...CALL_OPTIONS, retire: flag }))(options, 'options'),
  declaredPaths: (paths: unknown): void => listOf(anything)(paths, 'paths'),
  named: (value: unknown, name: string): void => text(value, name),
  markInDoubt: (id: unknown, by: unknown): void => {
    text(id, 'id');
    optional(orNull(text))(by, 'by');
  },
  noteHandled: (key: unknown, isHandled: unknown): void => {
    text(key, 'key');
    flag(isHandled, 'isHandled');
  },
  mention: (mentions: unknown, options: unknown): void => {
    listOf(listOf(anything))(mentions, 'mentions');
    fields({ ...CALL_OPTIONS, dir: anything })(options, 'options');
  },
  follow: (follow: unknown): void => callback(follow, 'follow'),
  transcript: (mark: unknown): void =>
    someFields(
      { path: text, messages: orNull(count), leaf: orNull(text) },
      { file: text, offset: count, skipped: count },
    )(mark, 'transcript'),
  notePermission: (note: unknown): void =>
    fields({ isGrantReported: flag, at: number }, { kind: oneOf('asked', 'granted'), call: someFields({ id: text }) })(
      note,
      'note',
    ),
  work: (work: unknown): void => callback(work, 'work'),
  guard: (work: unknown, options: unknown): void => {
    callback(work, 'work');
    fields({ ...CALL_OPTIONS, attempts: count, timeoutMs: count } satisfies ShapeOf<GuardOptions, 'checks'>, {
      checks: listOf(text),
    })(options, 'options');
  },
  guardDue: (after: unknown): void => oneOf('turn', 'call', 'known')(after, 'after'),
  guardStep: (agent: unknown, request: unknown): void => {
    text(agent, 'agent');
    fields({ signal } satisfies ShapeOf<GuardStepRequest, 'sandboxed'>, { sandboxed: flag })(request, 'request');
  },
  end: (id: unknown, end: unknown): void => {
    text(id, 'id');
    optional(
      fields({
        ...CALL_OPTIONS,
        by: orNull(text),
        background: flag,
        writes: WRITES,
        ranMs: number,
        reportedAt: number,
      } satisfies ShapeOf<CallEnd>),
    )(end, 'end');
  },
  rollbackTo: (messageId: unknown, options: unknown): void => {
    text(messageId, 'messageId');
    optional(
      fields({
        ...CALL_OPTIONS,
        before: flag,
        conversation: listOf(anything),
        idOf: callback,
        what: oneOf('both', 'files', 'conversation'),
        mode: oneOf('exact', 'keep-outside'),
        allowPartial: flag,
        git: flag,
      } satisfies ShapeOf<RollbackToOptions<unknown>>),
    )(options, 'options');
  },
};
