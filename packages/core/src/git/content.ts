/** Compares working files with the index, by stat data if that is proof, otherwise by content. */
import { createHash, type Hash } from 'node:crypto';
import { type Fd, type Fs, FsError, kindOf, type Stat } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import type { DiskPath } from '../model/names.ts';
import type { Conversion } from './attributes.ts';
import type { ObjectFormat } from './repository.ts';
import type { IndexEntry } from './tracked.ts';

/** `unknown`: the file cannot be read, or git may convert it, so that its bytes prove nothing. */
export type ComparisonResult = 'same' | 'differs' | 'unknown';

export interface ContentRules {
  readonly objectFormat: ObjectFormat;
  /** core.fileMode: the executable bit on disk is meaningful. */
  readonly trustsModes: boolean;
  /** core.symlinks: links are checked out as links. If false, they are files that hold the target. */
  readonly hasLinks: boolean;
  /** Seconds since 1970. An entry that is not older may hide a later write (git's "racy" entries). */
  readonly indexTime: number;
}

const LINK = 0o120000;
const EXECUTABLE = 0o111;
const OWNER_EXECUTES = 0o100;
const PIECE_BYTES = 256 * 1024;
/** A double resolves today's times to about 250 nanoseconds. */
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
      // Whether line endings are converted also depends on the user's own configuration, which is not read.
      const converted = await this.#hashFile(file, raw.size - raw.lineEnds, true);
      return converted?.id === id ? 'unknown' : 'differs';
    } finally {
      this.fs.close(file);
    }
  }

  /** @param size expected size of the blob in bytes @returns null if it differs, because the file is being written */
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
  /** Number of bytes read. */
  readonly size: number;
  /** Number of CR LF pairs. */
  readonly lineEnds: number;
}

function isExecutable({ mode }: IndexEntry): boolean {
  return (mode & EXECUTABLE) !== 0;
}

/** As in git: all stat data is unchanged, and the file is at least one second older than the index. */
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

/** Replaces CR LF by LF, and drops a CR at the very end: the caller decides on it when it has the next piece. */
function withoutCarriageReturns(bytes: Buffer): Buffer {
  const text = bytes.toString('latin1').replace(/\r\n/g, '\n');
  return Buffer.from(text.endsWith('\r') ? text.slice(0, -1) : text, 'latin1');
}

function blobHash(format: ObjectFormat, size: number): Hash {
  return createHash(format).update(`blob ${size}\0`, 'latin1');
}
