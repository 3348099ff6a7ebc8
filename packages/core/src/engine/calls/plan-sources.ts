/** Calls that make plans of changes from elsewhere: edits, patches, branches, forks and copies. */

import { showName } from '../../content/show-name.ts';
import type { FileEdits } from '../../edit/file-edits.ts';
import { givenDiskPath } from '../../io/given-path.ts';
import type { Actor } from '../../model/checkpoint.ts';
import type { DiskPath, JsonName } from '../../model/names.ts';
import type { Operation } from '../../operation/operation.ts';
import { userAttributes } from '../../plan/repository-attributes.ts';
import { attributionTo } from '../../timeline/capture/attribution.ts';
import { findFork } from '../copies/forks.ts';
import { mergeIn } from '../copies/merge-fork.ts';
import { promptsOf } from '../copies/record-prompts.ts';
import type { WorkspaceCopy } from '../copies/workspace-copy.ts';
import type { Engine } from '../engine.ts';
import { editsOfPatch } from '../plans/edits-of-patch.ts';
import type { PlanView } from '../plans/plan-view.ts';
import { type Proposal, type ProposeOptions, propose, type ReviseOptions, revise } from '../plans/propose.ts';
import type { WriteOperationContext } from '../write-context.ts';
import { applyIn } from './copies.ts';
import { assertMayEdit, editOperationIn, requestsOf } from './edits.ts';

/** Where the proposed changes are. */
export type PlanOrigin =
  /** A unified diff of many files, as of `git diff`. Its paths are relative to the workspace. */
  | { readonly patch: string }
  /** What the branch changed since it left HEAD, as `git diff HEAD...BRANCH` shows it. */
  | { readonly branch: string }
  /**
   * The absolute path of another worktree of a repository of the workspace: its uncommitted changes, staged, unstaged and
   * untracked, as the files lie on disk, without what git ignores.
   */
  | { readonly worktree: JsonName }
  /** The name of a fork, which stays. */
  | { readonly fork: string }
  /** A copy, which stays. `author`: who worked in it; default: the caller. */
  | {
      readonly copy: WorkspaceCopy;
      readonly author?: { readonly actor: Actor; readonly session?: string };
    };

export interface PlanSourceCalls {
  /**
   * Makes a plan of edits. Nothing is changed but the store.
   * @throws SavepointError EDITS_REFUSED with all problems, USAGE if they change nothing, and what `checkpoint` throws
   */
  proposeEdits(files: readonly FileEdits[], options: ProposeOptions): Promise<PlanView>;
  /**
   * Makes a plan of changes that are somewhere else, merged into the folder as it is. Nothing is changed but the store.
   * @throws SavepointError USAGE if they change nothing, EDITS_REFUSED for a patch, CONFLICT if they do not merge,
   *   UNKNOWN_FORK, GIT_REFUSED, and what `checkpoint` throws
   */
  proposeFrom(origin: PlanOrigin, options: ProposeOptions): Promise<PlanView>;
  /**
   * Replaces the files of a plan by others, on the folder as it is. What was decided about hunks that are the same stays.
   * @throws SavepointError UNKNOWN_PLAN, USAGE if it is applied or cancelled, CONFLICT if it has another revision than the
   *   caller saw, or than the copy goes on from, and what `proposeEdits` and `proposeFrom` throw
   */
  revisePlan(id: string, changes: readonly FileEdits[] | PlanOrigin, options?: ReviseOptions): Promise<PlanView>;
}

export function planSourceCalls(engine: Engine): PlanSourceCalls {
  return {
    proposeEdits: (files, options) =>
      engine.once((once) =>
        once.mapErrors(async () => propose(once, await editsProposal(once, files, 'edits', options), options)),
      ),
    proposeFrom: (origin, options) =>
      engine.once((once) =>
        once.mapErrors(async () => propose(once, await proposalOf(once, origin, options), options)),
      ),
    revisePlan: (id, changes, options = {}) =>
      engine.once((once) =>
        once.mapErrors(async () => {
          const { revision: _, ...call } = options;
          const given = { ...call, intent: `Revised ${id}` };
          const proposal = isEdits(changes)
            ? await editsProposal(once, changes, 'edits', given)
            : await proposalOf(once, changes, given);
          return revise(once, id, proposal, options);
        }),
      ),
  };
}

