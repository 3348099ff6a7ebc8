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
  readonly said: 'all' | ((text: string) => boolean) | null;
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
  /** @returns the same value if nothing is removed. Absent: the value is always kept. */
  readonly without?: (value: Value, cut: Redaction) => Value;
}

/** A codec for an object. */
export type RecordCodec<Value> = Required<Codec<Value>>;

export type Fields<Value> = { readonly [Key in keyof Value]-?: Codec<Value[Key]> };

/** A value that is stored in JSON unchanged. */
export function plain<Value>(shape: Shape): Codec<Value> {
  return { encode: (value) => value, decode: (json) => json as Value, check: shape };
}

export function nullable<Value>(inner: Codec<Value>): Codec<Value | null> {
  const { without } = inner;
  return {
    encode: (value) => (value === null ? null : inner.encode(value)),
    decode: (json) => (json == null ? null : inner.decode(json)),
    check: (json, at, platform) => orNull(shapeOf(inner, platform))(json, at),
    ...(without && { without: (value, cut) => (value === null ? null : without(value, cut)) }),
  };
}

/** A key that may be absent, in records of every version. */
export function optionalKey<Value>(inner: Codec<Value>): Codec<Value | undefined> {
  const { without } = inner;
  return {
    encode: (value) => (value === undefined ? undefined : inner.encode(value)),
    decode: (json) => (json === undefined ? undefined : inner.decode(json)),
    check: (json, at, platform) => optional(shapeOf(inner, platform))(json, at),
    ...(without && { without: (value, cut) => (value === undefined ? undefined : without(value, cut)) }),
  };
}

/** @param before the value for records of early versions, which lack the key */
export function added<Value, Before = never>(inner: Codec<Value>, before: Value | Before): Codec<Value | Before> {
  const { without } = inner;
  const isBefore = (value: Value | Before): value is Before => value === before;
  return {
    encode: (value) => (isBefore(value) ? value : inner.encode(value)),
    decode: (json) => (json == null ? before : inner.decode(json)),
    check: (json, at, platform) => optional(shapeOf(inner, platform))(json, at),
    ...(without && { without: (value, cut) => (isBefore(value) ? value : without(value, cut)) }),
  };
}

/** Like `added`, but not written if it is `nothing` or an empty list. */
export function omitted<Value, Nothing = never>(inner: Codec<Value>, nothing: Value | Nothing): Codec<Value | Nothing> {
  const codec = added(inner, nothing);
  const isNothing = (value: unknown): boolean => value === nothing || (Array.isArray(value) && value.length === 0);
  return { ...codec, encode: (value) => (isNothing(value) ? undefined : codec.encode(value)) };
}

/**
 * A value that is useful only on this machine.
 * @param nothing what leaves the machine instead
 * @param shape what is accepted from other machines
 */
export function machineLocal<Value>(inner: Codec<Value>, nothing: Value, shape: Shape): Codec<Value> {
  return { ...inner, check: shape, without: (value, cut) => (cut.local ? nothing : value) };
}

/** A text by a user or an agent, or derived from one. `leaving` returns what leaves the machine instead. */
export function freeText<Value>(
  inner: Codec<Value>,
  instead: { readonly leaving: (text: Value) => Value; readonly purged: Value },
): Codec<Value> {
  return {
    ...inner,
    without: (value, { said: gone }) => {
      if (typeof value !== 'string' || gone === null) return value;
      if (gone === 'all') return instead.leaving(value);
      return gone(value) ? instead.purged : value;
    },
  };
}

/** A value that may hold the content of a file, or a digest of it. */
export function content<Value>(inner: Codec<Value>, nothing: Value): Codec<Value> {
  const { without = (value) => value } = inner;
  return { ...inner, without: (value, cut) => (cut.contents ? nothing : without(value, cut)) };
}

export function list<Item>(inner: Codec<Item>, most: number): Codec<readonly Item[]> {
  const { without } = inner;
  return {
    encode: (items) => items.map((item) => inner.encode(item)),
    decode: (json) => (json as readonly unknown[]).map((item) => inner.decode(item)),
    check: (json, at, platform) => listOf(shapeOf(inner, platform), most)(json, at),
    ...(without && {
      without: (items, cut) => {
        const left = items.map((item) => without(item, cut));
        return left.every((item, index) => item === items[index]) ? items : left;
      },
    }),
  };
}

/** Two values, stored as a list. */
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
      const record = value as Values;
      return Object.fromEntries(keys.map(([key, codec]) => [key, codec.encode(record[key])]));
    },
    decode: (json) => {
      const record = objectIn(json);
      const found: Record<string, unknown> = {};
      for (const [key, codec] of keys) {
        const value = codec.decode(record[key]);
        if (value !== undefined) found[key] = value;
      }
      return found as Value;
    },
    ...ofKeys(keys),
  };
}

/** Writes the object in its own order of keys. Keys added by a newer version are kept. */
export function openRecord<Value extends object>(fields: Fields<Value>): RecordCodec<Value> {
  const keys = entriesOf(fields);
  return {
    encode: (value) => {
      const found: Record<string, unknown> = { ...(value as Values) };
      for (const [key, codec] of keys) if (key in found) found[key] = codec.encode(found[key]);
      return found;
    },
    decode: (json) => {
      const found: Record<string, unknown> = { ...objectIn(json) };
      for (const [key, codec] of keys) {
        const value = codec.decode(found[key]);
        if (value !== undefined) found[key] = value;
      }
      return found as Value;
    },
    ...ofKeys(keys),
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

function ofKeys<Value extends object>(keys: Keys): Pick<RecordCodec<Value>, 'check' | 'without'> {
  return {
    check: (json, at, platform) => {
      objectOf(Object.fromEntries(keys.map(([key, codec]) => [key, shapeOf(codec, platform)])))(json, at);
    },
    without: (value, cut) => redactKeys(keys, value, cut),
  };
}

/** @returns the same object if nothing is removed */
function redactKeys<Value extends object>(keys: Keys, value: Value, cut: Redaction): Value {
  let left: Record<string, unknown> | null = null;
  for (const [key, { without }] of keys) {
    const before = (value as Values)[key];
    if (without === undefined || before === undefined) continue;
    const after = without(before, cut);
    if (after === before) continue;
    left ??= { ...(value as Values) };
    if (after === undefined) delete left[key];
    else left[key] = after;
  }
  return (left as Value | null) ?? value;
}

function shapeOf<Value>({ check }: Codec<Value>, platform: Ports['platform']): Shape {
  return (json, at) => check(json, at, platform);
}
