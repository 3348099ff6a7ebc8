/** Follows a workspace: its timeline, and on request everything else in its store. */

import { SavepointError } from '../../model/errors.ts';
import type { Engine } from '../engine.ts';
import { Follower, type Look, startOf, type WatchedEvent } from './follower.ts';
import { EVENT_KINDS, type EventKind, TIMELINE_KINDS } from './kinds.ts';
import type { WatchPoint } from './point.ts';

interface WatchChoice {
  /** Number of the checkpoint, or the point of an event, to start after. Default: only new events. */
  readonly after?: number | WatchPoint;
  /** The kinds of events. Default: those of the timeline, `checkpoints` and `acts`. */
  readonly kinds?: readonly EventKind[];
}

export interface WatchOptions extends WatchChoice {
  /** Ends the watch. */
  readonly signal: AbortSignal;
  /**
   * All kinds of events. The open calls come first if there are any. After a point, every state that differs from that
   * point is reported. Default: false.
   */
  readonly all?: boolean;
}

export interface EventQuery extends WatchChoice {
  /** How long to wait for an event if there is none yet, in milliseconds. Default: 0. */
  readonly waitMs?: number;
  /** After this many events the page ends, but never amid those of one checkpoint. */
  readonly limit: number;
  readonly signal?: AbortSignal;
}

/** A page of events. */
export interface EventPage {
  readonly events: readonly WatchedEvent[];
  /** Continues after them; null if there is no store yet, and no point was given. */
  readonly point: WatchPoint | null;
  /** Whether more events are known already. */
  readonly more: boolean;
}

/** The polling interval of a watch. */
const WATCH_MS = 200;

/** @throws SavepointError USAGE if `after` is not a point, and what {@link Engine.read} throws */
export async function* watch(engine: Engine, options: WatchOptions): AsyncGenerator<WatchedEvent> {
  const { signal, all = false, kinds = all ? EVENT_KINDS : TIMELINE_KINDS } = options;
  const follower = new Follower(kinds, startOf(options.after));
  while (!signal.aborted) {
    const look = await lookWith(engine, follower);
    yield* look?.groups.flat() ?? [];
    await engine.ports.clock.sleep(WATCH_MS);
  }
}

/** The same in pages, for callers that ask again and again. */
export async function eventsAfter(engine: Engine, query: EventQuery): Promise<EventPage> {
  const { after, kinds = TIMELINE_KINDS, waitMs = 0, limit, signal } = query;
  const follower = new Follower(kinds, startOf(after));
  const given = typeof after === 'number' ? `cp_${after}` : (after ?? null);
  const until = engine.ports.clock.monotonic() + waitMs;
  for (;;) {
    const look = await lookWith(engine, follower);
    if (look !== null && look.groups.length > 0) return pageOf(look, limit);
    const left = until - engine.ports.clock.monotonic();
    if (left <= 0 || signal?.aborted === true) return { events: [], point: look?.point ?? given, more: false };
    await engine.ports.clock.sleep(Math.min(WATCH_MS, left), signal);
  }
}

function pageOf({ groups, point }: Look, limit: number): EventPage {
  const events: WatchedEvent[] = [];
  for (const [index, group] of groups.entries()) {
    events.push(...group);
    const isLast = index === groups.length - 1;
    if (events.length >= limit && !isLast) return { events, point: events.at(-1)?.point ?? point, more: true };
  }
  return { events, point, more: false };
}

/** @returns null without a store: there are no events then */
async function lookWith(engine: Engine, follower: Follower): Promise<Look | null> {
  try {
    return await engine.read((workspace, { places }) => follower.look(workspace, places.home));
  } catch (error) {
    if (!(error instanceof SavepointError) || error.code !== 'NO_WORKSPACE' || error.data['exists'] !== true)
      throw error;
    follower.startsWithNothing();
    return null;
  }
}
