/** Reads a file of settings that the user names on a command line. */
import { GivenSettingsError } from './integration.ts';
import { readPlainBytes } from './plain-file.ts';

/** A longer file is not a file of settings. */
const MAX_BYTES = 4 * 1024 * 1024;

/** @throws GivenSettingsError if it is not a plain file of a usual size */
export function readGivenFile(path: string): string {
  const found = readPlainBytes(path, { followsLinks: true, maxBytes: MAX_BYTES });
  if (typeof found !== 'string') return found.toString('utf8');
  const shown = JSON.stringify(path);
  if (found === 'absent' || found === 'dangling-link')
    throw new GivenSettingsError(`the settings file ${shown} does not exist`);
  if (found === 'too-large')
    throw new GivenSettingsError(`the settings file ${shown} is longer than ${MAX_BYTES} bytes`);
  throw new GivenSettingsError(`the settings file ${shown} is not a plain file`);
}
