/** The shapes that verbs take and give, as schemas. All of them are JSON; objects are strict: no field comes unannounced. */
import * as z from 'zod';
import { TRIGGERS } from '../../model/checkpoint.ts';
import { SKIP_REASONS } from '../../model/entries.ts';

export { z };

/** A shape that the reference describes once, under its own name. */
export function named<Shape extends z.ZodType>(id: string, description: string, shape: Shape): Shape {
  return shape.meta({ id, description });
}

const count = z.int().min(0);
const nullableCount = count.nullable();

export const jsonName = named(
  'JsonName',
  'A name or path from disk: text where its bytes are UTF-8, else the bytes in base64. Paths use `/`; the workspace itself is `""`.',
  z.union([z.string(), z.strictObject({ b64: z.base64() })]),
);

export const checkpointId = named(
  'CheckpointId',
  "`cp_12`: a checkpoint's number on its workspace's timeline, never used again.",
  z.string().regex(/^cp_[1-9][0-9]*$/),
);

export const changeId = named(
  'ChangeId',
  '`cp_12.3`: the third change that cp_12 lists.',
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
  'What may name a checkpoint: `cp_12`, `last`, `last~2`, a commit id (at least 4 digits), `@{10 minutes ago}`, `@{2026-01-31 12:00}`, ' +
    'or, by the id of a message in an agent’s conversation, `message:ID` (the state after its work and before the next) and `before:ID`.',
  z.string(),
);

const time = z.iso.datetime().describe('UTC, ISO 8601; for people, never for order');
const permissions = z.string().regex(/^[0-7]{4}$/);

export const entry = named(
  'Entry',
  'What is at a path. `mode`: four octal digits. `id`: of the blob that holds the content, or the link’s target.',
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('file'), mode: permissions, id: objectId }),
    z.strictObject({ kind: z.literal('link'), id: objectId }),
    z.strictObject({ kind: z.literal('folder'), mode: permissions }),
  ]),
);

const operation = z
  .enum(['create', 'write', 'patch', 'delete', 'rename', 'mode', 'kind'])
  .describe('`mode`: permissions only; `kind`: a file became a folder or link, or the other way round');

const changeFields = {
  path: jsonName,
  operation,
  from: jsonName.nullable().describe('for a rename: the path that it had before; `before` is what was there'),
  before: entry.nullable(),
  after: entry.nullable(),
  added: nullableCount.describe('lines; null where they were not counted: binary, very long, no file'),
  removed: nullableCount,
  lines: z
    .array(z.int().min(1))
    .length(2)
    .nullable()
    .describe('the first and the last line of the text after that differ; null where none is left or none was counted'),
  beforeSize: nullableCount.describe('bytes; null where nothing was there, or a folder'),
  afterSize: nullableCount,
};

export const change = named('Change', 'What happened to one path between two states.', z.strictObject(changeFields));

export const totals = named(
  'Totals',
  'Sums over changes.',
  z.strictObject({ files: count, added: count, removed: count }),
);

export const gap = named(
  'Gap',
  'A path that was not captured, and why.',
  z.strictObject({
    path: jsonName,
    reason: z.enum(SKIP_REASONS),
    size: nullableCount.describe('bytes, where known'),
    code: z.string().nullable().describe("the system's error code, for `unreadable`"),
  }),
);

export const root = named(
  'Root',
  'A repository, or the workspace folder where it is none, as a checkpoint found it.',
  z.strictObject({
    path: jsonName,
    kind: z.enum(['repository', 'folder']),
    branch: jsonName.nullable().describe('null when detached or no repository'),
    commit: z.string().nullable().describe('what HEAD stood on; null when unborn, unknown or no repository'),
    operation: z.string().nullable().describe('a rebase, merge, … in flight'),
    mount: z.boolean().describe('another file system begins here'),
    failed: z
      .string()
      .nullable()
      .describe('why it could not be captured, so that the checkpoint is partial; null: it was'),
  }),
);

export const rootChange = named(
  'RootChange',
  'What became of a root between two states.',
  z.strictObject({
    path: jsonName,
    what: z.enum(['appeared', 'vanished', 'moved']).describe('`moved`: it stands on another branch or commit'),
    before: root.nullable(),
    after: root.nullable(),
  }),
);

const headPosition = z
  .strictObject({ branch: jsonName.nullable(), commit: z.string().nullable() })
  .describe('`branch` is null when detached, `commit` when the branch has none yet');

export const counts = named(
  'Counts',
  'How much a checkpoint holds.',
  z.strictObject({
    files: count,
    links: count,
    folders: count,
    bytes: count,
    skipped: count.describe('paths left out, for whatever reason'),
  }),
);

export const actor = named(
  'Actor',
  'Who did it. `outside`: seen through no hook, so nobody may be called its author.',
  z.strictObject({
    kind: z.enum(['user', 'agent', 'outside']),
    name: z.string(),
    version: z.string().nullable(),
    id: z.string().nullable().describe('of a sub-agent, within its session'),
  }),
);

