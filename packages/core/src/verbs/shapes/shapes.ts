/** The input and output schemas of verbs. All values are JSON; objects are strict, so unknown fields are errors. */

import * as z from 'zod';
import { EVIDENCE, TRIGGERS } from '../../model/checkpoint.ts';
import { SKIP_REASONS } from '../../model/entries.ts';
import { actor, authorship } from './author-shape.ts';
import { conflictFields } from './conflict-fields.ts';
import { hookedAgent } from './hooked-agent.ts';
import { changeId, checkpointId, checkpointName, hunkId, jsonName, named, objectId } from './names.ts';
import { filesOutcome, openCalls } from './operation-fields.ts';
import { previewDetail } from './preview-detail.ts';

export { dependencies } from './dependencies.ts';
export {
  actor,
  authorship,
  changeId,
  checkpointId,
  checkpointName,
  conflictFields,
  hookedAgent,
  hunkId,
  jsonName,
  named,
  objectId,
  z,
};

const count = z.int().min(0);
const nullableCount = count.nullable();

/** Of selected changes. */
export const authorScope = z
  .enum(['own', 'all'])
  .describe(
    '`own`: only changes of the session that makes this call; without a session, what the same program did ' +
      'outside of sessions. Default `all`',
  );

const time = z.iso.datetime().describe('UTC, ISO 8601; for display only, not for ordering');
const permissions = z.string().regex(/^[0-7]{4}$/);

export const entry = named(
  'Entry',
  'A file, link or folder. `mode`: four octal digits. `id`: the blob with the content, or with the target of the link.',
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('file'), mode: permissions, id: objectId }),
    z.strictObject({ kind: z.literal('link'), id: objectId }),
    z.strictObject({ kind: z.literal('folder'), mode: permissions }),
  ]),
);

const operation = z
  .enum(['create', 'write', 'patch', 'delete', 'rename', 'mode', 'kind'])
  .describe('`mode`: only permissions changed; `kind`: for example, a file was replaced by a folder or link');

const changeFields = {
  path: jsonName,
  operation,
  from: jsonName.nullable().describe('for a rename: the old path; `before` is the entry that was there'),
  before: entry.nullable(),
  beforeUncaptured: z
    .enum(SKIP_REASONS)
    .nullable()
    .describe('why the state before was not captured; `before` is then null although something was there'),
  after: entry.nullable(),
  afterUncaptured: z
    .enum(SKIP_REASONS)
    .nullable()
    .describe('the same for the state after. If neither was captured, its size or its modification time changed'),
  added: nullableCount.describe('lines; null if not counted (binary, very long, or not a file)'),
  removed: nullableCount,
  lines: z
    .array(z.int().min(1))
    .length(2)
    .nullable()
    .describe('first and last changed line, in the text after; null if no such line is left or lines were not counted'),
  beforeSize: nullableCount.describe('bytes; null for a folder, and if nothing was there'),
  afterSize: nullableCount,
};

export const change = named('Change', 'The change of one path between two states.', z.strictObject(changeFields));

export const notHappened = z
  .strictObject({
    before: checkpointId.describe('the checkpoint that was taken before it'),
    operation: z.enum(TRIGGERS),
    target: checkpointId.nullable().describe('for `restore`: the checkpoint that was to be restored'),
  })
  .nullable()
  .describe('the last operation, if it did not happen: it was killed or refused. Run it again if it is still wanted');

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
  'The state of a root at the time of a checkpoint: a repository, or the workspace folder if that is not a repository.',
  z.strictObject({
    path: jsonName,
    kind: z.enum(['repository', 'folder']),
    branch: jsonName.nullable().describe('null if detached or not a repository'),
    commit: z.string().nullable().describe('the commit of HEAD; null if unborn, unknown or not a repository'),
    operation: z.string().nullable().describe('a rebase, merge, … in progress'),
    mount: z.boolean().describe('another file system is mounted here'),
    failed: z
      .string()
      .nullable()
      .describe('why it could not be captured, which makes the checkpoint partial; null if it was captured'),
  }),
);