/** What a plan of these changes is made of. */
async function proposalOf(engine: Engine, origin: PlanOrigin, options: ProposeOptions): Promise<Proposal> {
  if ('patch' in origin) {
    return editsProposal(engine, await editsOfPatch(engine, origin.patch, engine.pace(options)), 'patch', options);
  }
  if ('fork' in origin) return forkProposal(engine, origin.fork);
  if ('worktree' in origin) return worktreeProposal(engine, givenDiskPath(engine.ports, origin.worktree));
  return 'branch' in origin ? branchProposal(engine, origin.branch) : copyProposal(engine, origin, options);
}

async function editsProposal(
  engine: Engine,
  files: readonly FileEdits[],
  source: 'edits' | 'patch',
  { intent }: ProposeOptions,
): Promise<Proposal> {
  const requests = await requestsOf(engine, files);
  assertMayEdit(engine, engine.context(), requests);
  const operation = (operating: WriteOperationContext) =>
    editOperationIn(engine, operating, requests, { message: intent });
  return { source, sourceName: null, operation };
}

async function forkProposal(engine: Engine, fork: string): Promise<Proposal> {
  const { copy } = await engine.read((workspace, context) => findFork(engine, context, workspace, fork));
  const operation = ({ context, workspace, pace }: WriteOperationContext): Operation => {
    const merge = mergeIn({ engine, context, workspace, pace }, fork, {});
    // A proposal takes no choices about conflicts.
    const hint = `Nothing was changed. Take the changes of the folder over into the fork, or merge it with \`savepoint fork merge ${fork}\`.`;
    return { ...merge, plan: async (current) => ({ ...(await merge.plan(current)), hint }) };
  };
  return { source: 'fork', sourceName: fork, operation, copy };
}

function branchProposal(engine: Engine, branch: string): Proposal {
  const operation = async ({
    context: { places, ports },
    workspace,
    pace,
  }: WriteOperationContext): Promise<Operation> => {
    const { branchOperation } = await import('../../plan/branch-changes.ts');
    const attributes = userAttributes(places, ports.platform);
    return branchOperation(workspace, { branch, actor: engine.actor, attributes }, pace);
  };
  return { source: 'branch', sourceName: branch, operation };
}

function worktreeProposal(engine: Engine, folder: DiskPath): Proposal {
  const operation = async ({ context: { places, ports }, workspace, pace }: WriteOperationContext) => {
    const { worktreeOperation } = await import('../../plan/worktree-changes.ts');
    const { globalIgnore } = places;
    const attributes = userAttributes(places, ports.platform);
    return worktreeOperation(workspace, { folder, actor: engine.actor, attributes, globalIgnore }, pace);
  };
  return { source: 'worktree', sourceName: showName(folder), operation };
}

function copyProposal(
  engine: Engine,
  { copy, author }: Extract<PlanOrigin, { copy: unknown }>,
  { intent }: ProposeOptions,
): Proposal {
  const { id, place, purpose } = copy.copy.record;
  const operation = ({ workspace, pace }: WriteOperationContext) => {
    const applied = applyIn(engine, workspace, copy, { description: intent, ...(author && { author }) }, pace);
    return author === undefined ? applied : withOwnAuthor(applied);
  };
  const made = { sourceName: id, operation, copy: { id, place } };
  if (purpose !== 'isolated') return { source: 'try', ...made };
  return { source: 'isolated', ...made, prompts: (workspace) => promptsOf(workspace, copy.copy) };
}

/** What was done in the copy was done by its author, also if another caller asks for the plan. */
function withOwnAuthor(operation: Operation): Operation {
  const { actor, session, toolCall } = operation.info;
  return { ...operation, attribution: attributionTo({ actor, session, call: toolCall, tool: null }) };
}

function isEdits(changes: readonly FileEdits[] | PlanOrigin): changes is readonly FileEdits[] {
  return Array.isArray(changes);
}
