/** Reads fields of untrusted data from agents. */

import { createHash } from 'node:crypto';
import type { CallId, SessionId } from '@savepoint/core';

export type Fields = Readonly<Record<string, unknown>>;

const NO_FIELDS: Fields = {};
const MAX_ID_LENGTH = 200;

/** The fields of an object; none if the value is not an object. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : NO_FIELDS;
}

/** Own fields only, so that `__proto__` and the like are ordinary names. */
export function field(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined;
}

/** The first of these fields that is a non-empty text; null if there is none. */
export function textIn(fields: Fields, ...keys: readonly string[]): string | null {
  for (const key of keys) {
    const value = field(fields, key);
    if (typeof value === 'string' && value !== '') return value;
  }
  return null;
}

/** An id. If it is too long, it is shortened and completed with a hash. */
export function idIn(fields: Fields, ...keys: readonly string[]): string | null {
  const id = textIn(fields, ...keys);
  if (id === null || id.length <= MAX_ID_LENGTH) return id;
  return `${id.slice(0, MAX_ID_LENGTH - 33)}#${createHash('sha256').update(id).digest('hex').slice(0, 32)}`;
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

/** A time or a counter as text, which distinguishes events. Both notations of a time give the same text. */
export function stampIn(fields: Fields, key: string): string | null {
  const value = field(fields, key);
  const time = typeof value === 'string' ? Date.parse(value) : value;
  return typeof time === 'number' && Number.isFinite(time) ? String(time) : null;
}

function listIn(fields: Fields, key: string): readonly unknown[] {
  const value = field(fields, key);
  return Array.isArray(value) ? value : [];
}
