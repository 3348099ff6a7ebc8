/** Validators for JSON that comes from elsewhere. Nothing in it is used before it is validated. */

import type { JsonName } from '../model/names.ts';
import { FormatProblem } from './objects/damage.ts';

/** Throws a FormatProblem that names the location `at`. */
export type Shape = (value: unknown, at: string) => void;

export function text(most: number): Shape {
  return (value, at) => {
    if (typeof value !== 'string') throw formatProblem(at, 'is not text');
    if (value.length > most) throw formatProblem(at, `is longer than ${most} characters`);
  };
}

export function matching(pattern: RegExp): Shape {
  return (value, at) => {
    if (typeof value !== 'string' || !pattern.test(value)) throw formatProblem(at, 'is invalid');
  };
}

export function integer(least: number, most: number = Number.MAX_SAFE_INTEGER): Shape {
  return (value, at) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < least || value > most) {
      throw formatProblem(at, 'is not a valid number');
    }
  };
}

export function oneOf(...allowed: readonly unknown[]): Shape {
  return (value, at) => {
    if (!allowed.includes(value)) throw formatProblem(at, 'is not an allowed value');
  };
}

export function orNull(shape: Shape): Shape {
  return (value, at) => {
    if (value !== null) shape(value, at);
  };
}

export function optional(shape: Shape): Shape {
  return (value, at) => {
    if (value !== undefined) shape(value, at);
  };
}

export function listOf(shape: Shape, most: number): Shape {
  return (value, at) => {
    if (!Array.isArray(value)) throw formatProblem(at, 'is not a list');
    if (value.length > most) throw formatProblem(at, `has more than ${most} items`);
    for (const [index, item] of value.entries()) shape(item, `${at}[${index}]`);
  };
}

export function tuple(...shapes: readonly Shape[]): Shape {
  return (value, at) => {
    if (!Array.isArray(value) || value.length !== shapes.length)
      throw formatProblem(at, 'has the wrong number of items');
    for (const [index, shape] of shapes.entries()) shape(value[index], `${at}[${index}]`);
  };
}

/** Ignores unknown keys: a newer version may write them, and code that reads the result never accesses them. */
export function objectOf(shapes: Readonly<Record<string, Shape>>): Shape {
  return (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw formatProblem(at, 'is not an object');
    for (const [key, shape] of Object.entries(shapes)) {
      shape(
        Object.hasOwn(value, key) ? (value as Readonly<Record<string, unknown>>)[key] : undefined,
        at === '' ? key : `${at}.${key}`,
      );
    }
  };
}

export function anyOf(...shapes: readonly Shape[]): Shape {
  return (value, at) => {
    for (const shape of shapes) {
      try {
        shape(value, at);
        return;
      } catch (error) {
        if (!(error instanceof FormatProblem)) throw error;
      }
    }
    throw formatProblem(at, 'is invalid');
  };
}

/** Returns whether the value is text, or bytes in base64. */
export function isJsonName(value: unknown): value is JsonName {
  if (typeof value === 'string') return !/\p{Surrogate}/u.test(value);
  if (typeof value !== 'object' || value === null) return false;
  const { b64, ...rest } = value as Readonly<Record<string, unknown>>;
  return typeof b64 === 'string' && /^[A-Za-z0-9+/]*={0,2}$/.test(b64) && Object.keys(rest).length === 0;
}

export function formatProblem(at: string, what: string): FormatProblem {
  return new FormatProblem(`${at === '' ? 'it' : at} ${what}`);
}
