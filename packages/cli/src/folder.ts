/** The folder that a command works in. */
import { realpathSync } from 'node:fs';
import { posix, resolve, win32 } from 'node:path';
import { bytesFromText, type DiskPath, SavepointError } from '@savepoint/core';
import { bytesOfArgument } from './argument-path.ts';
import { folderOfShell, pathOfShell } from './shell-folder.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param given the argument of -C
 * @throws SavepointError USAGE if the current folder was deleted and no other is given
 */
export function folderToOpen(given: string | undefined, env: Environment): DiskPath {
  return given === undefined ? currentFolder(env) : folderFrom(given, () => currentFolder(env));
}

/** The same, seen from another folder than the current one. */
export function folderFrom(given: string, current: () => DiskPath): DiskPath {
  const bytes = bytesOfArgument(given);
  const rules = process.platform === 'win32' ? win32 : posix;
  const absolute = rules.isAbsolute(bytes) ? bytes : rules.join(current(), bytes);
  return rules.normalize(absolute).replace(/(?<=.)[/\\]+$/, '') as DiskPath;
}

/** Resolves a path against the current folder. */
export function absolutePath(given: string, env: Environment): DiskPath {
  return folderToOpen(given, env);
}

function currentFolder(env: Environment): DiskPath {
  let real: Buffer;
  try {
    real = realpathSync.native('.', { encoding: 'buffer' });
  } catch {
    // The folder was deleted while the shell was in it. The shell still knows its path.
    const named = pathOfShell(env);
    if (named !== null) return bytesFromText(resolve(named)) as DiskPath;
    throw new SavepointError(
      'USAGE',
      'The current folder no longer exists.',
      {},
      { hint: 'Change to an existing folder, or pass the project folder with -C.' },
    );
  }
  const named = folderOfShell(env);
  return (named === null ? real.toString('latin1') : bytesFromText(named)) as DiskPath;
}
