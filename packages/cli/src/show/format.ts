import { type JsonName, nameFromJson, showName } from '@savepoint/core';
import { COUNTED_FILES } from '@savepoint/core/frontend';

export function pathText(name: JsonName): string {
  return name === '' ? 'the workspace folder itself' : showName(nameFromJson(name));
}

export function countText(count: number, one: string, many = `${one}s`): string {
  return `${groupDigits(count)} ${count === 1 ? one : many}`;
}

export function groupDigits(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

export function sizeText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  for (; value >= 1000 && unit < UNITS.length - 1; unit++) value /= 1000;
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Local time, to the second. */
export function localTime(iso: string): string {
  const time = new Date(iso);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `5 min ago`. Local time if it is older than four weeks or, after the clock was set back, in the future. */
export function relativeTime(iso: string, now: number): string {
  const age = now - new Date(iso).getTime();
  if (age < 0 || age >= 28 * DAY_MS) return localTime(iso);
  if (age < MINUTE_MS) return `${Math.floor(age / 1000)} s ago`;
  if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min ago`;
  if (age < DAY_MS) return `${Math.floor(age / HOUR_MS)} h ago`;
  return `${countText(Math.floor(age / DAY_MS), 'day')} ago`;
}

/**
 * `+3 −1`; `+3 −1 in 300 of 812 files` if there were too many to count the lines of all.
 * @param what of which lines were counted
 */
export function countedLines(
  { added, removed, counted }: { readonly added: number; readonly removed: number; readonly counted: number },
  all: number,
  what: string,
): string {
  const counts = lineCounts(added, removed);
  // Of fewer, only contents without lines are not counted.
  if (counts === '' || counted >= all || all <= COUNTED_FILES) return counts;
  return `${counts} in ${groupDigits(counted)} of ${countText(all, what)}`;
}

/** `+3 −1`; empty if lines were not counted. */
export function lineCounts(added: number | null, removed: number | null): string {
  if (added === null || removed === null) return '';
  return [added > 0 ? `+${groupDigits(added)}` : '', removed > 0 ? `\u2212${groupDigits(removed)}` : '']
    .filter((part) => part !== '')
    .join(' ');
}
