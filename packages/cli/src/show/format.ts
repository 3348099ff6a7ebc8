import { type JsonName, nameFromJson, showName } from '@savepoint/core';

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

/** `+3 −1`; empty if lines were not counted. */
export function lineCounts(added: number | null, removed: number | null): string {
  if (added === null || removed === null) return '';
  return [added > 0 ? `+${groupDigits(added)}` : '', removed > 0 ? `\u2212${groupDigits(removed)}` : '']
    .filter((part) => part !== '')
    .join(' ');
}
