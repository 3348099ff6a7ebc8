/** The engine on this machine: fills in the ports, the home folder and the environment. */
import { realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SettingsSource } from './config/settings.ts';
import type { OpenOptions } from './engine/options.ts';
import { checkOpenOptions } from './engine/shapes/call-shapes.ts';
import { nodePlaces } from './io/node/places.ts';
import { nodePorts as portsOfNode } from './io/node/ports.ts';
import type { Ports } from './io/ports.ts';
import { SavepointError } from './model/errors.ts';
import { bytesFromText, type DiskPath } from './model/names.ts';
import { open as openWith, type Savepoint } from './savepoint.ts';

export { nodeFs } from './io/node/fs.ts';
export { isProgramFile, programsOnPath } from './io/node/program-files.ts';
export { foldersNotSynced } from './io/node/unsynced-folders.ts';
export { nodePlaces };

/** Settings from the environment: `SAVEPOINT=off` turns off everything automatic. */
export function nodeSettings(env: Readonly<Record<string, string | undefined>>): SettingsSource {
  return { savepoint: env['SAVEPOINT'] ?? null };
}

/**
 * Returns the ports of this machine. `SAVEPOINT_NATIVE=off` restricts them to Node's own APIs, and
 * `SAVEPOINT_WATCH=off` leaves out the source of file changes.
 */
export function nodePorts(): Ports {
  const { changes, ...others } = portsOfNode(process.env['SAVEPOINT_NATIVE'] !== 'off');
  return changes === undefined || process.env['SAVEPOINT_WATCH'] === 'off' ? others : { ...others, changes };
}

export interface NodeOpenOptions extends Omit<OpenOptions, 'dir' | 'ports' | 'places'> {
  /** Any folder in the workspace; relative to the process's working directory. */
  readonly dir: string;
  /** Where stores are kept. Default: $SAVEPOINT_HOME, else the platform's data folder. */
  readonly home?: string;
  /**
   * A file of ignore rules for all repositories, relative to the process's working directory; null: none. Default: the
   * global ignore file of the user's git. For a process that works on repositories of other people.
   */
  readonly globalIgnore?: string | null;
}

/**
 * Opens the workspace of a folder.
 * @throws SavepointError USAGE if no folder for the stores is known, the file of ignore rules does not exist, or the
 *   options have another shape
 */
export function open(options: NodeOpenOptions): Savepoint {
  checkOpenOptions(options);
  const { dir, home, globalIgnore, ...rest } = options;
  const env = home === undefined ? process.env : { ...process.env, SAVEPOINT_HOME: resolve(home) };
  const places = nodePlaces(env);
  return openWith({
    settings: nodeSettings(process.env),
    ...rest,
    dir: bytesFromText(resolve(dir)) as DiskPath,
    ports: nodePorts(),
    places: globalIgnore === undefined ? places : { ...places, globalIgnore: ignoreFile(globalIgnore) },
  });
}

function ignoreFile(given: string | null): DiskPath | null {
  if (given === null) return null;
  try {
    return bytesFromText(realpathSync.native(resolve(given))) as DiskPath;
  } catch (cause) {
    const message = `The file of ignore rules ${JSON.stringify(given)} cannot be found.`;
    throw new SavepointError('USAGE', message, { argument: 'globalIgnore' }, { cause });
  }
}
