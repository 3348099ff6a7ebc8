/**
 * What people decide about plans, and their comments, for an agent in a copy. It cannot reach the store of the workspace, so the process outside writes it
 * into a file in the home of the copy, and the hooks in the copy record what they reported. Every program in the copy
 * can change both files: they are words to show, and nothing follows from them.
 */

import { durableWrite, readEntireFile } from '../io/durable-write.ts';
import { FsError } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import type { SentComment } from '../model/comment.ts';
import { PLAN_ID } from '../model/ids.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import type { PlanNews } from '../model/plan.ts';
import { integer, listOf, matching, objectOf, oneOf, orNull, text } from '../store/json-shape.ts';
import { FormatProblem } from '../store/objects/damage.ts';
import { COMMENT_SHAPE, type CommentJson, commentFromJson, commentToJson } from '../store/state/comments.ts';
import { isHomeOfCopy } from './home-of-copy.ts';

/** News with keys that identify what was reported. */
export interface KeyedNews {
  readonly news: PlanNews;
  readonly keys: readonly string[];
}

/** A comment with its key. */
export interface KeyedComment extends SentComment {
  readonly keys: readonly string[];
}

export interface NewsInCopy {
  /** Whether what is changed in the copy becomes a plan. */
  readonly isForPlan: boolean;
  /** What was not reported to the agent yet. */
  readonly news: readonly KeyedNews[];
  readonly comments: readonly KeyedComment[];
}

type NewsJson = Omit<NewsInCopy, 'comments'> & {
  readonly comments: readonly (Omit<KeyedComment, 'comment'> & { readonly comment: CommentJson })[];
};

/** @param place the folder of the copy */
export function writeNewsInCopy({ fs }: Pick<Ports, 'fs'>, place: DiskPath, news: NewsInCopy): void {
  const comments = news.comments.map((one) => ({ ...one, comment: commentToJson(one.comment) }));
  const bytes = Buffer.from(`${JSON.stringify({ format: 1, ...news, comments })}\n`);
  durableWrite(fs, diskChild(diskChild(place, 'home'), NEWS), bytes, 0o600);
}

/** The keys of what the hooks in the copy reported. @param place the folder of the copy */
export function reportedInCopy(ports: Pick<Ports, 'fs'>, place: DiskPath): ReadonlySet<string> {
  return reportedIn(ports, diskChild(place, 'home'));
}

/** In a copy: whether what is changed there becomes a plan. @param home of this process */
export function isCopyForPlan(ports: Pick<Ports, 'fs'>, home: DiskPath): boolean {
  return isHomeOfCopy(home) && newsIn(ports, home).isForPlan;
}

/** In a copy: what was not reported to its agent yet, once. @param home of this process */
export function takeNewsInCopy(ports: Pick<Ports, 'fs'>, home: DiskPath): readonly PlanNews[] {
  return take(ports, home, ({ news }) => news).map(({ news }) => news);
}

/** The same for comments. */
export function takeCommentsInCopy(ports: Pick<Ports, 'fs'>, home: DiskPath): readonly SentComment[] {
  return take(ports, home, ({ comments }) => comments);
}

function take<T extends { readonly keys: readonly string[] }>(
  ports: Pick<Ports, 'fs'>,
  home: DiskPath,
  which: (news: NewsInCopy) => readonly T[],
): readonly T[] {
  if (!isHomeOfCopy(home)) return [];
  const all = which(newsIn(ports, home));
  if (all.length === 0) return [];
  const reported = reportedIn(ports, home);
  const fresh = all.filter(({ keys }) => keys.some((key) => !reported.has(key)));
  if (fresh.length === 0) return [];
  const now = [...new Set([...reported, ...fresh.flatMap(({ keys }) => keys)])].slice(-MOST_KEYS);
  durableWrite(
    ports.fs,
    diskChild(home, REPORTED),
    Buffer.from(`${JSON.stringify({ format: 1, reported: now })}\n`),
    0o600,
  );
  return fresh;
}

const NEWS = 'plan-news.json';
const REPORTED = 'plan-news-reported.json';
const FILE_BYTES = 16 * 1024 * 1024;
const MOST = 10_000;
const MOST_KEYS = 10_000;
const KEYS = listOf(matching(/^[0-9a-f]{16}$/), MOST_KEYS);
const NOTHING: NewsInCopy = { isForPlan: false, news: [], comments: [] };

const APPLIED = objectOf({ checkpoint: orNull(matching(/^cp_[1-9]\d*$/)), left: listOf(text(MOST), MOST) });
const HUNK = objectOf({ number: integer(1), start: integer(0), count: integer(0) });
const COMMENTS_SHAPE = listOf(
  objectOf({
    keys: KEYS,
    comment: COMMENT_SHAPE,
    place: orNull(objectOf({ first: integer(1), last: integer(1) })),
  }),
  MOST,
);
const NEWS_SHAPE = objectOf({
  format: oneOf(1),
  isForPlan: oneOf(true, false),
  news: listOf(
    objectOf({
      keys: KEYS,
      news: objectOf({
        id: matching(PLAN_ID),
        intent: text(MOST),
        revision: integer(0),
        status: oneOf('pending', 'approved', 'applied', 'rolled-back', 'cancelled'),
        words: listOf(text(MOST), MOST),
        rejected: listOf(objectOf({ path: text(MOST), hunk: orNull(HUNK) }), MOST),
        applied: listOf(APPLIED, MOST),
        isCancelled: oneOf(true, false),
      }),
    }),
    MOST,
  ),
  comments: COMMENTS_SHAPE,
});
const REPORTED_SHAPE = objectOf({ format: oneOf(1), reported: KEYS });

function newsIn(ports: Pick<Ports, 'fs'>, home: DiskPath): NewsInCopy {
  const found: NewsJson | null = readIn(ports, diskChild(home, NEWS), NEWS_SHAPE);
  if (found === null) return NOTHING;
  return { ...found, comments: found.comments.map((one) => ({ ...one, comment: commentFromJson(one.comment) })) };
}

function reportedIn(ports: Pick<Ports, 'fs'>, home: DiskPath): ReadonlySet<string> {
  const found: { readonly reported: readonly string[] } | null = readIn(
    ports,
    diskChild(home, REPORTED),
    REPORTED_SHAPE,
  );
  return new Set(found?.reported);
}

/** @returns null if there is none, or one that cannot be read: it is only words */
function readIn<Json>({ fs }: Pick<Ports, 'fs'>, file: DiskPath, shape: typeof REPORTED_SHAPE): Json | null {
  try {
    const json: unknown = JSON.parse(readEntireFile(fs, file, FILE_BYTES).toString('utf8'));
    shape(json, 'it');
    return json as Json;
  } catch (error) {
    if (error instanceof FsError || error instanceof FormatProblem || error instanceof SyntaxError) return null;
    throw error;
  }
}
