/** `checks.json` in the folder of a fork: how its checks went last. */

import { readCopyAt } from '../copy/records.ts';
import { durableWrite, readEntireFile } from '../io/durable-write.ts';
import { isFsError } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { COMPARISONS, type Comparison, OUTCOMES, type Outcome } from '../model/check-outcome.ts';
import type { Snapshot } from '../model/entries.ts';
import { diskChild } from '../model/names.ts';
import { integer, listOf, matching, objectOf, oneOf, orNull, text } from '../store/json-shape.ts';
import { FormatProblem } from '../store/objects/damage.ts';
import type { Fork } from './fork.ts';

/** The result of one check, compared with what the fork started from. */
export interface ForkCheck {
  readonly name: string;
  readonly comparison: Comparison;
  readonly outcome: Outcome;
  readonly why: string | null;
  /** Number of new failures. */
  readonly new: number;
}

export interface ForkChecks {
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The state of the fork that was checked. */
  readonly state: Snapshot;
  readonly checks: readonly ForkCheck[];
}

const FILE = 'checks.json';
const MAX_BYTES = 1024 * 1024;
const MAX_TEXT = 2_000;
const TREE = matching(/^[0-9a-f]{40}$/);
const SHAPE = objectOf({
  format: oneOf(1),
  time: integer(0),
  files: TREE,
  side: TREE,
  checks: listOf(
    objectOf({
      name: text(MAX_TEXT),
      comparison: oneOf(...COMPARISONS),
      outcome: oneOf(...OUTCOMES),
      why: orNull(text(MAX_TEXT)),
      new: integer(0),
    }),
    10_000,
  ),
});

/** Does nothing if the fork was dropped meanwhile. */
export function keepForkChecks(ports: Pick<Ports, 'fs'>, { copy: { place } }: Fork, checks: ForkChecks): void {
  if (readCopyAt(ports, place) === null) return;
  const { time, state, checks: results } = checks;
  const json = {
    format: 1,
    time,
    ...state,
    checks: results.map((one) => ({
      ...one,
      name: one.name.slice(0, MAX_TEXT),
      why: one.why === null ? null : one.why.slice(0, MAX_TEXT),
    })),
  };
  try {
    durableWrite(ports.fs, diskChild(place, FILE), Buffer.from(`${JSON.stringify(json)}\n`), 0o600);
  } catch (error) {
    if (!isFsError(error, 'ENOENT')) throw error;
  }
}

/** @returns null if its checks never ran, or the file is damaged: they can run again */
export function readForkChecks({ fs }: Pick<Ports, 'fs'>, { copy: { place } }: Fork): ForkChecks | null {
  try {
    const json: unknown = JSON.parse(readEntireFile(fs, diskChild(place, FILE), MAX_BYTES).toString());
    SHAPE(json, FILE);
    const { time, files, side, checks } = json as Omit<ForkChecks, 'state'> & Snapshot;
    return { time, state: { files, side }, checks };
  } catch (error) {
    if (isFsError(error, 'ENOENT') || error instanceof FormatProblem || error instanceof SyntaxError) return null;
    throw error;
  }
}
