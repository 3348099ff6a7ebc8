/**
 * Writes planned changes of settings files, all or none. Each file is replaced atomically, with a backup next to it. If
 * one cannot be written, those before it get their bytes and permissions back.
 */

import { readFileSync, realpathSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { SavepointError, showText } from '@savepoint/core';
import { createFolder, removeCreated } from './created-folders.ts';
import { backupPath, type FileChange } from './plan.ts';
import { replaceFile } from './replace-file.ts';

/**
 * Writes the changes.
 * @param home the folder of the stores, in which the created folders are recorded
 * @throws SavepointError CONFLICT if a file changed meanwhile; IO. The message says whether everything is as before.
 */
export function writeChanges(changes: readonly FileChange[], home: string): void {
  for (const change of changes) assertUnchanged(change);
  const done: FileState[] = [];
  for (const change of changes) {
    try {
      writeChange(change, home, done);
    } catch (error) {
      const { code = 'EIO' } = error as NodeJS.ErrnoException;
      const notPutBack = putBack(done, home);
      if (change.before === null) removeCreated(home, dirname(change.path));
      throw new SavepointError(
        'IO',
        `${showText(change.path)} cannot be written (${code}). ${outcome(notPutBack)}`,
        { path: change.path, operation: 'write', code },
        error instanceof Error ? { cause: error } : {},
      );
    }
  }
}

/** A file before it was changed. */
interface FileState {
  readonly path: string;
  /** Null if it did not exist. */
  readonly bytes: Buffer | null;
  readonly mode: number;
}

/** @param done receives the state of each file before it is changed */
function writeChange({ path, before, after, mode, backup }: FileChange, home: string, done: FileState[]): void {
  // Write through links, because users may keep their settings elsewhere.
  const file = before === null || after === null ? path : realpathSync.native(path);
  const copy = backupPath(path);
  if (after === null) {
    done.push(stateOf(file, mode));
    unlinkSync(file);
    removeCreated(home, dirname(file));
    return;
  }
  createFolder(home, dirname(file));
  const now = stateOf(file, mode);
  if (backup !== null) {
    done.push(stateOf(copy, now.mode));
    replaceFile(copy, Buffer.from(backup), now.mode);
  }
  done.push(now);
  replaceFile(file, Buffer.from(after), now.mode);
  if (before !== null && backup === null) {
    done.push(stateOf(copy, now.mode));
    rmSync(copy, { force: true });
  }
}

/** @returns the files that could not be put back */
function putBack(states: readonly FileState[], home: string): readonly string[] {
  return [...states].reverse().flatMap(({ path, bytes, mode }) => {
    try {
      if (bytes === null) rmSync(path, { force: true });
      else {
        createFolder(home, dirname(path));
        replaceFile(path, bytes, mode);
      }
      if (bytes === null) removeCreated(home, dirname(path));
      return [];
    } catch {
      return [path];
    }
  });
}

function outcome(notPutBack: readonly string[]): string {
  if (notPutBack.length === 0) return 'Nothing was changed: files written before it are as they were.';
  return `Still changed, because they could not be put back: ${notPutBack.map((path) => showText(path)).join(', ')}.`;
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

/** @param otherwise the permissions of a file that does not exist */
function stateOf(path: string, otherwise: number): FileState {
  try {
    return { path, bytes: readFileSync(path), mode: statSync(path).mode & 0o7777 };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return { path, bytes: null, mode: otherwise };
  }
}
