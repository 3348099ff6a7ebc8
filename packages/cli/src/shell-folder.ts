/** The current folder as the shell names it. Loads nothing of the engine. */
import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The shell's path may go through links, and so do the paths that users type.
 * @returns null if the environment does not name the current folder
 */
export function folderOfShell(env: Environment): string | null {
  const path = pathOfShell(env);
  return path !== null && isHere(path) ? resolve(path) : null;
}

/** @returns the folder that the shell was in; it may have been deleted. Null: it is not known */
export function pathOfShell({ PWD: pwd }: Environment): string | null {
  return pwd !== undefined && isAbsolute(pwd) && !pwd.includes('\ufffd') ? pwd : null;
}

function isHere(path: string): boolean {
  try {
    const [a, b] = [statSync(path, { bigint: true }), statSync('.', { bigint: true })];
    return a.dev === b.dev && a.ino === b.ino;
  } catch {
    return false;
  }
}
