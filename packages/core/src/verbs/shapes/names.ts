/** The schemas of names, paths and ids, which the other shapes use. */
import * as z from 'zod';

/** A shape that the reference describes once, under its name. */
export function named<Shape extends z.ZodType>(id: string, description: string, shape: Shape): Shape {
  return shape.meta({ id, description });
}

export const jsonName = named(
  'JsonName',
  'A name or path on disk: text if its bytes are UTF-8, else the bytes in base64. Paths use `/`; the workspace itself is `""`.',
  z.union([z.string(), z.strictObject({ b64: z.base64() })]),
);

export const checkpointId = named(
  'CheckpointId',
  "`cp_12`: a checkpoint's number on the timeline of its workspace; numbers are never reused.",
  z.string().regex(/^cp_[1-9][0-9]*$/),
);

export const changeId = named(
  'ChangeId',
  '`cp_12.3`: the third change of cp_12.',
  z.string().regex(/^cp_[1-9][0-9]*\.[1-9][0-9]*$/),
);

export const hunkId = named(
  'HunkId',
  '`cp_12.3:2`: the second hunk of that change.',
  z.string().regex(/^cp_[1-9][0-9]*\.[1-9][0-9]*:[1-9][0-9]*$/),
);

export const objectId = named('ObjectId', "A git object's id: 40 hex digits.", z.string().regex(/^[0-9a-f]{40}$/));

export const checkpointName = named(
  'CheckpointName',
  'A reference to a checkpoint: `cp_12`, `last`, `last~2`, a commit id (at least 4 digits), `@{10 minutes ago}` or ' +
    '`@{2026-01-31 12:00}`. `@prompt` is the state before the work on the last prompt to an agent, `@prompt~2` before ' +
    'the second last; `@session` is the start of the last session, `@session~2` of the second last. With the id of a message in an agent’s conversation: `message:ID` (the state after the work on ' +
    'that message) or `before:ID` (the state before it).',
  z.string(),
);
