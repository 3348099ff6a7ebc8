/**
 * What an agent in a copy is told about plans. It cannot reach the store of the workspace, so the process outside writes it
 * into a file in the home of the copy, and the hooks in the copy write down what they passed on. Every program in the copy
 * can change both files: they are words to show, and nothing follows from them.
 */

import { isHomeOfCopy } from '../../copy/home-of-copy.ts';
import { durableWrite, readEntireFile } from '../../io/durable-write.ts';
import { FsError } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import { PLAN_ID } from '../../model/ids.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import type { PlanNews } from '../../session/plan-mode.ts';
import { integer, listOf, matching, objectOf, oneOf, orNull, text } from '../../store/json-shape.ts';
import { FormatProblem } from '../../store/objects/damage.ts';
import type { KeyedNews } from './news.ts';

export interface NewsInCopy {
  /** Whether what is changed in the copy becomes a plan. */
  readonly isForPlan: boolean;
  /** What the agent has not been told yet. */
  readonly news: readonly KeyedNews[];
}

/** @param place the folder of the copy */
export function writeNewsInCopy({ fs }: Pick<Ports, 'fs'>, place: DiskPath, news: NewsInCopy): void {
  const bytes = Buffer.from(`${JSON.stringify({ format: 1, ...news })}\n`);
  durableWrite(fs, diskChild(diskChild(place, 'home'), NEWS), bytes, 0o600);
}

/** The keys of what the hooks in the copy passed on. @param place the folder of the copy */
export function toldInCopy(ports: Pick<Ports, 'fs'>, place: DiskPath): ReadonlySet<string> {
  return toldIn(ports, diskChild(place, 'home'));
}

/** In a copy: whether what is changed there becomes a plan. @param home of this process */
export function isCopyForPlan(ports: Pick<Ports, 'fs'>, home: DiskPath): boolean {
  return isHomeOfCopy(home) && newsIn(ports, home).isForPlan;
}

/** In a copy: what its agent was not told yet, once. @param home of this process */
export function takeNewsInCopy(ports: Pick<Ports, 'fs'>, home: DiskPath): readonly PlanNews[] {
  if (!isHomeOfCopy(home)) return [];
  const { news } = newsIn(ports, home);
  if (news.length === 0) return [];
  const told = toldIn(ports, home);
  const fresh = news.filter(({ keys }) => keys.some((key) => !told.has(key)));
  if (fresh.length === 0) return [];
  const all = new Set([...told, ...fresh.flatMap(({ keys }) => keys)]);
  const bytes = Buffer.from(`${JSON.stringify({ format: 1, told: [...all].slice(-MOST_KEYS) })}\n`);
  durableWrite(ports.fs, diskChild(home, TOLD), bytes, 0o600);
  return fresh.map(({ news: one }) => one);
}

const NEWS = 'plan-news.json';
const TOLD = 'plan-news-told.json';
const FILE_BYTES = 16 * 1024 * 1024;
const MOST = 10_000;
const MOST_KEYS = 10_000;
const KEYS = listOf(matching(/^[0-9a-f]{16}$/), MOST_KEYS);
const NOTHING: NewsInCopy = { isForPlan: false, news: [] };

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
        applied: listOf(matching(/^cp_[1-9]\d*$/), MOST),
        isCancelled: oneOf(true, false),
      }),
    }),
    MOST,
  ),
});
const TOLD_SHAPE = objectOf({ format: oneOf(1), told: KEYS });

function newsIn(ports: Pick<Ports, 'fs'>, home: DiskPath): NewsInCopy {
  return readIn(ports, diskChild(home, NEWS), NEWS_SHAPE) ?? NOTHING;
}

function toldIn(ports: Pick<Ports, 'fs'>, home: DiskPath): ReadonlySet<string> {
  const found: { readonly told: readonly string[] } | null = readIn(ports, diskChild(home, TOLD), TOLD_SHAPE);
  return new Set(found?.told);
}

/** @returns null if there is none, or one that cannot be read: it is only words */
function readIn<Json>({ fs }: Pick<Ports, 'fs'>, file: DiskPath, shape: typeof TOLD_SHAPE): Json | null {
  try {
    const json: unknown = JSON.parse(readEntireFile(fs, file, FILE_BYTES).toString('utf8'));
    shape(json, 'it');
    return json as Json;
  } catch (error) {
    if (error instanceof FsError || error instanceof FormatProblem || error instanceof SyntaxError) return null;
    throw error;
  }
}
