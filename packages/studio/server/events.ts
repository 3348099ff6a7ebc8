/** The events of one workspace as server-sent events, from where a page has read them. */
import type { Savepoint } from '@savepoint/core';
import { readPoint, watchEventToJson } from '@savepoint/core/frontend';
import { safeJson } from '@savepoint/core/ports';
import { asFailure } from './failure.ts';

export interface EventsOptions {
  /** The id of the last event that the page has read: its point; null: it begins. */
  readonly after: string | null;
  /** A comment is sent after this long without an event, so that both ends notice if the other is gone. */
  readonly heartbeatMs: number;
  readonly signal: AbortSignal;
}

/**
 * Yields the text of the stream. Its first event is `ready`. If that says that it does not continue, the page loads what it
 * shows after it, and misses nothing. An event can come twice, if a connection ended amid the events of a checkpoint.
 */
export async function* eventStream(savepoint: Savepoint, options: EventsOptions): AsyncGenerator<string> {
  const { heartbeatMs, signal } = options;
  try {
    const after = await continuedFrom(savepoint, options.after);
    const events = savepoint.watch({ signal, all: true, ...(after === null ? {} : { after }) });
    // The watch looks for the first time before the page may load anything.
    const first = events.next();
    first.catch(() => undefined);
    yield frame('ready', { event: 'ready', continues: after !== null }, null);
    for await (const event of withHeartbeat(events, first, heartbeatMs)) {
      if (event === null) yield ': still here\n\n';
      else yield frame(event.event, watchEventToJson(event), event.point);
    }
  } catch (error) {
    if (!signal.aborted) yield frame('failed', { event: 'failed', error: asFailure(error).toJSON() }, null);
  }
}

/** @returns null if the page begins: it has no point, or that of a timeline that was replaced, whose numbers begin again */
async function continuedFrom(savepoint: Savepoint, after: string | null): Promise<string | null> {
  const point = after === null ? null : readPoint(after);
  if (point === null) return null;
  const { checkpoints, damaged } = await savepoint.list({ limit: 1 }).catch(noneWithoutStore);
  const newest = [...checkpoints, ...damaged].map(({ id }) => readPoint(id)?.checkpoint ?? 0).at(0) ?? 0;
  return point.checkpoint > newest ? null : after;
}

/** A folder without a store has no events yet; the watch waits for the first. */
function noneWithoutStore(error: unknown): Awaited<ReturnType<Savepoint['list']>> {
  if (asFailure(error).code === 'NO_WORKSPACE') return { checkpoints: [], damaged: [] };
  throw error;
}

/** Yields null when nothing has come for a while. @param first the first result, already asked for */
async function* withHeartbeat<T>(
  events: AsyncGenerator<T>,
  first: Promise<IteratorResult<T>>,
  everyMs: number,
): AsyncGenerator<T | null> {
  let next = first;
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
        next = events.next();
      }
    }
  } finally {
    next.catch(() => undefined);
    await events.return(undefined);
  }
}

function frame(name: string, data: object, id: string | null): string {
  return `event: ${name}\n${id === null ? '' : `id: ${id}\n`}data: ${safeJson(data, 0)}\n\n`;
}
