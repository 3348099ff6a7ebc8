/**
 * What a record of the store is described with. A codec says of one value how it is written, how it is read again, what it must be
 * when it comes from somebody else, and what of it goes when a checkpoint leaves the machine or a content is purged.
 */

import type { Ports } from '../../io/ports.ts';
import { listOf, objectOf, optional, orNull, type Shape, tuple } from '../../store/json-shape.ts';

/** What a story is to lose. */
export interface Redaction {
  /** What is of use on this machine alone. */
  readonly local: boolean;
  /** What people and agents said: all of it, or each text that the function finds; null: it stays. */
  readonly said: 'all' | ((text: string) => boolean) | null;
  /** What may hold contents of files. */
  readonly contents: boolean;
}

export interface Codec<Value> {
  /** @returns a value for JSON; undefined: it is not written */
  readonly encode: (value: Value) => unknown;
  /** Reads what our own store has; what cannot be such a value may throw anything. */
  readonly decode: (json: unknown) => Value;
  /**
   * Everything from outside is hostile: says where it is wrong, before it is decoded.
   * @param platform whose rules paths have to follow
   * @throws FormatProblem
   */
  readonly check: (json: unknown, at: string, platform: Ports['platform']) => void;
  /** @returns the very same value where nothing of it goes. Absent: it stays as it is. */
  readonly without?: (value: Value, cut: Redaction) => Value;
}

/** Of an object. */
export type RecordCodec<Value> = Required<Codec<Value>>;

export type Fields<Value> = { readonly [Key in keyof Value]-?: Codec<Value[Key]> };

/** A value that lies in JSON as it is. */
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

/** @param before what it is in records of early versions, which do not have it */
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

/** As `added`, and not written where it is `nothing`, or a list without items. */
export function omitted<Value, Nothing = never>(inner: Codec<Value>, nothing: Value | Nothing): Codec<Value | Nothing> {
  const codec = added(inner, nothing);
  const isNothing = (value: unknown): boolean => value === nothing || (Array.isArray(value) && value.length === 0);
  return { ...codec, encode: (value) => (isNothing(value) ? undefined : codec.encode(value)) };
}

/**
 * Of use on this machine alone.
 * @param nothing what leaves the machine instead
 * @param shape of what may come from elsewhere
 */
export function machineLocal<Value>(inner: Codec<Value>, nothing: Value, shape: Shape): Codec<Value> {
  return { ...inner, check: shape, without: (value, cut) => (cut.local ? nothing : value) };
}

/** A text that a person or an agent said, or that was made of one; `leaving` is what leaves the machine instead. */
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

/** Something that may hold the content of a file, or a digest of it. */
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

/** Two values in a list. */
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

/** Written with these keys alone, in this order. Other keys are passed over when it is read. */
export function closedRecord<Value extends object>(fields: Fields<Value>): RecordCodec<Value> {
  const keys = entriesOf(fields);
  return {
    encode: (value) => {
      const whole = value as Values;
      return Object.fromEntries(keys.map(([key, codec]) => [key, codec.encode(whole[key])]));
    },
    decode: (json) => {
      const whole = objectIn(json);
      const found: Record<string, unknown> = {};
      for (const [key, codec] of keys) {
        const value = codec.decode(whole[key]);
        if (value !== undefined) found[key] = value;
      }
      return found as Value;
    },
    ...ofKeys(keys),
  };
}

/** Written as it is, in the order that it has; keys that a newer version gave it stay. */
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

/** @returns the very same object where nothing of it goes */
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
