/** The events of one workspace as server-sent events, from where a page has read them. */
import type { Savepoint, WatchEvent } from '@savepoint/core';
import { watchEventToJson } from '@savepoint/core/frontend';
import { safeJson } from '@savepoint/core/ports';
import { EventCursor, type Position, positionId, REMEMBERED, watchAfter } from './event-position.ts';
import { asFailure } from './failure.ts';

export interface EventsOptions {
  /** What the page has read, as its last event says; null: it begins. */
  readonly from: Position | null;
  /** A comment is sent after this long without an event, so that both ends notice if the other is gone. */
  readonly heartbeatMs: number;
  readonly signal: AbortSignal;
}

/**
 * Yields the text of the stream. It begins with the event `ready`. A page that loads its data after that misses nothing,
 * and one that comes back with `Last-Event-ID` gets everything in between. An event can come twice, never not at all.
 */
export async function* eventStream(savepoint: Savepoint, options: EventsOptions): AsyncGenerator<string> {
  const { heartbeatMs, signal } = options;
  try {
    const now = await currentPosition(savepoint);
    // The store was replaced: its numbers begin again.
    const isReset = options.from !== null && options.from.number > now.number;
    const position = options.from === null || isReset ? now : options.from;
    yield frame('ready', { event: 'ready', reset: isReset }, positionId(position));
    const cursor = new EventCursor(position);
    const events = savepoint.watch({ signal, after: watchAfter(position) });
    for await (const event of withHeartbeat(events, heartbeatMs)) {
      if (event === null) {
        yield ': still here\n\n';
        continue;
      }
      const sent = cursor.next(numberOf(event));
      if (sent !== null) yield frame(event.event, watchEventToJson(event), sent.id);
    }
  } catch (error) {
    if (!signal.aborted) yield frame('failed', { event: 'failed', error: asFailure(error).toJSON() }, null);
  }
}

async function currentPosition(savepoint: Savepoint): Promise<Position> {
  const { checkpoints, damaged } = await savepoint.list({ limit: REMEMBERED + 1 }).catch(noneWithoutStore);
  const numbers = [...checkpoints, ...damaged].map(({ id }) => Number(id.slice('cp_'.length))).sort((a, b) => a - b);
  return { number: numbers.at(-1) ?? 0, index: null, seenBelow: new Set(numbers.slice(0, -1)) };
}

/** A folder without a store has no events yet; the watch waits for the first. */
function noneWithoutStore(error: unknown): Awaited<ReturnType<Savepoint['list']>> {
  if (asFailure(error).code === 'NO_WORKSPACE') return { checkpoints: [], damaged: [] };
  throw error;
}

function numberOf(event: WatchEvent): number | null {
  const id = 'damaged' in event ? event.damaged.id : 'checkpoint' in event ? event.checkpoint.id : '';
  const digits = /^cp_(\d+)$/.exec(id)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** Yields null when nothing has come for a while. */
async function* withHeartbeat<T>(events: AsyncIterable<T>, everyMs: number): AsyncGenerator<T | null> {
  const iterator = events[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<null>((resolve) => {
        timer = setTimeout(() => resolve(null), everyMs);
      });
      const got = await Promise.race([next, silence]).finally(() => clearTimeout(timer));
      if (got === null) yield null;
      else if (got.done === true) return;
      else {
        yield got.value;
        next = iterator.next();
      }
    }
  } finally {
    next.catch(() => undefined);
    await iterator.return?.();
  }
}

function frame(name: string, data: object, id: string | null): string {
  return `event: ${name}\n${id === null ? '' : `id: ${id}\n`}data: ${safeJson(data, 0)}\n\n`;
}
