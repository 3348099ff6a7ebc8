/**
 * Programs that nobody asked for by name come from the folders of the system. `PATH` may lead into the workspace, where
 * anyone who can write could have planted one.
 */
import { isProgramFile } from '@savepoint/core/node';

const FOLDERS = ['/usr/bin', '/bin', '/usr/local/bin', '/opt/homebrew/bin', '/run/current-system/sw/bin'];

export const SYSTEM_PATH = FOLDERS.join(':');

/** @returns null if the system does not have it */
export function systemProgram(name: string): string | null {
  return FOLDERS.map((folder) => `${folder}/${name}`).find((file) => isProgramFile(file, true)) ?? null;
}
