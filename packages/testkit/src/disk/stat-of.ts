import type { Stat } from '@savepoint/core/ports';
import type { Inode } from './inodes.ts';

const TYPE_BITS = { file: 0o100000, folder: 0o040000, link: 0o120000, special: 0o010000 } as const;

/** An inode as lstat(2) tells it. */
export function statOf(inode: Inode, uid: number): Stat {
  return {
    dev: inode.dev,
    ino: inode.ino,
    mode: TYPE_BITS[inode.kind] | inode.mode,
    // Linux counts the folders inside, too; some file systems do not, so nobody may rely on it.
    nlink: inode.kind === 'folder' ? 2 : inode.names,
    uid,
    size: sizeOf(inode),
    mtimeMs: inode.mtime,
    ctimeMs: inode.ctime,
    birthtimeMs: inode.birthtime,
  };
}

function sizeOf(inode: Inode): number {
  switch (inode.kind) {
    case 'file':
      return inode.size;
    case 'link':
      return inode.target.length;
    case 'folder':
      return 4096;
    case 'special':
      return 0;
  }
}
