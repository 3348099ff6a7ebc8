/** What a copy was made for, kept beside its files, so that its changes can also be applied later. */

import { durableWrite, readEntireFile } from '../io/durable-write.ts';
import { isFsError } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import { objectOf, oneOf, orNull, text } from '../store/json-shape.ts';

export interface CopyProposal {
  /** What is done in the copy, in one line. */
  readonly description: string;
  /** The agent that works in the copy, and its session. Absent: the caller who applies the changes is their author. */
  readonly author?: { readonly agent: string; readonly session: string };
}

const FILE = 'proposal.json';
const MAX_BYTES = 64 * 1024;
const MAX_TEXT = 10_000;
const SHAPE = objectOf({
  format: oneOf(1),
  description: text(MAX_TEXT),
  author: orNull(objectOf({ agent: text(MAX_TEXT), session: text(MAX_TEXT) })),
});

export function writeProposal({ fs }: Pick<Ports, 'fs'>, place: DiskPath, { description, author }: CopyProposal): void {
  const json = { format: 1, description: description.slice(0, MAX_TEXT), author: author ?? null };
  durableWrite(fs, diskChild(place, FILE), Buffer.from(`${JSON.stringify(json)}\n`), 0o600);
}

/**
 * @returns null if there is none
 * @throws FormatProblem, SyntaxError, FsError if it cannot be read
 */
export function readProposal({ fs }: Pick<Ports, 'fs'>, place: DiskPath): CopyProposal | null {
  try {
    const json: unknown = JSON.parse(readEntireFile(fs, diskChild(place, FILE), MAX_BYTES).toString('utf8'));
    SHAPE(json, FILE);
    const { description, author } = json as CopyProposal & { readonly author: CopyProposal['author'] | null };
    return author === null || author === undefined ? { description } : { description, author };
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return null;
    throw error;
  }
}
