/**
 * The list of error codes describes the fields of each error's `data`, in the same words that the reference prints.
 * This file turns these descriptions into types. A name that ends in `?` is an optional field. `[{ … }]` is a list of
 * such objects. `[{ … }, 'null']` is such an object or null.
 */
import type { ShownEntry } from './entries.ts';
import type { CheckpointId } from './ids.ts';
import type { JsonName } from './names.ts';

export interface FieldSpec {
  readonly [field: string]: string | FieldSpec | readonly [FieldSpec] | readonly [FieldSpec, 'null'];
}

/** One code of the list. */
export interface CodeDescription {
  /** Exit status. 1: refused or failed, nothing changed. 2: wrong usage. 3: conflict. 4: pending. */
  readonly exit: 1 | 2 | 3 | 4;
  /** When the error occurs. */
  readonly when: string;
  /** The fields of `data` and their types, in the words defined in `error-data.ts`. */
  readonly data: FieldSpec;
  /** For errors about several files: the fields of each entry of `details`. In JSON, `details` is next to `data`. */
  readonly details?: FieldSpec;
  /** Units, and whatever the field names do not say. */
  readonly note?: string;
  /** What to do, unless the error carries a better hint. */
  readonly hint: string;
}

/** The words for types other than unions, lists and quoted text. */
interface FieldTypes {
  readonly string: string;
  readonly number: number;
  readonly boolean: boolean;
  readonly null: null;
  readonly JsonName: JsonName;
  readonly CheckpointId: CheckpointId;
  readonly Entry: ShownEntry;
  readonly EditStatus: object;
  readonly Failure: object;
}

type OptionalName<Name> = Name extends `${infer Field}?` ? Field : never;
type RequiredName<Name> = Name extends `${string}?` ? never : Name;

type TypeOf<Spec> = Spec extends readonly [infer Item]
  ? readonly TypeOf<Item>[]
  : Spec extends readonly [infer Item, 'null']
    ? TypeOf<Item> | null
    : Spec extends `${infer First} | ${infer Rest}`
      ? TypeOf<First> | TypeOf<Rest>
      : Spec extends `${infer Item}[]`
        ? readonly TypeOf<Item>[]
        : Spec extends `"${infer Text}"`
          ? Text
          : Spec extends keyof FieldTypes
            ? FieldTypes[Spec]
            : Spec extends FieldSpec
              ? FieldsOf<Spec>
              : never;

/** The type of an object whose fields `Spec` describes. A field with an unknown word has the type `never`. */
export type FieldsOf<Spec> = {
  readonly [Name in keyof Spec as RequiredName<Name>]: TypeOf<Spec[Name]>;
} & {
  readonly [Name in keyof Spec as OptionalName<Name>]?: TypeOf<Spec[Name]>;
};
