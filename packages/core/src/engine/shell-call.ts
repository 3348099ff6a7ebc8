/**
 * Finds the call of an agent whose shell runs a command of Savepoint. What the command does is then a step of that call,
 * and not of the user, and what only a person may decide is refused.
 *
 * This is not a barrier: an agent that acts as the user can hide where it runs. It keeps the record true for agents that
 * use Savepoint openly.
 */

import type { ProcessIdentity } from '../io/ports.ts';
import { isSameProcess } from '../io/same-process.ts';
import { canonicalActor, canonicalAgent } from '../model/agent-names.ts';
import type { Author } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import { type OpenCall, readOpenCalls } from '../store/state/open-calls.ts';
import type { CheckpointInfo } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { Engine } from './engine.ts';

/** The part of a checkpoint's record that says who asked for it. */
export type AskedBy = Pick<CheckpointInfo, 'actor' | 'session' | 'toolCall' | 'tool'>;

/** @returns null if no agent is known to run the command */
export function shellCallOf(
  { actor, options: { caller } }: Engine,
  workspace: Workspace,
): (Partial<AskedBy> & Pick<AskedBy, 'actor'>) | null {
  if (actor.kind !== 'user' || caller === undefined) return null;
  const { ports, store } = workspace;
  const layouts = [store.layout, ...workspace.overlapping().map(({ layout }) => layout)];
  const open = layouts.flatMap((layout) => readOpenCalls(ports, layout)).filter(({ own }) => !own);
  const found = callsAbove(open, caller.ancestors());
  if (found.length > 0) return sharedBy(found);
  if (caller.agent === null) return null;
  const name = canonicalAgent(caller.agent);
  const named = open.filter((call) => canonicalAgent(call.actor.name) === name);
  return named.length > 0 ? sharedBy(named) : { actor: canonicalActor({ kind: 'agent', name }) };
}

/** The same as an author; null if no agent is known to run the command. */
export function shellAuthorOf(engine: Engine, workspace: Workspace): Author | null {
  const found = shellCallOf(engine, workspace);
  if (found === null) return null;
  const { actor, session = null, toolCall = null, tool } = found;
  return { actor, session, call: toolCall, tool: tool?.name ?? null };
}

/** @throws SavepointError NEEDS_CONFIRMATION if an agent runs the command in its shell */
export function assertByPerson(engine: Engine, workspace: Workspace, verb: string, command = verb): void {
  const found = shellCallOf(engine, workspace);
  if (found === null) return;
  throw new SavepointError(
    'NEEDS_CONFIRMATION',
    `Only a person may run \`savepoint ${command}\`, and it was run by ${found.actor.name}.`,
    { verb },
    { hint: 'Nothing was changed. Ask the user to run it in a terminal of their own, outside of the agent.' },
  );
}

/** The calls of the agent that is nearest above a process. */
function callsAbove(open: readonly OpenCall[], ancestors: readonly ProcessIdentity[]): readonly OpenCall[] {
  for (const ancestor of ancestors) {
    const found = open.filter(({ process }) => process !== undefined && isSameProcess(process, ancestor));
    if (found.length > 0) return found;
  }
  return [];
}

/** What several calls have in common: it is not known which of them runs the command. */
function sharedBy(calls: readonly OpenCall[]): Partial<AskedBy> & Pick<AskedBy, 'actor'> {
  const [first, ...others] = calls as [OpenCall, ...OpenCall[]];
  const { actor, session, id, tool } = first;
  if (others.length === 0) return { actor, session, toolCall: id, tool };
  const { id: _subAgent, ...agent } = actor;
  if (others.some((call) => call.session !== session)) return { actor: agent };
  return { actor: others.every((call) => call.actor.id === actor.id) ? actor : agent, session };
}
