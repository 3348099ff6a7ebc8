/** Comments with the places of their lines. */

import type { Pace } from '../../io/pace.ts';
import { type Comment, type CommentAnchor, type CommentStatus, commentStatus } from '../../model/comment.ts';
import { checkpointId } from '../../model/ids.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Engine } from '../engine.ts';
import { allPlans } from '../plans/stored-plans.ts';
import { type CommentRequest, checkpointBefore } from './anchor.ts';
import { type CommentedState, folderNow, stateOf, textIn } from './file-at.ts';
import { type LinePlace, placeIn } from './place.ts';

export interface CommentView {
  readonly comment: Comment;
  readonly status: CommentStatus;
  /** Where its lines are in the state that was asked about; null: they are gone there, so it is outdated. */
  readonly place: LinePlace | null;
}

/** Looks for the lines of each comment: those of a plan in the plan, others in the state that was asked about. */
export async function placed(
  engine: Engine,
  workspace: Workspace,
  comments: readonly Comment[],
  { at: name, from }: Pick<CommentRequest, 'at' | 'from'>,
  pace: Pace,
): Promise<readonly CommentView[]> {
  if (comments.length === 0) return [];
  const at = name === undefined ? null : engine.resolve(workspace, name);
  const states = new Map<string, CommentedState | null>();
  const isFolderNeeded = at === null && comments.some(({ anchor }) => anchor.plan === null && anchor.side === 'after');
  const now = isFolderNeeded ? await folderNow(workspace, pace) : null;
  const { plans } = allPlans(workspace);
  const { find } = workspace.timeline.reader();
  const stateFor = ({ plan, side, checkpoint }: CommentAnchor): CommentedState | null => {
    if (plan === null && side === 'after') return at === null ? now : stateOf(workspace, at);
    if (plan === null) {
      const isAsked = at !== null || from !== undefined;
      const before = isAsked ? checkpointBefore(engine, workspace, at, from) : find(checkpointId(checkpoint));
      return before === undefined ? null : stateOf(workspace, before);
    }
    const found = plans.find(({ id }) => id === plan.id);
    return found === undefined
      ? null
      : stateOf(workspace, { snapshot: side === 'after' ? found.proposed : found.before });
  };
  const texts = new Map<string, Buffer | null>();
  const views: CommentView[] = [];
  for (const comment of comments) {
    if (pace.isDue()) await pace.yieldNow();
    const { anchor } = comment;
    const which = JSON.stringify([anchor.plan?.id ?? anchor.checkpoint, anchor.side]);
    const state = states.has(which) ? (states.get(which) ?? null) : stateFor(anchor);
    states.set(which, state);
    const key = JSON.stringify([which, anchor.path]);
    const content = texts.has(key) ? (texts.get(key) ?? null) : state === null ? null : textIn(state, anchor.path);
    texts.set(key, content);
    views.push(viewOf(comment, content === null ? null : placeIn(content, anchor)));
  }
  return views;
}

export function viewOf(comment: Comment, place: LinePlace | null): CommentView {
  return { comment, status: commentStatus(comment), place };
}
