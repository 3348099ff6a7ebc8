/** Whether a program can be started. If not, it is started in the usual way, for the usual error. */
import { resolve } from 'node:path';
import { isProgramFile, programsOnPath } from '@savepoint/core/node';

export function canStart(file: string, cwd: string, path: string | undefined): boolean {
  if (file.includes('/')) return isProgramFile(resolve(cwd, file), true);
  return !programsOnPath(file, { path, windows: false, cwd }).next().done;
}
