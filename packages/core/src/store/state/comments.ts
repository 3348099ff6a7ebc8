/** Comments of people on lines: `comments.json` in the store (docs/format.md). A damaged file never means that there are none. */

import { durableWrite } from '../../io/durable-write.ts';
import type { Fs } from '../../io/fs.ts';
import { removeIfExists } from '../../io/if-exists.ts';
import type { Ports } from '../../io/ports.ts';
import { COMMENT_ID, COMMENT_SIDES, type Comment, type CommentAnchor } from '../../model/comment.ts';
import { SavepointError } from '../../model/errors.ts';
import { PLAN_ID } from '../../model/ids.ts';
import {
  type DiskPath,
  diskChild,
  type JsonName,
  nameFromJson,
  nameToJson,
  treePathFromJson,
} from '../../model/names.ts';
import {
  formatProblem,
  integer,
  isJsonName,
  listOf,
  matching,
  objectOf,
  oneOf,
  orNull,
  type Shape,
  text,
} from '../json-shape.ts';
import type { StoreLayout } from '../layout.ts';
import { readDecided } from './decided-file.ts';

export type CommentJson = Omit<Comment, 'anchor'> & { readonly anchor: AnchorJson };

type AnchorJson = Omit<CommentAnchor, 'path' | 'lines' | 'above' | 'below'> & {
  readonly [Key in 'path' | 'lines' | 'above' | 'below']: JsonName;
};

interface CommentsJson {
  readonly format: 1;
  readonly comments: readonly CommentJson[];
}

/** All that are kept. */
export const MOST_COMMENTS = 2_000;
/** Of the text of a comment, in characters. */
export const COMMENT_CHARACTERS = 10_000;

const FILE_BYTES = 64 * 1024 * 1024;
const SMALL_TEXT = text(1_000);
const TIME = integer(0);
const NAME: Shape = (value, at) => {
  if (!isJsonName(value)) throw formatProblem(at, 'is not a name or a text');
};
const ACTOR = objectOf({ kind: oneOf('user', 'agent', 'outside'), name: SMALL_TEXT });
/** Of a {@link CommentJson}. */
export const COMMENT_SHAPE = objectOf({
  id: matching(COMMENT_ID),
  by: ACTOR,
  time: TIME,
  text: text(COMMENT_CHARACTERS),
  anchor: objectOf({
    plan: orNull(objectOf({ id: matching(PLAN_ID), revision: integer(1) })),
    checkpoint: integer(0),
    path: NAME,
    side: oneOf(...COMMENT_SIDES),
    first: integer(1),
    last: integer(1),
    lines: NAME,
    above: NAME,
    below: NAME,
  }),
  agent: orNull(SMALL_TEXT),
  session: orNull(SMALL_TEXT),
  sent: orNull(objectOf({ time: TIME, agent: SMALL_TEXT, session: orNull(SMALL_TEXT) })),
  resolved: orNull(objectOf({ by: ACTOR, time: TIME })),
});
const SHAPE = objectOf({ format: oneOf(1), comments: listOf(COMMENT_SHAPE, MOST_COMMENTS) });

/** Cheap. */
export function hasComments({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout): boolean {
  return fs.lstat(commentsFile(layout)) !== null;
}

/** Changes with each change of them. */
export function stateOfComments({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout): string {
  const stat = fs.lstat(commentsFile(layout));
  return stat === null ? '' : `${stat.ino}:${stat.ctimeMs}`;
}

/** The oldest first. @throws SavepointError STORE_DAMAGED */
export function readComments(fs: Fs, layout: StoreLayout): readonly Comment[] {
  const json = readDecided<CommentsJson>(fs, {
    path: commentsFile(layout),
    maxBytes: FILE_BYTES,
    shape: SHAPE,
    unknown: 'the comments of people are unknown',
    hint: 'Move the file to another folder to go on without these comments.',
  });
  return (json?.comments ?? []).map(commentFromJson);
}

export function commentFromJson({ anchor, ...comment }: CommentJson): Comment {
  return {
    ...comment,
    anchor: {
      ...anchor,
      path: treePathFromJson(anchor.path),
      lines: nameFromJson(anchor.lines),
      above: nameFromJson(anchor.above),
      below: nameFromJson(anchor.below),
    },
  };
}

export function commentToJson({ anchor, ...comment }: Comment): CommentJson {
  return {
    ...comment,
    anchor: {
      ...anchor,
      path: nameToJson(anchor.path),
      lines: nameToJson(anchor.lines),
      above: nameToJson(anchor.above),
      below: nameToJson(anchor.below),
    },
  };
}

/** Durable on return. The caller holds the store's lock. */
export function writeComments(fs: Fs, layout: StoreLayout, comments: readonly Comment[]): void {
  const json: CommentsJson = { format: 1, comments: comments.map(commentToJson) };
  durableWrite(fs, commentsFile(layout), Buffer.from(`${JSON.stringify(json, null, 2)}\n`), 0o600);
}

/**
 * Removes comments. A file that cannot be read may contain anything, so it is removed as well. The caller holds the
 * store's lock, and syncs the folder.
 * @returns the removed ones, as far as they could be read
 */
export function dropComments(
  fs: Fs,
  layout: StoreLayout,
  isUnwanted: (comment: Comment) => boolean,
): readonly Comment[] {
  let all: readonly Comment[];
  try {
    all = readComments(fs, layout);
  } catch (error) {
    if (!(error instanceof SavepointError) || error.code !== 'STORE_DAMAGED') throw error;
    removeIfExists(fs, commentsFile(layout));
    return [];
  }
  const left = all.filter((one) => !isUnwanted(one));
  if (left.length < all.length) writeComments(fs, layout, left);
  return all.filter(isUnwanted);
}

function commentsFile({ path }: StoreLayout): DiskPath {
  return diskChild(path, 'comments.json');
}
