/**
 * Parses one git index file (versions 2, 3 and 4) into columns: the offset and the path of each entry.
 *
 * Nothing in the file is trusted. Its checksum must match, unless it is all zeros because git was configured to write
 * none. Every length is checked against the file. Paths must be acceptable to git, and in git's order. Together they
 * must not exceed {@link PATHS_BYTES}, because a few bytes of a version 4 entry can expand to a long path.
 */
import { createHash } from 'node:crypto';
import type { DiskPath } from '../model/names.ts';
import { unusableGitFile } from './file.ts';

export interface IndexFile {
  readonly data: Buffer;
  readonly idBytes: number;
  /** Hex checksum at the end of the file. */
  readonly checksum: string;
  /** Paths in git's order. That of a sparse folder ends in `/`; that of a replacement is empty. */
  readonly paths: readonly string[];
  /** Start of each entry in `data`. */
  readonly offsets: Uint32Array;
  /** End of the last entry. Extensions follow. */
  readonly entriesEnd: number;
  /** A split index's link to its shared index. */
  readonly link: IndexLink | null;
  /** The `TREE` extension (cache tree), parsed on demand. Null if there is none. */
  readonly treeData: Buffer | null;
}

export interface IndexLink {
  /** Checksum of the shared index. Null if there is none. */
  readonly base: string | null;
  /** Entries of the shared index that are deleted or replaced. */
  readonly deleted: Bits;
  readonly replaced: Bits;
}

/** Positions of the set bits, ascending. */
export type Bits = readonly number[];

const HEADER_BYTES = 12;
/** Times, device, inode, mode, owner, size: ten numbers of 4 bytes before the id. */
const NUMBERS_BYTES = 40;
const PATH_BYTES = 16 * 1024;
const PATHS_BYTES = 512 * 1024 * 1024;
const EXTENDED = 0x4000;
const NAME_MASK = 0x0fff;
const STAGE_MASK = 0x3000;

/**
 * @param idBytes 20 in a SHA-1 repository, 32 in a SHA-256 one
 * @param before an earlier reading of the file: git rewrites all of it when one file's time changes. If the paths are
 *   unchanged, `paths` and `offsets` are the same objects
 * @throws UnusableGitFile if the file is not a complete index of a known version
 */
export function parseIndexFile(
  path: DiskPath,
  data: Buffer,
  idBytes: number,
  before: IndexFile | null = null,
): IndexFile {
  const damaged = damageIn(path);
  if (data.length < HEADER_BYTES + idBytes || data.toString('latin1', 0, 4) !== 'DIRC') throw damaged('not an index');
  const version = data.readUInt32BE(4);
  if (version < 2 || version > 4) throw unusableGitFile(path, 'unsupported', `index version ${version}`);
  const end = data.length - idBytes;
  const checksum = data.toString('hex', end);
  if (!/^0+$/.test(checksum)) {
    const digest = createHash(idBytes === 32 ? 'sha256' : 'sha1')
      .update(data.subarray(0, end))
      .digest('hex');
    if (digest !== checksum) throw damaged('the checksum does not match');
  }
  const count = data.readUInt32BE(8);
  if (count > (end - HEADER_BYTES) / (NUMBERS_BYTES + idBytes + 3)) throw damaged(`${count} entries do not fit`);
  const body: IndexBody = { path, data, idBytes, version, count, end };
  if (before !== null && before.link === null && hasSamePaths(before, body)) {
    const { paths, offsets, entriesEnd } = before;
    const { link, treeData } = readExtensions(body, entriesEnd);
    if (link === null) return { data, idBytes, checksum, paths, offsets, entriesEnd, link, treeData };
  }
  const entries = readEntries(body);
  const { link, treeData } = readExtensions(body, entries.entriesEnd);
  assertOrder(body, entries, link === null ? 0 : link.replaced.length);
  return { data, idBytes, checksum, ...entries, link, treeData };
}

