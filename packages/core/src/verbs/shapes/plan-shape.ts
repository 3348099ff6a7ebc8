/** The JSON of a plan. */

import type { PlanView } from '../../engine/plans/plan-view.ts';
import { COMPARISONS } from '../../model/check-outcome.ts';
import type { Actor } from '../../model/checkpoint.ts';
import { checkpointId } from '../../model/ids.ts';
import { nameToJson } from '../../model/names.ts';
import { PLAN_SOURCES, type PlanAct, type PlanCheckResult } from '../../model/plan.ts';
import type { PlanChange } from '../../plan/selection.ts';
import type { Shapes } from '../verb.ts';
import { findingShape, findingToJson } from './findings-shape.ts';
import { actorToJson, changeToJson, patchToJson, timeToJson } from './to-json.ts';

/** Fields of the output of the verbs about plans. */
export function planShapes(shapes: Shapes) {
  const { z, actor, change, totals, patch, checkpointId, jsonName } = shapes;
  const act = { by: actor, time: z.string().describe('ISO 8601') };
  const accepted = z.boolean().nullable().describe('what was decided; null: nothing yet, so it would be applied');
  const hunk = z.strictObject({
    number: z.int().min(1),
    before: z.strictObject({ start: z.int(), count: z.int() }),
    after: z.strictObject({ start: z.int(), count: z.int() }),
    accepted,
  });
  const result = {
    name: z.string(),
    comparison: z.enum(COMPARISONS),
    outcome: z.string(),
    why: z.string().nullable(),
    base: checkpointId.describe('the folder that it is compared with'),
    new: z.int().describe('number of new failures'),
    failures: z.array(z.string()).describe('the first of them, one line each'),
  };
  const brief = {
    id: z.string(),
    intent: z.string(),
    status: z.enum(['pending', 'approved', 'applied', 'rolled-back', 'cancelled']),
    by: actor.describe('who proposed it'),
    authors: z.array(actor).describe('who made the proposed changes'),
    session: z.string().nullable().describe('the session that proposed it'),
    source: z.enum(PLAN_SOURCES),
    source_name: z.string().nullable(),
    created: z.string().describe('ISO 8601'),
    updated: z.string().describe('ISO 8601: when it was changed, decided about or applied last'),
    revision: z.int().min(1),
    base: checkpointId.describe('the checkpoint that it was proposed on'),
    applied: z
      .array(checkpointId)
      .describe('the checkpoints that applied it and are in effect; none if its files were already like that'),
    applied_by: actor.nullable().describe('who applied what is in effect of it; null: nothing is'),
    left: z
      .array(jsonName)
      .describe('what was left out when it was applied, because it did not merge; `plan apply` tries it again'),
    totals: totals.describe('of everything that is proposed'),
    selected: totals.describe('of what would be applied, without what was rejected'),
    rejected: z.int().describe('how many changes have something rejected'),
    fingerprint: z.string().describe('of exactly what would be applied'),
    checked: z
      .enum(['passed', 'failed', 'stale'])
      .nullable()
      .describe('`stale`: checks ran on something else than what would be applied, and do not count; null: none ran'),
    override: z
      .strictObject({ ...act, why: z.string() })
      .nullable()
      .describe('why it may be applied, or was, although checks failed'),
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
          ignored: z
            .boolean()
            .nullable()
            .describe('whether git ignores it, so that a commit leaves it out; null: not looked up'),
        }),
      ),
      dependencies: z
        .array(z.strictObject({ path: jsonName, needs: jsonName }))
        .describe('what its files import of each other, if its code was analysed'),
      findings: z
        .array(findingShape(shapes))
        .describe('what it breaks elsewhere, the worst first, if exactly this was analysed'),
      analysis: z
        .strictObject({
          time: z.string().describe('ISO 8601'),
          base: checkpointId.describe('the folder that it was applied to'),
          current: z.boolean().describe('whether it is of exactly what would be applied now'),
          breaks: z.int().min(0).describe('findings that are proven'),
          omitted: z.int().min(0).describe('findings that are not listed'),
          unsaid: z.array(
            z.strictObject({
              reason: z.string(),
              language: z.string().nullable().describe('or a type checker'),
              files: z.int().min(0),
              message: z.string().nullable().describe('about a type checker'),
            }),
          ),
        })
        .nullable()
        .describe('of its code; null: there was none'),
      words: z
        .array(z.strictObject({ ...act, text: z.string(), revision: z.int().min(1) }))
        .describe('what its author is to change, the oldest first'),
      prompts: z
        .array(z.string())
        .describe('to the agent that made it in a copy; every program there could write them'),
      approval: z
        .strictObject({
          ...act,
          by_policy: z.boolean().describe('whether a policy allowed it, and no person looked at it'),
        })
        .nullable(),
      cancelled: z.strictObject(act).nullable(),
      checks: z
        .strictObject({
          time: z.string().describe('ISO 8601'),
          results: z.array(
            z.strictObject({ ...result, folder_moved: z.boolean().describe('whether the folder changed since') }),
          ),
        })
        .nullable()
        .describe('before it is applied'),
      phases: z.array(
        z.strictObject({
          name: z.string(),
          paths: z.array(jsonName),
          applied: checkpointId
            .nullable()
            .describe('the checkpoint that applied it and is in effect; null if it is not applied, or changed nothing'),
          done: z.boolean().describe('whether nothing of it is left to be applied'),
        }),
      ),
      validations: z
        .array(
          z.strictObject({
            checkpoint: checkpointId.describe('the checkpoint that was checked'),
            phase: z.string().nullable().describe('null: the whole plan'),
            time: z.string().describe('ISO 8601'),
            results: z.array(z.strictObject(result)),
          }),
        )
        .describe('checks after it was applied'),
      applications: z
        .array(
          z.strictObject({
            ...act,
            checkpoint: checkpointId.nullable().describe('null: its files were already as it says'),
            phase: z.string().nullable().describe('null: the whole plan'),
            in_effect: z.boolean().describe('whether it was not undone or rolled back since'),
            results: z.array(z.strictObject(result)).nullable().describe('checks after it; null: none ran'),
          }),
        )
        .describe('everything that applied it, the oldest first'),
      patch: patch.nullable().describe('of all proposed changes'),
    }),
  };
}

