/** The user's own settings in a fork: commands in it have a home of their own, which would have none. */

import { readJson } from '../content/strict-json.ts';
import { durableWrite, readEntireFile } from '../io/durable-write.ts';
import { isFsError } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import { makeFolders } from '../store/private-folders.ts';

/** As in `config/`. */
const FILE = 'config.json';
const MAX_BYTES = 256 * 1024;
/** The checkpoints of a fork must not be exported in the place of those of the workspace. */
const NOT_IN_FORKS = /^export(?:\.|$)/;

/**
 * Copies the user's settings to the home of a fork, without those of exports. Later changes of them do not reach it.
 * @param home the folder that contains all stores
 * @param place the folder of the fork's copy
 */
export function giveSettings({ fs }: Pick<Ports, 'fs'>, home: DiskPath, place: DiskPath): void {
  let bytes: Buffer;
  try {
    bytes = readEntireFile(fs, diskChild(home, FILE), MAX_BYTES);
  } catch (error) {
    // A file that cannot be read is reported with the settings of the workspace, before a fork is made.
    if (isFsError(error, 'ENOENT')) return;
    throw error;
  }
  const own = diskChild(place, 'home');
  makeFolders(fs, own, 0o700);
  durableWrite(fs, diskChild(own, FILE), Buffer.from(withoutExports(bytes)), 0o600);
}

function withoutExports(bytes: Buffer): string {
  const json = readJson(bytes, { keys: 'once-any-name' }) as Readonly<Record<string, unknown>>;
  const kept = Object.entries(json).filter(([key]) => !NOT_IN_FORKS.test(key));
  return `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`;
}
