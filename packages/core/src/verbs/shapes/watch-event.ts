/** Watch events as JSON. Every event has the id of its checkpoint and only the fields that identify it. */
import type { WatchEvent } from '../../engine/events.ts';
import { briefToJson, recordedChangeToJson, timeToJson } from './to-json.ts';

export function watchEventToJson(watchEvent: WatchEvent): Readonly<Record<string, unknown>> {
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
