/** Gives comments to agents, each once. */

import { canonicalAgent } from '../../model/agent-names.ts';
import type { CallOptions } from '../../model/call-options.ts';
import { hasComments, readComments, writeComments } from '../../store/state/comments.ts';
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
  const isAnyDue = readIfFound(engine.context(), (workspace) => {
    const { ports, store } = workspace;
    if (!hasComments(ports, store.layout)) return false;
    return readComments(ports.fs, store.layout).some((one) => isFor(workspace, one, recipient));
  });
  if (isAnyDue !== true) return [];
  return engine.write(options, 'existing', async ({ workspace, pace }) => {
    const { ports, store } = workspace;
    const all = readComments(ports.fs, store.layout);
    const due = new Set(all.filter((one) => isFor(workspace, one, recipient)).map(({ id }) => id));
    if (due.size === 0) return [];
    const sent = { time: ports.clock.now(), agent: canonicalAgent(recipient.agent), session: recipient.session };
    const after = all.map((one) => (due.has(one.id) ? { ...one, sent } : one));
    const views = await placed(
      engine,
      workspace,
      after.filter(({ id }) => due.has(id)),
      {},
      pace,
    );
    writeComments(ports.fs, store.layout, after);
    return views;
  });
}
