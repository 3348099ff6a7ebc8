/**
 * Finds the call of an agent whose shell runs a command of Savepoint. What the command does is then a step of that call,
 * and not of the user, and what only a person may decide is refused.
 *
 * This is not a barrier: an agent that acts as the user can hide where it runs. It keeps the record true for agents that
 * use Savepoint openly.
 */

import { FsError } from '../io/fs.ts';
import type { ProcessIdentity } from '../io/ports.ts';
import { isSameProcess } from '../io/same-process.ts';
import { canonicalActor, canonicalAgent } from '../model/agent-names.ts';
import type { Author } from '../model/checkpoint.ts';
import { SavepointError } from '../model/errors.ts';
import { layoutOf } from '../store/layout.ts';
import { listRecords } from '../store/records.ts';
import { type OpenCall, readOpenCalls } from '../store/state/open-calls.ts';
import { readSessionState } from '../store/state/session-state.ts';
import type { CheckpointInfo } from '../timeline/capture/compose.ts';
import type { Workspace } from '../timeline/capture/workspace.ts';
import type { Engine } from './engine.ts';

/** The part of a checkpoint's record that says who asked for it. */
export type AskedBy = Pick<CheckpointInfo, 'actor' | 'session' | 'toolCall' | 'tool'>;

/** @returns null if no agent is known to run the command */
export function shellCallOf(engine: Engine, workspace: Workspace): KnownCaller | null {
  if (!isUsersCommand(engine)) return null;
  const layouts = [workspace.store.layout, ...workspace.overlapping().map(({ layout }) => layout)];
  const calls = layouts.flatMap((layout) => readOpenCalls(engine.ports, layout));
  return callerAmong(engine, callsByOthers(engine, workspace, calls));
}

/** What is known of the call that runs a command. */
type KnownCaller = Partial<AskedBy> & Pick<AskedBy, 'actor'>;

/** The same as an author; null if no agent is known to run the command. */
export function shellAuthorOf(engine: Engine, workspace: Workspace): Author | null {
  const found = shellCallOf(engine, workspace);
  if (found === null) return null;
  const { actor, session = null, toolCall = null, tool } = found;
  return { actor, session, call: toolCall, tool: tool?.name ?? null };
}

/**
 * What only a person may run, as the user types it, by verb or command: it loses checkpoints or contents for good, or
 * takes away a protection. With `--force`, this also applies to operations.
 */
export const ONLY_BY_A_PERSON = {
  commentAdd: 'comment add',
  commentDelete: 'comment delete',
  commentResolve: 'comment resolve',
  copies: 'copies --clean --all',
  deleteSession: 'sessions delete',
  deleteWorkspace: 'workspaces delete',
  drop: 'drop',
  forkDrop: 'fork drop --force',
  gc: 'gc',
  guardOff: 'guard off',
  guardOn: 'guard on',
  install: 'install',
  linkWorkspace: 'workspace link',
  planApply: 'plan apply --override',
  planHooks: 'plan commit --hooks',
  planPolicy: 'plan policy',
  planMode: 'plan mode on/off',
  planResolve: 'plan apply --resolution/--theirs/--ours',
  planReview: 'plan review --approve',
  purge: 'purge',
  recover: 'recover --forward/--back',
  repair: 'repair --adopt',
  trust: 'trust',
  unfreeze: 'unfreeze',
  uninstall: 'uninstall',
  unpin: 'unpin',
} as const;

/** @throws SavepointError NEEDS_CONFIRMATION if an agent runs the command in its shell */
export function assertByPerson(engine: Engine, workspace: Workspace, verb: keyof typeof ONLY_BY_A_PERSON): void {
  refuse(shellCallOf(engine, workspace), verb, ONLY_BY_A_PERSON[verb]);
}

/**
 * The same, and an agent that uses the library or a server is refused, too.
 * @throws SavepointError NEEDS_CONFIRMATION
 */
export function assertByUser(engine: Engine, workspace: Workspace, verb: keyof typeof ONLY_BY_A_PERSON): void {
  assertByPerson(engine, workspace, verb);
  if (engine.actor.kind !== 'user') refuse(engine, verb, ONLY_BY_A_PERSON[verb]);
}

/** The same for `--force` of an operation. */
export function assertForcedByPerson(engine: Engine, workspace: Workspace, verb: string): void {
  refuse(shellCallOf(engine, workspace), verb, `${verb} --force`);
}

/** The same for what affects other workspaces than that of the current folder: an agent of any of them may run it. */
export function assertByPersonAnywhere(engine: Engine, verb: keyof typeof ONLY_BY_A_PERSON): void {
  if (!isUsersCommand(engine)) return;
  const { ports } = engine;
  const calls = emptyIfUnusable(() =>
    listRecords(ports, engine.context().places.home).records.flatMap(({ storePath }) =>
      emptyIfUnusable(() => readOpenCalls(ports, layoutOf(storePath))),
    ),
  );
  refuse(callerAmong(engine, calls), verb, ONLY_BY_A_PERSON[verb]);
}

/** Whether a user's command was run, and not a call of a program that names its own actor. */
function isUsersCommand({ actor, options: { caller } }: Engine): boolean {
  return actor.kind === 'user' && caller !== undefined;
}

/** A person can remove a store or hooks even if a store cannot be read. Then only the environment names an agent. */
function emptyIfUnusable<T>(read: () => readonly T[]): readonly T[] {
  try {
    return read();
  } catch (error) {
    if (error instanceof SavepointError || error instanceof FsError) return [];
    throw error;
  }
}

/** The calls without those of the agent at whose prompt the user typed the command. */
function callsByOthers(
  { options, ports }: Engine,
  { store }: Workspace,
  calls: readonly OpenCall[],
): readonly OpenCall[] {
  const typedIn = options.caller?.session;
  if (typedIn === undefined) return calls;
  const { processes } = readSessionState(ports.fs, store.layout, typedIn);
  const ancestors = options.caller?.ancestors() ?? [];
  const own = ancestors.find((one) => processes.some((known) => isSameProcess(one, known)));
  return calls.filter(
    ({ session, process }) =>
      session !== typedIn && !(own !== undefined && process !== undefined && isSameProcess(own, process)),
  );
}

function callerAmong({ options: { caller } }: Engine, calls: readonly OpenCall[]): KnownCaller | null {
  if (caller === undefined) return null;
  const open = calls.filter(({ own }) => !own);
  const found = callsAbove(open, caller.ancestors());
  if (found.length > 0) return sharedBy(found);
  if (caller.agent === null) return null;
  const name = canonicalAgent(caller.agent);
  const named = open.filter((call) => canonicalAgent(call.actor.name) === name);
  return named.length > 0 ? sharedBy(named) : { actor: canonicalActor({ kind: 'agent', name }) };
}

function refuse(found: KnownCaller | null, verb: string, command: string): void {
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
function sharedBy(calls: readonly OpenCall[]): KnownCaller {
  const [first, ...others] = calls as [OpenCall, ...OpenCall[]];
  const { actor, session, id, tool } = first;
  if (others.length === 0) return { actor, session, toolCall: id, tool };
  const { id: _subAgent, ...agent } = actor;
  if (others.some((call) => call.session !== session)) return { actor: agent };
  return { actor: others.every((call) => call.actor.id === actor.id) ? actor : agent, session };
}
