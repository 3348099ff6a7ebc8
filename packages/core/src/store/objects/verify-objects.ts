/** Finds damage among the objects. It checks everything: one damaged file does not hide another. */
import { createHash } from 'node:crypto';
import { isFsError, kindOf } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import type { ObjectId } from '../../model/ids.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { FormatProblem, isDamage } from './damage.ts';
import { readFully } from './file-handle-cache.ts';
import { PIECE_BYTES } from './limits.ts';
import type { LooseFile } from './loose-objects.ts';
import type { ObjectFiles } from './object-files.ts';
import { KEY_BYTES } from './object-hash.ts';
import type { PackFile } from './packs/pack-file.ts';
import { decodePackHeader, PACK_HEADER_BYTES, PACK_TRAILER_BYTES } from './packs/pack-format.ts';
import { indexPathOf, isPackName } from './packs/pack-names.ts';
import type { ObjectSource } from './pieces.ts';

export interface VerifyOptions {
  /** Also reads every byte and verifies every object. Otherwise only headers, trailers and indexes are checked. */
  readonly deep: boolean;
  readonly pace: Pace;
}

export interface ObjectProblem {
  readonly file: DiskPath;
  /** Set if the damage affects one known object. */
  readonly object?: ObjectId;
  readonly problem: string;
}

const INDEX_NAME = /^(pack-[\w-]+)\.idx$/;

/** Returns all damage among packs and loose objects, sorted by file. Changes nothing. */
export async function verifyObjects(
  files: ObjectFiles,
  { deep, pace }: VerifyOptions,
): Promise<readonly ObjectProblem[]> {
  files.refresh();
  const problems: ObjectProblem[] = [];
  let done = 0;
  const step = async (): Promise<void> => {
    done++;
    if (pace.isDue()) await pace.yieldNow({ phase: 'verify', done, total: null });
  };
  /** Adds damage to the list; any other error ends the verification. */
  const collectDamage = async (
    file: DiskPath,
    object: ObjectId | null,
    action: () => Promise<void> | void,
  ): Promise<void> => {
    try {
      await action();
    } catch (error) {
      const problem = asProblem(error);
      if (problem === null) throw error;
      problems.push(object === null ? { file, problem } : { file, object, problem });
    }
  };
  const readThrough = async (source: ObjectSource): Promise<void> => {
    try {
      while (source.next() !== null) await step();
    } finally {
      source.close();
    }
  };

  problems.push(...unpairedFiles(files));
  for (const [file, problem] of files.packs.problems) problems.push({ file, problem });
  for (const pack of [...files.packs.packs].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    await collectDamage(pack.path, null, () => checkEnds(files, pack));
    await collectDamage(indexPathOf(pack.path), null, () => checkOrder(pack));
    if (deep) await collectDamage(pack.path, null, () => checkChecksum(files, pack, step));
    for (let place = 0; place < pack.index.count; place++) {
      await step();
      await collectDamage(pack.path, pack.index.idAt(place), async () => {
        if (deep) await readThrough(pack.pieces(place));
        else pack.entryAt(place);
      });
    }
  }
  for (const loose of [...files.loose.list()]) {
    await step();
    await collectDamage(loose.path, loose.id, async () => {
      if (!deep) return checkLoose(files, loose);
      const source = files.loose.open(loose.id);
      if (source !== null) await readThrough(source);
    });
  }
  return problems;
}

/** Checks that pack and index belong together. */
export function checkEnds({ fs, handles }: Pick<ObjectFiles, 'fs' | 'handles'>, { path, index, size }: PackFile): void {
  const fd = handles.get(path);
  const header = Buffer.alloc(PACK_HEADER_BYTES);
  const trailer = Buffer.alloc(PACK_TRAILER_BYTES);
  const got =
    readFully(fs, fd, header, header.length, 0) +
    readFully(fs, fd, trailer, trailer.length, Math.max(0, size - trailer.length));
  if (got < header.length + trailer.length) throw new FormatProblem('is cut off');
  const count = decodePackHeader(header);
  if (count !== index.count) throw new FormatProblem(`has ${count} objects, and its index ${index.count}`);
  if (!trailer.equals(index.packChecksum)) throw new FormatProblem('is not the pack of its index');
}

/** Checks the order of the ids: binary search finds only what is sorted. */
export function checkOrder({ index }: PackFile): void {
  for (let place = 1; place < index.count; place++) {
    if (index.keyAt(place - 1).compare(index.keyAt(place)) >= 0) throw new FormatProblem('is not in order');
  }
  for (let place = 0; place < index.count; place++) {
    if (index.find(index.keyAt(place)) !== place) throw new FormatProblem('has a wrong table of contents');
  }
}

/** Checks that the entries are contiguous from the header to the checksum. */
export function checkOffsets({ index, size }: PackFile): void {
  const offsets = index.offsetsInPackOrder();
  const end = size - PACK_TRAILER_BYTES;
  if (offsets.length > 0 && offsets[0] !== PACK_HEADER_BYTES) throw new FormatProblem('does not start with an entry');
  for (let place = 1; place < offsets.length; place++) {
    if (offsets[place] === offsets[place - 1]) throw new FormatProblem('has two entries at the same offset');
  }
  if (offsets.length > 0 && offsets.at(-1)! >= end) throw new FormatProblem('is cut off');
}

function asProblem(error: unknown): string | null {
  if (error instanceof FormatProblem) return error.message;
  if (isDamage(error)) return error.cause instanceof FormatProblem ? error.cause.message : error.message;
  // An unreadable sector is damage, too. A lack of handles or memory says nothing about the file.
  if (isFsError(error, 'EIO', 'EACCES', 'EPERM', 'EISDIR')) return `cannot be read (${error.code})`;
  return null;
}

/** Returns packs without an index, and indexes without a pack. */
function unpairedFiles({ fs, packs }: ObjectFiles): readonly ObjectProblem[] {
  const names = fs.list(packs.folder).sort();
  const there = new Set<string>(names);
  const problems: ObjectProblem[] = [];
  for (const name of names) {
    const file = diskChild(packs.folder, name);
    if (isPackName(name) && !there.has(`${name.slice(0, -'.pack'.length)}.idx`)) {
      problems.push({
        file,
        problem: 'has no index, so its objects cannot be found (`git index-pack` creates a new index)',
      });
    }
    const stem = INDEX_NAME.exec(name)?.[1];
    if (stem !== undefined && !there.has(`${stem}.pack`)) problems.push({ file, problem: 'has no pack' });
  }
  return problems;
}

async function checkChecksum(
  { fs, handles }: ObjectFiles,
  { path, size }: PackFile,
  step: () => Promise<void>,
): Promise<void> {
  const hash = createHash('sha1');
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  const end = size - KEY_BYTES;
  if (end < 0) return; // checkEnds has reported it
  for (let at = 0; at < end; at += piece.length) {
    const length = Math.min(piece.length, end - at);
    if (readFully(fs, handles.get(path), piece, length, at) < length) throw new FormatProblem('is cut off');
    hash.update(piece.subarray(0, length));
    await step();
  }
  readFully(fs, handles.get(path), piece, KEY_BYTES, end);
  if (hash.digest().compare(piece, 0, KEY_BYTES) !== 0) throw new FormatProblem('does not match its checksum');
}

function checkLoose({ fs }: ObjectFiles, { path, size }: LooseFile): void {
  const stat = fs.lstat(path);
  if (stat !== null && (kindOf(stat) !== 'file' || size === 0)) throw new FormatProblem('is not an object');
}
