/** The lines that a comment is about, and the agent that it is for. */

import { joinLines, splitLines } from '../../content/lines.ts';
import { showName } from '../../content/show-name.ts';
import { givenPath } from '../../io/given-path.ts';
import type { Pace } from '../../io/pace.ts';
import { canonicalAgent } from '../../model/agent-names.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import type { CommentAnchor, CommentSide } from '../../model/comment.ts';
import { SavepointError } from '../../model/errors.ts';
import type { JsonName, TreePath } from '../../model/names.ts';
import { previewCheckpoint } from '../../timeline/capture/compose.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Engine } from '../engine.ts';
import { findPlan } from '../plans/stored-plans.ts';
import { type Addressee, ANY_AGENT, changerOf, writerOf } from './addressee.ts';
import { folderNow, stateOf, textFileIn } from './file-at.ts';
import { CONTEXT_LINES } from './place.ts';

/** Which lines are commented on. */
export interface CommentRequest {
  readonly path: JsonName;
  /** From 1. */
  readonly first: number;
  /** Default: `first`. */
  readonly last?: number;
  readonly text: string;
  /** Of the lines: in the state after the change (default), or in that before it. */
  readonly side?: CommentSide;
  /** A plan that proposes the lines. */
  readonly plan?: string;
  /** The checkpoint after the change. Default: the folder as it is now. */
  readonly at?: string;
  /** The checkpoint before the change. Default: the one before `at`, or the last one. */
  readonly from?: string;
}

export async function anchorOf(
  engine: Engine,
  workspace: Workspace,
  request: CommentRequest,
  pace: Pace,
): Promise<{ readonly anchor: CommentAnchor; readonly addressee: Addressee }> {
  const { side = 'after', first, last = first, plan: planName, at: name, from } = request;
  const path = givenPath(workspace, request.path);
  const latest = workspace.timeline.latest() ?? engine.resolve(workspace, 'last');
  const anchor = (content: Buffer, rest: Pick<CommentAnchor, 'plan' | 'checkpoint'>): CommentAnchor => ({
    ...rest,
    path,
    side,
    ...linesOf(content, path, first, last),
  });
  if (planName !== undefined) {
    const plan = findPlan(workspace, planName);
    const snapshot = side === 'after' ? plan.proposed : plan.before;
    const { content } = textFileIn(stateOf(workspace, { snapshot }), path, plan.id);
    const { id, revision, base: checkpoint, proposedBy, session } = plan;
    const agent = proposedBy.kind === 'agent' ? canonicalAgent(proposedBy.name) : null;
    return { anchor: anchor(content, { plan: { id, revision }, checkpoint }), addressee: { agent, session } };
  }
  const at = name === undefined ? null : engine.resolve(workspace, name);
  if (side === 'before') {
    const before = checkpointBefore(engine, workspace, at, from);
    const { content } = textFileIn(stateOf(workspace, before), path, before.id);
    const upTo = at?.number ?? Number.POSITIVE_INFINITY;
    const addressee = changerOf(workspace, path, before.number, upTo);
    return { anchor: anchor(content, { plan: null, checkpoint: before.number }), addressee };
  }
  const { state, uncaptured } = await after(workspace, at, latest, pace);
  const { content, entry } = textFileIn(state, path, at?.id ?? 'the folder');
  const made = anchor(content, { plan: null, checkpoint: at?.number ?? latest.number });
  const place = { first: made.first, last: made.last };
  const writer = await writerOf(workspace, { objects: state.objects, path, entry, place, uncaptured, at }, pace);
  const { number } = at === null ? latest : checkpointBefore(engine, workspace, at, from);
  const addressee = writer === ANY_AGENT ? changerOf(workspace, path, number, at?.number ?? 0) : writer;
  return { anchor: made, addressee };
}

export function checkpointBefore(
  engine: Engine,
  workspace: Workspace,
  at: Checkpoint | null,
  from: string | undefined,
): Checkpoint {
  if (from !== undefined) return engine.resolve(workspace, from);
  if (at === null) return engine.resolve(workspace, 'last');
  const before = at.previous === null ? undefined : workspace.timeline.reader().find(at.previous);
  return before ?? at;
}

async function after(workspace: Workspace, at: Checkpoint | null, latest: Checkpoint, pace: Pace) {
  if (at !== null) return { state: stateOf(workspace, at), uncaptured: null };
  const state = await folderNow(workspace, pace);
  const uncaptured = await previewCheckpoint(workspace, { ...state, onDamage: () => undefined }, latest, pace);
  return { state, uncaptured };
}

/** @throws SavepointError USAGE */
function linesOf(
  content: Buffer,
  path: TreePath,
  first: number,
  last: number,
): Pick<CommentAnchor, 'first' | 'last' | 'lines' | 'above' | 'below'> {
  const all = splitLines(content);
  if (first < 1 || last < first || last > all.length) {
    const has = `${showName(path)} has ${all.length} line${all.length === 1 ? '' : 's'} there`;
    throw new SavepointError('USAGE', `There are no lines ${first} to ${last}: ${has}.`, { argument: 'lines' });
  }
  if (last - first >= MOST_LINES) {
    throw new SavepointError('USAGE', `A comment is about at most ${MOST_LINES} lines.`, { argument: 'lines' });
  }
  const text = (from: number, to: number): string => joinLines(all.slice(Math.max(0, from), to)).toString('latin1');
  const lines = text(first - 1, last);
  const around = { above: text(first - 1 - CONTEXT_LINES, first - 1), below: text(last, last + CONTEXT_LINES) };
  if (lines.length > MOST_BYTES) {
    throw new SavepointError('USAGE', 'These lines are too long for a comment.', { argument: 'lines' });
  }
  const isShort = around.above.length + around.below.length <= MOST_BYTES;
  return { first, last, lines, ...(isShort ? around : { above: '', below: '' }) };
}

const MOST_LINES = 200;
const MOST_BYTES = 20_000;
