/**
 * The building blocks that describe records. A codec defines how one value is written, read, and checked if it comes
 * from another machine. It also defines what is removed when a checkpoint leaves the machine or a content is purged.
 */

import type { Ports } from '../../io/ports.ts';
import { listOf, objectOf, optional, orNull, type Shape, tuple } from '../../store/json-shape.ts';

/** What to remove from a record. */
export interface Redaction {
  /** Values that are useful only on this machine. */
  readonly local: boolean;
  /** Texts by users and agents: all of them, or each for which the function returns true; null: keep them. */
  readonly texts: 'all' | ((text: string) => boolean) | null;
  /** Values that may hold contents of files. */
  readonly contents: boolean;
}

export interface Codec<Value> {
  /** @returns a value for JSON; undefined: it is not written */
  readonly encode: (value: Value) => unknown;
  /** Reads a value from our own store. May throw any error if the JSON is not such a value. */
  readonly decode: (json: unknown) => Value;
  /**
   * Checks untrusted JSON before it is decoded, and reports where it is wrong.
   * @param platform the platform whose rules paths must follow
   * @throws FormatProblem
   */
  readonly check: (json: unknown, at: string, platform: Ports['platform']) => void;
  /** @returns the same value if nothing is removed. Absent: there is nothing to remove in any value. */
  readonly redact?: (value: Value, redaction: Redaction) => Value;
}

/** A codec for an object. It can always redact. */
export type RecordCodec<Value> = Required<Codec<Value>>;

/** The codecs of all keys of an object. */
export type Fields<Value> = { readonly [Key in keyof Value]-?: Codec<Value[Key]> };

/** A value that is stored in JSON unchanged. */
export function plain<Value>(shape: Shape): Codec<Value> {
  return { encode: (value) => value, decode: (json) => json as Value, check: shape };
}

export function nullable<Value>(inner: Codec<Value>): Codec<Value | null> {
  const { redact } = inner;
  return {
    encode: (value) => (value === null ? null : inner.encode(value)),
    decode: (json) => (json == null ? null : inner.decode(json)),
    check: (json, at, platform) => orNull(shapeOf(inner, platform))(json, at),
    ...(redact && { redact: (value, redaction) => (value === null ? null : redact(value, redaction)) }),
  };
}

/** The value of a key that may be absent, in records of every version. */
export function optionalKey<Value>(inner: Codec<Value>): Codec<Value | undefined> {
  const { redact } = inner;
  return {
    encode: (value) => (value === undefined ? undefined : inner.encode(value)),
    decode: (json) => (json === undefined ? undefined : inner.decode(json)),
    check: (json, at, platform) => optional(shapeOf(inner, platform))(json, at),
    ...(redact && { redact: (value, redaction) => (value === undefined ? undefined : redact(value, redaction)) }),
  };
}

/**
 * The value of a key that was added to the format later.
 * @param initial the value for records of early versions, which lack the key
 */
export function addedKey<Value, Initial = never>(
  inner: Codec<Value>,
  initial: Value | Initial,
): Codec<Value | Initial> {
  const { redact } = inner;
  const isInitial = (value: Value | Initial): value is Initial => value === initial;
  return {
    encode: (value) => (isInitial(value) ? value : inner.encode(value)),
    decode: (json) => (json == null ? initial : inner.decode(json)),
    check: (json, at, platform) => optional(shapeOf(inner, platform))(json, at),
    ...(redact && { redact: (value, redaction) => (isInitial(value) ? value : redact(value, redaction)) }),
  };
}

/** Like `addedKey`, but the key is not written if its value is `empty` or an empty list. */
export function omittedIfEmpty<Value, Empty = never>(inner: Codec<Value>, empty: Value | Empty): Codec<Value | Empty> {
  const codec = addedKey(inner, empty);
  const isEmpty = (value: unknown): boolean => value === empty || (Array.isArray(value) && value.length === 0);
  return { ...codec, encode: (value) => (isEmpty(value) ? undefined : codec.encode(value)) };
}

/**
 * A value that is useful only on this machine.
 * @param exported what leaves the machine instead
 * @param shape what is accepted from other machines
 */
export function machineLocal<Value>(inner: Codec<Value>, exported: Value, shape: Shape): Codec<Value> {
  return { ...inner, check: shape, redact: (value, { local }) => (local ? exported : value) };
}

/**
 * A text by a user or an agent, or derived from one.
 * @param instead what replaces it: `exported` if no text may leave the machine, `purged` if it mentions purged contents
 */