/** 0 for an ordinary entry; 1, 2, 3 for the base, ours and theirs of a conflict. */
export function stageAt(data: Buffer, idBytes: number, offset: number): number {
  return (data.readUInt16BE(offset + NUMBERS_BYTES + idBytes) & STAGE_MASK) >> 12;
}

/**
 * Returns the tree id of each folder ('' is the top). Folders that changed since are missing.
 *
 * The extension lists folders from the top down. Each has a name, the number of its entries, the number of its direct
 * subfolders (which follow), and a tree id. If the number of entries is -1, something changed and there is no tree id.
 * The data is only a cache: if it is damaged, the map is empty.
 */
export function treesIn({ treeData, idBytes }: IndexFile): ReadonlyMap<string, string> {
  return (treeData === null ? null : readTrees(treeData, idBytes)) ?? new Map();
}

/** The file, and the values in its header. */
interface IndexBody {
  readonly path: DiskPath;
  readonly data: Buffer;
  readonly idBytes: number;
  readonly version: number;
  /** Number of entries. */
  readonly count: number;
  /** Start of the checksum. */
  readonly end: number;
}

type Entries = Pick<IndexFile, 'paths' | 'offsets' | 'entriesEnd'>;

function damageIn(path: DiskPath): (detail: string) => Error {
  return (detail) => unusableGitFile(path, 'damaged', detail);
}

const COMPARED_BYTES = 32 * 1024;

/** Whether the file differs from the earlier one only in stat data and ids. Everything else was checked then. */
function hasSamePaths(
  { data: old, idBytes: oldIdBytes, offsets, entriesEnd }: IndexFile,
  { data, idBytes, end }: IndexBody,
): boolean {
  if (idBytes !== oldIdBytes || entriesEnd > end) return false;
  const differs = (from: number, to: number): boolean => old.compare(data, from, to, from, to) !== 0;
  if (differs(0, HEADER_BYTES)) return false;
  let row = 0;
  for (let from = HEADER_BYTES; from < entriesEnd; from += COMPARED_BYTES) {
    const to = Math.min(from + COMPARED_BYTES, entriesEnd);
    if (!differs(from, to)) continue;
    while ((offsets[row + 1] ?? entriesEnd) <= from) row += 1;
    for (; row < offsets.length && offsets[row]! < to; row++) {
      const start = offsets[row]!;
      const modeAt = start + MODE_AT;
      if (differs(modeAt, modeAt + 4)) return false;
      if (differs(start + NUMBERS_BYTES + idBytes, offsets[row + 1] ?? entriesEnd)) return false;
    }
  }
  return true;
}

function readEntries({ path: file, data, idBytes, version, count, end }: IndexBody): Entries {
  const damaged = damageIn(file);
  const paths: string[] = [];
  const offsets = new Uint32Array(count);
  const previous = Buffer.alloc(PATH_BYTES);
  let previousLength = 0;
  let pathBytes = 0;
  let at = HEADER_BYTES;
  for (let index = 0; index < count; index++) {
    const start = at;
    if (start + NUMBERS_BYTES + idBytes + 2 > end) throw damaged(`entry ${index} is cut off`);
    const flags = data.readUInt16BE(start + NUMBERS_BYTES + idBytes);
    at = start + NUMBERS_BYTES + idBytes + 2;
    if ((flags & EXTENDED) !== 0) {
      if (version < 3) throw damaged(`entry ${index} has flags that version 2 does not know`);
      at += 2;
    }
    let shared = 0;
    if (version === 4) {
      const stripped = readVarint(data, at, end);
      if (stripped === null || stripped.value > previousLength) throw damaged(`entry ${index} has no path`);
      at = stripped.next;
      shared = previousLength - stripped.value;
    }
    // The length in the flags is that of the whole path. A longer path ends at its NUL.
    const recordedLength = flags & NAME_MASK;
    const nul = recordedLength === NAME_MASK ? data.indexOf(0, at) : at + recordedLength - shared;
    if (nul < at || nul >= end || data[nul] !== 0) throw damaged(`entry ${index} has no path`);
    const length = shared + nul - at;
    if (length > PATH_BYTES) throw damaged(`entry ${index} has a path of ${length} bytes`);
    pathBytes += length;
    if (pathBytes > PATHS_BYTES) throw damaged('the paths are too long');
    if (version === 4) {
      data.copy(previous, shared, at, nul);
      previousLength = length;
      paths.push(previous.toString('latin1', 0, length));
      at = nul + 1;
    } else {
      paths.push(data.toString('latin1', at, nul));
      // Padded with one to eight NULs to a multiple of eight bytes from the entry's start.
      at = start + ((nul - start + 8) & ~7);
    }
    offsets[index] = start;
  }
  if (at > end) throw damaged('the last entry is cut off');
  return { paths, offsets, entriesEnd: at };
}

