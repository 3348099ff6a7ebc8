/** The shapes of what callers pass to the calls for plans. */

import {
  anything,
  type Check,
  count,
  fields,
  flag,
  listOf,
  optional,
  type ShapeOf,
  someFields,
  text,
} from '../../model/shape-checks.ts';
import { ACTOR, CALL_OPTIONS } from '../../session/session-shapes.ts';
import type { PlanCommitCalls, PlanCommitOptions } from '../calls/plan-commit.ts';
import type { PlanSourceCalls } from '../calls/plan-sources.ts';
import type { ApplyPlanOptions, DecideOptions, DecisionRequest, PlanCalls } from '../calls/plans.ts';
import type { ProposeOptions } from '../plans/propose.ts';
import { type Arguments, CONFLICTS, OPERATION, PATHS } from './copy-call-shapes.ts';
import { FILES } from './edit-call-shapes.ts';

export type PlanningCalls = PlanCalls & PlanSourceCalls & PlanCommitCalls;

const ID = ['id', text] as const;
const OPTIONS = ['options', optional(fields(CALL_OPTIONS))] as const;
const PROPOSE = [
  'options',
  fields(CALL_OPTIONS satisfies ShapeOf<ProposeOptions, 'intent'>, { intent: text }),
] as const;
const ORIGIN = fields({
  patch: text,
  branch: text,
  fork: text,
  copy: someFields({}),
  author: fields({ session: text }, { actor: ACTOR }),
});
const CHANGES: Check = (value, at) => (Array.isArray(value) ? FILES : ORIGIN)(value, at);
const DECISIONS = listOf(
  fields({ hunk: count } satisfies ShapeOf<DecisionRequest, 'path' | 'accepted'>, { path: anything, accepted: flag }),
);
const APPLY_CALL: Arguments = [
  ID,
  ['options', optional(fields({ ...OPERATION, ...CONFLICTS, rebase: flag } satisfies ShapeOf<ApplyPlanOptions>))],
];

export const PLAN_SHAPES: { readonly [Name in keyof PlanningCalls]: Arguments } = {
  proposeEdits: [['files', FILES], PROPOSE],
  proposeFrom: [['origin', ORIGIN], PROPOSE],
  revisePlan: [ID, ['changes', CHANGES], OPTIONS],
  plans: [OPTIONS],
  plan: [ID, ['options', optional(fields({ ...CALL_OPTIONS, patch: flag }))]],
  planPatch: [ID, PATHS, OPTIONS],
  decidePlan: [
    ID,
    ['decisions', DECISIONS],
    ['options', optional(fields({ ...CALL_OPTIONS, expected: text } satisfies ShapeOf<DecideOptions>))],
  ],
  approvePlan: [ID, ['fingerprint', text], OPTIONS],
  notePlan: [ID, ['text', text], OPTIONS],
  cancelPlan: [ID, OPTIONS],
  commitPlan: [
    ID,
    [
      'options',
      optional(
        fields({
          ...CALL_OPTIONS,
          message: text,
          author: fields({}, { name: text, email: text }),
        } satisfies ShapeOf<PlanCommitOptions>),
      ),
    ],
  ],
  previewPlan: APPLY_CALL,
  applyPlan: APPLY_CALL,
};
