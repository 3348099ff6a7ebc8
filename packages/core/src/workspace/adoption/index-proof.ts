/**
 * Whether a repository's index proves what a file holds. git recorded there how the file looked when it last compared
 * its content with an object; the file must look the same in everything that a stat can say.
 *
 * Stricter than git, which can be told to pass over some of it:
 * - the time of the inode counts always: no program can set it, so what wrote to the file since has left its mark, also
 *   where it put the size and the other time back;
 * - an index without nanoseconds, or from a machine that knows no inodes, proves nothing;
 * - a file that was changed in the second in which the index was written, or later, may have been changed again without
 *   its times showing it ("racily clean");
 * - nor does an entry of size 0 prove anything: git writes that where it wants a file looked at again.
 */

import type { IndexEntry, IndexTime } from '../../git/tracked.ts';
import type { ListedStat } from '../../io/fs.ts';

const REGULAR = 0o100000;
const KIND_MASK = 0o170000;

/**
 * @param stat of a regular file, as it is now
 * @param writtenSeconds when the index was written, whole seconds since 1970
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

/** In the very arithmetic in which node makes milliseconds of what the system says. */
function isSameTime({ seconds, nanoseconds }: IndexTime, ms: number): boolean {
  return seconds * 1000 + nanoseconds / 1e6 === ms;
}
