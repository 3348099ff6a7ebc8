/** The shapes of edits that callers of the library pass. */

import type { FileEdit, FileEdits } from '../../edit/file-edits.ts';
import {
  anything,
  type Check,
  count,
  fields,
  flag,
  listOf,
  oneOf,
  orNull,
  type ShapeOf,
  someFields,
  text,
} from '../../model/shape-checks.ts';

const EDIT = fields(
  {
    old: text,
    new: text,
    replaceAll: flag,
    tolerant: flag,
    line: count,
    text,
    content: text,
    exact: flag,
    patch: text,
    fuzz: count,
    mode: orNull(count),
    to: anything,
  } satisfies ShapeOf<FileEdit, 'op'>,
  { op: oneOf('replace', 'insert', 'write', 'patch', 'create', 'delete', 'rename', 'mode') },
);
/** The fields that an edit must have, by its `op`. */
const EDIT_NEEDS: Readonly<Record<string, Readonly<Record<string, Check>>>> = {
  replace: { old: text, new: text },
  insert: { line: count, text },
  write: { content: text },
  patch: { patch: text },
  create: { content: text },
  mode: { mode: count },
};
export const FILES: Check = listOf(
  fields({ given: anything, expectedHash: orNull(text), force: flag } satisfies ShapeOf<FileEdits, 'path' | 'edits'>, {
    path: anything,
    edits: listOf((value, at) => {
      EDIT(value, at);
      someFields({}, EDIT_NEEDS[(value as { readonly op: string }).op] ?? {})(value, at);
    }),
  }),
);
