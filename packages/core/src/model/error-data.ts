/**
 * The fields of an error's `data` are described once, in the list of codes, in the words that the reference prints.
 * This file turns those words into types. A name that ends in `?` is an optional field. `[{ … }]` is a list of such
 * objects; `[{ … }, 'null']` is such an object or null.
 */
import type { ShownEntry } from './entries.ts';
import type { CheckpointId } from './ids.ts';
import type { JsonName } from './names.ts';

export interface FieldWords {
  readonly [field: string]: string | FieldWords | readonly [FieldWords] | readonly [FieldWords, 'null'];
}

/** The words for types other than unions, lists and quoted text. */
interface Words {
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

type TypeOf<Said> = Said extends readonly [infer Item]
  ? readonly TypeOf<Item>[]
  : Said extends readonly [infer Item, 'null']
    ? TypeOf<Item> | null
    : Said extends `${infer First} | ${infer Rest}`
      ? TypeOf<First> | TypeOf<Rest>
      : Said extends `${infer Item}[]`
        ? readonly TypeOf<Item>[]
        : Said extends `"${infer Text}"`
          ? Text
          : Said extends keyof Words
            ? Words[Said]
            : Said extends FieldWords
              ? FieldsOf<Said>
              : never;

/** The type of an object whose fields are described by `Said`. A field with an unknown word has the type `never`. */
export type FieldsOf<Said> = {
  readonly [Name in keyof Said as RequiredName<Name>]: TypeOf<Said[Name]>;
} & {
  readonly [Name in keyof Said as OptionalName<Name>]?: TypeOf<Said[Name]>;
};
