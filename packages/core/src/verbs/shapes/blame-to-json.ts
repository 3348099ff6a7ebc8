/** Converts the origin of a range of lines to JSON. */
import type * as z from 'zod';
import { splitLines } from '../../content/lines.ts';
import type { Blame } from '../../engine/calls/blame.ts';
import type { Checkpoint } from '../../model/checkpoint.ts';
import { type JsonName, nameToJson } from '../../model/names.ts';
import type { LineRange } from '../../timeline/blame/blame.ts';
import type { Shapes } from '../verb.ts';
import { recordedChangeToJson, timeToJson } from './to-json.ts';

type AuthorsJson = z.output<Shapes['recordedChange']>['authors'];

export interface RangeJson {
  first: number;
  last: number;
  origin: LineRange['origin']['kind'];
  why: Extract<LineRange['origin'], { kind: 'unknown' }>['why'] | null;
  change: string | null;
  checkpoint: Checkpoint['id'] | null;
  time: string | null;
  trigger: Checkpoint['trigger'] | null;
  description: string | null;
  message: string | null;
  path: JsonName | null;
  authors: AuthorsJson;
  grade: LineRangeGrade | null;
  evidence: z.output<Shapes['recordedChange']>['evidence'];
  text: JsonName[] | null;
}

type LineRangeGrade = z.output<Shapes['recordedChange']>['grade'];

/** @param withText whether to return the lines */
export function rangesToJson({ content, ranges }: Blame, withText: boolean): RangeJson[] {
  const lines = withText ? splitLines(content) : null;
  return ranges.map((range) => {
    const { first, last, origin } = range;
    const text = lines?.slice(first - 1, last).map((line) => nameToJson(line.replace(/\n$/, ''))) ?? null;
    return { first, last, origin: origin.kind, ...originToJson(range), text };
  });
}

function originToJson({ origin }: LineRange): Omit<RangeJson, 'first' | 'last' | 'origin' | 'text'> {
  const recorded = 'change' in origin ? recordedChangeToJson(origin.change) : null;
  const checkpoint = 'checkpoint' in origin ? origin.checkpoint : null;
  return {
    why: origin.kind === 'unknown' ? origin.why : null,
    change: origin.kind === 'change' ? origin.change.id : null,
    checkpoint: checkpoint?.id ?? null,
    time: checkpoint === null ? null : timeToJson(checkpoint.time),
    trigger: checkpoint?.trigger ?? null,
    description: checkpoint?.description ?? null,
    message: checkpoint?.conversation?.messageId ?? null,
    path: recorded?.path ?? null,
    authors: recorded?.authors ?? [],
    grade: origin.kind === 'older' ? null : (recorded?.grade ?? 'open'),
    evidence: recorded?.evidence ?? null,
  };
}
