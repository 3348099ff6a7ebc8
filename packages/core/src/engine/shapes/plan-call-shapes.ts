/** The shapes of what callers pass to the calls for plans. */

import { COMMENT_SIDES } from '../../model/comment.ts';
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
  type ShapeOf,
  someFields,
  text,
} from '../../model/shape-checks.ts';
import { ACTOR, CALL_OPTIONS } from '../../session/session-shapes.ts';
import type { MapCalls, MapRequest } from '../calls/code-map.ts';
import type { CommentCalls, CommentQuery } from '../calls/comments.ts';
import type { FindingCalls, FindingsOptions, FindingsQuery } from '../calls/findings.ts';
import type { PlanCommitCalls } from '../calls/plan-commit.ts';
import type { PlanModeCalls, PlanModeOptions } from '../calls/plan-mode.ts';
import type { PlanPolicyCalls, PlanPolicyRequest } from '../calls/plan-policy.ts';
import type { PlanRunCalls } from '../calls/plan-runs.ts';
import type { PlanSourceCalls } from '../calls/plan-sources.ts';
import type { DecideOptions, DecisionRequest, PlanCalls } from '../calls/plans.ts';
import type { CommentRequest } from '../comments/anchor.ts';
import type { ApplyPlanOptions } from '../plans/apply.ts';
import type { PlanCheckOptions } from '../plans/check-plan.ts';
import type { PlanCommitChoices, PlanCommitOptions } from '../plans/commit.ts';
import type { PhaseRequest } from '../plans/plan-phases.ts';
import type { ProposeOptions, ReviseOptions } from '../plans/propose.ts';
import type { RollBackPlanOptions, RunPlanOptions } from '../plans/run-plan.ts';
import type { PlanPhasesOptions } from '../plans/set-phases.ts';
import type { SplitPlanOptions } from '../plans/split-plan.ts';
import {
  type Arguments,
  CONFLICTS,
  COPY_RUNG,
  chosenPaths,
  DEPENDENCIES,
  OPERATION,
  PATHS,
  paths,
} from './copy-call-shapes.ts';
import { FILES } from './edit-call-shapes.ts';

export type PlanningCalls = PlanCalls &
  CommentCalls &
  PlanModeCalls &
  PlanRunCalls &
  PlanSourceCalls &
  PlanCommitCalls &
  PlanPolicyCalls &
  FindingCalls &
  MapCalls;

const ID = ['id', text] as const;
const OPTIONS = ['options', optional(fields(CALL_OPTIONS))] as const;
const PHASES = listOf(fields({} satisfies ShapeOf<PhaseRequest, 'name' | 'paths'>, { name: text, paths }));
const PROPOSE = [
  'options',
  fields({ ...CALL_OPTIONS, phases: PHASES } satisfies ShapeOf<ProposeOptions, 'intent'>, { intent: text }),
] as const;
const REVISE = [
  'options',
  optional(fields({ ...CALL_OPTIONS, revision: count } satisfies ShapeOf<ReviseOptions>)),
] as const;
const ORIGIN = fields({
  patch: text,
  branch: text,
  worktree: anything,
  fork: text,
  copy: someFields({}),
  author: fields({ session: text }, { actor: ACTOR }),
});
const CHANGES: Check = (value, at) => (Array.isArray(value) ? FILES : ORIGIN)(value, at);
const DECISIONS = listOf(
  fields({ hunk: count } satisfies ShapeOf<DecisionRequest, 'path' | 'accepted'>, { path: anything, accepted: flag }),
);
const APPLY = {
  ...OPERATION,
  ...CONFLICTS,
  rebase: flag,
  override: text,
} satisfies ShapeOf<ApplyPlanOptions>;
const APPLY_CALL: Arguments = [ID, ['options', optional(fields(APPLY))]];
const RUN = {
  timeoutMs: number,
  maxMemory: number,
  rungs: listOf(COPY_RUNG),
  dependencies: DEPENDENCIES,
  onOutput: callback,
} as const;
const CHECK = fields({
  ...CALL_OPTIONS,
  ...RUN,
  only: listOf(text),
  sandboxed: flag,
} satisfies ShapeOf<PlanCheckOptions>);
const COMMIT = { message: text, author: fields({}, { name: text, email: text }), hooks: flag } as const;
const RUN_PLAN = fields({
  ...APPLY,
  ...RUN,
  commit: fields(COMMIT satisfies ShapeOf<PlanCommitChoices>),
  validate: listOf(text),
  onFailure: oneOf('keep', 'rollback', 'rollback-all'),
} satisfies ShapeOf<RunPlanOptions>);
const ROLL_BACK = fields({ ...OPERATION, ...CONFLICTS, last: flag } satisfies ShapeOf<RollBackPlanOptions>);
const POLICY = fields({ checks: listOf(text), maxFiles: count } satisfies ShapeOf<PlanPolicyRequest, 'apply'>, {
  apply: oneOf('approved', 'checked'),
});
const SET_PHASES = fields({ ...CALL_OPTIONS, add: flag } satisfies ShapeOf<PlanPhasesOptions>);

