/** Watch events as JSON. Those of the timeline have the id of their checkpoint and only the fields that identify them. */
import type { WatchEvent } from '../../engine/events.ts';
import type { WatchedEvent } from '../../engine/watch/follower.ts';
import { briefToJson, openCallToJson, recordedChangeToJson, timeToJson } from './to-json.ts';

interface EventJson {
  readonly event: string;
  readonly [field: string]: unknown;
}

export function watchEventToJson(watched: WatchedEvent): EventJson & { readonly point: string } {
  const { point, ...event } = watched;
  return { ...eventToJson(event), point };
}

function eventToJson(watchEvent: WatchEvent): EventJson {
  switch (watchEvent.event) {
    case 'calls:changed': {
      const calls = watchEvent.calls.map((call) => ({
        ...openCallToJson(call),
        began: timeToJson(call.began),
        background: call.background,
      }));
      return { event: watchEvent.event, calls };
    }
    case 'checkpoint:damaged': {
      const { id, error } = watchEvent.damaged;
      return { event: watchEvent.event, checkpoint: id, problem: error.toJSON() };
    }
    case 'checkpoint:created':
      return { event: watchEvent.event, checkpoint: briefToJson(watchEvent.checkpoint) };
    case 'change:recorded':
      return { ...ofCheckpoint(watchEvent), change: recordedChangeToJson(watchEvent.change) };
    case 'change:rolled-back':
      return { ...ofCheckpoint(watchEvent), change: watchEvent.change };
    default:
      return 'paths' in watchEvent ? { ...ofCheckpoint(watchEvent), paths: watchEvent.paths } : withTimes(watchEvent);
  }
}

function ofCheckpoint({ event, checkpoint }: Extract<WatchEvent, { readonly checkpoint: { readonly time: number } }>) {
  return { event, checkpoint: checkpoint.id, time: timeToJson(checkpoint.time) };
}

/** The fields of the others are JSON, except for times. */
function withTimes({ event, ...fields }: WatchEvent): EventJson {
  const isTime = (key: string, value: unknown): value is number =>
    (key === 'time' || key === 'began') && typeof value === 'number';
  const json = Object.entries(fields).map(([key, value]) => [key, isTime(key, value) ? timeToJson(value) : value]);
  return { event, ...Object.fromEntries(json) };
}