export function planBriefToJson(view: PlanView) {
  const { plan, status, base, applied, left, changes, totals, selected, fingerprint } = view;
  const appliedBy = view.applications.findLast(({ isInEffect }) => isInEffect);
  return {
    id: plan.id,
    intent: plan.intent,
    status,
    by: actorToJson(plan.proposedBy),
    authors: authorsOf(view).map(actorToJson),
    session: plan.session,
    source: plan.source,
    source_name: plan.sourceName,
    created: timeToJson(plan.created),
    updated: timeToJson(plan.updated),
    revision: plan.revision,
    base,
    applied: [...applied],
    applied_by: appliedBy === undefined ? null : actorToJson(appliedBy.by),
    left: left.map(nameToJson),
    totals: { ...totals },
    selected: { ...selected },
    rejected: changes.filter(hasRejection).length,
    fingerprint,
    checked: checkedOf(view),
    override: plan.override === null ? null : { ...actToJson(plan.override), why: plan.override.why },
  };
}

export function planToJson(view: PlanView) {
  const { approval, cancelled, words, prompts } = view.plan;
  const ignored = view.ignored === null ? null : new Set(view.ignored);
  return {
    ...planBriefToJson(view),
    changes: view.changes.map((one) => ({
      ...planChangeToJson(one),
      ignored: ignored?.has(one.change.path) ?? null,
    })),
    dependencies: view.dependencies.map(({ path, needs }) => ({ path: nameToJson(path), needs: nameToJson(needs) })),
    findings: view.findings.map(findingToJson),
    analysis: view.analysis && {
      time: timeToJson(view.analysis.time),
      base: checkpointId(view.analysis.base),
      current: view.analysis.isCurrent,
      breaks: view.analysis.breaks,
      omitted: view.analysis.omitted,
      unsaid: view.analysis.unsaid.map((one) => ({ ...one })),
    },
    words: words.map(({ text, revision, ...act }) => ({ ...actToJson(act), text, revision })),
    prompts: [...prompts],
    approval: approval === null ? null : { ...actToJson(approval), by_policy: approval.isByPolicy },
    cancelled: cancelled === null ? null : actToJson(cancelled),
    checks: view.checks && {
      time: timeToJson(view.checks.time),
      results: view.checks.results.map((one) => ({ ...keptResultToJson(one), folder_moved: one.isFolderMoved })),
    },
    phases: view.phases.map(({ name, paths, applied, isDone }) => ({
      name,
      paths: paths.map(nameToJson),
      applied,
      done: isDone,
    })),
    validations: view.validations.map(({ checkpoint, phase, time, results }) => ({
      checkpoint,
      phase: phaseName(view, phase),
      time: timeToJson(time),
      results: results.map(keptResultToJson),
    })),
    applications: view.applications.map(({ checkpoint, phase, isInEffect, isEmpty, validation, ...application }) => ({
      ...actToJson(application),
      checkpoint: isEmpty ? null : checkpointId(checkpoint),
      phase: phaseName(view, phase),
      in_effect: isInEffect,
      results: validation?.results.map(keptResultToJson) ?? null,
    })),
    patch: view.patch && patchToJson(view.patch),
  };
}

/** @param phase an index; null: the whole plan */
export function phaseName({ plan }: PlanView, phase: number | null): string | null {
  return phase === null ? null : (plan.phases[phase]?.name ?? null);
}

/** Changes that no author is known of separately are by the one who proposed them. */
function authorsOf({ plan: { authors, proposedBy }, changes }: PlanView): readonly Actor[] {
  const known = new Set(authors.flatMap(({ paths }) => paths));
  const isOwn = changes.some(({ change }) => !known.has(change.path));
  const found = [
    ...(isOwn ? [proposedBy] : []),
    ...authors.flatMap((group) => group.authors.map(({ actor }) => actor)),
  ];
  return [...new Map(found.map((actor) => [JSON.stringify(actor), actor])).values()];
}

function checkedOf({ checks, analysis }: PlanView): 'passed' | 'failed' | 'stale' | null {
  if (analysis?.isCurrent === true && analysis.breaks > 0) return 'failed';
  if (checks === null) return null;
  if (!checks.isCurrent) return 'stale';
  return checks.isFailed ? 'failed' : 'passed';
}

function keptResultToJson({ name, comparison, outcome, why, base, failed, failures }: PlanCheckResult) {
  return { name, comparison, outcome, why, base: checkpointId(base), new: failed, failures: [...failures] };
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

function actToJson({ by, time }: PlanAct) {
  return { by: actorToJson(by), time: timeToJson(time) };
}

function hasRejection({ accepted, hunks }: PlanChange): boolean {
  return hunks === null ? accepted === false : hunks.some((hunk) => hunk.accepted === false);
}
