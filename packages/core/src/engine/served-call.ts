/**
 * Finds the call of an agent that this process serves. If an agent with hooks calls one of our own tools, its hook has
 * recorded that call as open. What the tool does then belongs to the session and the actor of that call.
 */

import { isSameProcess } from '../io/same-process.ts';
import { canonicalAgent, isKnownAgent } from '../model/agent-names.ts';
import type { CallOptions } from '../model/call-options.ts';
import type { Actor, Author } from '../model/checkpoint.ts';
import { parseCallId } from '../model/parse-ids.ts';
import { toolInfo } from '../session/call-request.ts';
import { type OpenCall, readOpenCalls } from '../store/state/open-calls.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { Engine } from './engine.ts';
import { type AskedBy, shellCallOf } from './shell-call.ts';

/** The tool of the call that is open while an agent without hooks does guarded steps. */
export const STEPS_TOOL = 'guard';

/** Returns the call for the guarded steps that began in this process; null if none are open. */
export function stepsOf({ actor, ports }: Engine, { store }: Workspace): OpenCall | null {
  const name = canonicalAgent(actor.name);
  const self = ports.processes.self();
  const open = readOpenCalls(ports, store.layout).filter(
    (call) =>
      call.tool.name === STEPS_TOOL &&
      !call.own &&
      call.process !== undefined &&
      isSameProcess(call.process, self) &&
      canonicalAgent(call.actor.name) === name,
  );
  return open.at(-1) ?? null;
}

/** Returns the part of a checkpoint's record that says who asked for it. */
export function servedCallInfo(
  engine: Engine,
  workspace: Workspace,
  { toolCall }: Pick<CallOptions, 'toolCall'>,
): Partial<AskedBy> {
  const { actor } = engine;
  const id = typeof toolCall === 'string' ? { toolCall: parseCallId(toolCall) } : {};
  if (actor.kind !== 'agent') return { ...id, ...shellCallOf(engine, workspace) };
  const { ports, store } = workspace;
  const own = readOpenCalls(ports, store.layout).filter((call) => call.own);
  const found = typeof toolCall === 'string' ? own.filter((call) => call.id === toolCall) : byAgent(own, actor);
  const [first, ...others] = found;
  if (first === undefined) {
    const steps = stepsOf(engine, workspace);
    return steps === null ? id : infoOf(steps);
  }
  if (others.length === 0) return infoOf(first);
  const exact = typeof toolCall === 'object' ? found.filter((call) => isCallOf(call, toolCall)) : [];
  if (exact.length === 1) return infoOf(exact[0]!);
  // Parallel calls of one session: it is only unknown which of them this is.
  if (others.every((call) => isSameActor(call, first))) return { actor: first.actor, session: first.session };
  return others.every((call) => call.session === first.session) ? { ...id, session: first.session } : id;
}

/** Returns the actor of the call. */
export function callerOf(engine: Engine, workspace: Workspace, options: CallOptions): Actor {
  return servedCallInfo(engine, workspace, options).actor ?? engine.actor;
}

/** Returns the caller of an operation as the author of its changes. */
export function askedBy(engine: Engine, workspace: Workspace, options: CallOptions): Author {
  const {
    actor = engine.actor,
    session = null,
    toolCall = null,
    tool = null,
  } = servedCallInfo(engine, workspace, options);
  return { actor, session, call: toolCall, tool: tool?.name ?? null };
}

/** An agent with an unknown name may be any of them. */
function byAgent(open: readonly OpenCall[], actor: Actor): readonly OpenCall[] {
  const name = canonicalAgent(actor.name);
  return isKnownAgent(name) ? open.filter((call) => canonicalAgent(call.actor.name) === name) : open;
}

/** Agents put the name of the server before the name of its tool: `mcp__savepoint__edit`. */
function isCallOf({ tool }: OpenCall, served: { readonly tool: string; readonly args: unknown }): boolean {
  const server = tool.name.endsWith(served.tool) ? tool.name.slice(0, -served.tool.length) : '';
  return /savepoint[-_.]+$/.test(server) && toolInfo(served).args === tool.args;
}

function isSameActor(a: OpenCall, b: OpenCall): boolean {
  return a.session === b.session && JSON.stringify(a.actor) === JSON.stringify(b.actor);
}

function infoOf({ actor, session, id, tool }: OpenCall): AskedBy {
  return { actor, session, toolCall: id, tool };
}
