/** Writes planned changes of settings files. Each file is replaced atomically, with a backup next to it. */

import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { SavepointError, showText } from '@savepoint/core';
import { backupPath, type FileChange } from './plan.ts';

/**
 * Writes the changes.
 * @param folders the number of empty parent folders to delete together with a file
 * @throws SavepointError CONFLICT if a file changed meanwhile; IO. Files that were already written are kept.
 */
export function writeChanges(changes: readonly FileChange[], folders: number): void {
  for (const change of changes) assertUnchanged(change);
  for (const { path, before, after, mode, backup } of changes) {
    try {
      if (after === null) {
        unlinkSync(path);
        removeEmpty(dirname(path), folders);
      } else {
        // Write through links, because users may keep their settings elsewhere.
        const file = before === null ? path : realpathSync.native(path);
        mkdirSync(dirname(file), { recursive: true });
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

function removeEmpty(folder: string, count: number): void {
  if (count === 0) return;
  try {
    rmdirSync(folder);
  } catch {
    return;
  }
  removeEmpty(dirname(folder), count - 1);
}
