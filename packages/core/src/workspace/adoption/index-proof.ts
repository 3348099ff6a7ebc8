/**
 * Decides whether a repository's index proves the content of a file. The index has the stat data from when git last
 * compared the file with an object. All of the current stat data must be the same.
 *
 * This is stricter than git, which can be configured to ignore some of it:
 * - ctime is always compared. No program can set it, so any write since then has changed it, even if size and mtime
 *   were reset.
 * - An index without nanoseconds, or from a platform without inodes, proves nothing.
 * - A file that changed in the second in which the index was written, or later, is not proven. It may have changed
 *   again without its times showing it ("racily clean").
 * - An entry of size 0 proves nothing: git writes 0 if it must re-examine the file.
 */

import type { IndexEntry, IndexTime } from '../../git/tracked.ts';
import type { ListedStat } from '../../io/fs.ts';

const REGULAR = 0o100000;
const KIND_MASK = 0o170000;

/**
 * @param stat current stat of a regular file
 * @param writtenSeconds modification time of the index, whole seconds since 1970
 */
export function indexProvesContent(entry: IndexEntry, stat: ListedStat, writtenSeconds: number): boolean {
  return (
    entry.stage === 0 &&
    (entry.mode & KIND_MASK) === REGULAR &&
    !entry.assumeUnchanged &&
    !entry.skipWorktree &&
    !entry.intentToAdd &&
    entry.size > 0 &&
    entry.size === stat.size &&
    entry.inode !== 0 &&
    entry.inode === stat.ino % 2 ** 32 &&
    entry.ctime.nanoseconds !== 0 &&
    isSameTime(entry.mtime, stat.mtimeMs) &&
    isSameTime(entry.ctime, stat.ctimeMs) &&
    Math.max(entry.mtime.seconds, entry.ctime.seconds) < writtenSeconds
  );
}

/** Uses exactly the arithmetic with which node converts the system's times to milliseconds. */
function isSameTime({ seconds, nanoseconds }: IndexTime, ms: number): boolean {
  return seconds * 1000 + nanoseconds / 1e6 === ms;
}
