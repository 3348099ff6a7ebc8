/** The folder that a command works in. */
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, posix, resolve, win32 } from 'node:path';
import { bytesFromText, type DiskPath, SavepointError } from '@savepoint/core';
import { bytesOfArgument } from './argument-path.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param given the argument of -C
 * @throws SavepointError USAGE if the current folder was deleted and no other is given
 */
export function folderToOpen(given: string | undefined, env: Environment): DiskPath {
  if (given === undefined) return currentFolder(env);
  const bytes = bytesOfArgument(given);
  const rules = process.platform === 'win32' ? win32 : posix;
  const absolute = rules.isAbsolute(bytes) ? bytes : rules.join(currentFolder(env), bytes);
  return rules.normalize(absolute).replace(/(?<=.)[/\\]+$/, '') as DiskPath;
}

/** Resolves a path against the current folder. */
export function absolutePath(given: string, env: Environment): DiskPath {
  return folderToOpen(given, env);
}

function currentFolder(env: Environment): DiskPath {
  const pwd = env['PWD'] !== undefined && isAbsolute(env['PWD']) && !env['PWD'].includes('\ufffd') ? env['PWD'] : null;
  let real: Buffer;
  try {
    real = realpathSync.native('.', { encoding: 'buffer' });
  } catch {
    // The folder was deleted while the shell was in it. The shell still knows its path.
    if (pwd !== null) return bytesFromText(resolve(pwd)) as DiskPath;
    throw new SavepointError(
      'USAGE',
      'The current folder no longer exists.',
      {},
      { hint: 'Change to an existing folder, or pass the project folder with -C.' },
    );
  }
  // The shell's path may go through links, and so do the paths that users type.
  return (pwd !== null && isHere(pwd) ? bytesFromText(resolve(pwd)) : real.toString('latin1')) as DiskPath;
}

function isHere(path: string): boolean {
  try {
    const [a, b] = [statSync(path, { bigint: true }), statSync('.', { bigint: true })];
    return a.dev === b.dev && a.ino === b.ino;
  } catch {
    return false;
  }
}
