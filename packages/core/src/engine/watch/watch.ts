/** Follows a workspace: its timeline, and on request the other states in its store. */

import { SavepointError } from '../../model/errors.ts';
import { checkpointNumber } from '../../model/ids.ts';
import type { DiskPath } from '../../model/names.ts';
import { readUnendedCalls } from '../../store/state/open-calls.ts';
import type { Workspace } from '../../timeline/capture/workspace.ts';
import { TimelineWatch } from '../../timeline/query/watch.ts';
import type { Engine } from '../engine.ts';
import { eventsOf, type WatchEvent } from '../events.ts';
import { hashOfStamp, pointText, type ReadPoint, readPoint, type Stamps, type WatchPoint } from './point.ts';
import { stampOf, WATCHED_STATES } from './states.ts';

export interface WatchOptions {
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /** Number of the checkpoint, or the point of an event, to start after. Default: only new events. */
  readonly after?: number | WatchPoint;
  /**
   * Also yields `calls:changed` and `state:changed`. The open calls come first if there are any. After a point, every
   * state that differs from that point is reported. Default: false.
   */
  readonly all?: boolean;
}

/** An event, with the point to continue from. The events of one checkpoint have the same point, except for the last. */
export type WatchedEvent = WatchEvent & { readonly point: WatchPoint };

/** The polling interval of a watch. */
const WATCH_MS = 200;

interface Follower {
  readonly timeline: TimelineWatch;
  /** The number of the last reported checkpoint. */
  last: number;
  /** The states as last reported. Null: not known yet. */
  stamps: Stamps | null;
}

const NOTHING_SEEN: ReadPoint = { checkpoint: 0, stamps: null };

/** @throws SavepointError USAGE if `after` is not a point, and what {@link Engine.read} throws */
export async function* watch(engine: Engine, options: WatchOptions): AsyncGenerator<WatchedEvent> {
  const { signal, all = false } = options;
  const start = startOf(options.after);
  let follower: Follower | null = null;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const look = (): Promise<readonly WatchedEvent[]> =>
      engine.read((workspace, { places }) => {
        // If the store was created after the watch started, everything in it is new.
        follower ??= followerOf(workspace, start ?? (isFirst ? null : NOTHING_SEEN));
        const stamps = all ? stampsOf(workspace, places.home) : NO_STAMPS;
        return [
          ...timelineEvents(follower, workspace, stamps),
          ...(all ? stateEvents(follower, workspace, stamps) : []),
        ];
      });
    yield* await emptyWithoutStore(look());
    await engine.ports.clock.sleep(WATCH_MS);
  }
}

function startOf(after: WatchOptions['after']): ReadPoint | null {
  if (after === undefined) return null;
  if (typeof after === 'number') return { checkpoint: after, stamps: null };
  const point = readPoint(after);
  if (point !== null) return point;
  const message = `A watch can only continue from a checkpoint or from the point of an event, not from ${JSON.stringify(after)}.`;
  throw new SavepointError('USAGE', message, { argument: 'after' });
}

function followerOf({ timeline }: Workspace, start: ReadPoint | null): Follower {
  const last = start?.checkpoint ?? timeline.list().at(-1)?.number ?? 0;
  return { timeline: new TimelineWatch(timeline, start === null ? null : last), last, stamps: start?.stamps ?? null };
}

const NO_STAMPS = Object.fromEntries(WATCHED_STATES.map((state) => [state, ''])) as Stamps;

function stampsOf(workspace: Workspace, home: DiskPath): Stamps {
  const stamps = WATCHED_STATES.map((state) => {
    // An agent that dies ends its calls without a change of their records.
    const ids = state === 'calls' ? openCallIds(workspace) : '';
    return [state, hashOfStamp(`${ids}${stampOf(state, workspace, home)}`)];
  });
  return Object.fromEntries(stamps) as Stamps;
}

function openCallIds({ ports, store }: Workspace): string {
  return readUnendedCalls(ports, store.layout)
    .map(({ session, id }) => `${session} ${id}\n`)
    .join('');
}

function* timelineEvents(follower: Follower, { timeline }: Workspace, now: Stamps): Generator<WatchedEvent> {
  const stamps = follower.stamps ?? now;
  for (const one of follower.timeline.newCheckpoints(timeline)) {
    const events: readonly WatchEvent[] =
      'error' in one ? [{ event: 'checkpoint:damaged', damaged: one }] : [...eventsOf(one)];
    const before = pointText(follower.last, stamps);
    follower.last = Math.max(follower.last, checkpointNumber(one.id));
    const after = pointText(follower.last, stamps);
    yield* events.map((event, at) => ({ ...event, point: at === events.length - 1 ? after : before }));
  }
}

function* stateEvents(follower: Follower, workspace: Workspace, now: Stamps): Generator<WatchedEvent> {
  const reported = follower.stamps;
  follower.stamps = now;
  // A point between two of these events has the states that are not yet reported as they were.
  let stamps = reported ?? now;
  const point = (): WatchPoint => pointText(follower.last, stamps);
  for (const state of WATCHED_STATES) {
    const isNew = reported === null ? state === 'calls' : reported[state] !== now[state];
    if (!isNew) continue;
    stamps = { ...stamps, [state]: now[state] };
    if (state !== 'calls') {
      yield { event: 'state:changed', state, point: point() };
      continue;
    }
    const calls = readUnendedCalls(workspace.ports, workspace.store.layout);
    if (reported !== null || calls.length > 0) yield { event: 'calls:changed', calls, point: point() };
  }
}

/** Without a store there are no events. */
async function emptyWithoutStore<T>(work: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof SavepointError && error.code === 'NO_WORKSPACE' && error.data['exists'] === true) return [];
    throw error;
  }
}
