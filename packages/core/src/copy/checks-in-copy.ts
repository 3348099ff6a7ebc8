/**
 * Checks that were run in a copy: `checks.json` in its home. It stays with the proposal. Every program in the copy can write
 * it, so it is only what they say: for display, and no reason to apply anything.
 */

import { durableWrite, readEntireFile } from '../io/durable-write.ts';
import { isFsError } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import { listOf, matching, objectOf, oneOf, text } from '../store/json-shape.ts';
import { FormatProblem } from '../store/objects/damage.ts';
import { isHomeOfCopy } from './home-of-copy.ts';

export interface ChecksInCopy {
  readonly checks: readonly { readonly name: string; readonly outcome: string }[];
  /** The tree of the files that were checked. */
  readonly files: string;
}

const FILE = 'checks.json';
const MAX_BYTES = 256 * 1024;
const MAX_TEXT = 300;
const MAX_CHECKS = 200;
const SHAPE = objectOf({
  format: oneOf(1),
  checks: listOf(objectOf({ name: text(MAX_TEXT), outcome: text(MAX_TEXT) }), MAX_CHECKS),
  files: matching(/^[0-9a-f]{40}$/),
});

/** @param home the home of this process. Outside of copies, nothing is done */
export function noteChecks({ fs }: Pick<Ports, 'fs'>, home: DiskPath, { checks, files }: ChecksInCopy): void {
  if (!isHomeOfCopy(home)) return;
  const kept = checks
    .slice(0, MAX_CHECKS)
    .map(({ name, outcome }) => ({ name: name.slice(0, MAX_TEXT), outcome: outcome.slice(0, MAX_TEXT) }));
  const json = { format: 1, checks: kept, files };
  durableWrite(fs, diskChild(home, FILE), Buffer.from(`${JSON.stringify(json)}\n`), 0o600);
}

/** @param place the folder of the copy. @returns null if there are none, or nothing valid */
export function readChecks({ fs }: Pick<Ports, 'fs'>, place: DiskPath): ChecksInCopy | null {
  try {
    const file = diskChild(diskChild(place, 'home'), FILE);
    const json: unknown = JSON.parse(readEntireFile(fs, file, MAX_BYTES).toString('utf8'));
    SHAPE(json, FILE);
    const { checks, files } = json as ChecksInCopy;
    return { checks, files };
  } catch (error) {
    if (isFsError(error) || error instanceof FormatProblem || error instanceof SyntaxError) return null;
    throw error;
  }
}
