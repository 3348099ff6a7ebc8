/** The shapes of what callers of the library pass to each call. Paths are checked where they are resolved. */

import type { CallOptions } from '../../model/call-options.ts';
import type { CaptureRules } from '../../model/checkpoint.ts';
import { PLAN_STATES } from '../../model/plan.ts';
import {
  anything,
  type Check,
  callback,
  chosen,
  count,
  fields,
  flag,
  flagOr,
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
} from '../../model/shape-checks.ts';
import type { Selection } from '../../rewind/selection.ts';
import { ACTOR } from '../../session/session-shapes.ts';
import type { HistoryQuery } from '../../timeline/query/history.ts';
import type { OverviewQuery } from '../../timeline/query/overview.ts';
import type { RetentionOptions } from '../../timeline/retention/retention.ts';
import type { BlameQuery } from '../calls/blame.ts';
import type { BundleCalls } from '../calls/bundles.ts';
import type { CheckpointCalls } from '../calls/checkpoints.ts';
import type { EditCalls } from '../calls/edits.ts';
import type { FrozenPathCalls } from '../calls/frozen-paths.ts';
import type { HistoryCalls } from '../calls/history.ts';
import type { OwnEntriesCalls } from '../calls/own-entries.ts';
import type { RestoreOptions, RewindCalls, RollbackOptions, UndoOptions } from '../calls/rewind.ts';
import type { ScopeCalls } from '../calls/scope.ts';
import type { StoreCalls } from '../calls/store.ts';
import type { TestResultCalls } from '../calls/test-results.ts';
import type { WorkspaceCalls } from '../calls/workspaces.ts';
import type { Events } from '../events.ts';
import type { FilesOfPlan } from '../file-content.ts';
import type { OpenOptions } from '../options.ts';
import { EVENT_KINDS } from '../watch/kinds.ts';
import {
  type Arguments,
  CONFLICTS,
  COPY_SHAPES,
  type CopyingCalls,
  chosenPaths,
  type LastOf,
  NAME,
  NOTHING,
  OPERATION,
  optionsOf,
  PATHS,
  paths,
} from './copy-call-shapes.ts';
import { FILES } from './edit-call-shapes.ts';
import { PLAN_SHAPES, type PlanningCalls } from './plan-call-shapes.ts';

type Calls = CheckpointCalls &
  CopyingCalls &
  PlanningCalls &
  HistoryCalls &
  RewindCalls &
  EditCalls &
  FrozenPathCalls &
  ScopeCalls &
  OwnEntriesCalls &
  BundleCalls &
  WorkspaceCalls &
  StoreCalls &
  TestResultCalls;

