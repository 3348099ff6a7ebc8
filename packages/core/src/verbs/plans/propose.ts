/** Verbs that make plans and look at them. */

import type * as z from 'zod';
import type { FileEdits } from '../../edit/file-edits.ts';
import type { PlanOrigin } from '../../engine/calls/plan-sources.ts';
import { treePathOf } from '../../io/locate-path.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { SavepointError } from '../../model/errors.ts';
import { diskPathFromJson, exactName, isWithin, type JsonName } from '../../model/names.ts';
import type { Savepoint } from '../../savepoint.ts';
import { fileEditsOf } from '../changes/edit.ts';
import { planBriefToJson, planShapes, planToJson } from '../shapes/plan-shape.ts';
import { timeToJson } from '../shapes/to-json.ts';
import { type EditShapes, verb, withoutUndefined } from '../verb.ts';
import { phasesOf, phasesShape } from './phases.ts';

export const planNew = verb({
  name: 'plan new',
  summary: 'propose changes of several files, without applying them',
  description:
    'Keeps proposed changes as a plan: what the files would be is stored, and the workspace is not changed. A person ' +
    'reviews it, and it is applied all or nothing with `plan apply`. The changes are edits as for `edit`, a patch of many ' +
    'files, or those of a branch, a worktree or a fork, which are merged into the folder as it is. These stay as they are.',
  changes: 'store',
  schemas: (shapes, { editRequest }) => {
    const { z, jsonName } = shapes;
    return {
      input: z.strictObject({
        files: editRequest.shape.files.optional(),
        patch: z
          .string()
          .optional()
          .describe('a unified diff, as of `git diff`; its paths are relative to the workspace'),
        branch: z.string().optional().describe('what this branch changed since it left HEAD'),
        worktree: jsonName
          .optional()
          .describe(
            'absolute: what is not committed in this other worktree of the repository, without what git ignores',
          ),
        fork: z.string().optional().describe('what this fork changed'),
        intent: z.string().min(1).describe('what the plan is for'),
        phases: phasesShape(shapes).optional().describe('in their order, as of `plan phases`; default: all at once'),
      }),
      output: planShapes(shapes).whole,
    };
  },
  async handle(savepoint, { intent, phases: wanted, ...given }, { signal, toolCall }) {
    const phases = wanted === undefined ? undefined : phasesOf(await savepoint.place({ orNew: true }), wanted);
    const call = withoutUndefined({ signal, toolCall });
    const options = { ...call, ...withoutUndefined({ phases }), intent };
    const changes = await changesOf(savepoint, given, call);
    const view = isEdits(changes)
      ? await savepoint.proposeEdits(changes, options)
      : await savepoint.proposeFrom(changes, options);
    return planToJson(view);
  },
});

export const planRevise = verb({
  name: 'plan revise',
  summary: 'ask for another version of a plan, or give one',
  description:
    'With words, records what its author is to change. With edits or a patch, replaces the proposed files by a new ' +
    'revision on the folder as it is. Decisions about hunks that stay the same are kept. An approval counts only as long ' +
    'as exactly what was approved would be applied.',
  changes: 'store',
  schemas: (shapes, { editRequest }) => {
    const { z } = shapes;
    return {
      input: z.strictObject({
        id: z.string(),
        words: z.string().min(1).optional().describe('what is to be changed, for its author'),
        revision: z.int().min(1).optional().describe('the revision that you saw: another one is not changed'),
        files: editRequest.shape.files.optional(),
        patch: z
          .string()
          .optional()
          .describe('a unified diff, as of `git diff`; its paths are relative to the workspace'),
      }),
      output: planShapes(shapes).whole,
    };
  },
  async handle(savepoint, { id, words, revision, ...given }, { signal, toolCall }) {
    const call = withoutUndefined({ signal, toolCall });
    const options = { ...call, ...withoutUndefined({ revision }) };
    const isNew = given.files !== undefined || given.patch !== undefined;
    if (!isNew && words === undefined) {
      throw new SavepointError('USAGE', 'A revision needs words or changes.', { argument: 'words' });
    }
    let view = words === undefined ? null : await savepoint.notePlan(id, words, options);
    if (isNew) view = await savepoint.revisePlan(id, await changesOf(savepoint, given, call), options);
    return planToJson(view ?? (await savepoint.plan(id, call)));
  },
});

