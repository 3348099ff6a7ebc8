/** Finds damage among the objects. It checks everything: one damaged file does not hide another. */
import { createHash } from 'node:crypto';
import { isFsError, kindOf } from '../../io/fs.ts';
import type { Pace } from '../../io/pace.ts';
import type { ObjectId } from '../../model/ids.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';
import { FormatProblem, isDamage } from './damage.ts';
import { unfinishedStems } from './debris.ts';
import { readFully } from './file-handle-cache.ts';
import { PIECE_BYTES } from './limits.ts';
import type { LooseFile } from './loose-objects.ts';
import type { ObjectFiles } from './object-files.ts';
import { KEY_BYTES } from './object-hash.ts';
import type { PackFile } from './packs/pack-file.ts';
import { decodePackHeader, PACK_HEADER_BYTES, PACK_TRAILER_BYTES } from './packs/pack-format.ts';
import { indexPathOf, isPackName, packPathOf } from './packs/pack-names.ts';
import { scanPack } from './packs/scanned-pack.ts';
import { readThrough } from './pieces.ts';

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
/** Other processes add packs meanwhile. Each pass checks those that came during the one before. */
const MAX_PASSES = 100;

/**
 * Returns all damage among packs and loose objects. Changes nothing. What other processes remove or replace meanwhile,
 * and what interrupted ones left to be completed, does not count.
 */
export async function verifyObjects(
  files: ObjectFiles,
  { deep, pace }: VerifyOptions,
): Promise<readonly ObjectProblem[]> {
  files.refresh();
  let done = 0;
  const step = async (): Promise<void> => {
    done++;
    if (pace.isDue()) await pace.yieldNow({ phase: 'verify', done, total: null });
  };
  const ofPacks = new Map<PackFile, readonly ObjectProblem[]>();
  const ofLoose: ObjectProblem[] = [];
  for (let pass = 1; pass <= MAX_PASSES; pass++) {
    const packs = files.packs.packs.filter((pack) => !ofPacks.has(pack));
    if (packs.length === 0 && pass > 1) break;
    for (const pack of packs) {
      const problems = await checkPack(files, pack, deep, step);
      if (problems !== null) ofPacks.set(pack, problems);
    }
    if (pass === 1) {
      for (const loose of [...files.loose.list()]) {
        await step();
        await collectDamage(ofLoose, loose.path, loose.id, async () => {
          if (!deep) return checkLoose(files, loose);
          const source = files.loose.open(loose.id);
          if (source !== null) await readThrough(source, step);
        });
      }
    }
    files.refresh();
  }
  const packs = [...files.packs.packs].sort((a, b) => (a.path < b.path ? -1 : 1));
  const unusable = [
    ...unpairedFiles(files),
    ...[...files.packs.problems].map(([file, problem]): ObjectProblem => ({ file, problem })),
  ];
  return [
    ...unusable,
    ...(deep ? await scanUnusable(files, unusable, pace) : []),
    ...packs.flatMap((pack) => ofPacks.get(pack) ?? [{ file: pack.path, problem: 'was replaced again and again' }]),
    ...ofLoose.filter(({ file }) => files.fs.lstat(file) !== null),
  ];
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

/** Returns null if another process removed the pack meanwhile. */
async function checkPack(
  files: ObjectFiles,
  pack: PackFile,
  deep: boolean,
  step: () => Promise<void>,
): Promise<readonly ObjectProblem[] | null> {
  const problems: ObjectProblem[] = [];
  try {
    await collectDamage(problems, pack.path, null, () => checkEnds(files, pack));
    await collectDamage(problems, indexPathOf(pack.path), null, () => pack.index.assertOrdered());
    if (deep) await collectDamage(problems, pack.path, null, () => checkChecksum(files, pack, step));
    for (let place = 0; place < pack.index.count; place++) {
      await step();
      await collectDamage(problems, pack.path, pack.index.idAt(place), async () => {
        if (deep) await readThrough(pack.pieces(place), step);
        else pack.entryAt(place);
      });
    }
  } catch (error) {
    if (isFsError(error, 'ENOENT')) return null;
    throw error;
  }
  return problems;
}

/** Adds damage to the list; any other error ends the verification. */
async function collectDamage(
  problems: ObjectProblem[],
  file: DiskPath,
  object: ObjectId | null,
  action: () => Promise<void> | void,
): Promise<void> {
  try {
    await action();
  } catch (error) {
    const problem = asProblem(error);
    if (problem === null) throw error;
    problems.push(object === null ? { file, problem } : { file, object, problem });
  }
}

function asProblem(error: unknown): string | null {
  if (error instanceof FormatProblem) return error.message;
  if (isDamage(error)) return error.cause instanceof FormatProblem ? error.cause.message : error.message;
  // An unreadable sector is damage, too. A lack of handles or memory says nothing about the file.
  if (isFsError(error, 'EIO', 'EACCES', 'EPERM', 'EISDIR')) return `cannot be read (${error.code})`;
  return null;
}

/** Checks the packs that no index leads into. */
async function scanUnusable(
  { fs }: ObjectFiles,
  unusable: readonly ObjectProblem[],
  pace: Pace,
): Promise<readonly ObjectProblem[]> {
  const problems: ObjectProblem[] = [];
  for (const file of new Set(unusable.map((one) => packPathOf(one.file)))) {
    const stat = file === null ? null : fs.lstat(file);
    if (file === null || stat === null || kindOf(stat) !== 'file') continue;
    const scanned = await scanPack(fs, file, pace);
    scanned.close();
    problems.push(...scanned.problems.map((problem) => ({ file, problem })));
  }
  return problems;
}

/**
 * Returns packs without an index, and indexes without a pack. A listing may miss a file that is being renamed, so only
 * what a second one finds as well counts.
 */
function unpairedFiles(files: ObjectFiles): readonly ObjectProblem[] {
  const first = listUnpaired(files);
  if (first.length === 0) return first;
  const again = new Set(listUnpaired(files).map(({ file }) => file));
  return first.filter(({ file }) => again.has(file));
}

function listUnpaired(files: ObjectFiles): readonly ObjectProblem[] {
  const { fs, packs } = files;
  const names = fs.list(packs.folder).sort();
  const there = new Set<string>(names);
  const unfinished = unfinishedStems(files, names);
  const problems: ObjectProblem[] = [];
  for (const name of names) {
    const file = diskChild(packs.folder, name);
    const packStem = name.slice(0, -'.pack'.length);
    if (isPackName(name) && !there.has(`${packStem}.idx`) && !unfinished.has(packStem)) {
      problems.push({
        file,
        problem: 'has no index, so its objects cannot be found (`savepoint repair` creates a new index)',
      });
    }
    const stem = INDEX_NAME.exec(name)?.[1];
    if (stem !== undefined && !there.has(`${stem}.pack`) && !unfinished.has(stem))
      problems.push({ file, problem: 'has no pack' });
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
