/** Reads files that a repository may contain: also links, devices and files without an end. */

import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';

export type PlainFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  /** @param why one sentence without its period, about `it` */
  | { readonly kind: 'other'; readonly why: string };

export interface ReadOptions {
  readonly followsLinks: boolean;
}

const MAX_BYTES = 16 * 1024 * 1024;
const ABSENT: PlainFile = { kind: 'absent' };
const TOO_LARGE: PlainFile = { kind: 'other', why: 'it is larger than 16 MB' };

/** @throws NodeJS.ErrnoException if it exists and cannot be read */
export function readPlainFile(path: string, { followsLinks }: ReadOptions): PlainFile {
  const seen = statIfThere(path, lstatSync);
  if (seen === null) return ABSENT;
  if (seen.isSymbolicLink() && !followsLinks) return { kind: 'other', why: 'it is a link' };
  const named = followsLinks ? statIfThere(path, statSync) : seen;
  if (named === null) return { kind: 'other', why: 'it is a link to a file that does not exist' };
  if (!named.isFile()) return { kind: 'other', why: whatElse(named) };
  // The name may stand for something else by now: a link, or a pipe without a writer.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (followsLinks ? 0 : (constants.O_NOFOLLOW ?? 0));
  const file = openSync(path, flags);
  try {
    const opened = fstatSync(file);
    if (!opened.isFile()) return { kind: 'other', why: whatElse(opened) };
    if (opened.size > MAX_BYTES) return TOO_LARGE;
    const bytes = readUpTo(file, opened.size);
    return bytes === null ? TOO_LARGE : decoded(bytes);
  } finally {
    closeSync(file);
  }
}

function statIfThere(path: string, stat: (path: string) => Stats): Stats | null {
  try {
    return stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

function whatElse(found: Stats): string {
  return found.isDirectory() ? 'it is a folder' : 'it is not a plain file';
}

/** @returns null if the file has grown beyond the limit */
function readUpTo(file: number, size: number): Buffer | null {
  const parts: Buffer[] = [];
  for (let total = 0; total <= MAX_BYTES; ) {
    const part = Buffer.alloc(Math.max(4_096, size - total + 1));
    const count = readSync(file, part);
    if (count === 0) return Buffer.concat(parts);
    parts.push(part.subarray(0, count));
    total += count;
  }
  return null;
}

function decoded(bytes: Buffer): PlainFile {
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { kind: 'other', why: 'it is not UTF-8' };
  }
}
