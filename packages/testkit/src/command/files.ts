import fs from 'node:fs';
import path from 'node:path';
import { type Manifest, manifest } from '../manifest.ts';

/** Inode, modification time and change time of a file. They change even if a file is rewritten with the same bytes. */
export function identity(file: string): string {
  const { ino, mtimeNs, ctimeNs } = fs.lstatSync(file, { bigint: true });
  return `${ino} ${mtimeNs} ${ctimeNs}`;
}

export const MiB = 1024 * 1024;

/**
 * Returns the size of all files below a folder, in bytes. Files that disappear during the walk may or may not be
 * counted.
 */
export function bytesBelow(folder: string): number {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => {
      const stat = fs.statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false });
      return sum + (stat?.size ?? 0);
    }, 0);
}

/** Lists everything below a folder except the contents of `.git`: what a restore must reproduce. */
export function workingFiles(dir: string): Manifest {
  return manifest(dir, { skip: (name) => name === '.git' || name.endsWith('/.git') });
}