export const rootChange = named(
  'RootChange',
  'The change of a root between two states.',
  z.strictObject({
    path: jsonName,
    what: z.enum(['appeared', 'vanished', 'moved']).describe('`moved`: it is on another branch or commit'),
    before: root.nullable(),
    after: root.nullable(),
  }),
);

const headPosition = z
  .strictObject({ branch: jsonName.nullable(), commit: z.string().nullable() })
  .describe('`branch` is null if detached, `commit` if the branch has no commit yet');

export const counts = named(
  'Counts',
  'The size of a checkpoint.',
  z.strictObject({
    files: count,
    links: count,
    folders: count,
    bytes: count,
    skipped: count.describe('paths that were not captured, for any reason'),
  }),
);

export const recordedChange = named(
  'RecordedChange',
  'A change on the timeline, with its possible authors.',
  z.strictObject({
    id: changeId,
    ...changeFields,
    ...authorship,
    evidence: z.enum(EVIDENCE).nullable().describe('what names the author; null in checkpoints of early versions'),
  }),
);

const conversation = z.strictObject({
  messages: nullableCount.describe('null if the agent does not report it'),
  messageId: z.string().nullable().describe("the agent's id of the message that the state belongs to"),
  lastUser: z.string().nullable(),
  lastAssistant: z.string().nullable(),
  model: z.string().nullable(),
  contextSize: nullableCount.describe('tokens'),
});

const briefFields = {
  id: checkpointId,
  number: z.int().min(1),
  commit: objectId.describe('the commit in the store that holds the checkpoint'),
  previous: checkpointId.nullable(),
  time,
  trigger: z.enum(TRIGGERS),
  actor,
  by: z.array(actor).describe('possible authors of its changes; the actor, for an operation or without changes'),
  description: z.string(),
  session: z.string().nullable(),
  conversation: conversation.nullable().describe('the state of the conversation at that time'),
  testResult: z.enum(['pass', 'fail']).nullable(),
  target: checkpointId
    .nullable()
    .describe('for a restore: the checkpoint that was restored; for a rollback of lines: what they went back to'),
  undoes: checkpointId.nullable().describe('for undo and redo: the operation that was reverted'),
  toolCall: z.string().nullable().describe("the agent's id of the call that led to the checkpoint"),
  tool: z
    .strictObject({
      name: z.string().describe('the name that the agent uses'),
      kind: z.enum(['write', 'edit', 'shell', 'other']),
      summary: z.string().describe('a command line or a file name, shortened'),
      args: z.string().nullable().describe('the arguments as JSON, shortened'),
      took: nullableCount.describe('duration of the call in milliseconds, if known'),
    })
    .nullable(),
  late: z.boolean().describe('taken only after the call had already started'),
  rolledBack: z
    .array(z.union([changeId, hunkId]))
    .describe('for a rollback: the changes and hunks that it rolled back'),
  rolledBackInPart: z
    .array(changeId)
    .describe('for a rollback of lines: the changes of which only some lines were rolled back'),
  roots: z.array(root),
  rules: z
    .strictObject({
      maxFileBytes: count,
      maxIgnoredBytes: count,
      include: z.array(z.string()).describe('patterns of paths to capture even if they are ignored'),
      exclude: z.array(z.string()).describe('patterns of paths not to capture'),
    })
    .describe('the capture rules in effect'),
  counts,
  partial: z.array(gap).describe('paths that could not be read; if there are any, the checkpoint is partial'),
  unsettled: z.array(jsonName).describe('files that kept changing while they were read'),
  incomplete: z.boolean().describe('a damaged folder of `previous` could not be compared: its changes are not listed'),
  totals: totals.describe('since `previous`'),
};

