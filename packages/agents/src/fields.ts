/** Reads fields of untrusted data from agents. */

import { createHash } from 'node:crypto';
import type { CallId, SessionId } from '@savepoint/core';

export type Fields = Readonly<Record<string, unknown>>;

const NO_FIELDS: Fields = {};
const MAX_ID_LENGTH = 200;
const MAX_DURATION_MS = 7 * 24 * 3_600_000;

/** Returns the fields of an object; an empty object for any other value. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : NO_FIELDS;
}

/** Reads own fields only, so that `__proto__` and the like are ordinary names. */
export function field(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** Returns the first of these fields that is a non-empty text; null if none is. */
export function textIn(fields: Fields, ...keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = field(fields, key);
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** Reads an id. If it is too long, it is cut and completed with a hash. */
export function idIn(fields: Fields, ...keys: readonly string[]): string | null {
  const id = textIn(fields, ...keys);
  if (id === null || id.length <= MAX_ID_LENGTH) return id;
  return `${id.slice(0, MAX_ID_LENGTH - 33)}#${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

/** Reads a session id from the first of these fields that has one. */
export function sessionIn(fields: Fields, ...keys: readonly string[]): SessionId | null {
  return idIn(fields, ...keys) as SessionId | null;
}

/** Reads a call id from the first of these fields that has one. */
export function callIn(fields: Fields, ...keys: readonly string[]): CallId | null {
  return idIn(fields, ...keys) as CallId | null;
}

/** Returns the first element of a list if it is a non-empty text; null otherwise. */
export function firstTextIn(fields: Fields, key: string): string | null {
  const [first] = listIn(fields, key);
  return typeof first === 'string' && first !== '' ? first : null;
}

/** Reads a time or a counter as text, to distinguish events. Both notations of a time give the same text. */
export function stampIn(fields: Fields, key: string): string | null {
  const value = field(fields, key);
  const time = typeof value === 'string' ? Date.parse(value) : value;
  return typeof time === 'number' && Number.isFinite(time) ? String(time) : null;
}

/** Reads a time, as text or in milliseconds since 1970. Returns milliseconds since 1970. */
export function momentIn(fields: Fields, key: string): number | null {
  const stamp = stampIn(fields, key);
  return stamp === null ? null : Number(stamp);
}

/** Reads a time in milliseconds since 1970. */
export function timeIn(fields: Fields, key: string): number | null {
  const value = field(fields, key);
  return typeof value === 'number' && value > 0 && value < Number.MAX_SAFE_INTEGER ? value : null;
}

/** Reads a count; null for anything but a whole number from 0. */
export function numberIn(fields: Fields, key: string): number | null {
  const value = field(fields, key);
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

/** Reads a duration in milliseconds. */
export function durationIn(fields: Fields, ...keys: readonly string[]): number | null {
  const value = keys.map((key) => field(fields, key)).find((one) => one !== undefined);
  return typeof value === 'number' && value >= 0 && value < MAX_DURATION_MS ? value : null;
}

function listIn(fields: Fields, key: string): readonly unknown[] {
  const value = field(fields, key);
  return Array.isArray(value) ? value : [];
}