const COMMENT = fields(
  {
    last: count,
    side: oneOf(...COMMENT_SIDES),
    plan: text,
    at: text,
    from: text,
  } satisfies ShapeOf<CommentRequest, 'path' | 'first' | 'text'>,
  { path: anything, first: count, text },
);
const COMMENTS = fields({
  ...CALL_OPTIONS,
  paths: chosenPaths,
  all: flag,
  forCaller: flag,
  plan: text,
  at: text,
  from: text,
} satisfies ShapeOf<CommentQuery>);

export const PLAN_SHAPES: { readonly [Name in keyof PlanningCalls]: Arguments } = {
  findings: [
    [
      'query',
      optional(
        fields({ plan: text, edits: FILES, from: text, to: text, types: flag } satisfies ShapeOf<FindingsQuery>),
      ),
    ],
    [
      'options',
      optional(fields({ ...CALL_OPTIONS, timeoutMs: number, maxMemory: number } satisfies ShapeOf<FindingsOptions>)),
    ],
  ],
  map: [['request', optional(fields({ tokens: count, focus: chosenPaths } satisfies ShapeOf<MapRequest>))], OPTIONS],
  proposeEdits: [['files', FILES], PROPOSE],
  proposeFrom: [['origin', ORIGIN], PROPOSE],
  revisePlan: [ID, ['changes', CHANGES], REVISE],
  plans: [OPTIONS],
  plan: [ID, ['options', optional(fields({ ...CALL_OPTIONS, patch: flag }))]],
  planPatch: [ID, PATHS, OPTIONS],
  planHunks: [ID, ['path', anything], OPTIONS],
  recordDecisions: [ID, ['revision', count], ['decisions', DECISIONS], OPTIONS],
  decidePlan: [
    ID,
    ['decisions', DECISIONS],
    ['options', optional(fields({ ...CALL_OPTIONS, expected: text } satisfies ShapeOf<DecideOptions>))],
  ],
  approvePlan: [ID, ['fingerprint', text], OPTIONS],
  notePlan: [ID, ['text', text], REVISE],
  cancelPlan: [ID, OPTIONS],
  addComment: [['request', COMMENT], OPTIONS],
  comments: [['query', optional(COMMENTS)]],
  resolveComment: [ID, ['isResolved', flag], OPTIONS],
  deleteComment: [ID, OPTIONS],
  planMode: [OPTIONS],
  setPlanMode: [
    ['mode', oneOf('on', 'off')],
    ['options', optional(fields({ ...CALL_OPTIONS, session: text } satisfies ShapeOf<PlanModeOptions>))],
  ],
  commitPlan: [ID, ['options', optional(fields({ ...CALL_OPTIONS, ...COMMIT } satisfies ShapeOf<PlanCommitOptions>))]],
  checkPlan: [ID, ['options', optional(CHECK)]],
  planPolicy: [],
  setPlanPolicy: [['policy', POLICY], OPTIONS],
  setPlanPhases: [ID, ['phases', PHASES], ['options', optional(SET_PHASES)]],
  splitPlan: [
    ID,
    [
      'options',
      optional(fields({ ...CALL_OPTIONS, into: oneOf('phases', 'groups') } satisfies ShapeOf<SplitPlanOptions>)),
    ],
  ],
  previewPlan: APPLY_CALL,
  applyPlan: APPLY_CALL,
  runPlan: [ID, ['options', optional(RUN_PLAN)]],
  previewRollBackPlan: [ID, ['options', optional(ROLL_BACK)]],
  rollBackPlan: [ID, ['options', optional(ROLL_BACK)]],
};
