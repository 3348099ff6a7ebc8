/** The header of a git bundle (version 2), which precedes the pack: prerequisite commits and refs. */

import { isObjectId, type ObjectId } from '../../model/ids.ts';
import { FormatProblem } from '../../store/objects/damage.ts';
import { isRefName } from '../../store/refs/ref-name.ts';

export interface BundleHeader {
  readonly prerequisites: readonly Prerequisite[];
  readonly refs: readonly BundleRef[];
}

/** A commit that the recipient must have. `comment` is for people and for {@link parsePrerequisiteComment}. */
export interface Prerequisite {
  readonly commit: ObjectId;
  readonly comment: string;
}

export interface BundleRef {
  readonly name: string;
  readonly commit: ObjectId;
}

const SIGNATURE = '# v2 git bundle\n';
const MAX_BYTES = 256 * 1024;
const MAX_LINES = 1024;

export function encodeHeader({ prerequisites, refs }: BundleHeader): Buffer {
  const lines = [
    ...prerequisites.map(({ commit, comment }) => `-${commit} ${comment}\n`),
    ...refs.map(({ name, commit }) => `${commit} ${name}\n`),
  ];
  return Buffer.from(`${SIGNATURE}${lines.join('')}\n`);
}

/**
 * @param start the first {@link MAX_BYTES} of the file, or all of it if it is shorter
 * @returns the header, and its length in bytes
 * @throws FormatProblem
 */
export function decodeHeader(start: Buffer): { readonly header: BundleHeader; readonly length: number } {
  const signature = start.toString('latin1', 0, SIGNATURE.length);
  if (signature !== SIGNATURE) {
    const other = /^# v(\d+) git bundle\n/.exec(signature);
    throw new FormatProblem(other === null ? 'does not start like a git bundle' : `has bundle version ${other[1]}`);
  }
  const prerequisites: Prerequisite[] = [];
  const refs: BundleRef[] = [];
  const names = new Set<string>();
  for (let at = SIGNATURE.length, lines = 0; ; lines++) {
    const end = start.indexOf(0x0a, at);
    if (end < 0 || lines > MAX_LINES) throw new FormatProblem('has a header without an end');
    const line = start.toString('latin1', at, end);
    at = end + 1;
    if (line === '') {
      if (refs.length === 0) throw new FormatProblem('has no ref');
      return { header: { prerequisites, refs }, length: at };
    }
    const isPrerequisite = line.startsWith('-');
    const text = isPrerequisite ? line.slice(1) : line;
    const commit = text.slice(0, 40);
    if (!isObjectId(commit)) throw new FormatProblem('has a malformed line in its header');
    const rest = text.slice(41);
    if (isPrerequisite) {
      if (refs.length > 0) throw new FormatProblem('has a malformed line in its header');
      prerequisites.push({ commit, comment: rest });
      continue;
    }
    if (text[40] !== ' ' || (rest !== 'HEAD' && !isRefName(rest))) throw new FormatProblem('has an invalid ref');
    if (names.has(rest)) throw new FormatProblem('has a duplicate ref');
    names.add(rest);
    refs.push({ name: rest, commit });
  }
}

export const HEADER_BYTES = MAX_BYTES;

/** The checkpoint that a bundle continues: its workspace, and its number there. */
export interface PrerequisiteCheckpoint {
  readonly workspace: string;
  readonly number: number;
}

export function prerequisiteComment({ workspace, number }: PrerequisiteCheckpoint): string {
  return `cp_${number} ${workspace}`;
}

/** Returns null if Savepoint did not write the comment. */
export function parsePrerequisiteComment(comment: string): PrerequisiteCheckpoint | null {
  const found = /^cp_([1-9]\d{0,8}) ([0-9a-f]{32})$/.exec(comment);
  return found === null ? null : { number: Number(found[1]), workspace: found[2]! };
}
