/** The JSON of a plan. */

import type { PlanView } from '../../engine/plans/plan-view.ts';
import { PLAN_SOURCES } from '../../model/plan.ts';
import type { PlanChange } from '../../plan/selection.ts';
import type { Shapes } from '../verb.ts';
import { actorToJson, changeToJson, patchToJson, timeToJson } from './to-json.ts';

/** Fields of the output of the verbs about plans. */
export function planShapes({ z, actor, change, totals, patch, checkpointId }: Shapes) {
  const act = { by: actor, time: z.string().describe('ISO 8601') };
  const accepted = z.boolean().nullable().describe('what was decided; null: nothing yet, so it would be applied');
  const hunk = z.strictObject({
    number: z.int().min(1),
    before: z.strictObject({ start: z.int(), count: z.int() }),
    after: z.strictObject({ start: z.int(), count: z.int() }),
    accepted,
  });
  const brief = {
    id: z.string(),
    intent: z.string(),
    status: z.enum(['pending', 'approved', 'applied', 'rolled-back', 'cancelled']),
    by: actor.describe('who proposed it'),
    source: z.enum(PLAN_SOURCES),
    source_name: z.string().nullable(),
    created: z.string().describe('ISO 8601'),
    revision: z.int().min(1),
    base: checkpointId.describe('the checkpoint that it was proposed on'),
    applied: z.array(checkpointId).describe('the checkpoints that applied it and are in effect'),
    totals,
    rejected: z.int().describe('how many changes have something rejected'),
    fingerprint: z.string().describe('of exactly what would be applied'),
  };
  return {
    brief: z.strictObject(brief),
    whole: z.strictObject({
      ...brief,
      changes: z.array(
        change.extend({
          place: z.int().min(1),
          accepted,
          hunks: z.array(hunk).nullable().describe('null: it has no separate hunks'),
        }),
      ),
      words: z
        .array(z.strictObject({ ...act, text: z.string(), revision: z.int().min(1) }))
        .describe('what its author is to change, the oldest first'),
      approval: z.strictObject(act).nullable(),
      cancelled: z.strictObject(act).nullable(),
      patch: patch.nullable().describe('of all proposed changes'),
    }),
  };
}

export function planBriefToJson({ plan, status, base, applied, changes, totals, fingerprint }: PlanView) {
  return {
    id: plan.id,
    intent: plan.intent,
    status,
    by: actorToJson(plan.proposedBy),
    source: plan.source,
    source_name: plan.sourceName,
    created: timeToJson(plan.created),
    revision: plan.revision,
    base,
    applied: [...applied],
    totals: { ...totals },
    rejected: changes.filter(hasRejection).length,
    fingerprint,
  };
}

export function planToJson(view: PlanView) {
  const { approval, cancelled, words } = view.plan;
  return {
    ...planBriefToJson(view),
    changes: view.changes.map(planChangeToJson),
    words: words.map(({ text, revision, ...act }) => ({ ...actToJson(act), text, revision })),
    approval: approval === null ? null : actToJson(approval),
    cancelled: cancelled === null ? null : actToJson(cancelled),
    patch: view.patch && patchToJson(view.patch),
  };
}

function planChangeToJson({ place, change, accepted, hunks }: PlanChange) {
  return {
    ...changeToJson(change),
    place,
    accepted,
    hunks:
      hunks?.map(({ number, beforeStart, beforeCount, afterStart, afterCount, accepted: decided }) => ({
        number,
        before: { start: beforeStart, count: beforeCount },
        after: { start: afterStart, count: afterCount },
        accepted: decided,
      })) ?? null,
  };
}

function actToJson({ by, time }: NonNullable<PlanView['plan']['cancelled']>) {
  return { by: actorToJson(by), time: timeToJson(time) };
}

function hasRejection({ accepted, hunks }: PlanChange): boolean {
  return hunks === null ? accepted === false : hunks.some((hunk) => hunk.accepted === false);
}