export const planList = verb({
  name: 'plan list',
  summary: 'list the plans of the workspace',
  description: 'Lists the plans, oldest first, with their status and the size of what they change.',
  changes: 'nothing',
  schemas: (shapes) => {
    const { z } = shapes;
    return {
      input: z.strictObject({
        all: z.boolean().optional().describe('also those that are applied, rolled back or cancelled'),
      }),
      output: z.strictObject({
        plans: z.array(
          planShapes(shapes).brief.extend({
            expires: z.iso.datetime().describe('when it is dropped unless it changes'),
          }),
        ),
        warnings: z.array(z.string()).describe('plans that cannot be read'),
      }),
    };
  },
  async handle(savepoint, { all = false }, { signal }) {
    const { plans, keptMs, problems } = await savepoint.plans(withoutUndefined({ signal }));
    const open = plans.filter(({ status }) => all || status === 'pending' || status === 'approved');
    return {
      plans: open.map((view) => ({ ...planBriefToJson(view), expires: timeToJson(view.plan.updated + keptMs) })),
      warnings: [...problems],
    };
  },
});

export const planShow = verb({
  name: 'plan show',
  summary: 'show a plan: its changes, and what was decided about them',
  description: 'Shows one plan with its changes and numbered hunks. With paths, only their changes are listed.',
  changes: 'nothing',
  schemas: (shapes) => ({
    input: shapes.z.strictObject({
      id: shapes.z.string(),
      paths: shapes.z.array(shapes.jsonName).min(1).optional().describe('only these paths and below'),
      patch: shapes.z.boolean().optional().describe('also return a patch of the proposed changes'),
    }),
    output: planShapes(shapes).whole,
  }),
  async handle(savepoint, { id, paths, patch }, { signal }) {
    if (paths === undefined) return planToJson(await savepoint.plan(id, withoutUndefined({ patch, signal })));
    const place = await savepoint.place();
    const wanted = paths.map((path) => treePathOf(place, path));
    const view = await savepoint.plan(id, withoutUndefined({ signal }));
    const changes = view.changes.filter(({ change }) => wanted.some((path) => isWithin(change.path, path)));
    if (changes.length === 0) {
      throw new SavepointError('USAGE', `${view.plan.id} changes nothing at these paths.`, { argument: 'paths' });
    }
    const names = changes.flatMap(({ change: { path, from } }) =>
      (from === null ? [path] : [path, from]).map(exactName),
    );
    const found = patch === true ? await savepoint.planPatch(view.plan.id, names, withoutUndefined({ signal })) : null;
    return { ...planToJson({ ...view, changes, patch: found }), rejected: planBriefToJson(view).rejected };
  },
});

interface GivenChanges {
  readonly files?: z.output<EditShapes['editRequest']>['files'] | undefined;
  readonly patch?: string | undefined;
  readonly branch?: string | undefined;
  readonly worktree?: JsonName | undefined;
  readonly fork?: string | undefined;
}

/** @throws SavepointError USAGE unless exactly one of them is given, EDITS_REFUSED */
async function changesOf(
  savepoint: Savepoint,
  { files, patch, branch, worktree, fork }: GivenChanges,
  options: CallOptions,
): Promise<readonly FileEdits[] | PlanOrigin> {
  if ([files, patch, branch, worktree, fork].filter((one) => one !== undefined).length !== 1) {
    throw new SavepointError('USAGE', 'A plan needs one of: edits of files, a patch, a branch, a worktree, a fork.', {
      argument: 'files',
    });
  }
  if (files !== undefined) return fileEditsOf(savepoint, { files }, options);
  if (patch !== undefined) return { patch };
  if (worktree !== undefined) return { worktree: exactName(diskPathFromJson(worktree)) };
  return branch !== undefined ? { branch } : { fork: fork ?? '' };
}

function isEdits(changes: readonly FileEdits[] | PlanOrigin): changes is readonly FileEdits[] {
  return Array.isArray(changes);
}
