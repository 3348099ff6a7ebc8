import fs from 'node:fs';
import path from 'node:path';
import { type Manifest, manifest } from '../manifest.ts';

/** Inode and modification time of a file: what a rewrite with the same bytes would change. */
export function identity(file: string): string {
  const { ino, mtimeNs, ctimeNs } = fs.lstatSync(file, { bigint: true });
  return `${ino} ${mtimeNs} ${ctimeNs}`;
}

export const MiB = 1024 * 1024;

/** Bytes of all files below a folder; those that go while it is looked at count or do not. */
export function bytesBelow(folder: string): number {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => {
      const stat = fs.statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false });
      return sum + (stat?.size ?? 0);
    }, 0);
}

/** Everything below a folder but what is in a `.git`: what a restore is about. */
export function workingFiles(dir: string): Manifest {
  return manifest(dir, { skip: (name) => name === '.git' || name.endsWith('/.git') });
}
