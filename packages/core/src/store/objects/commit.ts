/** Commit objects: what happened, to which tree, by whom. Text is UTF-8. */

import { SavepointError } from '../../model/errors.ts';
import { isObjectId, type ObjectId } from '../../model/ids.ts';
import { damaged } from './damage.ts';

export interface Identity {
  readonly name: string;
  readonly email: string;
  /** Whole seconds since 1970. */
  readonly time: number;
  /** For example `+0130`. */
  readonly zone: string;
}

export interface Commit {
  readonly tree: ObjectId;
  readonly parents: readonly ObjectId[];
  readonly author: Identity;
  readonly committer: Identity;
  readonly message: string;
}

const ZONE = /^[+-]\d{4}$/;
const IDENTITY = /^(.*?) ?<([^<>]*)> (\d{1,15}) ([+-]\d{4})$/s;
const HEADER_LINES = 10_000;

/**
 * Encodes a commit. Like git, it removes `<`, `>` and control characters from names and addresses, and punctuation from
 * their ends. An empty name becomes `unknown`. NUL is removed from the message.
 * @throws SavepointError INTERNAL for ids, times and zones that a commit cannot contain
 */
export function encodeCommit(commit: Commit): Buffer {
  for (const id of [commit.tree, ...commit.parents]) {
    if (!isObjectId(id)) throw refused(`object id ${JSON.stringify(id)}`);
  }
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((id) => `parent ${id}`),
    `author ${formatIdentity(commit.author)}`,
    `committer ${formatIdentity(commit.committer)}`,
  ];
  return Buffer.from(`${lines.join('\n')}\n\n${commit.message.replaceAll('\0', '')}`, 'utf8');
}

/**
 * Decodes a commit. Unknown headers (signatures, encodings) are ignored. Bytes that are not UTF-8 become U+FFFD.
 * @param id the commit's id, for the error
 * @throws SavepointError STORE_DAMAGED
 */
export function decodeCommit(data: Buffer, id?: ObjectId): Commit {
  const wrong = (what: string): SavepointError =>
    damaged(`a commit that ${what}`, id === undefined ? {} : { object: id });
  const end = data.indexOf('\n\n');
  const header = data.toString('utf8', 0, end < 0 ? data.length : end + 1);
  const lines = header.split('\n', HEADER_LINES);
  let at = 0;
  const next = (field: string): string | null => {
    const line = lines[at];
    if (line === undefined || !line.startsWith(`${field} `)) return null;
    at++;
    return line.slice(field.length + 1);
  };
  const tree = next('tree');
  if (tree === null || !isObjectId(tree)) throw wrong('names no tree');
  const parents: ObjectId[] = [];
  for (let parent = next('parent'); parent !== null; parent = next('parent')) {
    if (!isObjectId(parent)) throw wrong('has a malformed parent');
    parents.push(parent);
  }
  const author = parseIdentity(next('author'));
  const committer = parseIdentity(next('committer'));
  if (author === null || committer === null) throw wrong('does not say who made it, or when');
  return { tree, parents, author, committer, message: end < 0 ? '' : data.toString('utf8', end + 2) };
}

function formatIdentity({ name, email, time, zone }: Identity): string {
  if (!Number.isSafeInteger(time) || time < 0 || time >= 1e15) throw refused(`time ${time}`);
  if (!ZONE.test(zone)) throw refused(`zone ${JSON.stringify(zone)}`);
  return `${clean(name) || 'unknown'} <${clean(email)}> ${time} ${zone}`;
}

/** Removes what git calls crud from both ends, and characters that would end the field everywhere. */
function clean(text: string): string {
  return text
    .replace(/[<>\p{Cc}]/gu, '')
    .replace(/^[\s.,:;"\\']+/u, '')
    .replace(/[\s.,:;"\\']+$/u, '');
}

function parseIdentity(text: string | null): Identity | null {
  const match = text === null ? null : IDENTITY.exec(text);
  if (match === null) return null;
  const [, name = '', email = '', time = '', zone = ''] = match;
  return { name, email, time: Number(time), zone };
}

function refused(what: string): SavepointError {
  const message = `A commit cannot hold the ${what}.`;
  return new SavepointError('INTERNAL', message, { message });
}
