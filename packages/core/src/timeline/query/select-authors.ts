/**
 * Resolves the sessions, calls and agents by which a caller selects: a unique beginning of an id is enough, and an
 * unknown one is an error. Every call of the library that selects by them asks here.
 */

import { canonicalActor } from '../../model/agent-names.ts';
import type { Author } from '../../model/checkpoint.ts';
import { type ErrorData, SavepointError } from '../../model/errors.ts';
import type { CallId, SessionId } from '../../model/ids.ts';
import { parseCallId, parseSessionId } from '../../model/parse-ids.ts';
import { type OpenCall, readOpenCalls } from '../../store/state/open-calls.ts';
import type { Workspace } from '../capture/workspace.ts';
import { actorName, canonicalSelector, isActor } from './actors.ts';
import { describeUnknown, uniqueMatch } from './match-id.ts';

interface AuthorFilter {
  readonly agent?: string;
  readonly session?: string;
  readonly call?: string;
}

/**
 * Returns the filter with full ids.
 * @throws SavepointError AMBIGUOUS_ID, UNKNOWN_AGENT, UNKNOWN_SESSION, UNKNOWN_CALL, USAGE; STORE_DAMAGED, STORE_TOO_NEW if
 *   a checkpoint that cannot be read may name it
 */
export function resolveAuthors<Filter extends AuthorFilter>(workspace: Workspace, filter: Filter): Filter {
  const session = filter.session === undefined ? undefined : resolveSession(workspace, filter.session);
  return {
    ...filter,
    ...(session === undefined ? {} : { session }),
    ...(filter.call === undefined ? {} : { call: resolveCall(workspace, filter.call, session ?? null) }),
    ...(filter.agent === undefined ? {} : { agent: resolveAgent(workspace, filter.agent) }),
  };
}

/**
 * @param given the id of a session, or a unique beginning of it
 * @throws SavepointError AMBIGUOUS_ID, UNKNOWN_SESSION, USAGE; STORE_DAMAGED, STORE_TOO_NEW if a checkpoint that cannot be
 *   read may name it
 */
export function resolveSession(workspace: Workspace, given: string): SessionId {
  const id = parseSessionId(given);
  const unread: SavepointError[] = [];
  const known = new Set<SessionId>();
  for (const { session } of authorsOf(workspace, unread)) {
    if (session === id) return id;
    if (session !== null) known.add(session);
  }
  const match = uniqueMatch('session id', given, known);
  if (match !== null) return match;
  throwIfAny(unread);
  throwUnknownSession(given, known);
}

function resolveCall(workspace: Workspace, given: string, session: SessionId | null): CallId {
  const id = parseCallId(given);
  const unread: SavepointError[] = [];
  const known = new Set<CallId>();
  for (const author of authorsOf(workspace, unread)) {
    if (author.call === null || (session !== null && author.session !== session)) continue;
    if (author.call === id) return id;
    known.add(author.call);
  }
  const match = uniqueMatch('call id', given, known);
  if (match !== null) return match;
  throwIfAny(unread);
  const { message, data, ...more } = describeUnknown('call', given, known);
  throw new SavepointError('UNKNOWN_CALL', message, data, more);
}

/** Returns the name of an agent, `name/id` of a sub-agent with its full id, or the kind of an actor. */
function resolveAgent(workspace: Workspace, given: string): string {
  // These exist in every workspace, even if they changed nothing.
  const unread: SavepointError[] = [];
  const known = new Set<string>();
  const kinds = ['user', 'outside', 'agent'];
  if (kinds.includes(given)) return given;
  for (const { actor } of authorsOf(workspace, unread)) {
    if (isActor(actor, given)) return given;
    known.add(actorName(canonicalActor(actor)));
  }
  const subAgents = new Set([...known].filter((name) => name.includes('/')));
  const match = given.includes('/') ? uniqueMatch('agent', canonicalSelector(given), subAgents) : null;
  if (match !== null) return match;
  const names = new Set([...known].filter((name) => !subAgents.has(name) || given.includes('/')));
  throwIfAny(unread);
  const { message, data, ...more } = describeUnknown('agent', given, new Set([...names, 'user', 'outside']));
  throw new SavepointError('UNKNOWN_AGENT', message, data, more);
}

/**
 * Yields everybody whom the timeline names, the most recent first. An open call may be the first of its session.
 * @param unread receives the error of each checkpoint that cannot be read
 */
function* authorsOf({ ports, store, timeline }: Workspace, unread: SavepointError[]): Generator<Author> {
  const open: readonly OpenCall[] = readOpenCalls(ports, store.layout);
  for (const { actor, session, id, tool } of [...open].reverse()) yield { actor, session, call: id, tool: tool.name };
  for (const { checkpoint, damaged } of timeline.newestFirst()) {
    if (checkpoint === null) {
      unread.push(damaged.error);
      continue;
    }
    const { actor, session, toolCall, tool, changes } = checkpoint;
    yield { actor, session, call: toolCall, tool: tool?.name ?? null };
    for (const { by } of changes ?? []) yield* by.authors;
  }
}

/** A checkpoint that could not be read may name what was not found. */
function throwIfAny(errors: readonly SavepointError[]): void {
  const [first] = errors;
  if (first !== undefined) throw first;
}

function throwUnknownSession(given: string, known: ReadonlySet<string>): never {
  const { message, data, ...more } = describeUnknown('session', given, known);
  const named: ErrorData<'UNKNOWN_SESSION'> = { session: given, known: data.known, closest: data.closest };
  throw new SavepointError('UNKNOWN_SESSION', message, named, more);
}
