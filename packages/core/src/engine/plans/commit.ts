/** Commits an applied plan in the user's own repositories, with their hooks if a person asks for that. */

import { isFailing } from '../../check/compare.ts';
import { showText } from '../../content/show-name.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { SavepointError } from '../../model/errors.ts';
import type { DiskPath } from '../../model/names.ts';
import type { Plan } from '../../model/plan.ts';
import type { HookCaller } from '../../plan/commit-hooks.ts';
import type { PlanCommits } from '../../plan/commit-plan.ts';
import { pathsOf } from '../../plan/phases.ts';
import { named, type PlanCommitRequest } from '../../plan/prepare-commit.ts';
import { userAttributes } from '../../plan/repository-attributes.ts';
import { newHookFolder, removeHookFolder } from '../../store/state/commit-index.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Engine } from '../engine.ts';
import { assertByUser } from '../shell-call.ts';
import type { WriteOperationContext } from '../write-context.ts';
import { changesInEffect, inEffect, leftOf, type PlanProgress, pathsLeftOut } from './applications.ts';
import { progressOf } from './plan-view.ts';
import { findPlan } from './stored-plans.ts';

export interface PlanCommitChoices {
  /** Default: the intent of the plan, in the style of the repository's recent subjects. */
  readonly message?: string;
  /** Default: the one that git would name, from `places.variables` and the configuration. */
  readonly author?: { readonly name: string; readonly email: string };
  /** Run the repository's own hooks of a commit. Only a person may do this. Default false. */
  readonly hooks?: boolean;
}

export interface PlanCommitOptions extends CallOptions, PlanCommitChoices {}

export async function commitApplied(engine: Engine, id: string, options: PlanCommitOptions): Promise<PlanCommits> {
  if (options.hooks === true) return commitWithHooks(engine, id, options);
  return engine.operate(options, async (operating) => {
    const { commitPlan } = await import('../../plan/commit-plan.ts');
    const { request, notes } = await requestOf(operating, id, options);
    const done = await commitPlan(operating.workspace, request, null, operating.pace);
    return { ...done, notes: [...notes, ...done.notes] };
  });
}

/** The hooks run without the lock, so everything is examined again afterwards. */
async function commitWithHooks(engine: Engine, id: string, options: PlanCommitOptions): Promise<PlanCommits> {
  const { commitPlan } = await import('../../plan/commit-plan.ts');
  const { prepareCommits } = await import('../../plan/prepare-commit.ts');
  const { runHooks, runPostCommit, stageForHooks } = await import('../../plan/commit-hooks.ts');
  let folder: DiskPath | null = null;
  try {
    const { git, staged } = await engine.operate(options, async (operating) => {
      const { workspace, pace } = operating;
      assertByUser(engine, workspace, 'planHooks');
      const prepared = await prepareCommits(workspace, (await requestOf(operating, id, options)).request, pace);
      folder = newHookFolder(workspace.ports, workspace.store.layout);
      return { git: prepared.git, staged: await stageForHooks(workspace, prepared, folder, pace) };
    });
    const { places, ports } = engine.context();
    const caller: HookCaller = { variables: places.variables?.() ?? {}, signal: options.signal ?? null };
    const hooked = await engine.mapErrors(() => runHooks({ ports }, git, staged, caller));
    const done = await engine.operate(options, async (operating) => {
      const { request, notes } = await requestOf(operating, id, options);
      const { commits, notes: more } = await commitPlan(operating.workspace, request, hooked, operating.pace);
      return { commits, notes: [...notes, ...more] };
    });
    const committed = staged.filter(({ root }) => done.commits.some(({ path }) => path === root));
    const after = await engine.mapErrors(() => runPostCommit(git, committed, caller));
    return { ...done, notes: [...done.notes, ...after] };
  } finally {
    if (folder !== null) removeHookFolder(engine.ports.fs, folder);
  }
}

/** @throws SavepointError UNKNOWN_PLAN, USAGE if no application is in effect */
async function requestOf(
  { context: { places, ports }, workspace, pace }: WriteOperationContext,
  id: string,
  options: PlanCommitOptions,
): Promise<{ readonly request: PlanCommitRequest; readonly notes: readonly string[] }> {
  const plan = findPlan(workspace, id);
  const { message = null, author = null } = options;
  const variables = places.variables?.() ?? {};
  const attributes = userAttributes(places, ports.platform);
  const progress = await progressOf(workspace, plan, pace);
  const request = { plan, steps: stepsOf(workspace, plan, progress), message, author, variables, attributes };
  return { request, notes: [...failureNotes(progress), ...notesAbout(plan, progress)] };
}

function failureNotes({ applications }: PlanProgress): readonly string[] {
  const failed = applications.flatMap(({ isInEffect, validation }) =>
    isInEffect && validation !== null ? validation.results.filter(isFailing).map(({ name }) => name) : [],
  );
  if (failed.length === 0) return [];
  const names = [...new Set(failed)].map((name) => showText(name)).join(', ');
  return [`after it was applied, these checks found new failures or gave no answer: ${names}`];
}

/** What is not in the commit although the plan has it. */
function notesAbout(plan: Plan, progress: PlanProgress): readonly string[] {
  if (inEffect(progress.applications).some(({ isUnreadable }) => isUnreadable)) {
    return [
      'a checkpoint in which the plan was applied was dropped or is damaged, so what it changed is not committed',
    ];
  }
  if (changesInEffect(progress.applications).length === 0) {
    return ['the plan changed no files when it was applied, because they were already as it says'];
  }
  const left = pathsLeftOut(leftOf(plan, progress));
  return left.length === 0 ? [] : [`not applied, and so not committed: ${named(left)}`];
}

/** @throws SavepointError USAGE if no application is in effect */
function stepsOf(
  { timeline }: Workspace,
  plan: Plan,
  { applications, changes }: PlanProgress,
): PlanCommitRequest['steps'] {
  const refs = timeline.list();
  const applied = changesInEffect(applications).toSorted((a, b) => a.checkpoint - b.checkpoint);
  if (inEffect(applications).length === 0) {
    throw new SavepointError('USAGE', `${plan.id} is not applied, so there is nothing to commit.`, { argument: 'id' });
  }
  return applied.flatMap(({ checkpoint, reverted }) => {
    const at = refs.findIndex((ref) => ref.number === checkpoint);
    const [before, after] = [refs[at - 1], refs[at]];
    if (before === undefined || after === undefined) return [];
    const made = timeline.read(after);
    const only = made.trigger === 'merge' ? new Set(changes.flatMap(pathsOf)) : null;
    return [{ before: timeline.read(before), after: made, reverted, only }];
  });
}