const RESTORE: ShapeOf<RestoreOptions> = {
  ...OPERATION,
  ...CONFLICTS,
  paths: chosenPaths,
  mode: oneOf('exact', 'keep-outside'),
  root: anything,
  allowPartial: flag,
  git: flag,
  conversation: flagOr(oneOf('only')),
  session: text,
};
const SELECTION: ShapeOf<Selection> = {
  changes: chosen(text),
  hunks: chosen(fields({}, { change: text, hunk: count })),
  agent: text,
  session: text,
  own: anything,
  call: text,
  after: fields({ time: number, checkpoint: count }),
  files: chosenPaths,
  root: anything,
  lines: chosen(fields({ side: oneOf('before', 'after') }, { path: anything, first: count, last: count })),
  at: text,
};
const ROLLBACK: ShapeOf<RollbackOptions> = { ...OPERATION, ...CONFLICTS, least: oneOf('sure', 'likely', 'open') };
const UNDO: ShapeOf<UndoOptions> = { ...OPERATION, ...CONFLICTS };
const RESTORE_CALL: Arguments = [NAME, ['options', optional(fields(RESTORE))]];
const ROLLBACK_CALL: Arguments = [
  ['selection', fields(SELECTION)],
  ['options', optional(fields(ROLLBACK))],
];
const RETENTION = fields({
  maxCheckpoints: orNull(number),
  maxAgeDays: orNull(number),
  keepAtLeast: number,
  maxSessions: orNull(number),
  maxStoreBytes: orNull(number),
} satisfies ShapeOf<RetentionOptions>);
const UNDO_CALL: Arguments = [['options', optional(fields(UNDO))]];
const BUNDLE_TO_FOLDER: Arguments = [
  ['file', anything],
  ['folder', anything],
];
const RESTORE_BUNDLE = { overwrite: flag, git: flag, allowPartial: flag, expected: text };
const DROP_CALL: Arguments = [['names', listOf(text)], options<'drop'>({ pinned: flag })];
const BLAME: ShapeOf<BlameQuery, 'path'> = { at: text, lines: fields({}, { first: count, last: count }) };
const FILES_OF_PLAN = fields({ state: oneOf(...PLAN_STATES) } satisfies ShapeOf<FilesOfPlan, 'plan'>, { plan: text });
const KINDS = listOf(oneOf(...EVENT_KINDS));
const SHAPES: { readonly [Name in keyof Calls]: Arguments } = {
  checkpoint: [options<'checkpoint'>({ message: text, testResult: oneOf('pass', 'fail') })],
  list: [['options', optional(fields({ limit: count, before: number }))]],
  overview: [
    [
      'query',
      fields({ session: text, before: number } satisfies ShapeOf<OverviewQuery, 'view' | 'limit'>, {
        view: oneOf('turns', 'main', 'all', 'manual', 'multi-file'),
        limit: count,
      }),
    ],
  ],
  show: [NAME],
  checkSummaries: [['checkpoints', listOf(someFields({}))]],
  rootChanges: [['checkpoints', listOf(someFields({}))]],
  moment: [['given', text]],
  status: [options<'status'>({})],
  diff: [options<'diff'>({ from: text, to: text, paths: chosenPaths, patch: flag })],
  cat: [['from', orNull(textOr(FILES_OF_PLAN))], ['path', anything], options<'cat'>({ offset: count, length: count })],
  notHappened: NOTHING,
  pinned: NOTHING,
  pin: [NAME, options<'pin'>({ unpin: flag })],
  history: [
    [
      'query',
      fields(
        {
          path: anything,
          own: anything,
          session: text,
          agent: text,
          tool: text,
          since: number,
          until: number,
          before: text,
          fold: flag,
        } satisfies ShapeOf<HistoryQuery, 'limit'>,
        { limit: count },
      ),
    ],
  ],
  caller: [options<'caller'>({})],
  diffChange: [['id', text], options<'diffChange'>({})],
  blame: [['query', fields(BLAME, { path: anything })], options<'blame'>({})],
  sessions: NOTHING,
  openCalls: NOTHING,
  turns: [['query', fields({ session: text, before: number }, { limit: count })]],
  stats: [['options', optional(fields({ by: oneOf('day', 'week'), most: count, utcOffset: number }))]],
  watch: [['options', fields({ after: textOr(count), all: flag, kinds: KINDS }, { signal })]],
  events: [['query', fields({ after: textOr(count), kinds: KINDS, waitMs: number, signal }, { limit: count })]],
  exportSession: [['session', text], ['folder', anything], options<'exportSession'>({})],
  forgetSession: [['session', text], options<'forgetSession'>({})],
  previewRestore: RESTORE_CALL,
  restore: RESTORE_CALL,
  previewRollback: ROLLBACK_CALL,
  rollback: ROLLBACK_CALL,
  previewUndo: UNDO_CALL,
  undo: UNDO_CALL,
  previewRedo: UNDO_CALL,
  redo: UNDO_CALL,
  previewEdit: [['files', FILES], options<'previewEdit'>({})],
  edit: [['files', FILES], options<'edit'>({ message: text })],
  frozen: NOTHING,
  isFrozen: [['path', anything]],
  frozenBy: [PATHS],
  freeze: [PATHS, options<'freeze'>({})],
  unfreeze: [PATHS, options<'unfreeze'>({})],
  scope: [options<'scope'>({ session: text })],
  addToScope: [PATHS, options<'addToScope'>({ session: text })],
  dropFromScope: [PATHS, options<'dropFromScope'>({ session: text, all: flag })],
  recordOwnEntries: [
    ['change', fields({ description: text }, { what: oneOf('install', 'uninstall'), paths, write: callback })],
    options<'recordOwnEntries'>({}),
  ],
  createBundle: [
    ['file', anything],
    options<'createBundle'>({
      session: text,
      since: text,
      private: flag,
      messages: flag,
      descriptions: flag,
      overwrite: flag,
    }),
  ],
  restoreBundle: [...BUNDLE_TO_FOLDER, options<'restoreBundle'>({ ...RESTORE_BUNDLE, timelineOnly: flag })],
  previewRestoreBundle: [...BUNDLE_TO_FOLDER, options<'previewRestoreBundle'>(RESTORE_BUNDLE)],
  exportBundles: [options<'exportBundles'>({})],
  exportWithRetry: [options<'exportWithRetry'>({ long: flag })],
  place: [['options', optional(fields({ orNew: flag }))]],
  config: NOTHING,
  repositories: [options<'repositories'>({})],
  context: [['wanted', fields({}, { checkpoints: count, depth: count })], options<'context'>({})],
  workspaces: NOTHING,
  previewDeleteWorkspace: [['which', text]],
  deleteWorkspace: [['which', text], options<'deleteWorkspace'>({})],
  link: [['from', text], options<'link'>({})],
  setTestResult: [NAME, ['result', orNull(oneOf('pass', 'fail'))], options<'setTestResult'>({})],
  ...COPY_SHAPES,
  ...PLAN_SHAPES,
  verify: [options<'verify'>({ deep: flag })],
  recover: [options<'recover'>({ decision: oneOf('forward', 'back') })],
  repair: [options<'repair'>({ from: paths, dryRun: flag, adopt: text })],
  previewGc: [options<'previewGc'>({ retention: RETENTION })],
  gc: [options<'gc'>({ retention: RETENTION })],
  previewDrop: DROP_CALL,
  drop: DROP_CALL,
  tidyUp: [options<'tidyUp'>({})],
  replaceLinks: [options<'replaceLinks'>({})],
  previewPurge: [PATHS, options<'previewPurge'>({})],
  purge: [PATHS, options<'purge'>({})],
};

