/** The closed list of error codes. Front ends map `exit` to the exit status of the process. */
import type { CodeDescription, FieldSpec, FieldsOf } from './error-data.ts';
import { PROPOSAL_ERRORS } from './proposal-errors.ts';

/** The details of each file of an edit. */
const EDIT_DETAILS = {
  file_path: 'JsonName',
  code: 'string',
  message: 'string',
  edit_status: 'EditStatus[]',
} as const satisfies FieldSpec;

/** Every error code with its exit status, when it occurs and what to do. */
export const ERROR_CODES = {
  USAGE: {
    exit: 2,
    when: 'The call is invalid: an unknown command or option, a missing or malformed argument.',
    data: {
      'argument?': 'string',
      'issues?': [{ 'argument?': 'string', 'why?': 'string', 'at?': 'string', 'message?': 'string' }],
    },
    details: EDIT_DETAILS,
    note:
      '`issues` in arguments (`argument`, `why`) or in a request (`at`, `message`); `details`: what else is wrong with ' +
      'an edit request, in the files whose edits are valid',
    hint: 'Run `savepoint help` for the list of commands, or `savepoint help <command>` for the options of one.',
  },
  BAD_CONFIG: {
    exit: 2,
    when: 'A configuration file cannot be read, or has a setting that is not allowed there.',
    data: { file: 'JsonName', problems: [{ file: 'JsonName', key: 'string | null', message: 'string' }] },
    hint: 'Nothing was changed. Fix or remove the file; `savepoint config` shows the current settings.',
  },
  TURNED_OFF: {
    exit: 1,
    when: 'The configuration turns the requested function off.',
    data: { option: 'string', file: 'JsonName | null' },
    hint: '`savepoint config` shows the current settings and where each comes from.',
  },
  BAD_ID: {
    exit: 1,
    when: 'An argument is not a valid reference to a checkpoint.',
    data: { given: 'string' },
    hint:
      'Use cp_12, last, last~2, @prompt (before the last prompt), @session (start of the last session), a commit id ' +
      '(at least 4 digits), @{10 minutes ago}, message:ID or before:ID (ID: a message of an agent).',
  },
  UNKNOWN_CHECKPOINT: {
    exit: 1,
    when: 'The workspace has no such checkpoint.',
    data: { given: 'string' },
    hint: 'Run `savepoint list` to list the checkpoints.',
  },
  NO_MESSAGE: {
    exit: 1,
    when: 'No checkpoint belongs to this message of the conversation.',
    data: { message: 'string', nearest: [{ message: 'string', checkpoint: 'CheckpointId' }, 'null'] },
    hint: 'Run `savepoint list` to list the checkpoints.',
  },
  UNKNOWN_CHANGE: {
    exit: 1,
    when: 'The timeline has no change with this id, or the change has no such hunk.',
    data: { given: 'string', 'known?': 'string[]', 'closest?': 'string | null' },
    note: '`known`: at most ten changes of the checkpoint; `closest`: the id that was probably meant',
    hint: 'Run `savepoint show CP` to list the changes of a checkpoint.',
  },
  AMBIGUOUS_ID: {
    exit: 1,
    when: 'The beginning of an id matches several checkpoints, sessions, calls, sub-agents or messages.',
    data: { given: 'string', candidates: 'string[]' },
    hint: 'Type more of the id. For a checkpoint, you can also use the cp_ number.',
  },
  UNKNOWN_SESSION: {
    exit: 1,
    when: 'The workspace has no checkpoint of this session.',
    data: { session: 'string', 'known?': 'string[]', 'closest?': 'string | null' },
    note: '`known`: at most ten sessions, newest first; `closest`: the one that was probably meant',
    hint: 'Run `savepoint sessions` to list the sessions.',
  },
  ...PROPOSAL_ERRORS,
  UNKNOWN_AGENT: {
    exit: 1,
    when: 'No change in this workspace is recorded for this agent.',
    data: { given: 'string', known: 'string[]', closest: 'string | null' },
    note: '`known`: at most ten agents, newest first; `closest`: the one that was probably meant',
    hint: 'Run `savepoint sessions` to list the sessions with their agents.',
  },
  UNKNOWN_CALL: {
    exit: 1,
    when: 'No change in this workspace, or in the given session, is recorded for this tool call.',
    data: { given: 'string', known: 'string[]', closest: 'string | null' },
    note: '`known`: at most ten calls, newest first; `closest`: the one that was probably meant',
    hint: 'Run `savepoint show CP` to list the changes of a checkpoint with their calls.',
  },
  NO_CHECKPOINT: {
    exit: 1,
    when: 'The workspace has no checkpoint yet.',
    data: { 'workspace?': 'string' },
    hint: 'Run `savepoint checkpoint` to take one.',
  },
  NO_WORKSPACE: {
    exit: 1,
    when: 'Neither this folder nor an enclosing one has a store, and the command does not create one.',
    data: { folder: 'JsonName', 'exists?': 'boolean' },
    hint: 'Run `savepoint checkpoint` to take the first checkpoint. `savepoint workspaces` lists all workspaces.',
  },
  ROOT_REFUSED: {
    exit: 1,
    when:
      'The folder cannot be a workspace: it is the file system root, a home folder, or contains the store, or it ' +
      'cannot be linked to the given timeline.',
    data: {
      folder: 'JsonName',
      why: '"filesystem-root" | "home" | "holds-store" | "in-store" | "not-a-folder" | "has-store" | "in-use"',
      'workspace?': 'string',
    },
    hint: 'Change to the project folder, or pass it with -C.',
  },
  STORE_UNSAFE: {
    exit: 1,
    when: 'The store can be read or written by other users, belongs to another user, or is a link.',
    data: { path: 'JsonName', 'mode?': 'string', 'owner?': 'number' },
    hint: 'Make the folder private (chmod 700), or set SAVEPOINT_HOME to another folder.',
  },
  STORE_TOO_NEW: {
    exit: 1,
    when: 'The store has a newer format than this version supports.',
    data: { found: 'number', known: 'number', 'path?': 'JsonName' },
    hint: 'Update Savepoint. Nothing was read or changed.',
  },
  STORE_DAMAGED: {
    exit: 1,
    when: 'A file or object in the store is missing or does not match its checksum.',
    data: { 'object?': 'string', 'file?': 'JsonName', 'checkpoints?': 'string[]' },
    hint: '`savepoint verify --deep` lists the affected checkpoints; all others can still be restored.',
  },
  LOCKED: {
    exit: 1,
    when: 'Another process holds the lock of a workspace, of the home or of an export, and did not release it in time.',
    data: { pid: 'number', state: 'string', waitedMs: 'number' },
    hint: 'Wait for the process, or end it; the next command then recovers its unfinished work.',
  },
  LOCK_LOST: {
    exit: 1,
    when: 'This process was suspended for so long that another process took its lock. It has written nothing since.',
    data: {},
    hint: 'Run the command again.',
  },
  PATH_REFUSED: {
    exit: 1,
    when:
      'A path is outside the workspace, goes through a link, is inside .git, or cannot be stored or backed up; or it is ' +
      'not what the command needs, for example not a captured text file.',
    data: { path: 'JsonName', why: 'string', 'paths?': [{ path: 'JsonName', why: 'string' }] },
    hint: 'Nothing was changed. Leave the path out, or move the file that is in the way.',
  },
  FROZEN: {
    exit: 1,
    when: 'The operation, or the call of an agent, would change a frozen path.',
    data: { paths: 'JsonName[]', frozen: 'JsonName[]' },
    hint: 'Nothing was changed. Agents may not change frozen paths. Only the user may unfreeze them, or use --force.',
  },
  NAME_COLLISION: {
    exit: 1,
    when: 'Two names in the checkpoint are the same name on this file system (letter case, normalisation).',
    data: { names: 'JsonName[][]' },
    hint: 'Nothing was changed. Restore the paths one at a time, or on a file system that distinguishes the names.',
  },
  CONFLICT: {
    exit: 3,
    when: 'The operation would lose content of files, or cannot be merged with it.',
    data: {
      paths: [
        {
          path: 'JsonName',
          why: 'string',
          'base?': 'Entry | null',
          'ours?': 'Entry | null',
          'theirs?': 'Entry | null',
          'text?': 'JsonName | null',
          'backup?': 'JsonName',
        },
      ],
    },
    details: EDIT_DETAILS,
    note:
      '`base`, `ours`, `theirs`: the common state, the current state, and the state that the operation would ' +
      'produce; `text`: the conflicting lines; `backup`: data that another program wrote to the file while it was ' +
      'being replaced',
    hint: 'Nothing was changed. Take a checkpoint and restore single paths, or move the listed files aside.',
  },
  GIT_REFUSED: {
    exit: 1,
    when:
      'Branch, HEAD and index cannot be restored: an operation (rebase, …) is in progress, git is running or missing, ' +
      'the branch is checked out elsewhere, a commit is missing, or the folder has no clone of a bundled repository. Or a ' +
      'repository cannot become the worktree of a fork.',
    data: { repositories: [{ path: 'JsonName', why: 'string' }] },
    hint: 'Nothing was changed. Fix the listed problems, or restore without --git to restore files only.',
  },
  CONVERSATION_REFUSED: {
    exit: 1,
    when:
      'The conversation of an agent cannot go back to the checkpoint: its agent or its transcript is not known, or the ' +
      'place is not found in it.',
    data: { agent: 'string | null', session: 'string | null', why: 'string' },
    hint: 'The conversation was not changed. The files can be restored without it.',
  },
  CALL_OPEN: {
    exit: 1,
    when: 'An open tool call of an agent may write the same files.',
    data: { calls: [{ call: 'string', session: 'string', agent: 'string', tool: 'string', summary: 'string' }] },
    hint: 'Nothing was changed. Wait until the call ends, or repeat with --force.',
  },
  EDITS_REFUSED: {
    exit: 1,
    when: 'Some edits of a request cannot be applied. The error lists all of them.',
    data: {},
    details: EDIT_DETAILS,
    hint: 'Nothing was changed. Fix the edits of every listed file, and send the complete request again.',
  },
  NEEDS_CONFIRMATION: {
    exit: 1,
    when: 'The command needs confirmation by a person, but there is no terminal, or an agent runs it in its shell.',
    data: { verb: 'string' },
    hint: 'Preview with --dry-run, then repeat with --yes.',
  },
  NOTHING_TO_UNDO: {
    exit: 1,
    when: 'There is no operation left to undo.',
    data: {},
    hint: 'To go back to a checkpoint, use `savepoint list` and `savepoint restore CP`.',
  },
  NOTHING_TO_REDO: {
    exit: 1,
    when: 'There is no undo left to redo, or another operation followed it.',
    data: {},
    hint: 'To go back to a checkpoint, use `savepoint list` and `savepoint restore CP`.',
  },
  CAPTURE_FAILED: {
    exit: 1,
    when: 'The workspace, or all of its roots, could not be captured, so no checkpoint was taken.',
    data: { path: 'JsonName', code: 'string', 'roots?': [{ path: 'JsonName', code: 'string' }] },
    hint: 'Nothing was changed. Fix the cause and retry.',
  },
  NO_SPACE: {
    exit: 1,
    when: 'The disk is full or a quota is reached.',
    data: { path: 'JsonName', code: 'string', 'needed?': 'number', 'free?': 'number' },
    note: '`needed` and `free` in bytes',
    hint: 'Free some space on the disk of this path and retry. If the store is on it, `savepoint gc` drops old checkpoints.',
  },
  STORE_FULL: {
    exit: 1,
    when:
      'The store exceeds the configured size even after clean-up, or a single checkpoint would exceed it. No new ' +
      'checkpoint is stored.',
    data: { bytes: 'number', limit: 'number', pinned: 'number' },
    hint:
      'Nothing was changed. Raise max_store_mb in your config.json, unpin checkpoints, cancel plans, or exclude large ' +
      'files (exclude).',
  },
  CHECKPOINT_NEEDED: {
    exit: 1,
    when: 'A checkpoint must stay: it is the newest or pinned, or a remaining operation or a copy depends on it.',
    data: { checkpoints: [{ id: 'string', why: 'string' }] },
    hint: 'Nothing was dropped. Name the later checkpoints as well, or use --pinned to drop pinned ones.',
  },
  PURGE_INCOMPLETE: {
    exit: 1,
    when: 'After a purge, purged content was still found in the store, or damaged objects that `repair` moved aside.',
    data: { left: [{ where: 'JsonName', what: 'string' }] },
    hint:
      'No checkpoint has the content any more. Run the purge again. Listed files that are not part of Savepoint, ' +
      'and what `repair` moved aside (below `damaged`), can be deleted by hand.',
  },
  BUNDLE_REFUSED: {
    exit: 1,
    when: 'The file is not a bundle, is damaged, is too large, or holds content that no checkpoint can hold.',
    data: { why: 'string', 'object?': 'string', 'checkpoint?': 'string', 'path?': 'JsonName', 'offset?': 'number' },
    note: '`offset` in bytes from the start of the file',
    hint: 'Nothing was changed. Get the bundle from its source again, and do not trust it if you do not know the source.',
  },
  BUNDLE_INCOMPLETE: {
    exit: 1,
    when: 'The bundle continues checkpoints that this workspace does not have, or needs content that it no longer has.',
    data: {
      'needs?': 'string',
      'newest?': 'string | null',
      'object?': 'string',
      'checkpoint?': 'string',
      'path?': 'JsonName',
    },
    hint: 'Nothing was changed. Restore the preceding bundles first, or create a bundle without --since.',
  },
  BUNDLE_DIVERGED: {
    exit: 3,
    when: 'The folder has checkpoints or files that the bundle does not have: the two timelines have diverged.',
    data: { checkpoint: 'string | null', 'paths?': 'JsonName[]' },
    hint: 'Nothing was changed. Restore the bundle to an empty folder, after the bundles that it continues.',
  },
  BUNDLE_EMPTY: {
    exit: 1,
    when: 'No checkpoint matches the request, so the bundle would be empty.',
    data: { since: 'string | null', session: 'string | null' },
    hint: 'Nothing was written. See `savepoint list --all`.',
  },
  BUNDLE_STORE: {
    exit: 1,
    when: 'The folder or bucket for bundles cannot be reached, refuses access, or holds other data.',
    data: { place: 'string', status: 'number | string', 'path?': 'JsonName', 'why?': '"credentials"' },
    note:
      "`status`: the HTTP status (0 without a response), or the system's error code; `why`: the credentials are missing " +
      'or were refused, and this process does not retry',
    hint: 'Nothing was lost: the next export retries. `savepoint config` shows where bundles go.',
  },
  IO: {
    exit: 1,
    when: 'A call to the file system failed.',
    data: { 'path?': 'JsonName', operation: 'string', code: 'string' },
    hint: 'Nothing was changed. Fix the cause and retry.',
  },
  CANCELLED: {
    exit: 1,
    when: 'The caller cancelled before the commit point.',
    data: {},
    hint: 'Nothing was changed.',
  },
  PENDING: {
    exit: 4,
    when:
      'An operation was interrupted. To finish it or roll it back, Savepoint needs a decision, or its cause must be ' +
      'fixed.',
    data: {
      transaction: 'string',
      why: 'string',
      'paths?': [{ path: 'JsonName', state: 'string', 'backup?': 'JsonName' }],
      'roots?': 'JsonName[]',
      'cause?': 'Failure',
    },
    note: '`cause`: the error that could not be rolled back, as JSON; `roots`: the roots that must be mounted again',
    hint: 'Run `savepoint recover`: `--forward` finishes the operation, `--back` rolls it back.',
  },
  SANDBOX_UNFIT: {
    exit: 1,
    when: 'The sandbox has no Node.js, or a version that is too old.',
    data: { sandbox: 'string', found: 'string | null', wanted: 'string' },
    hint: 'Nothing was changed in the sandbox. Install Node.js 20.19 or newer there, or set its path (`node`).',
  },
  SANDBOX_LOST: {
    exit: 1,
    when: 'The sandbox cannot be reached, or the connection to it was lost before it answered.',
    data: { sandbox: 'string', began: 'boolean', detail: 'string' },
    note: 'if `began` is false, nothing was changed there',
    hint: 'If the command had started, its result is unknown: check with `status` and `list`, then retry.',
  },
  SANDBOX_ANSWER: {
    exit: 1,
    when: 'The answer of a sandbox is invalid: wrong format, too long, or empty.',
    data: { sandbox: 'string', why: 'string' },
    hint: 'The answer was discarded. The sandbox is broken or not trustworthy.',
  },
  INTERNAL: {
    exit: 1,
    when: 'An internal error of Savepoint.',
    data: { 'message?': 'string' },
    hint: 'This is a bug in Savepoint. Please report it with the command that caused it.',
  },
} as const satisfies Record<string, CodeDescription>;