export const checkpointBrief = named(
  'CheckpointBrief',
  'A checkpoint without its list of changes.',
  z.strictObject(briefFields),
);

export const checkpoint = named(
  'Checkpoint',
  'A snapshot with its record and its changes.',
  z.strictObject({
    ...briefFields,
    changes: z
      .array(recordedChange)
      .nullable()
      .describe('since `previous`; null for the first checkpoint, and if there are too many changes to list'),
  }),
);

export const patch = named(
  'Patch',
  "A patch in git's format.",
  z.strictObject({
    text: jsonName.describe('the patch: text, or base64 if it is not valid UTF-8'),
    gaps: z
      .array(z.strictObject({ path: jsonName, why: z.enum(['binary', 'too-long', 'cut', 'left-out', 'damaged']) }))
      .describe('changes that are incomplete in the patch; `git apply` then refuses it'),
  }),
);

export const capture = named(
  'Capture',
  'The result of a scan of the workspace.',
  z.strictObject({
    counts,
    partial: z.array(gap).describe('paths that could not be read'),
    leftOut: z
      .array(gap)
      .describe('paths that are not ignored but were not captured: too large, special file, mount point, invalid name'),
    unsettled: z.array(jsonName),
    warnings: z.array(z.string()).describe('rules or repository files that could not be read'),
  }),
);

export const sides = named(
  'Sides',
  'The three sides of a merge.',
  z.strictObject({
    base: entry.nullable().describe('the common state'),
    ours: entry.nullable().describe('the current state'),
    theirs: entry.nullable().describe('the state that the operation would produce'),
    text: jsonName
      .nullable()
      .describe('the conflicting lines of all three sides, with conflict markers; null if they are not text'),
    cut: z.boolean().describe('`text` is only the start'),
  }),
);

export const plan = named(
  'ChangeSet',
  'What an operation does, path by path. If any path is in conflict or refused, nothing is changed.',
  z.strictObject({
    paths: z.array(
      z.strictObject({
        path: jsonName,
        operation,
        before: entry.nullable().describe('the current state'),
        after: entry.nullable().describe('the state after the operation'),
        merged: z.boolean().describe('the result combines changes of both sides'),
      }),
    ),
    kept: z.array(z.strictObject({ path: jsonName, why: z.string() })).describe('paths left unchanged, and why'),
    conflicts: z
      .array(z.strictObject({ path: jsonName, why: z.string(), sides: sides.nullable() }))
      .describe('paths with content that would be lost'),
    refused: z
      .array(z.strictObject({ path: jsonName, why: z.string() }))
      .describe('paths whose current content cannot be backed up'),
    notes: z
      .array(z.strictObject({ path: jsonName, note: z.string() }))
      .describe('what else to know about a path, for example that it keeps hooks of Savepoint'),
  }),
);

const operationFields = {
  outcome: z
    .enum(['done', 'nothing', 'ready', 'conflict', 'refused'])
    .describe(
      '`nothing`: there was nothing to do. Only for a dry run, as the expected outcome: `ready`, `conflict`, `refused`',
    ),
  dryRun: z.boolean(),
  description: z.string().describe('the description of the operation, as in the list of checkpoints'),
  plan,
  fingerprint: z.string().describe('identifies this plan; pass it as `expected` to carry out this plan or fail'),
  detail: previewDetail(patch).nullable().describe('null: not requested, or not a dry run'),
  heads: z
    .array(
      z.strictObject({
        path: jsonName,
        before: headPosition,
        after: headPosition,
        index: z
          .enum(['rebuilt', 'put-back', 'left'])
          .describe('`rebuilt`: from the commit; `put-back`: restored exactly; `left`: not changed'),
        unreachable: z
          .array(z.strictObject({ commit: z.string(), subject: z.string() }))
          .describe('commits that become unreachable, newest first, at most 20; the store keeps all of them'),
        unreachableCount: count,
      }),
    )
    .describe('repositories whose branch, HEAD and index are restored as well, if requested'),
  headMoved: z
    .array(z.strictObject({ path: jsonName, before: root, now: root }))
    .describe('repositories that are on another branch or commit now; only files are restored'),
  repositoriesGone: z
    .array(jsonName)
    .describe('repositories of the checkpoint whose .git no longer exists; it is not restored'),
  capture: capture.describe('the scan before the operation'),
  before: checkpointBrief.nullable().describe('the checkpoint before the operation; null for a dry run'),
  checkpoint: checkpointBrief
    .nullable()
    .describe('the checkpoint after it; null if nothing was done (undo and redo are recorded even then)'),
  keptFiles: z
    .array(z.strictObject({ path: jsonName, backup: jsonName }))
    .describe('files that another program wrote to while they were replaced, and their backups'),
};

