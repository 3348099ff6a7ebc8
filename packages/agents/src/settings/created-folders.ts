/**
 * The folders that installations have created: `agents/created-folders.json` in the home. An uninstallation deletes them
 * if they are empty then; folders that existed before are left alone. Without the file, no folder is deleted.
 */

import { mkdirSync, readFileSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MAX_FOLDERS = 1_000;

/** Creates a folder with its parents, and records those that did not exist. */
export function createFolder(home: string, folder: string): void {
  const first = mkdirSync(folder, { recursive: true });
  if (first === undefined) return;
  const created = [folder];
  for (let at = folder; at !== first && at !== dirname(at); ) {
    at = dirname(at);
    created.push(at);
  }
  write(home, [...new Set([...read(home), ...created])]);
}

/** Deletes a folder and its parents, as far as installations have created them and they are empty. */
export function removeCreated(home: string, folder: string): void {
  const before = read(home);
  const created = new Set(before);
  for (let at = folder; created.has(at); at = dirname(at)) {
    try {
      rmdirSync(at);
    } catch (error) {
      // Something else is in it, or it was deleted already.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') break;
    }
    created.delete(at);
  }
  if (created.size < before.length) write(home, [...created]);
}

function fileIn(home: string): string {
  return join(home, 'agents', 'created-folders.json');
}

function read(home: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(readFileSync(fileIn(home), 'utf8'));
    return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}

/** A failure is harmless: the folders stay, empty. */
function write(home: string, folders: readonly string[]): void {
  const temporary = `${fileIn(home)}.${process.pid}`;
  try {
    mkdirSync(join(home, 'agents'), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, JSON.stringify(folders.slice(-MAX_FOLDERS)), { mode: 0o600 });
    renameSync(temporary, fileIn(home));
  } catch {
    // See above.
  }
}
