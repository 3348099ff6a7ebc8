/** Finds the files of programs, as a shell does. */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, resolve } from 'node:path';

export interface ProgramSearch {
  /** The environment variable PATH. */
  readonly path: string | undefined;
  readonly windows: boolean;
  /** Absolute: where relative folders of PATH start. Absent: they are ignored. */
  readonly cwd?: string;
}

/** Yields the files that the name can mean, in the order of PATH. The first one is what runs. */
export function* programsOnPath(name: string, { path = '', windows, cwd }: ProgramSearch): Generator<string> {
  const names = windows ? [`${name}.cmd`, `${name}.exe`] : [name];
  for (const folder of path.split(delimiter)) {
    if (cwd === undefined && !isAbsolute(folder)) continue;
    for (const one of names) {
      const file = resolve(cwd ?? '/', folder, one);
      if (isProgramFile(file, !windows)) yield file;
    }
  }
}

/** @param mustBeExecutable false on Windows, where the ending alone tells that a file is a program */
export function isProgramFile(file: string, mustBeExecutable: boolean): boolean {
  try {
    if (mustBeExecutable) accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
