/**
 * An index with its entries alone: what git knows of the files on the disk (times, inodes, sizes) is of then, and what
 * its extensions say is an aid. Without them git looks at every file once more, and the same entries are the same bytes.
 */
import { createHash } from 'node:crypto';
import type { DiskPath } from '../model/names.ts';
import { type IndexFile, parseIndexFile } from './index-file.ts';

const MODE_AT = 24;
const ID_AT = 40;
const ID_BYTES = 20;

/** @param file of a SHA-1 repository, not split */
export function plainIndex({ data, offsets, entriesEnd }: IndexFile): Buffer {
  const body = Buffer.from(data.subarray(0, entriesEnd));
  for (const at of offsets) {
    body.fill(0, at, at + MODE_AT);
    body.fill(0, at + MODE_AT + 4, at + ID_AT);
  }
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** @throws Unusable */
export function plainIndexOf(path: DiskPath, bytes: Buffer): Buffer {
  return plainIndex(parseIndexFile(path, bytes, ID_BYTES));
}
