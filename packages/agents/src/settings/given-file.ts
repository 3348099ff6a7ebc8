/** Reads a file of settings that the user names on a command line. */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs';
import { GivenSettingsError } from './integration.ts';

/** A longer file is not a file of settings. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * @throws GivenSettingsError if it is not a plain file of a usual size. Nothing is read of a pipe: what is read is gone.
 */
export function readGivenFile(path: string): string {
  const shown = JSON.stringify(path);
  const check = (stat: Stats | undefined): void => {
    if (stat === undefined) throw new GivenSettingsError(`the settings file ${shown} does not exist`);
    if (!stat.isFile()) throw new GivenSettingsError(`the settings file ${shown} is not a plain file`);
    if (stat.size > MAX_BYTES)
      throw new GivenSettingsError(`the settings file ${shown} is longer than ${MAX_BYTES} bytes`);
  };
  // Opening a pipe and closing it again would end the program that writes to it.
  check(statOf(path));
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    check(fstatSync(file));
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    let length = 0;
    for (;;) {
      const read = readSync(file, bytes, length, bytes.length - length, length);
      length += read;
      if (read === 0 || length === bytes.length) return bytes.toString('utf8', 0, length);
    }
  } finally {
    closeSync(file);
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