export const recordedChange = named(
  'RecordedChange',
  'A change on the timeline, and who may have made it.',
  z.strictObject({
    id: changeId,
    ...changeFields,
    authors: z.array(
      z.strictObject({
        actor,
        session: z.string().nullable(),
        call: z.string().nullable().describe("the agent's own id of the call"),
        tool: z.string().nullable(),
      }),
    ),
    sure: z.boolean().describe('all authors are one actor in one session; else nobody is known with confidence'),
  }),
);

const conversation = z.strictObject({
  messages: nullableCount.describe('null where the agent does not tell'),
  messageId: z.string().nullable().describe('the id that the agent gave the message which the state belongs to'),
  lastUser: z.string().nullable(),
  lastAssistant: z.string().nullable(),
  model: z.string().nullable(),
  contextSize: nullableCount.describe('tokens'),
});

const brief = {
  id: checkpointId,
  number: z.int().min(1),
  commit: objectId.describe('of the commit in the store that holds it'),
  previous: checkpointId.nullable(),
  time,
  trigger: z.enum(TRIGGERS),
  actor,
  description: z.string(),
  session: z.string().nullable(),
  conversation: conversation.nullable().describe('where the conversation stood'),
  testResult: z.enum(['pass', 'fail']).nullable(),
  target: checkpointId.nullable().describe('for a restore: what it brought back'),
  undoes: checkpointId.nullable().describe('for undo and redo: the act that it inverts'),
  toolCall: z.string().nullable().describe('the id that an agent gave the call that this came of'),
  tool: z
    .strictObject({
      name: z.string().describe('as the agent calls it'),
      kind: z.enum(['write', 'edit', 'shell', 'other']),
      summary: z.string().describe('a command line or a file name, shortened'),
      args: z.string().nullable().describe('what it was called with, as JSON, shortened'),
      took: nullableCount.describe('milliseconds from the beginning of the call to its end, where known'),
    })
    .nullable(),
  late: z.boolean().describe('taken when the call that it was to come before had begun'),
  rolledBack: z
    .array(z.union([changeId, hunkId]))
    .describe('for a roll-back: the changes that it took back, and hunks of others'),
  roots: z.array(root),
  rules: z
    .strictObject({
      maxFileBytes: count,
      maxIgnoredBytes: count,
      include: z.array(z.string()).describe('patterns of what is captured although ignore rules say otherwise'),
      exclude: z.array(z.string()).describe('patterns of what is left out'),
    })
    .describe('the rules it was taken under'),
  counts,
  partial: z.array(gap).describe('paths that could not be read; a checkpoint with any is partial'),
  unsettled: z.array(jsonName).describe('files that kept changing while they were read'),
  totals: totals.describe('against `previous`'),
};

export const checkpointBrief = named(
  'CheckpointBrief',
  'A checkpoint without its list of changes.',
  z.strictObject(brief),
);

export const checkpoint = named(
  'Checkpoint',
  'A snapshot with its story.',
  z.strictObject({
    ...brief,
    changes: z
      .array(recordedChange)
      .nullable()
      .describe('against `previous`; null for the first one, and where there are too many'),
  }),
);

export const capture = named(
  'Capture',
  'What a look at the folder found.',
  z.strictObject({
    counts,
    partial: z.array(gap).describe('could not be read'),
    leftOut: z
      .array(gap)
      .describe('left out though no ignore rule asks for it: too large, special, a mount, a refused name'),
    unsettled: z.array(jsonName),
    warnings: z.array(z.string()).describe('rules or repository files that could not be read'),
  }),
);

export const sides = named(
  'Sides',
  'Where two changed the same: what they started from, and what each made of it.',
  z.strictObject({
    base: entry.nullable(),
    ours: entry.nullable().describe('as it is now'),
    theirs: entry.nullable().describe('as the act would have it'),
    text: jsonName
      .nullable()
      .describe('the lines that do not merge, of all three, between markers; null where they are no text'),
    cut: z.boolean().describe('`text` is only the start'),
  }),
);

export const plan = named(
  'ChangeSet',
  'What an act does, path by path. With a conflict or a refused path it does nothing at all.',
  z.strictObject({
    paths: z.array(
      z.strictObject({
        path: jsonName,
        operation,
        before: entry.nullable().describe('as it is now'),
        after: entry.nullable().describe('as it will be'),
        merged: z.boolean().describe('the result holds changes of both sides'),
      }),
    ),
    kept: z.array(z.strictObject({ path: jsonName, why: z.string() })).describe('left as they are, and why'),
    conflicts: z
      .array(z.strictObject({ path: jsonName, why: z.string(), sides: sides.nullable() }))
      .describe('hold something that would be lost'),
    refused: z.array(z.strictObject({ path: jsonName, why: z.string() })).describe('cannot be saved first'),
  }),
);

