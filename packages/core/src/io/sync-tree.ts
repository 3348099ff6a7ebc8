/** Makes everything in a folder durable. */

import { type DiskPath, diskChild, textFromBytes } from '../model/names.ts';
import { syncFolder } from './durable-write.ts';
import { findProgram } from './find-program.ts';
import { type Fd, type Fs, isFsError, kindOf, MAX_SYNCED_TOGETHER } from './fs.ts';
import type { Ports } from './ports.ts';

/**
 * One call for the whole file system takes far less time than one for each of many files, and Linux reports its errors. Where
 * the program `sync` cannot do that, each file is synced.
 * @param within where no program is trusted
 * @throws FsError
 */
export async function syncTree(
  ports: Pick<Ports, 'fs' | 'platform' | 'programs'>,
  searchPath: string,
  within: DiskPath,
  folder: DiskPath,
): Promise<void> {
  const sync = ports.platform === 'linux' ? findProgram(ports, 'sync', searchPath, within) : null;
  const named = textFromBytes(folder);
  if (sync !== null && named !== null) {
    const env = { PATH: searchPath, LC_ALL: 'C' };
    const { exit } = await ports.programs.run({ file: sync, args: ['-f', named], cwd: folder, env });
    if (exit === 0) return;
  }
  await syncEach(ports.fs, folder);
}

async function syncEach(fs: Fs, folder: DiskPath): Promise<void> {
  const files: DiskPath[] = [];
  for (const name of fs.list(folder)) {
    const path = diskChild(folder, name);
    const stat = fs.lstat(path);
    if (stat === null) continue;
    const kind = kindOf(stat);
    if (kind === 'folder') await syncEach(fs, path);
    else if (kind === 'file') files.push(path);
  }
  for (let at = 0; at < files.length; at += MAX_SYNCED_TOGETHER) {
    const opened: Fd[] = [];
    try {
      for (const path of files.slice(at, at + MAX_SYNCED_TOGETHER)) {
        const file = openIfAllowed(fs, path);
        if (file !== null) opened.push(file);
      }
      await fs.syncAll(opened);
    } finally {
      for (const file of opened) fs.close(file);
    }
  }
  syncFolder(fs, folder);
}

/** A file without the right to read it cannot be synced by itself. */
function openIfAllowed(fs: Fs, path: DiskPath): Fd | null {
  try {
    return fs.openRead(path);
  } catch (error) {
    if (isFsError(error, 'EACCES', 'ENOENT')) return null;
    throw error;
  }
}
