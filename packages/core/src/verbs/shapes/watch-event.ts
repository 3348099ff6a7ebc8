/** Watch events as JSON. Every event has the id of its checkpoint and only the fields that identify it. */
import type { WatchEvent } from '../../engine/events.ts';
import { briefToJson, recordedChangeToJson, timeToJson } from './to-json.ts';

export function watchEventToJson(told: WatchEvent): Readonly<Record<string, unknown>> {
  if (told.event === 'checkpoint:damaged') {
    const { id, error } = told.damaged;
    return { event: told.event, checkpoint: id, problem: error.toJSON() };
  }
  const { event, checkpoint } = told;
  if (event === 'checkpoint:created') return { event, checkpoint: briefToJson(checkpoint) };
  const of = { event, checkpoint: checkpoint.id, time: timeToJson(checkpoint.time) };
  if (event === 'change:recorded') return { ...of, change: recordedChangeToJson(told.change) };
  return event === 'change:rolled-back' ? { ...of, change: told.change } : { ...of, paths: told.paths };
}
