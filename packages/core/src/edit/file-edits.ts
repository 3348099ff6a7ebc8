/** The edits of a file as callers of the library give them: plain paths, and only what differs from the defaults. */

import { type GivenPathContext, givenPath } from '../io/given-path.ts';
import type { JsonName } from '../model/names.ts';
import type { Edit } from './edits.ts';
import type { FileRequest } from './targets.ts';

/** One edit of one file. Texts are ordinary strings. Lines are counted from 1 and end with a line feed. */
export type FileEdit =
  /** Replaces `old`, which must occur exactly once unless `replaceAll` is true. `tolerant` ignores spaces around lines. */
  | {
      readonly op: 'replace';
      readonly old: string;
      readonly new: string;
      readonly replaceAll?: boolean;
      readonly tolerant?: boolean;
    }
  /** Inserts whole lines after line `line`; 0 is the top. A missing line ending is added if other lines follow. */
  | { readonly op: 'insert'; readonly line: number; readonly text: string }
  /** Replaces the whole content. Unless `exact` is true, CRLF line endings and the byte-order mark of the file are kept. */
  | { readonly op: 'write'; readonly content: string; readonly exact?: boolean }
  /** Applies a unified patch of this file. `fuzz`: how many context lines at the ends of a hunk may differ. Default 0. */
  | { readonly op: 'patch'; readonly patch: string; readonly fuzz?: number }
  /** The file must not exist. `mode` is the permission bits. Default: those of its folder. */
  | { readonly op: 'create'; readonly content: string; readonly mode?: number | null }
  | { readonly op: 'delete' }
  | { readonly op: 'rename'; readonly to: JsonName }
  | { readonly op: 'mode'; readonly mode: number };

/** The edits of one file; see `edit`. */
export interface FileEdits {
  readonly path: JsonName;
  readonly edits: readonly FileEdit[];
  /** How messages name the file. Default: `path`. */
  readonly given?: JsonName;
  /** Blob id (40 hex digits) or SHA-256 (64 hex digits) of the content that the caller has read. Default: any content. */
  readonly expectedHash?: string | null;
  /** Edit the file even if it is write-protected. Default false. */
  readonly force?: boolean;
}

/** @throws SavepointError PATH_REFUSED, USAGE */
export function fileRequestOf(context: GivenPathContext, asked: FileEdits): FileRequest {
  return {
    given: asked.given ?? asked.path,
    path: givenPath(context, asked.path),
    edits: asked.edits.map((edit) => editOf(context, edit)),
    expectedHash: asked.expectedHash ?? null,
    force: asked.force ?? false,
  };
}

function editOf(context: GivenPathContext, edit: FileEdit): Edit {
  switch (edit.op) {
    case 'replace':
      return { ...edit, replaceAll: edit.replaceAll ?? false, tolerant: edit.tolerant ?? false };
    case 'write':
      return { ...edit, exact: edit.exact ?? false };
    case 'patch':
      return { ...edit, fuzz: edit.fuzz ?? 0 };
    case 'create':
      return { ...edit, mode: edit.mode ?? null };
    case 'rename':
      return { ...edit, to: givenPath(context, edit.to) };
    default:
      return edit;
  }
}
