/**
 * What people decide about plans, for an agent in a copy. It cannot reach the store of the workspace, so the process outside writes it
 * into a file in the home of the copy, and the hooks in the copy record what they reported. Every program in the copy
 * can change both files: they are words to show, and nothing follows from them.
 */

import { durableWrite, readEntireFile } from '../io/durable-write.ts';
import { FsError } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { PLAN_ID } from '../model/ids.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import type { PlanNews } from '../model/plan.ts';
import { integer, listOf, matching, objectOf, oneOf, orNull, text } from '../store/json-shape.ts';
import { FormatProblem } from '../store/objects/damage.ts';
import { isHomeOfCopy } from './home-of-copy.ts';

/** News with keys that identify what was reported. */
export interface KeyedNews {
  readonly news: PlanNews;
  readonly keys: readonly string[];
}

export interface NewsInCopy {
  /** Whether what is changed in the copy becomes a plan. */
  readonly isForPlan: boolean;
  /** What was not reported to the agent yet. */
  readonly news: readonly KeyedNews[];
}

/** @param place the folder of the copy */
export function writeNewsInCopy({ fs }: Pick<Ports, 'fs'>, place: DiskPath, news: NewsInCopy): void {
  const bytes = Buffer.from(`${JSON.stringify({ format: 1, ...news })}\n`);
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
  if (!isHomeOfCopy(home)) return [];
  const { news } = newsIn(ports, home);
  if (news.length === 0) return [];
  const reported = reportedIn(ports, home);
  const fresh = news.filter(({ keys }) => keys.some((key) => !reported.has(key)));
  if (fresh.length === 0) return [];
  const all = new Set([...reported, ...fresh.flatMap(({ keys }) => keys)]);
  const bytes = Buffer.from(`${JSON.stringify({ format: 1, reported: [...all].slice(-MOST_KEYS) })}\n`);
  durableWrite(ports.fs, diskChild(home, REPORTED), bytes, 0o600);
  return fresh.map(({ news: one }) => one);
}

const NEWS = 'plan-news.json';
const REPORTED = 'plan-news-reported.json';
const FILE_BYTES = 16 * 1024 * 1024;
const MOST = 10_000;
const MOST_KEYS = 10_000;
const KEYS = listOf(matching(/^[0-9a-f]{16}$/), MOST_KEYS);
const NOTHING: NewsInCopy = { isForPlan: false, news: [] };

const APPLIED = objectOf({ checkpoint: orNull(matching(/^cp_[1-9]\d*$/)), left: listOf(text(MOST), MOST) });
const HUNK = objectOf({ number: integer(1), start: integer(0), count: integer(0) });
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
});
const REPORTED_SHAPE = objectOf({ format: oneOf(1), reported: KEYS });

function newsIn(ports: Pick<Ports, 'fs'>, home: DiskPath): NewsInCopy {
  return readIn(ports, diskChild(home, NEWS), NEWS_SHAPE) ?? NOTHING;
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
