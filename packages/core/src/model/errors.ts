/** The closed list of what can go wrong. Faces map `exit` to a process status; the codes never change meaning. */
import type { FieldsOf, FieldWords } from './error-data.ts';

export interface CodeDescription {
  /** Process status: 1 refused or failed with nothing changed, 2 usage, 3 conflict, 4 pending. */
  readonly exit: 1 | 2 | 3 | 4;
  /** When it happens. */
  readonly when: string;
  /** The fields of `data` and their types, in words that `error-data.ts` reads. */
  readonly data: FieldWords;
  /** What each of several things suffers from, where the error tells it; in JSON it lies beside `data`. */
  readonly details?: FieldWords;
  /** Units, and what the names of the fields do not say. */
  readonly note?: string;
  /** What to do, unless the error carries a better hint. */
  readonly hint: string;
}

/** Of each file of an edit. */
const EDIT_DETAILS = {
  file_path: 'JsonName',
  code: 'string',
  message: 'string',
  edit_status: 'EditStatus[]',
} as const satisfies FieldWords;

/** Every error code with its exit status, when it occurs and what to do. */
export const ERROR_CODES = {
  USAGE: {
    exit: 2,
    when: 'The call itself is wrong: an unknown verb or option, a missing or malformed argument.',
    data: {
      'argument?': 'string',
      'issues?': [{ 'argument?': 'string', 'why?': 'string', 'at?': 'string', 'message?': 'string' }],
    },
    note: '`issues` of arguments (`argument`, `why`) or of a request (`at`, `message`)',
    hint: 'Run `savepoint help` for the verbs and their options.',
  },
  BAD_CONFIG: {
    exit: 2,
    when: 'A configuration file cannot be read, or says something that is not allowed there.',
    data: { file: 'JsonName', problems: [{ file: 'JsonName', key: 'string | null', message: 'string' }] },
    hint: 'Nothing was done. Mend the file, or move it away; `savepoint config` shows what is in force.',
  },
  TURNED_OFF: {
    exit: 1,
    when: 'The configuration turns off what was asked for.',
    data: { option: 'string', file: 'JsonName | null' },
    hint: 'See `savepoint config` for what is in force and where it is said.',
  },
  BAD_ID: {
    exit: 1,
    when: 'What should name a checkpoint has none of the forms that can.',
    data: { given: 'string' },
    hint: 'Name a checkpoint as cp_12, last, last~2, a commit id (at least 4 digits), @{10 minutes ago}, or by an agent’s message: message:ID, before:ID.',
  },
  UNKNOWN_CHECKPOINT: {
    exit: 1,
    when: 'No checkpoint of this workspace has that name.',
    data: { given: 'string' },
    hint: 'Run `savepoint list` to see the checkpoints.',
  },
  NO_MESSAGE: {
    exit: 1,
    when: 'No checkpoint belongs to that message of the conversation.',
    data: { message: 'string', nearest: [{ message: 'string', checkpoint: 'CheckpointId' }, 'null'] },
    hint: 'Go back to the message that `nearest` names, or to a checkpoint: `savepoint list`.',
  },
  UNKNOWN_CHANGE: {
    exit: 1,
    when: 'No change on the timeline has that id, or the change has no such hunk.',
    data: { given: 'string' },
    hint: 'Run `savepoint show CP` to see the changes of a checkpoint.',
  },
  AMBIGUOUS_ID: {
    exit: 1,
    when: 'A commit id prefix fits several checkpoints.',
    data: { given: 'string', candidates: 'string[]' },
    hint: 'Give more digits, or use the cp_ number.',
  },
  UNKNOWN_SESSION: {
    exit: 1,
    when: 'No checkpoint of this workspace is of that session.',
    data: { session: 'string' },
    hint: 'Run `savepoint sessions` to see the sessions.',
  },
  NO_CHECKPOINT: {
    exit: 1,
    when: 'The workspace has no checkpoint yet.',
    data: { 'workspace?': 'string' },
    hint: 'Take one with `savepoint checkpoint`.',
  },
  NO_WORKSPACE: {
    exit: 1,
    when: 'No store belongs to this folder or one above it, and the verb does not make one.',
    data: { folder: 'JsonName', 'exists?': 'boolean' },
    hint: 'Take a first checkpoint with `savepoint checkpoint`, or see `savepoint workspaces`.',
  },
  ROOT_REFUSED: {
    exit: 1,
    when: 'The folder must not be a workspace: the file system root, a home folder, one that holds the store, or one that cannot have the timeline that was asked for.',
    data: {
      folder: 'JsonName',
      why: '"filesystem-root" | "home" | "holds-store" | "in-store" | "not-a-folder" | "has-store" | "in-use"',
      'workspace?': 'string',
    },
    hint: 'Go to the project folder, or give it with -C.',
  },
  STORE_UNSAFE: {
    exit: 1,
    when: 'Others can read or write the store, it belongs to someone else, or it is a link.',
    data: { path: 'JsonName', 'mode?': 'string', 'owner?': 'number' },
    hint: 'Make the folder yours alone (chmod 700), or point SAVEPOINT_HOME elsewhere.',
  },
  STORE_TOO_NEW: {
    exit: 1,
    when: 'The store was written in a format newer than this version knows.',
    data: { found: 'number', known: 'number', 'path?': 'JsonName' },
    hint: 'Update Savepoint. Nothing was read or changed.',
  },
  STORE_DAMAGED: {
    exit: 1,
    when: 'Something in the store is missing or does not match its checksum.',
    data: { 'object?': 'string', 'file?': 'JsonName', 'checkpoints?': 'string[]' },
    hint: 'Run `savepoint verify --deep` to see what is hurt; checkpoints that do not need it still restore.',
  },
  LOCKED: {
    exit: 1,
    when: 'Another process works on this workspace and did not finish within the waiting time.',
    data: { pid: 'number', state: 'string', waitedMs: 'number' },
    hint: 'Wait for it, or end that process; its unfinished work is then settled by the next command.',
  },
  LOCK_LOST: {
    exit: 1,
    when: 'This process was stopped for so long that another one took over; nothing was published after that.',
    data: {},
    hint: 'Run the command again.',
  },
  PATH_REFUSED: {
    exit: 1,
    when: 'A path leaves the workspace, runs through a link, names .git, or has a name that cannot be stored or saved.',
    data: { path: 'JsonName', why: 'string', 'paths?': [{ path: 'JsonName', why: 'string' }] },
    hint: 'Nothing was changed. Leave the path out, or move what is in the way.',
  },
  FROZEN: {
    exit: 1,
    when: 'The act, or the call of an agent, would change a path that is frozen.',
    data: { paths: 'JsonName[]', frozen: 'JsonName[]' },
    hint: 'Nothing was changed. Agents leave frozen paths alone; whoever froze them decides.',
  },
  NAME_COLLISION: {
    exit: 1,
    when: 'Two names of the checkpoint are one name on this file system (letter case, normalisation).',
    data: { names: 'JsonName[][]' },
    hint: 'Nothing was changed. Restore the paths one at a time, or on a file system that tells them apart.',
  },
  CONFLICT: {
    exit: 3,
    when: 'Files hold something that the act would lose, or that cannot be merged with it.',
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
    note: 'where both sides changed a file: what they started from, what is there, what the act would have there, and the lines that do not merge; `backup` has bytes that someone wrote to a file while it had no name',
    hint: 'Nothing was changed. Take a checkpoint and restore chosen paths, or move the named files aside.',
  },
  GIT_REFUSED: {
    exit: 1,
    when: 'Branch, HEAD and index of a repository were to be put back, and cannot be: an operation is in flight, git is at work there, the branch is in use in another worktree, a commit is gone, or git is missing.',
    data: { repositories: [{ path: 'JsonName', why: 'string' }] },
    hint: 'Nothing was changed. Put right what is named, or restore without --git: then only files are.',
  },
  CALL_OPEN: {
    exit: 1,
    when: 'An agent is in the middle of a tool call that writes the same files.',
    data: { calls: [{ call: 'string', session: 'string', agent: 'string', tool: 'string', summary: 'string' }] },
    hint: 'Nothing was changed. Wait until the call ends, or repeat with --force.',
  },
  EDITS_REFUSED: {
    exit: 1,
    when: 'Files of an edit cannot be edited as asked; all that is wrong is told at once.',
    data: {},
    details: EDIT_DETAILS,
    hint: 'Nothing was changed. Mend every file that is named, and send the whole list again.',
  },
  NEEDS_CONFIRMATION: {
    exit: 1,
    when: 'The verb changes files and nobody is there to be asked.',
    data: { verb: 'string' },
    hint: 'Look at --dry-run first, then repeat with --yes.',
  },
  NOTHING_TO_UNDO: {
    exit: 1,
    when: 'No act of Savepoint is left to undo.',
    data: {},
    hint: 'Use `savepoint list` and `savepoint restore CP` to go back to a checkpoint.',
  },
  NOTHING_TO_REDO: {
    exit: 1,
    when: 'No undo is left to redo, or an act came after it.',
    data: {},
    hint: 'Use `savepoint list` and `savepoint restore CP` to go to a checkpoint.',
  },
  CAPTURE_FAILED: {
    exit: 1,
    when: 'The workspace could not be captured, or none of its roots, so no checkpoint was made.',
    data: { path: 'JsonName', code: 'string', 'roots?': [{ path: 'JsonName', code: 'string' }] },
    hint: 'Mend what is named and try again. Nothing was changed.',
  },
  NO_SPACE: {
    exit: 1,
    when: 'The disk is full or a quota is reached.',
    data: { path: 'JsonName', code: 'string', 'needed?': 'number', 'free?': 'number' },
    note: '`needed` and `free` in bytes',
    hint: 'Free some space (`savepoint gc` drops old checkpoints), then try again.',
  },
  STORE_FULL: {
    exit: 1,
    when: 'The store is larger than the configuration allows, though all is dropped that may be, or one checkpoint alone would be: nothing new is kept.',
    data: { bytes: 'number', limit: 'number', pinned: 'number' },
    hint: 'Nothing was changed. Raise max_store_mb in your config.json, unpin checkpoints, or leave large files out (exclude).',
  },
  PURGE_INCOMPLETE: {
    exit: 1,
    when: 'After a purge something of it was found in the store all the same.',
    data: { left: [{ where: 'JsonName', what: 'string' }] },
    hint: 'No checkpoint has it any more. Run the purge again; what it names may be removed by hand where it is no part of Savepoint.',
  },
  BUNDLE_REFUSED: {
    exit: 1,
    when: 'A bundle is not one, is damaged, or holds something that no checkpoint can hold or that is larger than allowed.',
    data: { why: 'string', 'object?': 'string', 'checkpoint?': 'string', 'path?': 'JsonName', 'offset?': 'number' },
    note: '`offset` in bytes from the beginning of the file',
    hint: 'Nothing was changed. Get the bundle anew from where it was made; do not trust it if it came from elsewhere.',
  },
  BUNDLE_INCOMPLETE: {
    exit: 1,
    when: 'A bundle continues checkpoints that are not here, or needs a content that is not here any more.',
    data: {
      'needs?': 'string',
      'newest?': 'string | null',
      'object?': 'string',
      'checkpoint?': 'string',
      'path?': 'JsonName',
    },
    hint: 'Nothing was changed. Restore the bundles before it first, or make one without --since.',
  },
  BUNDLE_DIVERGED: {
    exit: 3,
    when: 'The folder has checkpoints, or files, of its own that the bundle does not know: the two timelines went different ways.',
    data: { checkpoint: 'string | null', 'paths?': 'JsonName[]' },
    hint: 'Nothing was changed. Restore the bundle to another folder, and take over from there what you need.',
  },
  BUNDLE_EMPTY: {
    exit: 1,
    when: 'There is no checkpoint that such a bundle could hold.',
    data: { since: 'string | null', session: 'string | null' },
    hint: 'Nothing was written. See `savepoint list --all`.',
  },
  BUNDLE_STORE: {
    exit: 1,
    when: 'The place where bundles are kept cannot be reached, refuses, or has something else there.',
    data: { place: 'string', status: 'number | string', 'path?': 'JsonName' },
    note: "`status`: of HTTP (0 where there was no answer), or the system's error code",
    hint: 'Nothing was lost: what is new goes there with the next try. See `savepoint config` for where bundles go.',
  },
  IO: {
    exit: 1,
    when: 'The file system refused or failed a call.',
    data: { 'path?': 'JsonName', operation: 'string', code: 'string' },
    hint: 'Nothing was changed. Mend the cause and try again.',
  },
  CANCELLED: {
    exit: 1,
    when: 'The caller asked to stop before the commit point.',
    data: {},
    hint: 'Nothing was changed.',
  },
  PENDING: {
    exit: 4,
    when: 'A transaction is neither done nor undone and needs a decision or a mended cause.',
    data: {
      transaction: 'string',
      why: 'string',
      'paths?': [{ path: 'JsonName', state: 'string', 'backup?': 'JsonName' }],
      'roots?': 'JsonName[]',
      'cause?': 'Failure',
    },
    note: '`cause`: the failure that could not be taken back, as JSON; `roots`: what has to be mounted again',
    hint: 'Run `savepoint recover`; `--forward` finishes it, `--back` takes it back.',
  },
  SANDBOX_UNFIT: {
    exit: 1,
    when: 'There is no node in the sandbox, or one that is too old for Savepoint to run on.',
    data: { sandbox: 'string', found: 'string | null', wanted: 'string' },
    hint: 'Nothing was done in the sandbox. Install Node.js 20.19 or newer there, or say where it is (`node`).',
  },
  SANDBOX_LOST: {
    exit: 1,
    when: 'A sandbox cannot be reached, or the connection to it ended before the answer was there.',
    data: { sandbox: 'string', began: 'boolean', detail: 'string' },
    note: 'where `began` is false, nothing was done there',
    hint: 'Whether it was done is not known where it had begun: look with `status` and `list`, then try again.',
  },
  SANDBOX_ANSWER: {
    exit: 1,
    when: 'What came back from a sandbox is no answer that Savepoint gives: another shape, too long, or nothing.',
    data: { sandbox: 'string', why: 'string' },
    hint: 'Nothing of the answer was used. A sandbox that answers so is broken, or not to be trusted.',
  },
  INTERNAL: {
    exit: 1,
    when: 'A fault of Savepoint itself.',
    data: { 'message?': 'string' },
    hint: 'Please report it with the command that caused it.',
  },
} as const satisfies Record<string, CodeDescription>;

