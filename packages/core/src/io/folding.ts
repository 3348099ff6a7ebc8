import { bytesFromText, type DiskPath, diskChild, textFromBytes } from '../model/names.ts';
import { type Fs, kindOf, type Stat } from './fs.ts';
import type { Random } from './ports.ts';
import { IGNORED_BY_HFS } from './safe-path.ts';

/** The kinds of names that the file system under a folder treats as equal. */
export interface Folding {
  /** `A` and `a` are the same name. */
  readonly letterCase: boolean;
  /** `é` as one character and `e` with a combining accent are the same name. */
  readonly normalisation: boolean;
}

const NOT_ASCII = /[\x80-\xff]/;
const PROBE = /^\.savepoint-probe-[0-9a-f]{16}/;

/**
 * Returns a key that is equal for names which may be the same on a file system that folds letter case or normalisation.
 * In doubt, keys are equal: `ß` and `ss` are one name on APFS, and some on HFS+ differ in invisible characters.
 */
export function foldName(name: string): string {
  if (!NOT_ASCII.test(name)) return name.toLowerCase();
  const text = textFromBytes(name);
  // Not valid UTF-8: such file systems refuse these names, or fold only their ASCII letters.
  if (text === null) return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  // Upper case expands ß to SS, ﬁ to FI and ſ to S, once lower case has turned ẞ into ß. ς is σ at the end of a word.
  const decomposed = text.replace(IGNORED_BY_HFS, '').normalize('NFD');
  const folded = decomposed.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
  return bytesFromText(folded.normalize('NFC'));
}

/** Returns true for the name of a temporary file of {@link probeFolding}. */
export function isProbeName(name: string): boolean {
  return PROBE.test(name);
}

/**
 * Tests the file system: creates an empty file in `folder`, looks for it under other spellings, and removes it.
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