const act = {
  outcome: z
    .enum(['done', 'nothing', 'ready', 'conflict', 'refused'])
    .describe('`nothing`: there was nothing to do; the last three only for a dry run: what would come of it'),
  dryRun: z.boolean(),
  description: z.string().describe('what the act says of itself'),
  plan,
  fingerprint: z.string().describe('names this plan; given back as `expected`, only this plan is carried out'),
  heads: z
    .array(
      z.strictObject({
        path: jsonName,
        before: headPosition,
        after: headPosition,
        index: z.enum(['rebuilt', 'put-back', 'left']).describe('`rebuilt`: as the commit has it'),
        unreachable: z
          .array(z.strictObject({ commit: z.string(), subject: z.string() }))
          .describe('commits that no branch leads to afterwards, newest first, 20 at most; the store keeps them all'),
        unreachableCount: count,
      }),
    )
    .describe('repositories whose branch, HEAD and index move as well, where that was asked for'),
  headMoved: z
    .array(z.strictObject({ path: jsonName, before: root, now: root }))
    .describe('repositories whose branch or commit is another one now; only files are restored'),
  repositoriesGone: z
    .array(jsonName)
    .describe('repositories of the checkpoint whose .git is not there; it does not come back'),
  capture: capture.describe('the folder as the act found it'),
  before: checkpointBrief.nullable().describe('the state before; null for a dry run'),
  checkpoint: checkpointBrief
    .nullable()
    .describe('the state after; null where nothing was done (undo and redo are on record even then)'),
  keptFiles: z
    .array(z.strictObject({ path: jsonName, backup: jsonName }))
    .describe('bytes that someone wrote into a replaced file at the very moment, and where they lie'),
};

export const restored = z.strictObject({
  ...act,
  target: checkpointBrief,
  parties: z
    .strictObject({
      agents: z.array(z.string()),
      outside: z.array(jsonName).describe('what others changed, and would go'),
    })
    .nullable()
    .describe('set where both agents and others changed paths since the target, and no mode was given: a conflict'),
});

export const rolledBack = z.strictObject({
  ...act,
  results: z
    .array(
      z.strictObject({
        path: jsonName.describe('where it lies afterwards'),
        result: z.enum(['restored', 'merged', 'skipped', 'conflict']),
        why: z.string().nullable(),
        changes: z.array(changeId).describe('the chosen changes that it is about'),
        sides: sides.nullable().describe('for a conflict'),
      }),
    )
    .describe('what became of each path, or would become'),
  skipped: z
    .array(z.strictObject({ id: changeId, path: jsonName, why: z.string() }))
    .describe('changes that fit, and are left alone'),
  openCalls: z
    .array(
      z.strictObject({
        call: z.string(),
        session: z.string(),
        agent: z.string(),
        tool: z.string(),
        summary: z.string(),
      }),
    )
    .describe('calls that may write the same files just now: without `force`, it is refused'),
  hunks: z
    .array(
      z.strictObject({
        id: hunkId,
        before: z.array(count).length(2).describe('first line and number of lines'),
        after: z.array(count).length(2).describe('first line and number of lines'),
        text: jsonName.describe('lines with ` `, `-` or `+` before them'),
        cut: z.boolean().describe('`text` is only the start'),
      }),
    )
    .describe('of the chosen changes, where single ones were chosen'),
});

export const inverted = z.strictObject({ ...act, undoes: checkpointId.nullable() });

/** An error as callers see it: docs/reference/errors.md has the codes. */
export const problem = named(
  'Problem',
  'What went wrong, where, and what to do; see [errors](errors.md).',
  z.strictObject({
    code: z.string(),
    message: z.string(),
    data: z.unknown(),
    hint: z.string(),
    details: z.array(z.unknown()).optional().describe('what is wrong with each file, where it is about several'),
  }),
);

export const kept = z.strictObject({ path: jsonName, backup: jsonName });

/** An agent's settings and hooks, as the command line finds them; the engine knows no agents. */
export const hookedAgent = named(
  'HookedAgent',
  'An agent whose settings hold hooks of Savepoint, and whether they fire.',
  z.strictObject({
    agent: z.string(),
    title: z.string(),
    present: z.boolean().describe('its program or its folder was found'),
    installed: z.array(
      z.strictObject({
        place: z.string().describe('`project` or `user`'),
        path: z.string(),
        state: z.string().describe('`hooked`, `partly` or `unreadable`'),
        problem: z.string().nullable(),
      }),
    ),
    lastEvent: z.strictObject({ time, event: z.string(), folder: z.string() }).nullable(),
    lastFailure: z.strictObject({ time, event: z.string(), message: z.string() }).nullable(),
    uncovered: z
      .array(z.strictObject({ time, path: z.string(), why: z.string() }))
      .describe('paths that it wrote and that no checkpoint has'),
    notes: z.array(z.string()).describe('what the person must do besides'),
  }),
);
