/** Finds the agent that a comment is for. */

import type { Pace } from '../../io/pace.ts';
import { isSameProcess } from '../../io/same-process.ts';
import { canonicalAgent } from '../../model/agent-names.ts';
import type { Author, Checkpoint } from '../../model/checkpoint.ts';
import type { Comment } from '../../model/comment.ts';
import type { FileEntry } from '../../model/entries.ts';
import type { SessionId } from '../../model/ids.ts';
import type { TreePath } from '../../model/names.ts';
import type { ObjectReader } from '../../store/objects/object-reader.ts';
import { readSessionState } from '../../store/state/session-state.ts';
import { blameLines } from '../../timeline/blame/blame.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import type { LinePlace } from './place.ts';

export type Addressee = Pick<Comment, 'agent' | 'session'>;

export const ANY_AGENT: Addressee = { agent: null, session: null };

/** An agent that can get comments now. */
export interface Recipient {
  readonly agent: string;
  readonly session: Comment['session'];
}

export interface CommentedLines {
  /** Also has the contents that are not captured yet. */
  readonly objects: ObjectReader;
  readonly path: TreePath;
  readonly entry: FileEntry;
  readonly place: LinePlace;
  readonly uncaptured: Checkpoint | null;
  readonly at: Checkpoint | null;
}

/** The agent that wrote the most of these lines. */
export async function writerOf(workspace: Workspace, lines: CommentedLines, pace: Pace): Promise<Addressee> {
  const { objects, place, ...file } = lines;
  const ranges = await blameLines(objects, workspace.timeline.reader(), { ...file, ...place }, pace);
  const counts = new Map<string, { readonly who: Addressee; readonly lines: number }>();
  for (const { first, last, origin } of ranges) {
    const who = 'change' in origin ? agentAmong(origin.change.by.authors) : null;
    if (who === null) continue;
    const key = JSON.stringify(who);
    counts.set(key, { who, lines: (counts.get(key)?.lines ?? 0) + last - first + 1 });
  }
  return [...counts.values()].toSorted((a, b) => b.lines - a.lines)[0]?.who ?? ANY_AGENT;
}

/** The agent that changed the file last, up to a checkpoint. */
export function changerOf(workspace: Workspace, path: TreePath, after: number, upTo: number): Addressee {
  for (const { number, changes } of workspace.timeline.reader().upTo(upTo)) {
    if (number <= after) break;
    const change = changes?.find((one) => one.path === path || one.from === path);
    const who = change === undefined ? null : agentAmong(change.by.authors);
    if (who !== null) return who;
  }
  return ANY_AGENT;
}

/** Whether a comment goes to this agent now: to the session that it is for or, once that is over, to the agent's next one. */
export function isFor(workspace: Workspace, comment: Comment, { agent, session }: Recipient): boolean {
  if (comment.sent !== null || comment.resolved !== null) return false;
  if (comment.session !== null && comment.session === session) return true;
  if (comment.agent !== null && comment.agent !== canonicalAgent(agent)) return false;
  return comment.session === null || !isRunning(workspace, comment.session, session);
}

function agentAmong(authors: readonly Author[]): Addressee | null {
  const found = authors.find(({ actor }) => actor.kind === 'agent');
  return found === undefined ? null : { agent: canonicalAgent(found.actor.name), session: found.session };
}

/** Whether the program of a session still runs, as far as is known, and did not begin the other session instead of it. */
function isRunning({ ports, store }: Workspace, session: SessionId, other: SessionId | null): boolean {
  const programOf = (id: SessionId) => readSessionState(ports.fs, store.layout, id).processes[0];
  const program = programOf(session);
  if (program === undefined || !['alive', 'stopped'].includes(ports.processes.state(program))) return false;
  const current = other === null ? undefined : programOf(other);
  return current === undefined || !isSameProcess(program, current);
}
