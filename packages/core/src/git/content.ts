/** Whether a working file holds what a repository's index says, told by its stat where that proves it, else by its bytes. */
import { createHash, type Hash } from 'node:crypto';
import { type Fd, type Fs, FsError, kindOf, type Stat } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import type { DiskPath } from '../model/names.ts';
import type { Conversion } from './attributes.ts';
import type { ObjectFormat } from './repository.ts';
import type { IndexEntry } from './tracked.ts';

/** `unknown`: git may convert the file, so its bytes prove nothing; or it could not be read. */
export type ComparisonResult = 'same' | 'differs' | 'unknown';

export interface ContentRules {
  readonly objectFormat: ObjectFormat;
  /** The repository takes the executable bit of the disk for true. */
  readonly trustsModes: boolean;
  /** Links are links here; else they are files that hold the target. */
  readonly hasLinks: boolean;
  /** Seconds since 1970: an entry that is not older may hide a later write. */
  readonly indexTime: number;
}

const LINK = 0o120000;
const EXECUTABLE = 0o111;
const OWNER_EXECUTES = 0o100;
const PIECE_BYTES = 256 * 1024;
/** A double keeps about 250 nanoseconds of today's times. */
const MS_SLACK = 0.001;

/** Compares files of one repository. */
export class ContentComparer {
  constructor(
    private readonly fs: Fs,
    private readonly rules: ContentRules,
    private readonly pace: Pace,
  ) {}

  /** @param stat of the file or link at `disk` */
  async compare(
    disk: DiskPath,
    stat: Stat,
    entry: IndexEntry,
    conversion: () => Conversion,
  ): Promise<ComparisonResult> {
    const { objectFormat, trustsModes, hasLinks, indexTime } = this.rules;
    const kind = kindOf(stat);
    const expectsLink = entry.mode === LINK;
    if (expectsLink && hasLinks ? kind !== 'link' : kind !== 'file') return 'differs';
    if (!expectsLink && trustsModes && isExecutable(entry) !== ((stat.mode & OWNER_EXECUTES) !== 0)) return 'differs';
    if (isProven(stat, entry, indexTime)) return 'same';
    try {
      if (kind === 'link') {
        const target = Buffer.from(this.fs.readLink(disk), 'latin1');
        return blobHash(objectFormat, target.length).update(target).digest('hex') === entry.id ? 'same' : 'differs';
      }
      return await this.#compareFile(disk, entry.id, expectsLink ? NO_CONVERSION : conversion());
    } catch (error) {
      if (error instanceof FsError) return 'unknown';
      throw error;
    }
  }

  async #compareFile(disk: DiskPath, id: string, conversion: Conversion): Promise<ComparisonResult> {
    if (conversion.content) return 'unknown';
    const file = this.fs.openRead(disk);
    try {
      const raw = await this.#hashFile(file, this.fs.fstat(file).size, false);
      if (raw === null) return 'unknown';
      if (raw.id === id) return raw.lineEnds > 0 && conversion.lines ? 'unknown' : 'same';
      if (raw.lineEnds === 0) return 'differs';
      // Whether line ends are converted is also for the person's own configuration to say, which is not read.
      const converted = await this.#hashFile(file, raw.size - raw.lineEnds, true);
      return converted?.id === id ? 'unknown' : 'differs';
    } finally {
      this.fs.close(file);
    }
  }

  /** @param size bytes that the blob should have @returns null where there were more or less: the file is being written */
  async #hashFile(file: Fd, size: number, converts: boolean): Promise<FileHash | null> {
    const hash = blobHash(this.rules.objectFormat, size);
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    let position = 0;
    let hashed = 0;
    let lineEnds = 0;
    let afterReturn = false;
    for (;;) {
      const got = this.fs.read(file, piece, 0, piece.length, position);
      if (got === 0) break;
      position += got;
      const bytes = piece.subarray(0, got);
      if (afterReturn && bytes[0] === 0x0a) lineEnds += 1;
      else if (afterReturn && converts) {
        hash.update('\r');
        hashed += 1;
      }
      afterReturn = bytes[got - 1] === 0x0d;
      for (let at = bytes.indexOf('\r\n'); at >= 0; at = bytes.indexOf('\r\n', at + 2)) lineEnds += 1;
      const kept = converts ? withoutCarriageReturns(bytes) : bytes;
      hash.update(kept);
      hashed += kept.length;
      if (hashed > size) return null;
      if (this.pace.isDue()) await this.pace.yieldNow();
    }
    if (afterReturn && converts) {
      hash.update('\r');
      hashed += 1;
    }
    return hashed === size ? { id: hash.digest('hex'), size: position, lineEnds } : null;
  }
}

const NO_CONVERSION: Conversion = { content: false, lines: false };

interface FileHash {
  readonly id: string;
  /** Bytes read. */
  readonly size: number;
  /** CR LF. */
  readonly lineEnds: number;
}

function isExecutable({ mode }: IndexEntry): boolean {
  return (mode & EXECUTABLE) !== 0;
}

/** As git does it: everything that a stat says is as it was, and the file was older than the index by a second. */
function isProven(stat: Stat, entry: IndexEntry, indexTime: number): boolean {
  return (
    stat.size % 2 ** 32 === entry.size &&
    stat.ino % 2 ** 32 === entry.inode &&
    isTime(stat.mtimeMs, entry.mtime) &&
    isTime(stat.ctimeMs, entry.ctime) &&
    entry.mtime.seconds < indexTime &&
    entry.size > 0
  );
}

function isTime(ms: number, { seconds, nanoseconds }: IndexEntry['mtime']): boolean {
  return Math.abs((ms % (2 ** 32 * 1000)) - (seconds * 1000 + nanoseconds / 1e6)) <= MS_SLACK;
}

/** CR LF becomes LF; a CR at the very end is left to what follows. */
function withoutCarriageReturns(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1').replace(/\r\n/g, '\n');
  return Buffer.from(text.endsWith('\r') ? text.slice(0, -1) : text, 'latin1');
}

function blobHash(format: ObjectFormat, size: number): Hash {
  return createHash(format).update(`blob ${size}\0`, 'latin1');
}
