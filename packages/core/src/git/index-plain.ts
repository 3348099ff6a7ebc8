/**
 * Strips an index down to its entries, without stat data (times, inodes, sizes) and extensions. Both are only caches:
 * git re-examines every file without them. Equal entries give equal bytes.
 */
import { createHash } from 'node:crypto';
import type { DiskPath } from '../model/names.ts';
import { type IndexFile, parseIndexFile } from './index-file.ts';

const MODE_AT = 24;
const ID_AT = 40;
const ID_BYTES = 20;

/** @param file of a SHA-1 repository, not a split index */
export function plainIndex({ data, offsets, entriesEnd }: IndexFile): Buffer {
  const body = Buffer.from(data.subarray(0, entriesEnd));
  for (const at of offsets) {
    body.fill(0, at, at + MODE_AT);
    body.fill(0, at + MODE_AT + 4, at + ID_AT);
  }
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/** @throws UnusableGitFile */
export function plainIndexOf(path: DiskPath, bytes: Buffer): Buffer {
  return plainIndex(parseIndexFile(path, bytes, ID_BYTES));
}
