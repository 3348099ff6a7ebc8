/** The folder of Studio in Savepoint's home. Only its owner can enter it, so what is in it proves who wrote it. */
import { chmodSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bytesFromText, nameToJson, SavepointError } from '@savepoint/core';

/**
 * Creates the folder if it is missing.
 * @param home absolute path
 * @throws SavepointError STORE_UNSAFE if another user could read or write it; IO
 */
export function privateFolder(home: string): string {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const folder = join(home, 'studio');
  try {
    mkdirSync(folder, { mode: 0o700 });
    chmodSync(folder, 0o700);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  for (const path of [home, folder]) assertOurs(path);
  return folder;
}

/** Creates a file, or replaces it at once. A process that is killed in between leaves the old one. */
export function writePrivate(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, text, { mode: 0o600, flag: 'wx' });
  renameSync(temporary, file);
}

/** Removes files that dead processes have left. */
export function removeOlder(folder: string, maxAgeMs: number, now: number): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    const age = now - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? now);
    if (age > maxAgeMs) rmSync(file, { recursive: true, force: true });
  }
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as NodeJS.ErrnoException).code === code;
}

/** Only the account that runs this process may reach the folder. */
function assertOurs(path: string): void {
  const stat = lstatSync(path);
  const data = { path: nameToJson(bytesFromText(path)) };
  if (!stat.isDirectory())
    throw new SavepointError('STORE_UNSAFE', `${path} is not a folder (Savepoint does not follow links).`, data);
  const uid = process.getuid?.();
  // On Windows, the access list of the profile folder protects it.
  if (uid === undefined) return;
  if (stat.uid !== uid)
    throw new SavepointError('STORE_UNSAFE', `${path} belongs to another user (uid ${stat.uid}).`, data);
  if ((stat.mode & 0o077) !== 0) {
    const mode = (stat.mode & 0o7777).toString(8).padStart(4, '0');
    throw new SavepointError('STORE_UNSAFE', `Other users can access ${path} (mode ${mode}).`, { ...data, mode });
  }
}
