import { bytesFromText, type DiskPath, diskChild, textFromBytes } from '../model/names.ts';
import { type Fs, kindOf, type Stat } from './fs.ts';
import type { Random } from './ports.ts';
import { IGNORED_BY_HFS } from './safe-path.ts';

/** What the file system under a folder takes for the same name. */
export interface Folding {
  /** `A` and `a`. */
  readonly letterCase: boolean;
  /** `é` as one character and as `e` with an accent. */
  readonly normalisation: boolean;
}

const NOT_ASCII = /[\x80-\xff]/;
const PROBE = /^\.savepoint-probe-[0-9a-f]{16}/;

/**
 * The key under which two names may be one name on a file system that folds letter case or normalisation. Rather one
 * pair too many than one too few: `ß` and `ss` are one name on APFS, and some on HFS+ differ in characters that are
 * not seen.
 */
export function foldName(name: string): string {
  if (!NOT_ASCII.test(name)) return name.toLowerCase();
  const text = textFromBytes(name);
  // Bytes that are no text: such file systems refuse them, or fold what is ASCII.
  if (text === null) return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  // Upper case spells out what case folding does (ß to SS, ﬁ to FI, ſ to S) once ẞ is ß; ς is σ at the end of a word.
  const decomposed = text.replace(IGNORED_BY_HFS, '').normalize('NFD');
  const folded = decomposed.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
  return bytesFromText(folded.normalize('NFC'));
}

/** True for the name of a file that {@link probeFolding} has in a folder for a moment. */
export function isProbeName(name: string): boolean {
  return PROBE.test(name);
}

/**
 * Finds out by experiment: creates one empty file in `folder`, looks for it under other spellings, removes it.
 *
 * @throws FsError if the file cannot be created or removed
 */
export function probeFolding(fs: Fs, random: Random, folder: DiskPath): Folding {
  const stem = `.savepoint-probe-${random.hex(8)}`;
  const path = (name: string): DiskPath => diskChild(folder, bytesFromText(name));
  const probe = path(`${stem}\u00e9`);
  const file = fs.openNew(probe, 0o600);
  try {
    const made = fs.fstat(file);
    return {
      letterCase: isSame(made, fs.lstat(path(`${stem.toUpperCase()}\u00e9`))),
      normalisation: isSame(made, fs.lstat(path(`${stem}e\u0301`))),
    };
  } finally {
    fs.close(file);
    fs.unlink(probe);
  }
}

function isSame(made: Stat, found: Stat | null): boolean {
  return found !== null && kindOf(found) === 'file' && found.ino === made.ino && found.dev === made.dev;
}