/** git's variable-length number: each further byte adds one, so every number has only one encoding. */
function readVarint(data: Buffer, from: number, end: number): { value: number; next: number } | null {
  let at = from;
  let value = -1;
  for (;;) {
    if (at >= end) return null;
    const byte = data[at]!;
    at += 1;
    value = (value + 1) * 128 + (byte & 0x7f);
    if (value > PATH_BYTES) return null;
    if ((byte & 0x80) === 0) return { value, next: at };
  }
}

const BAD_COMPONENT = /(?:^|\/)\.{0,2}(?:\/|$)/;

/** @param replacements number of leading entries that replace entries of the shared index and have no path */
function assertOrder(
  { path: file, data, idBytes }: IndexBody,
  { paths, offsets }: Entries,
  replacements: number,
): void {
  const damaged = damageIn(file);
  if (replacements > paths.length) throw damaged('the split index replaces more entries than it has');
  let before = '';
  let stageBefore = 0;
  for (let index = 0; index < paths.length; index++) {
    const path = paths[index]!;
    if (index < replacements) {
      if (path !== '') throw damaged(`entry ${index} replaces another and has a path`);
      continue;
    }
    const isSparseFolder = path.endsWith('/') && isFolderMode(data, offsets[index]!);
    if (path.includes('\0') || BAD_COMPONENT.test(isSparseFolder ? path.slice(0, -1) : path)) {
      throw damaged(`entry ${index} has a path that git refuses`);
    }
    const stage = stageAt(data, idBytes, offsets[index]!);
    if (path < before || (path === before && stage <= stageBefore)) throw damaged(`entry ${index} is out of order`);
    before = path;
    stageBefore = stage;
  }
}

const MODE_AT = 24;

function isFolderMode(data: Buffer, offset: number): boolean {
  return data.readUInt32BE(offset + MODE_AT) === 0o40000;
}

/** Extensions whose name begins with a capital are optional. All others change the meaning of the entries. */
function readExtensions({ path, data, idBytes, end }: IndexBody, from: number): Pick<IndexFile, 'link' | 'treeData'> {
  let link: IndexLink | null = null;
  let treeData: Buffer | null = null;
  let at = from;
  while (at < end) {
    if (at + 8 > end) throw unusableGitFile(path, 'damaged', 'an extension is cut off');
    const name = data.toString('latin1', at, at + 4);
    const size = data.readUInt32BE(at + 4);
    const start = at + 8;
    at = start + size;
    if (at > end) throw unusableGitFile(path, 'damaged', `extension ${JSON.stringify(name)} is cut off`);
    if (name === 'link') link = readLink(path, data.subarray(start, at), idBytes);
    else if (name === 'TREE') treeData = data.subarray(start, at);
    // `sdir` marks an index with sparse folders. They are recognized by their mode instead.
    else if (name !== 'sdir' && !/^[A-Z]/.test(name)) {
      throw unusableGitFile(path, 'unsupported', `extension ${JSON.stringify(name)}`);
    }
  }
  return { link, treeData };
}

