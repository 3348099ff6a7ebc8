/** The shapes of what callers pass to a session. */

import {
  anything,
  type Check,
  callback,
  count,
  fields,
  flag,
  listOf,
  number,
  oneOf,
  optional,
  orNull,
  signal,
  someFields,
  text,
  textOr,
} from '../model/shape-checks.ts';

export const CALL_OPTIONS: Readonly<Record<string, Check>> = {
  signal,
  force: flag,
  toolCall: textOr(fields({ args: anything }, { tool: text })),
};

export const ACTOR = someFields({ version: text, id: text }, { kind: oneOf('user', 'agent', 'outside'), name: text });

const CONVERSATION = someFields({
  messages: orNull(count),
  messageId: text,
  lastUser: text,
  lastAssistant: text,
  model: text,
  contextSize: count,
});

const WRITES = listOf(
  fields(
    { found: orNull(text), changedByUser: flag },
    { path: anything, result: orNull(textOr(listOf(fields({}, { old: text, new: text, all: flag })))) },
  ),
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
    track: flag,
  },
  { tool: text },
);

const TRIGGER_OPTIONS = optional(fields({ ...CALL_OPTIONS, conversation: CONVERSATION }));
const OPTIONS = optional(fields(CALL_OPTIONS));

export const SESSION_OPTIONS = fields({ id: text, track: flag, ancestors: listOf(anything) }, { agent: textOr(ACTOR) });

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
  noteTranscript: (mark: unknown): void =>
    someFields({ messages: orNull(count), leaf: orNull(text) }, { file: text, offset: count, skipped: count })(
      mark,
      'mark',
    ),
  notePermission: (note: unknown): void =>
    fields({ isGrantReported: flag, at: number }, { kind: oneOf('asked', 'granted'), call: someFields({ id: text }) })(
      note,
      'note',
    ),
  work: (work: unknown): void => callback(work, 'work'),
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
      }),
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
      }),
    )(options, 'options');
  },
};
