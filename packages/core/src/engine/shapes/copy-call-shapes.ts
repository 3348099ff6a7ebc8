/** The shapes of what callers pass to the calls that work in copies, and the parts that all calls share. */

import type { CallOptions } from '../../model/call-options.ts';
import {
  anything,
  bytes,
  type Check,
  callback,
  chosen,
  count,
  fields,
  flag,
  listOf,
  mapOf,
  number,
  oneOf,
  optional,
  orNull,
  type ShapeOf,
  someFields,
  text,
} from '../../model/shape-checks.ts';
import { ACTOR, CALL_OPTIONS } from '../../session/session-shapes.ts';
import type { CheckCalls, WhichChecks } from '../calls/checks.ts';
import type { ApplyOptions, CopyCalls } from '../calls/copies.ts';
import type { ForkCalls, ForkDiffOptions } from '../calls/forks.ts';
import type { GuardCalls, GuardOnOptions } from '../calls/guard.ts';
import type { BisectOptions, ReplayOptions, StateRunCalls } from '../calls/state-runs.ts';
import type { ConflictOptions } from '../conflict-options.ts';
import type { CreateForkOptions } from '../copies/create-forks.ts';
import type { DiffForksOptions } from '../copies/diff-forks.ts';
import type { CheckedMergeOptions, MergeOptions } from '../copies/merge-fork.ts';
import type { CopyOptions } from '../copies/workspace-copy.ts';
import type { GuardStepsOptions } from '../guard/steps.ts';
import type { OperationOptions } from '../operate.ts';

export type CopyingCalls = StateRunCalls & CopyCalls & CheckCalls & ForkCalls & GuardCalls;

/** A name and a check for each argument. */
export type Arguments = readonly (readonly [name: string, check: Check])[];

export const NOTHING: Arguments = [];
export const paths = listOf(anything);
export const chosenPaths = chosen(anything);

export const NAME = ['name', text] as const;
export const PATHS = ['paths', paths] as const;
export const OPERATION: ShapeOf<OperationOptions> = { ...CALL_OPTIONS, expected: text };
const RESOLUTION = fields({ ours: text }, { content: bytes });
export const CONFLICTS: ShapeOf<ConflictOptions> = {
  skipConflicts: flag,
  prefer: mapOf(oneOf('ours', 'theirs')),
  resolutions: mapOf(RESOLUTION),
  detail: fields({ patch: flag, sides: paths }),
};
export type LastOf<Given extends readonly unknown[]> =
  Required<Given> extends readonly [...unknown[], infer Last] ? Last : never;

export function optionsOf(shape: Readonly<Record<string, Check>>): readonly [string, Check] {
  return ['options', optional(fields({ ...CALL_OPTIONS, ...shape }))];
}

export const COPY_RUNG = oneOf('overlay', 'reflink', 'copy');
export const DEPENDENCIES = oneOf('auto', 'copy', 'link', 'none');
const EVERY: Check = (value, at) => {
  if (value !== 'turn') count(value, at);
};
const PROPOSAL = fields({ author: fields({}, { agent: text, session: text }) }, { description: text });
const COPY = ['copy', someFields({})] as const;
const APPLY = fields(
  {
    ...OPERATION,
    ...CONFLICTS,
    paths: chosenPaths,
    author: fields({ session: text, call: text }, { actor: ACTOR }),
    trigger: oneOf('apply', 'merge'),
  } satisfies ShapeOf<ApplyOptions, 'description'>,
  { description: text },
);
const FORK_COMMAND = fields({}, { command: listOf(text), variables: anything });
const CREATE_FORK = fields({
  ...CALL_OPTIONS,
  from: text,
  branch: text,
  conversation: flag,
  session: text,
  command: FORK_COMMAND,
  rungs: listOf(COPY_RUNG),
  dependencies: DEPENDENCIES,
} satisfies ShapeOf<CreateForkOptions>);
const FORK_DIFF = fields({
  ...CALL_OPTIONS,
  paths: chosenPaths,
  patch: flag,
  output: count,
} satisfies ShapeOf<ForkDiffOptions>);
const DIFF_FORKS = fields({ ...CALL_OPTIONS, paths: chosenPaths, patch: flag } satisfies ShapeOf<DiffForksOptions>);
const MERGE = { ...OPERATION, ...CONFLICTS, paths: chosenPaths } satisfies ShapeOf<MergeOptions>;
const CHECKED_MERGE = {
  ...MERGE,
  check: listOf(text),
  override: text,
  rungs: listOf(COPY_RUNG),
  onOutput: callback,
} satisfies ShapeOf<CheckedMergeOptions>;
const STATE_RUN = {
  ...CALL_OPTIONS,
  env: someFields({}),
  turns: flag,
  clean: flag,
  rungs: listOf(COPY_RUNG),
  onStep: callback,
};
const BISECT = fields(
  {
    ...STATE_RUN,
    jobs: count,
    trustEnds: flag,
    keepGoing: flag,
    ignoreResults: flag,
  } satisfies ShapeOf<BisectOptions, 'good' | 'bad' | 'command'>,
  { good: text, bad: text, command: listOf(text) },
);
const REPLAY = fields({
  ...STATE_RUN,
  from: text,
  to: text,
  command: listOf(text),
  stopOnFailure: flag,
  withFiles: flag,
} satisfies ShapeOf<ReplayOptions>);

