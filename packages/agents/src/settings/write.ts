/** Writes planned changes of settings files. Each file is replaced atomically, with a backup next to it. */

import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { SavepointError, showText } from '@savepoint/core';
import { createFolder, removeCreated } from './created-folders.ts';
import { backupPath, type FileChange } from './plan.ts';

/**
 * Writes the changes.
 * @param home the folder of the stores, in which the created folders are recorded
 * @throws SavepointError CONFLICT if a file changed meanwhile; IO. Files that were already written are kept.
 */
export function writeChanges(changes: readonly FileChange[], home: string): void {
  for (const change of changes) assertUnchanged(change);
  for (const { path, before, after, mode, backup } of changes) {
    try {
      if (after === null) {
        unlinkSync(path);
        removeCreated(home, dirname(path));
      } else {
        // Write through links, because users may keep their settings elsewhere.
        const file = before === null ? path : realpathSync.native(path);
        createFolder(home, dirname(file));
        if (backup !== null) replace(backupPath(path), backup, modeOf(file, mode));
        replace(file, after, before === null ? mode : modeOf(file, mode));
        if (before !== null && backup === null) removeBackup(backupPath(path));
      }
    } catch (error) {
      if (error instanceof SavepointError) throw error;
      const { code = 'EIO' } = error as NodeJS.ErrnoException;
      throw new SavepointError('IO', `${showText(path)} cannot be written (${code}).`, {
        path,
        operation: 'write',
        code,
      });
    }
  }
}

function assertUnchanged({ path, before }: FileChange): void {
  let now: string | null = null;
  try {
    now = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' && (error as NodeJS.ErrnoException).code !== 'ENOTDIR')
      throw error;
  }
  if (now === before || (now !== null && before !== null && Buffer.from(before).equals(readFileSync(path)))) return;
  throw new SavepointError('CONFLICT', `${showText(path)} was changed by another program meanwhile.`, {
    paths: [{ path, why: 'it changed meanwhile' }],
  });
}

function replace(path: string, text: string, mode: number): void {
  const temporary = `${path}.${process.pid}.new`;
  const file = openSync(temporary, 'wx', mode);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    fchmodSync(file, mode);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}

function modeOf(path: string, otherwise: number): number {
  try {
    return statSync(path).mode & 0o7777;
  } catch {
    return otherwise;
  }
}

function removeBackup(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The backup does not exist.
  }
}