function readTrees(data: Buffer, idBytes: number): ReadonlyMap<string, string> | null {
  const trees = new Map<string, string>();
  const open: { readonly prefix: string; left: number }[] = [];
  let length = 0;
  for (let at = 0; at < data.length; ) {
    const nameEnd = data.indexOf(0, at);
    const lineEnd = nameEnd < 0 ? -1 : data.indexOf(0x0a, nameEnd);
    const numbers = lineEnd < 0 ? null : /^(-1|\d{1,9}) (\d{1,9})$/.exec(data.toString('latin1', nameEnd + 1, lineEnd));
    if (numbers === null || lineEnd - nameEnd > 32) return null;
    const name = data.toString('latin1', at, nameEnd);
    const above = open.at(-1);
    if ((above === undefined) !== (name === '') || (above === undefined && trees.size > 0)) return null;
    const path = above === undefined ? '' : above.prefix + name;
    length += path.length;
    if (length > PATHS_BYTES || open.length > PATH_BYTES) return null;
    at = lineEnd + 1;
    if (numbers[1] !== '-1') {
      if (at + idBytes > data.length) return null;
      trees.set(path, data.toString('hex', at, at + idBytes));
      at += idBytes;
    }
    if (above !== undefined) above.left -= 1;
    open.push({ prefix: path === '' ? '' : `${path}/`, left: Number(numbers[2]) });
    while (open.length > 0 && open.at(-1)?.left === 0) open.pop();
    if (open.length === 0) break;
  }
  return trees;
}

function readLink(path: DiskPath, data: Buffer, idBytes: number): IndexLink {
  if (data.length < idBytes) throw unusableGitFile(path, 'damaged', 'the link to the shared index is cut off');
  const base = data.toString('hex', 0, idBytes);
  const isNone = /^0+$/.test(base);
  if (data.length === idBytes) return { base: isNone ? null : base, deleted: [], replaced: [] };
  const deleted = readEwah(data, idBytes);
  const replaced = deleted === null ? null : readEwah(data, deleted.next);
  if (deleted === null || replaced === null || replaced.next !== data.length) {
    throw unusableGitFile(path, 'damaged', 'the link to the shared index is damaged');
  }
  return { base: isNone ? null : base, deleted: deleted.bits, replaced: replaced.bits };
}

/** More entries than any file within the size limit can hold. */
const MAX_BITS = 5_000_000;

/**
 * Decodes an EWAH bitmap as git stores it, in words of 8 bytes. Each marker word holds the number of omitted words that
 * are all zeros or all ones, and the number of literal words that follow.
 */
function readEwah(data: Buffer, from: number): { bits: number[]; next: number } | null {
  if (from + 8 > data.length) return null;
  const bitCount = data.readUInt32BE(from);
  const words = data.readUInt32BE(from + 4);
  const start = from + 8;
  const next = start + words * 8 + 4;
  if (next > data.length || bitCount > MAX_BITS) return null;
  const bits: number[] = [];
  let position = 0;
  for (let word = 0; word < words; ) {
    const high = data.readUInt32BE(start + word * 8);
    const low = data.readUInt32BE(start + word * 8 + 4);
    word += 1;
    // From the lowest bit: 1 bit to repeat, 32 bits repeat count, 31 bits number of literal words that follow.
    const repeated = ((high & 1) * 0x80000000 + (low >>> 1)) * 64;
    const literal = high >>> 1;
    if (position + repeated > bitCount + 63 || word + literal > words) return null;
    if ((low & 1) === 1) for (let bit = 0; bit < repeated; bit++) bits.push(position + bit);
    position += repeated;
    for (const last = word + literal; word < last; word++) {
      if (position > bitCount) return null;
      pushBits(bits, data.readUInt32BE(start + word * 8 + 4), position);
      pushBits(bits, data.readUInt32BE(start + word * 8), position + 32);
      position += 64;
    }
  }
  return { bits, next };
}

function pushBits(bits: number[], word: number, position: number): void {
  for (let bit = 0; bit < 32; bit++) if (((word >>> bit) & 1) === 1) bits.push(position + bit);
}
