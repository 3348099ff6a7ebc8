/**
 * Checks the shape of values that callers of the library pass, which TypeScript checks only for callers who use it. A value
 * may come from another realm, as in some test runners, so its class is not compared.
 */

import { SavepointError } from './errors.ts';

/** Throws USAGE if the value does not have the shape. @param at the name of the value in messages */
export type Check = (value: unknown, at: string) => void;

/** Any value, for what is checked elsewhere or is passed through. */
export const anything: Check = () => {};

export const text: Check = (value, at) => {
  if (typeof value !== 'string') throw wrong(at, 'a string', value);
};

export const flag: Check = (value, at) => {
  if (typeof value !== 'boolean') throw wrong(at, 'true or false', value);
};

/** A whole number from 0. */
export const count: Check = (value, at) => {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw wrong(at, 'a whole number, 0 or more', value);
};

export const number: Check = (value, at) => {
  if (typeof value !== 'number' || Number.isNaN(value)) throw wrong(at, 'a number', value);
};

export const callback: Check = (value, at) => {
  if (typeof value !== 'function') throw wrong(at, 'a function', value);
};

export const signal: Check = (value, at) => {
  const { aborted, addEventListener } = Object(value) as Partial<AbortSignal>;
  if (typeof aborted !== 'boolean' || typeof addEventListener !== 'function') throw wrong(at, 'an AbortSignal', value);
};

export const bytes: Check = (value, at) => {
  if (!ArrayBuffer.isView(value) || classOf(value) !== 'Uint8Array') throw wrong(at, 'a Uint8Array', value);
};

export function oneOf(...allowed: readonly string[]): Check {
  return (value, at) => {
    if (typeof value === 'string' && allowed.includes(value)) return;
    throw wrong(at, `one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}`, value);
  };
}

export function listOf(item: Check): Check {
  return (value, at) => {
    if (!Array.isArray(value)) throw wrong(at, 'an array', value);
    for (const [index, one] of value.entries()) item(one, `${at}[${index}]`);
  };
}

/** An array that limits a call to what it names. An empty one is refused, because a program that computed it does not mean "all". */
export function chosen(item: Check): Check {
  const list = listOf(item);
  return (value, at) => {
    list(value, at);
    if ((value as readonly unknown[]).length > 0) return;
    const message = `${at} is empty. Without it, the call is not limited.`;
    throw new SavepointError(
      'USAGE',
      message,
      { argument: at },
      { hint: 'Nothing was changed. Name at least one, or leave it out.' },
    );
  };
}

/** A Map whose values have the shape. */
export function mapOf(item: Check): Check {
  return (value, at) => {
    if (classOf(value) !== 'Map') throw wrong(at, 'a Map', value);
    for (const one of (value as ReadonlyMap<unknown, unknown>).values()) item(one, `${at}, a value`);
  };
}

/** Also accepts null. */
export function orNull(check: Check): Check {
  return (value, at) => {
    if (value !== null) check(value, at);
  };
}

/** Also accepts undefined: an argument that may be left out. */
export function optional(check: Check): Check {
  return (value, at) => {
    if (value !== undefined) check(value, at);
  };
}

/** True, false, or what the other check accepts. */
export function flagOr(check: Check): Check {
  return (value, at) => {
    if (typeof value !== 'boolean') check(value, at);
  };
}

/** Text, or what the other check accepts. */
export function textOr(check: Check): Check {
  return (value, at) => {
    if (typeof value !== 'string') check(value, at);
  };
}

type Fields = Readonly<Record<string, Check>>;

/** A check for each field of a type, so that the compiler finds one that has none. A union has the fields of its parts. */
export type ShapeOf<T, Others extends PropertyKey = never> = {
  readonly [Key in Exclude<T extends unknown ? keyof T : never, Others>]-?: Check;
};

/**
 * An object with these fields and no others: another name may be a misspelled one. The optional ones may be undefined.
 * @param required fields that must be there
 */
export function fields(shape: Fields, required: Fields = {}): Check {
  const known = { ...required, ...shape };
  return (value, at) => {
    someFields(shape, required)(value, at);
    const unknown = Object.keys(asRecord(value, at)).find((name) => !Object.hasOwn(known, name));
    if (unknown === undefined) return;
    const message = `${at} has no field ${JSON.stringify(unknown)}. Its fields are ${Object.keys(known).join(', ')}.`;
    throw new SavepointError('USAGE', message, { argument: `${at}.${unknown}` }, { hint: HINT });
  };
}

/** Like {@link fields}, but others are ignored: for what callers pass on from results, which have more. */
export function someFields(shape: Fields, required: Fields = {}): Check {
  return (value, at) => {
    const record = asRecord(value, at);
    for (const [name, check] of Object.entries(required)) check(record[name], `${at}.${name}`);
    for (const [name, check] of Object.entries(shape)) optional(check)(record[name], `${at}.${name}`);
  };
}

const HINT = 'Nothing was changed. The types of `@savepoint/core` describe each call.';

function asRecord(value: unknown, at: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw wrong(at, 'an object', value);
}

function classOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1);
}

function wrong(at: string, expected: string, value: unknown): SavepointError {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'an array' : `of type ${typeof value}`;
  const found = value === undefined ? 'is missing' : typeof value === 'string' ? 'is another string' : `is ${kind}`;
  return new SavepointError('USAGE', `${at} must be ${expected}; it ${found}.`, { argument: at }, { hint: HINT });
}
