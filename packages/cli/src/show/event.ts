/** An event of `savepoint watch` in one line. */
import { nameFromJson, showName, showText } from '@savepoint/core';
import type { OutputOf, VERBS } from '@savepoint/core/frontend';
import { countText, localTime } from './format.ts';

type EventJson = OutputOf<(typeof VERBS)['watch']>['events'][number];
type Fields = Readonly<Record<string, unknown>>;

/** The event, its checkpoint or change, and its other plain fields with their names. */
export function eventLine({ event, point: _, ...fields }: EventJson): string {
  // The id of a change begins with that of its checkpoint.
  const named = Object.entries(fields).filter(([key]) => key !== 'checkpoint' || !('change' in fields));
  const texts = named.flatMap(([key, value]) => fieldText(key, value) ?? []);
  return [showText(event), ...texts].join('  ');
}

function fieldText(key: string, value: unknown): string | null {
  if (Array.isArray(value)) return countText(value.length, key.replace(/s$/, ''));
  if (typeof value === 'object' && value !== null) return partText(value as Fields);
  if (value === null || value === undefined) return null;
  const text = showText(String(value));
  if (key === 'time' || key === 'began') return localTime(String(value));
  return key === 'checkpoint' || key === 'change' ? text : `${key} ${text}`;
}

/** Of a checkpoint, a change, or an error. */
function partText({ id, operation, path, description, message }: Fields): string | null {
  const name = typeof path === 'string' || isBytes(path) ? showName(nameFromJson(path as never)) : undefined;
  const texts = [id, operation, description, message].filter((one) => typeof one === 'string' && one !== '');
  const shown = [...texts.map((one) => showText(String(one))), ...(name === undefined ? [] : [name])];
  return shown.length === 0 ? null : shown.join(' ');
}

function isBytes(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
