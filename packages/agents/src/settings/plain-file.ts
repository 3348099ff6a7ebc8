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

/** Why there are no bytes. */
export type NoPlainFile = 'absent' | 'link' | 'dangling-link' | 'folder' | 'special' | 'too-large';

const MAX_BYTES = 16 * 1024 * 1024;
const WHY: Readonly<Record<Exclude<NoPlainFile, 'absent'>, string>> = {
  link: 'it is a link',
  'dangling-link': 'it is a link to a file that does not exist',
  folder: 'it is a folder',
  special: 'it is not a plain file',
  'too-large': 'it is larger than 16 MB',
};

/** @throws NodeJS.ErrnoException if it exists and cannot be read */
export function readPlainFile(path: string, { followsLinks }: ReadOptions): PlainFile {
  const found = readPlainBytes(path, { followsLinks, maxBytes: MAX_BYTES });
  if (found === 'absent') return { kind: 'absent' };
  return typeof found === 'string' ? { kind: 'other', why: WHY[found] } : decoded(found);
}

/**
 * Reads nothing of a pipe: what is read is gone, and opening and closing it would end the program that writes to it.
 * @throws NodeJS.ErrnoException if it exists and cannot be read
 */
export function readPlainBytes(
  path: string,
  { followsLinks, maxBytes }: ReadOptions & { readonly maxBytes: number },
): Buffer | NoPlainFile {
  const seen = statIfThere(path, lstatSync);
  if (seen === null) return 'absent';
  if (seen.isSymbolicLink() && !followsLinks) return 'link';
  const named = followsLinks ? statIfThere(path, statSync) : seen;
  if (named === null) return 'dangling-link';
  if (!named.isFile()) return whatElse(named);
  // The name may stand for something else by now: a link, or a pipe without a writer.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (followsLinks ? 0 : (constants.O_NOFOLLOW ?? 0));
  const file = openSync(path, flags);
  try {
    const opened = fstatSync(file);
    if (!opened.isFile()) return whatElse(opened);
    if (opened.size > maxBytes) return 'too-large';
    return readUpTo(file, opened.size, maxBytes) ?? 'too-large';
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

function whatElse(found: Stats): NoPlainFile {
  return found.isDirectory() ? 'folder' : 'special';
}

/** @returns null if the file has grown beyond the limit */
function readUpTo(file: number, size: number, maxBytes: number): Buffer | null {
  const parts: Buffer[] = [];
  for (let total = 0; total <= maxBytes; ) {
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