/** A code of the closed list `ERROR_CODES`. A code never changes its meaning. */
export type ErrorCode = keyof typeof ERROR_CODES;

type Codes = typeof ERROR_CODES;
type Details<Code extends ErrorCode> = Codes[Code] extends { readonly details: infer Said }
  ? { readonly details?: readonly FieldsOf<Said>[] }
  : unknown;

/** What `data` holds in an error of that code; of several codes, one of theirs. */
export type ErrorData<Code extends ErrorCode = ErrorCode> = {
  [Each in Code]: FieldsOf<Codes[Each]['data']> & Details<Each>;
}[Code];

export interface ErrorMore {
  readonly hint?: string;
  readonly cause?: unknown;
}

/** An error as JSON: `details` lies beside `data`, where callers of many tools look for it. */
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

/** Every failure that reaches a caller. `message` says what happened and where; `hint` what to do. */
export type SavepointError<Code extends ErrorCode = ErrorCode> = { [Each in Code]: ErrorOfCode<Each> }[Code];

/** `data` may be left out where no field of it is required. */
type ErrorArguments<Code extends ErrorCode> =
  Record<never, never> extends ErrorData<Code>
    ? [data?: ErrorData<Code>, more?: ErrorMore]
    : [data: ErrorData<Code>, more?: ErrorMore];

/** After `instanceof` the error is a union over the codes, so that a look at `code` tells the type of `data`. */
interface SavepointErrorClass {
  new <Code extends ErrorCode>(code: Code, message: string, ...rest: ErrorArguments<Code>): SavepointError<Code>;
  readonly prototype: SavepointError;
}

// The class knows that it has some code; its type lists them one by one, which no class can say.
export const SavepointError = class SavepointError extends Error {
  override readonly name = 'SavepointError';
  readonly hint: string;

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly data: ErrorData = {},
    { hint, cause }: ErrorMore = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.hint = hint ?? ERROR_CODES[code].hint;
  }

  get exit(): 1 | 2 | 3 | 4 {
    return ERROR_CODES[this.code].exit;
  }

  toJSON(): ErrorJson {
    const { details, ...data } = { details: undefined, ...this.data };
    const told = { code: this.code, message: this.message, data, hint: this.hint };
    return Array.isArray(details) ? { ...told, details } : told;
  }
} as SavepointErrorClass;