const OPEN = fields(
  {
    here: flag,
    allowHome: flag,
    actor: ACTOR,
    settings: anything,
    exporter: anything,
    ownEntries: callback,
    conversations: callback,
    caller: someFields({}),
    waitMs: number,
    watch: anything,
    rules: fields({
      maxFileBytes: number,
      maxIgnoredBytes: number,
      include: listOf(text),
      exclude: listOf(text),
      roots: listOf(text),
    } satisfies ShapeOf<CaptureRules>),
    recordIndex: flag,
    adopt: flag,
    retention: RETENTION,
    backups: oneOf('store', 'beside'),
    ports: anything,
    places: anything,
    home: text,
    globalIgnore: orNull(text),
  } satisfies ShapeOf<OpenOptions, 'dir'> & Readonly<Record<'home' | 'globalIgnore', Check>>,
  { dir: text },
);

const EVENTS: Readonly<Record<keyof Events, true>> = {
  'checkpoint:created': true,
  'change:recorded': true,
  'change:rolled-back': true,
  'restore:completed': true,
  'edit:completed': true,
  'apply:completed': true,
  'merge:completed': true,
  'rollback:completed': true,
  'undo:completed': true,
  'redo:completed': true,
  'session:aborted': true,
  recovered: true,
  progress: true,
  waiting: true,
  warning: true,
};

/** @throws SavepointError USAGE */
export function checkOpenOptions(given: unknown): void {
  OPEN(given, 'options');
}

/** @throws SavepointError USAGE: a listener of an event that does not exist would never be called */
export function checkListener(name: unknown, listener: unknown): void {
  oneOf(...Object.keys(EVENTS))(name, 'name');
  callback(listener, 'listener');
}

/** @throws SavepointError USAGE */
export function checkWork(work: unknown): void {
  callback(work, 'work');
}

/** Makes calls check their arguments first: they fail with USAGE, and nothing else happens. */
export function withCheckedArguments<T extends Partial<Calls>>(calls: T): T {
  const checked = Object.entries(calls).map(([name, call]) => {
    const run = call as (...given: readonly unknown[]) => unknown;
    return [
      name,
      (...given: readonly unknown[]): unknown => {
        for (const [index, [argument, check]] of SHAPES[name as keyof Calls].entries()) check(given[index], argument);
        return run(...given);
      },
    ];
  });
  return Object.fromEntries(checked) as T;
}

/** The options of a call, which are its last argument. */
function options<Name extends keyof Calls>(
  shape: ShapeOf<LastOf<Parameters<Calls[Name]>>, keyof CallOptions>,
): readonly [string, Check] {
  return optionsOf(shape);
}
