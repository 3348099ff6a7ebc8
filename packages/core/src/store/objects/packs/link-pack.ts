/**
 * Gives a pack of a user's repository a second name in the store. Rules:
 * L1 The file is the one that is open: its name may lead to another file by now.
 * L2 It is a regular, read-only file of the user. Git creates packs like that, and never changes them.
 * L3 Only the link count and the change time of the file change.
 */
import { type CopyMethod, type Fd, FsError, kindOf, permissions, type Stat } from '../../../io/fs.ts';
import type { Ports } from '../../../io/ports.ts';
import type { DiskPath } from '../../../model/names.ts';
import type { PackIndex } from './pack-index.ts';

/** How the bytes of a pack get into the store. */
export type AdoptMethod = CopyMethod | 'link';

/** A pack of a repository. It may have been unlinked since it was opened. */
export interface OpenPack {
  readonly path: DiskPath;
  readonly file: Fd;
  readonly index: PackIndex;
}

const ANY_WRITE = 0o222;

/** Whether the file is read-only for everybody. Savepoint's own packs are writable for their owner. */
export function isReadOnly(stat: Pick<Stat, 'mode'>): boolean {
  return (permissions(stat) & ANY_WRITE) === 0;
}

/**
 * @returns the linked file, open for reading; its name is not durable yet
 * @throws FsError EPERM for a file that breaks L2, ESTALE if its name leads to another one (L1); EXDEV and others if the
 *   file system cannot link it. Then nothing is left at `to`
 */
export function linkPack({ fs, uid }: Ports, { path, file }: Omit<OpenPack, 'index'>, to: DiskPath): Fd {
  const isOwn = (stat: Stat): boolean =>
    uid !== null && stat.uid === uid && kindOf(stat) === 'file' && isReadOnly(stat);
  const stat = fs.fstat(file);
  if (!isOwn(stat)) throw new FsError('EPERM', 'hardLink', path);
  fs.hardLink(path, to);
  try {
    const linked = fs.openRead(to);
    const now = fs.fstat(linked);
    if (now.dev === stat.dev && now.ino === stat.ino && isOwn(now)) return linked;
    fs.close(linked);
    throw new FsError('ESTALE', 'hardLink', path);
  } catch (error) {
    fs.unlink(to);
    throw error;
  }
}