export const restored = z.strictObject({
  ...operationFields,
  target: checkpointBrief,
  notHappened,
  parties: z
    .strictObject({
      agents: z.array(z.string()).describe('empty if it is not recorded who changed the paths'),
      outside: z
        .array(jsonName)
        .describe('paths that others changed, or may have changed; these changes would be lost'),
    })
    .nullable()
    .describe(
      'set if both agents and others changed paths since the target and no mode was given, which is a conflict',
    ),
  alternatives: z
    .array(
      z.strictObject({
        name: checkpointName,
        checkpoint: checkpointBrief,
        files: count.describe('number of these paths that differ from the current files'),
      }),
    )
    .describe('if there was nothing to restore: the start of recent work of agents, where something differs'),
});

export const rolledBack = z.strictObject({
  ...operationFields,
  ...filesOutcome,
  results: z
    .array(
      z.strictObject({
        path: jsonName.describe('the path after the rollback'),
        result: z.enum(['restored', 'merged', 'skipped', 'conflict']),
        why: z.string().nullable(),
        changes: z.array(changeId).describe('the selected changes of this path'),
        sides: sides.nullable().describe('for a conflict'),
      }),
    )
    .describe('the result for each path, or the expected result'),
  skipped: z
    .array(
      z.strictObject({
        id: changeId,
        path: jsonName,
        why: z.string(),
        grade: z
          .enum(['likely', 'open'])
          .nullable()
          .describe('skipped because its author is not sure; null: for another reason'),
      }),
    )
    .describe('changes that match but were skipped'),
  incomplete: z
    .array(
      z.strictObject({
        checkpoint: checkpointId,
        kind: z.enum(['unreadable', 'damaged', 'root']),
        why: z.string(),
      }),
    )
    .describe('checkpoints that may have more matching changes than are known; if any, the rollback is not complete'),
  openCalls: openCalls.describe(
    'open calls that may write the same files; the rollback is refused unless `force` is set',
  ),
  hunks: z
    .array(
      z.strictObject({
        id: hunkId,
        before: z.array(count).length(2).describe('first line and number of lines'),
        after: z.array(count).length(2).describe('first line and number of lines'),
        text: jsonName.describe('lines that start with ` `, `-` or `+`'),
        cut: z.boolean().describe('`text` is only the start'),
      }),
    )
    .describe('the hunks of the selected changes, if single changes were selected'),
});

export const restoredOverClones = z.strictObject(operationFields);

export const inverted = z.strictObject({
  ...operationFields,
  ...filesOutcome,
  undoes: checkpointId.nullable(),
  openCalls: openCalls.describe('open calls of agents, which may write the same files again'),
});

/** An error as JSON. docs/reference/errors.md lists the codes. */
export const problem = named(
  'Problem',
  'An error: what failed, where, and what to do. See [errors](errors.md).',
  z.strictObject({
    code: z.string(),
    message: z.string(),
    data: z.unknown(),
    hint: z.string(),
    details: z.array(z.unknown()).optional().describe('one entry for each file, if several are affected'),
  }),
);

export const kept = z.strictObject({ path: jsonName, backup: jsonName });
