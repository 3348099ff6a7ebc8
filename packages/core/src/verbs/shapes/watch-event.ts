/** Watch events as JSON. Those of the timeline have the id of their checkpoint and only the fields that identify them. */
import type { WatchedEvent } from '../../engine/watch/watch.ts';
import { briefToJson, openCallToJson, recordedChangeToJson, timeToJson } from './to-json.ts';

type EventJson = Readonly<Record<string, unknown>>;

export function watchEventToJson(watched: WatchedEvent): EventJson {
  return { ...eventToJson(watched), point: watched.point };
}

function eventToJson(watchEvent: WatchedEvent): EventJson {
  if (watchEvent.event === 'state:changed') return { event: watchEvent.event, state: watchEvent.state };
  if (watchEvent.event === 'calls:changed') {
    const calls = watchEvent.calls.map((call) => ({
      ...openCallToJson(call),
      began: timeToJson(call.began),
      background: call.background,
    }));
    return { event: watchEvent.event, calls };
  }
  if (watchEvent.event === 'checkpoint:damaged') {
    const { id, error } = watchEvent.damaged;
    return { event: watchEvent.event, checkpoint: id, problem: error.toJSON() };
  }
  const { event, checkpoint } = watchEvent;
  if (event === 'checkpoint:created') return { event, checkpoint: briefToJson(checkpoint) };
  const of = { event, checkpoint: checkpoint.id, time: timeToJson(checkpoint.time) };
  if (event === 'change:recorded') return { ...of, change: recordedChangeToJson(watchEvent.change) };
  return event === 'change:rolled-back' ? { ...of, change: watchEvent.change } : { ...of, paths: watchEvent.paths };
}
