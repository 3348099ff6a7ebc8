/** Whether a program can be started. If not, it is started in the usual way, for the usual error. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, resolve } from 'node:path';

export function canStart(file: string, cwd: string, path: string | undefined): boolean {
  const places = file.includes('/') ? [''] : (path ?? '').split(delimiter);
  return places.some((place) => isProgram(resolve(cwd, place, file)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
