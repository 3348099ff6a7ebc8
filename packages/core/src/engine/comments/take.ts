/** Gives comments to agents, each once. */

import { canonicalAgent } from '../../model/agent-names.ts';
import type { CallOptions } from '../../model/call-options.ts';
import type { Comment, CommentId } from '../../model/comment.ts';
import { hasComments, readComments, writeComments } from '../../store/state/comments.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { Engine } from '../engine.ts';
import { readIfFound } from '../open.ts';
import { isFor, type Recipient } from './addressee.ts';
import { type CommentView, placed } from './placed.ts';

/**
 * Returns the comments for an agent, which count as sent from now on: a process that dies before the agent has them loses
 * them for this agent, but no agent gets one twice.
 */
export async function takeFor(
  engine: Engine,
  recipient: Recipient,
  options: CallOptions,
): Promise<readonly CommentView[]> {
  const due = readIfFound(engine.context(), (workspace) => dueComments(workspace, recipient));
  if (due === null || due.length === 0) return [];
  return engine.write(options, 'existing', async ({ workspace, pace }) => {
    const { sent, all } = sendDue(workspace, recipient);
    const views = await placed(engine, workspace, sent, {}, pace);
    if (sent.length > 0) writeComments(workspace.ports.fs, workspace.store.layout, all);
    return views;
  });
}

/** The comments that an agent is to get now. @throws SavepointError STORE_DAMAGED */
export function dueComments(workspace: Workspace, recipient: Recipient): readonly Comment[] {
  const { ports, store } = workspace;
  if (!hasComments(ports, store.layout)) return [];
  return readComments(ports.fs, store.layout).filter((one) => isFor(workspace, one, recipient));
}

/** Records that an agent has comments. Those that were sent meanwhile, or removed, stay as they are. */
export async function recordAsSent(
  engine: Engine,
  ids: ReadonlySet<CommentId>,
  recipient: Recipient,
  options: CallOptions,
): Promise<void> {
  await engine.write(options, 'existing', async ({ workspace }) => {
    const { sent, all } = sendDue(workspace, recipient, ids);
    if (sent.length > 0) writeComments(workspace.ports.fs, workspace.store.layout, all);
  });
}

/**
 * Returns the comments that count as sent to the agent now, and all comments with these. Writes nothing.
 * @param only absent: all that are due
 */
function sendDue(
  workspace: Workspace,
  recipient: Recipient,
  only?: ReadonlySet<CommentId>,
): { readonly sent: readonly Comment[]; readonly all: readonly Comment[] } {
  const { ports, store } = workspace;
  const delivery = {
    time: ports.clock.now(),
    agent: canonicalAgent(recipient.agent),
    session: recipient.session,
  };
  const sent: Comment[] = [];
  const all = readComments(ports.fs, store.layout).map((one) => {
    if (only?.has(one.id) === false || !isFor(workspace, one, recipient)) return one;
    const now = { ...one, sent: delivery };
    sent.push(now);
    return now;
  });
  return { sent, all };
}