/** A code of the closed list `ERROR_CODES`. A code never changes its meaning. */
export type ErrorCode = keyof typeof ERROR_CODES;

type Codes = typeof ERROR_CODES;
type Details<Code extends ErrorCode> = Codes[Code] extends { readonly details: infer Spec }
  ? { readonly details?: readonly FieldsOf<Spec>[] }
  : unknown;

/** The type of `data` for an error with this code; for several codes, a union. */
export type ErrorData<Code extends ErrorCode = ErrorCode> = {
  [Each in Code]: FieldsOf<Codes[Each]['data']> & Details<Each>;
}[Code];

export interface SavepointErrorOptions {
  readonly hint?: string;
  readonly cause?: unknown;
}

/** An error as JSON. `details` is next to `data`, where callers of tools expect it. */
export interface ErrorJson {
  code: ErrorCode;
  message: string;
  data: unknown;
  hint: string;
  details?: unknown[];
}

interface ErrorOfCode<Code extends ErrorCode> extends Error {
  readonly name: 'SavepointError';
  readonly code: Code;
  readonly data: ErrorData<Code>;
  readonly hint: string;
  readonly exit: 1 | 2 | 3 | 4;
  toJSON(): ErrorJson;
}

/** Every error that reaches a caller. `message` says what failed and where; `hint` says what to do. */
export type SavepointError<Code extends ErrorCode = ErrorCode> = { [Each in Code]: ErrorOfCode<Each> }[Code];

