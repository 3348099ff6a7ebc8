/** Reading what an agent sent: nothing in it is believed to be there, or to be what it should be. */

import { createHash } from 'node:crypto';
import type { CallId, SessionId } from '@savepoint/core';

export type Fields = Readonly<Record<string, unknown>>;

const NO_FIELDS: Fields = {};
const LONGEST_ID = 200;

/** The object's fields; none where it is not an object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : NO_FIELDS;
}

/** Own fields only: `__proto__` and its like are names as any other. */
export function field(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** The first of these fields that holds text; null where none does. */
export function textIn(fields: Fields, ...keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = field(fields, key);
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** An id is kept as it is where it has the length of one. */
export function idIn(fields: Fields, ...keys: readonly string[]): string | null {
  const id = textIn(fields, ...keys);
  if (id === null || id.length <= LONGEST_ID) return id;
  return `${id.slice(0, LONGEST_ID - 33)}#${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
}

/** The first of these fields that holds a session's id. */
export function sessionIn(fields: Fields, ...keys: readonly string[]): SessionId | null {
  return idIn(fields, ...keys) as SessionId | null;
}

/** The first of these fields that holds the id of a call. */
export function callIn(fields: Fields, ...keys: readonly string[]): CallId | null {
  return idIn(fields, ...keys) as CallId | null;
}

/** The first text of a list. */
export function firstTextIn(fields: Fields, key: string): string | null {
  const [first] = listIn(fields, key);
  return typeof first === 'string' && first !== '' ? first : null;
}

/** A time or a counter, as text that tells one event from the next. Times in both notations come out the same. */
export function stampIn(fields: Fields, key: string): string | null {
  const value = field(fields, key);
  const time = typeof value === 'string' ? Date.parse(value) : value;
  return typeof time === 'number' && Number.isFinite(time) ? String(time) : null;
}

function listIn(fields: Fields, key: string): readonly unknown[] {
  const value = field(fields, key);
  return Array.isArray(value) ? value : [];
}