export function freeText<Value>(
  inner: Codec<Value>,
  instead: { readonly exported: (text: Value) => Value; readonly purged: Value | ((text: string) => Value) },
): Codec<Value> {
  return {
    ...inner,
    redact: (value, { texts }) => {
      if (typeof value !== 'string' || texts === null) return value;
      if (texts === 'all') return instead.exported(value);
      if (!texts(value)) return value;
      return instead.purged instanceof Function ? instead.purged(value) : instead.purged;
    },
  };
}

/** A value that may hold the content of a file, or a digest of it. */
export function content<Value>(inner: Codec<Value>, purged: Value): Codec<Value> {
  const { redact = (value) => value } = inner;
  return { ...inner, redact: (value, redaction) => (redaction.contents ? purged : redact(value, redaction)) };
}

export function list<Item>(inner: Codec<Item>, most: number): Codec<readonly Item[]> {
  const { redact } = inner;
  return {
    encode: (items) => items.map((item) => inner.encode(item)),
    decode: (json) => (json as readonly unknown[]).map((item) => inner.decode(item)),
    check: (json, at, platform) => listOf(shapeOf(inner, platform), most)(json, at),
    ...(redact && {
      redact: (items, redaction) => {
        const redacted = items.map((item) => redact(item, redaction));
        return redacted.every((item, index) => item === items[index]) ? items : redacted;
      },
    }),
  };
}

/** Two values, stored as a list, and never redacted. */
export function pair<First, Second>(first: Codec<First>, second: Codec<Second>): Codec<readonly [First, Second]> {
  return {
    encode: ([a, b]) => [first.encode(a), second.encode(b)],
    decode: (json) => {
      const [a, b] = json as readonly [unknown, unknown];
      return [first.decode(a), second.decode(b)];
    },
    check: (json, at, platform) => tuple(shapeOf(first, platform), shapeOf(second, platform))(json, at),
  };
}

/** Writes exactly these keys, in this order. Reading ignores all other keys. */
export function closedRecord<Value extends object>(fields: Fields<Value>): RecordCodec<Value> {
  const keys = entriesOf(fields);
  return {
    encode: (value) => {
      const values = value as Values;
      return Object.fromEntries(keys.map(([key, codec]) => [key, codec.encode(values[key])]));
    },
    decode: (json) => {
      const stored = objectIn(json);
      const decoded: Record<string, unknown> = {};
      for (const [key, codec] of keys) {
        const value = codec.decode(stored[key]);
        if (value !== undefined) decoded[key] = value;
      }
      return decoded as Value;
    },
    ...checkAndRedact(keys),
  };
}

/** Writes the object in its own order of keys. Keys added by a newer version are kept. */
export function openRecord<Value extends object>(fields: Fields<Value>): RecordCodec<Value> {
  const keys = entriesOf(fields);
  return {
    encode: (value) => {
      const encoded: Record<string, unknown> = { ...(value as Values) };
      for (const [key, codec] of keys) if (key in encoded) encoded[key] = codec.encode(encoded[key]);
      return encoded;
    },
    decode: (json) => {
      const decoded: Record<string, unknown> = { ...objectIn(json) };
      for (const [key, codec] of keys) {
        const value = codec.decode(decoded[key]);
        if (value !== undefined) decoded[key] = value;
      }
      return decoded as Value;
    },
    ...checkAndRedact(keys),
  };
}

type Values = Readonly<Record<string, unknown>>;
type Keys = readonly (readonly [string, Codec<unknown>])[];

function objectIn(json: unknown): Values {
  if (typeof json !== 'object' || json === null) throw new TypeError('not an object');
  return json as Values;
}

function entriesOf(fields: object): Keys {
  return Object.entries(fields) as Keys;
}

function checkAndRedact<Value extends object>(keys: Keys): Pick<RecordCodec<Value>, 'check' | 'redact'> {
  return {
    check: (json, at, platform) => {
      objectOf(Object.fromEntries(keys.map(([key, codec]) => [key, shapeOf(codec, platform)])))(json, at);
    },
    redact: (value, redaction) => redactKeys(keys, value, redaction),
  };
}

/** @returns the same object if nothing is removed */
function redactKeys<Value extends object>(keys: Keys, value: Value, redaction: Redaction): Value {
  let redacted: Record<string, unknown> | null = null;
  for (const [key, { redact }] of keys) {
    const before = (value as Values)[key];
    if (redact === undefined || before === undefined) continue;
    const after = redact(before, redaction);
    if (after === before) continue;
    redacted ??= { ...(value as Values) };
    if (after === undefined) delete redacted[key];
    else redacted[key] = after;
  }
  return (redacted as Value | null) ?? value;
}

function shapeOf<Value>({ check }: Codec<Value>, platform: Ports['platform']): Shape {
  return (json, at) => check(json, at, platform);
}