export const COPY_SHAPES: { readonly [Name in keyof CopyingCalls]: Arguments } = {
  copies: NOTHING,
  cleanCopies: [optionsOf({ all: flag, everywhere: flag })],
  openCopy: [
    [
      'options',
      fields(
        {
          ...CALL_OPTIONS,
          at: text,
          plan: text,
          name: text,
          rungs: listOf(COPY_RUNG),
          dependencies: DEPENDENCIES,
          isLong: flag,
          access: oneOf('list', 'read'),
          proposal: PROPOSAL,
        } satisfies ShapeOf<CopyOptions, 'purpose'>,
        { purpose: oneOf('try', 'isolated', 'check', 'fork', 'bisect', 'replay', 'guard', 'plan') },
      ),
    ],
  ],
  reopenCopy: [['id', text], options<'reopenCopy'>({})],
  endCopyPrograms: [COPY, options<'endCopyPrograms'>({ mayFinish: callback })],
  diffCopy: [COPY, options<'diffCopy'>({ paths: chosenPaths, patch: flag })],
  saveCopyPatch: [COPY, ['file', anything], options<'saveCopyPatch'>({ paths: chosenPaths })],
  listChecks: [['options', optional(fields({ at: text, fork: text, plan: text } satisfies ShapeOf<WhichChecks>))]],
  trustChecks: [['digest', text], options<'trustChecks'>({ at: text, fork: text, plan: text })],
  revokeTrust: [options<'revokeTrust'>({})],
  check: [
    options<'check'>({
      at: text,
      fork: text,
      base: text,
      only: listOf(text),
      timeoutMs: number,
      maxMemory: number,
      rungs: listOf(COPY_RUNG),
      dependencies: DEPENDENCIES,
      onOutput: callback,
    }),
  ],
  bisect: [['options', BISECT]],
  replay: [['options', REPLAY]],
  guardOn: [
    [
      'options',
      fields(
        {
          ...CALL_OPTIONS,
          every: EVERY,
          attempts: count,
          timeoutMs: count,
          outsideSandbox: flag,
          endsWithProcess: flag,
        } satisfies ShapeOf<GuardOnOptions, 'checks'>,
        { checks: listOf(text) },
      ),
    ],
  ],
  guardOff: [options<'guardOff'>({})],
  guardStatus: NOTHING,
  guardSteps: [
    [
      'options',
      fields(
        { ...CALL_OPTIONS, since: text, timeoutMs: count, sandboxed: flag } satisfies ShapeOf<
          GuardStepsOptions,
          'checks'
        >,
        { checks: listOf(text) },
      ),
    ],
  ],
  previewApply: [COPY, ['options', APPLY]],
  applyCopy: [COPY, ['options', APPLY]],
  applyTurn: [COPY, ['options', APPLY]],
  rebaseCopy: [COPY, options<'rebaseCopy'>({ discard: flag })],
  followPlans: [
    COPY,
    ['options', fields({ ...CALL_OPTIONS, plan: text, isForPlan: flag }, { session: text, agent: text })],
  ],
  nextTurn: [COPY, ['mark', orNull(text)], options<'nextTurn'>({})],
  createForks: [
    ['names', listOf(text)],
    ['options', optional(CREATE_FORK)],
  ],
  forks: [['options', optional(fields(CALL_OPTIONS))]],
  fork: [NAME, ['options', optional(FORK_DIFF)]],
  diffForks: [NAME, ['other', orNull(text)], ['options', optional(DIFF_FORKS)]],
  compareForks: [
    ['names', listOf(text)],
    ['options', optional(fields(CALL_OPTIONS))],
  ],
  runInFork: [NAME, ['command', FORK_COMMAND], ['options', optional(fields(CALL_OPTIONS))]],
  previewMerge: [NAME, ['options', optional(fields(CHECKED_MERGE))]],
  mergeFork: [NAME, ['options', optional(fields(CHECKED_MERGE))]],
  dropFork: [NAME, ['options', optional(fields({ ...CALL_OPTIONS, force: flag }))]],
  cleanForks: [['options', optional(fields(CALL_OPTIONS))]],
  openFork: [
    ['name', text],
    ['options', optional(fields(CALL_OPTIONS))],
  ],
  currentFork: NOTHING,
};

function options<Name extends keyof CopyingCalls>(
  shape: ShapeOf<LastOf<Parameters<CopyingCalls[Name]>>, keyof CallOptions>,
): readonly [string, Check] {
  return optionsOf(shape);
}
