import type { Stat } from '@savepoint/core/ports';
import type { Inode } from './inodes.ts';

const TYPE_BITS = { file: 0o100000, folder: 0o040000, link: 0o120000, special: 0o010000 } as const;

/** Returns what lstat(2) reports for an inode. */
export function statOf(inode: Inode, uid: number): Stat {
  return {
    dev: inode.dev,
    ino: inode.ino,
    mode: TYPE_BITS[inode.kind] | inode.mode,
    // Linux also counts the subfolders. Some file systems do not, so code must not rely on it.
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
