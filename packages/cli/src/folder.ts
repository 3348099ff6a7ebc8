/** The folder that a command is about. */
import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, posix, resolve, win32 } from 'node:path';
import { bytesFromText, type DiskPath, SavepointError } from '@savepoint/core';
import { bytesOfArgument } from './given-name.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * @param given the argument of -C
 * @throws SavepointError USAGE when the current folder is gone and nothing else is given
 */
export function folderToOpen(given: string | undefined, env: Environment): DiskPath {
  if (given === undefined) return currentFolder(env);
  const bytes = bytesOfArgument(given);
  const rules = process.platform === 'win32' ? win32 : posix;
  const absolute = rules.isAbsolute(bytes) ? bytes : rules.join(currentFolder(env), bytes);
  return rules.normalize(absolute).replace(/(?<=.)[/\\]+$/, '') as DiskPath;
}

/** A path that may be relative to the current folder, in full. */
export function absolutePath(given: string, env: Environment): DiskPath {
  return folderToOpen(given, env);
}

function currentFolder(env: Environment): DiskPath {
  const pwd = env['PWD'] !== undefined && isAbsolute(env['PWD']) && !env['PWD'].includes('\ufffd') ? env['PWD'] : null;
  let real: Buffer;
  try {
    real = realpathSync.native('.', { encoding: 'buffer' });
  } catch {
    // Deleted while the shell stands in it: the shell still knows what it was called.
    if (pwd !== null) return bytesFromText(resolve(pwd)) as DiskPath;
    throw new SavepointError(
      'USAGE',
      'The current folder is gone.',
      {},
      { hint: "Give the project's folder with -C, or change to a folder that is there." },
    );
  }
  // The shell's own name for it may go through links; paths that people type go through them, too.
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