/** `data` is optional if none of its fields is required. */
type ErrorArguments<Code extends ErrorCode> =
  Record<never, never> extends ErrorData<Code>
    ? [data?: ErrorData<Code>, more?: SavepointErrorOptions]
    : [data: ErrorData<Code>, more?: SavepointErrorOptions];

/** After `instanceof`, the error is a union over the codes, so that checking `code` narrows the type of `data`. */
interface SavepointErrorClass {
  new <Code extends ErrorCode>(code: Code, message: string, ...rest: ErrorArguments<Code>): SavepointError<Code>;
  readonly prototype: SavepointError;
}

// A class cannot express a union over the codes, so the type is cast.
export const SavepointError = class SavepointError extends Error {
  override readonly name = 'SavepointError';
  readonly hint: string;

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly data: ErrorData = {},
    { hint, cause }: SavepointErrorOptions = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint ?? ERROR_CODES[code].hint;
  }

  get exit(): 1 | 2 | 3 | 4 {
    return ERROR_CODES[this.code].exit;
  }

  toJSON(): ErrorJson {
    const { details, ...data } = { details: undefined, ...this.data };
    const json = { code: this.code, message: this.message, data, hint: this.hint };
    return Array.isArray(details) ? { ...json, details } : json;
  }
} as SavepointErrorClass;
