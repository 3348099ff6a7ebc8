/**
 * Finds the checkpoints before recent work of agents: `@prompt` is the state before the work on the last prompt,
 * `@session` the state at the start of the last session. `~2` means the second last.
 */
import type { Checkpoint } from '../../model/checkpoint.ts';
import { checkpointId, type SessionId } from '../../model/ids.ts';
import type { CheckpointRef, Timeline } from '../record/timeline.ts';

export type WorkStartKind = 'prompt' | 'session';

/** The names of the newest ones, in the order in which to offer them. */
export const WORK_STARTS = ['@prompt', '@session'] as const;

export type FoundStart = { readonly ref: CheckpointRef } | { readonly ref: null; readonly why: string };

/** @returns null if the text is not such a name */
export function parseWorkStart(given: string): { readonly kind: WorkStartKind; readonly count: number } | null {
  const found = /^@(prompt|session)(?:~([1-9]\d{0,5}))?$/.exec(given);
  return found === null ? null : { kind: found[1] as WorkStartKind, count: Number(found[2] ?? 1) };
}

/** @param count 1: the last one, 2: the second last. Of a session that was resumed, the first start counts. */
export function findWorkStart(
  timeline: Timeline,
  refs: readonly CheckpointRef[],
  kind: WorkStartKind,
  count: number,
): FoundStart {
  return kind === 'prompt' ? findPrompt(timeline, refs, count) : findSessionStart(timeline, refs, count);
}

function findPrompt(timeline: Timeline, refs: readonly CheckpointRef[], count: number): FoundStart {
  let found = 0;
  for (const { checkpoint } of timeline.newestFirst(refs)) {
    if (checkpoint?.trigger !== 'prompt' || checkpoint.conversation?.recordedIn === 'copy') continue;
    found += 1;
    const { number } = checkpoint;
    if (found === count) return foundOr(refs.find((ref) => ref.number === number) ?? null, GONE);
  }
  return {
    ref: null,
    why: found === 0 ? 'No prompt of an agent is recorded.' : `Recorded prompts of agents: ${found}.`,
  };
}

function findSessionStart(timeline: Timeline, refs: readonly CheckpointRef[], count: number): FoundStart {
  const sessions: SessionId[] = [];
  let first: Checkpoint | null = null;
  for (const { checkpoint } of timeline.newestFirst(refs)) {
    const session = checkpoint?.session ?? null;
    if (checkpoint === null || session === null) continue;
    if (!sessions.includes(session)) sessions.push(session);
    if (session === sessions[count - 1]) first = checkpoint;
  }
  if (first === null) {
    const why =
      sessions.length === 0
        ? 'No session of an agent is recorded.'
        : `Recorded sessions of agents: ${sessions.length}.`;
    return { ref: null, why };
  }
  const { number, trigger, previous } = first;
  const own = refs.find((ref) => ref.number === number) ?? null;
  if (trigger === 'session' || previous === null) return foundOr(own, GONE);
  // No start is recorded if the hooks were installed later. The state before the first checkpoint then is its start.
  const before = refs.find((ref) => checkpointId(ref.number) === previous) ?? null;
  return foundOr(before === null || trigger !== 'prompt' ? before : own, GONE);
}

const GONE = 'The start of that session was dropped by clean-up.';

function foundOr(ref: CheckpointRef | null, why: string): FoundStart {
  return ref === null ? { ref, why } : { ref };
}
