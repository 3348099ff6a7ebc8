/**
 * Finds programs that were not asked for by name. `PATH` may lead into the workspace, where anyone who can write could have
 * planted one.
 */
import { realpathSync } from 'node:fs';
import { bytesFromText, type DiskPath } from '@savepoint/core';
import { isProgramFile, programsOnPath } from '@savepoint/core/node';

const FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin', '/run/current-system/sw/bin'];

export const SYSTEM_PATH = FOLDERS.join(':');

/** @returns null if the system does not have it */
export function systemProgram(name: string): string | null {
  return FOLDERS.map((folder) => `${folder}/${name}`).find((file) => isProgramFile(file, true)) ?? null;
}

/** @returns null if there is none outside of the workspace */
export function programOutside(name: string, path: string | undefined, workspace: DiskPath): string | null {
  for (const file of programsOnPath(name, { path, windows: process.platform === 'win32' })) {
    if ([file, realpathSync(file)].every((one) => !bytesFromText(one).startsWith(`${workspace}/`))) return file;
  }
  return null;
}
