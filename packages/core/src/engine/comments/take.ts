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
    const sent = asSent(workspace, dueComments(workspace, recipient), recipient);
    const views = await placed(engine, workspace, sent, {}, pace);
    replaceComments(workspace, sent);
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
    const due = dueComments(workspace, recipient).filter(({ id }) => ids.has(id));
    replaceComments(workspace, asSent(workspace, due, recipient));
  });
}

function asSent({ ports }: Workspace, comments: readonly Comment[], { agent, session }: Recipient): readonly Comment[] {
  const sent = { time: ports.clock.now(), agent: canonicalAgent(agent), session };
  return comments.map((one) => ({ ...one, sent }));
}

/** The caller holds the lock. */
function replaceComments({ ports, store }: Workspace, changed: readonly Comment[]): void {
  if (changed.length === 0) return;
  const byId = new Map(changed.map((one) => [one.id, one]));
  const all = readComments(ports.fs, store.layout);
  writeComments(
    ports.fs,
    store.layout,
    all.map((one) => byId.get(one.id) ?? one),
  );
}
