/**
 * How checks went on the states of checkpoints: `check-summaries.json` in the store (docs/format.md). Without their output
 * and their findings, so that many can be shown at once.
 */

import { durableWrite } from '../../io/durable-write.ts';
import type { Fs } from '../../io/fs.ts';
import { removeIfExists } from '../../io/if-exists.ts';
import type { Ports } from '../../io/ports.ts';
import { COMPARISONS, type Comparison, OUTCOMES, type Outcome } from '../../model/check-outcome.ts';
import { type CheckpointId, checkpointId, checkpointNumber } from '../../model/ids.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { integer, listOf, matching, objectOf, oneOf, orNull, text } from '../json-shape.ts';
import type { StoreLayout } from '../layout.ts';
import { readCacheJson } from './cache-file.ts';
import { readDecided } from './decided-file.ts';

/** How one check went, and how that compares with the base. */
export interface SummarizedCheck {
  readonly name: string;
  readonly outcome: Outcome;
  readonly comparison: Comparison;
  /** Number of new failures. */
  readonly new: number;
}

export interface CheckSummary {
  /** When the last of them ended, in milliseconds since 1970. */
  readonly time: number;
  /** The number of the checkpoint that they were compared with; null: none. */
  readonly base: number | null;
  readonly checks: readonly SummarizedCheck[];
}

/** By checkpoint number. */
export type CheckSummaries = ReadonlyMap<number, CheckSummary>;

const FILE = 'check-summaries.json';
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_NAME = 200;
const MAX_CHECKS = 1_000;
/** The newest stay. */
const MAX_CHECKPOINTS = 1_000;
const ID = matching(/^cp_[1-9]\d{0,8}$/);

const SHAPE = objectOf({
  format: oneOf(1),
  checkpoints: listOf(
    objectOf({
      id: ID,
      time: matching(/^\d{4}-/),
      base: orNull(ID),
      checks: listOf(
        objectOf({
          name: text(MAX_NAME),
          outcome: oneOf(...OUTCOMES),
          comparison: oneOf(...COMPARISONS),
          new: integer(0),
        }),
        MAX_CHECKS,
      ),
    }),
    MAX_CHECKPOINTS,
  ),
});

interface SummariesJson {
  readonly checkpoints: readonly {
    readonly id: CheckpointId;
    readonly time: string;
    readonly base: CheckpointId | null;
    readonly checks: readonly SummarizedCheck[];
  }[];
}

/** @throws SavepointError STORE_DAMAGED */
export function readCheckSummaries({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout): CheckSummaries {
  const json = readDecided<SummariesJson>(fs, {
    path: fileIn(layout),
    maxBytes: MAX_BYTES,
    shape: SHAPE,
    unknown: 'it is unknown how checks went',
    hint: 'Delete the file, and run the checks again.',
  });
  return new Map(
    (json?.checkpoints ?? []).map(({ id, time, base, checks }) => [
      checkpointNumber(id),
      { time: Date.parse(time), base: base === null ? null : checkpointNumber(base), checks },
    ]),
  );
}

/** Results of other checks of the same checkpoint stay. */
export function withSummary(summaries: CheckSummaries, number: number, made: CheckSummary): CheckSummaries {
  const names = new Set(made.checks.map(({ name }) => name));
  const kept = (summaries.get(number)?.checks ?? []).filter(({ name }) => !names.has(name));
  return new Map([...summaries, [number, { ...made, checks: [...kept, ...made.checks] }]]);
}

/** Durable on return. The caller holds the store's lock. */
export function writeCheckSummaries({ fs }: Pick<Ports, 'fs'>, layout: StoreLayout, summaries: CheckSummaries): void {
  const newest = [...summaries].sort(([a], [b]) => a - b).slice(-MAX_CHECKPOINTS);
  const json = {
    format: 1,
    checkpoints: newest.map(([number, { time, base, checks }]) => ({
      id: checkpointId(number),
      time: new Date(time).toISOString(),
      base: base === null ? null : checkpointId(base),
      checks: checks.slice(0, MAX_CHECKS).map((one) => ({ ...one, name: one.name.slice(0, MAX_NAME) })),
    })),
  } satisfies SummariesJson & { readonly format: 1 };
  durableWrite(fs, fileIn(layout), Buffer.from(`${JSON.stringify(json)}\n`), 0o600);
}

/** Removes all of them if the file mentions what is purged, or cannot be read: the checks can run again. */
export function purgeCheckSummaries(fs: Fs, layout: StoreLayout, mentionsPurged: (text: string) => boolean): void {
  const file = fileIn(layout);
  if (fs.lstat(file) === null) return;
  const isClean = readCacheJson(fs, file, MAX_BYTES, (json) => !mentionsPurged(JSON.stringify(json)));
  if (isClean !== true) removeIfExists(fs, file);
}

function fileIn(layout: StoreLayout): DiskPath {
  return diskChild(layout.path, FILE);
}
