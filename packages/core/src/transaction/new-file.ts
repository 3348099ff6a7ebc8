/**
 * Creates a file for data taken out of the store. It gets its name once it is complete, and not before. Until then its
 * temporary name tells which process writes it, so that the next one can remove what a killed one left behind.
 */

import { showName } from '../content/show-name.ts';
import { containingFolder, syncFolder } from '../io/durable-write.ts';
import { type Fs, FsError, isFsError, kindOf } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, diskChild, nameToJson, withSuffix } from '../model/names.ts';
import { ownerState, parseProcessName, processName, processNameText } from '../store/process-name.ts';

/** Contents may be secret, whatever their own modes are. */
const FILE_MODE = 0o600;
const NAME_BYTES = 4;
const TEMPORARY = /\.[0-9a-f]{8}_(\w[\w-]*)\.tmp$/;
/** Errors of file systems without hard links. */
const NO_HARD_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'];

/**
 * Creates the file completely and durably, or not at all.
 * @param path absolute; its folder must exist
 * @param replace an existing file is replaced at the moment when the new one is complete
 * @param fill writes the content piece by piece
 * @returns what `fill` returns
 * @throws SavepointError CONFLICT if something exists at the path; FsError
 */
export async function makeFile<T>(
  ports: Pick<Ports, 'fs' | 'random' | 'processes'>,
  path: DiskPath,
  replace: boolean,
  fill: (write: (bytes: Uint8Array) => void) => Promise<T>,
): Promise<T> {
  const { fs, random, processes } = ports;
  const existing = fs.lstat(path);
  if (existing !== null && (!replace || kindOf(existing) !== 'file')) throw existsError(path);
  removeAbandoned(ports, containingFolder(path));
  const owner = processNameText(processName(processes.self()));
  const temporary = withSuffix(path, `.${random.hex(NAME_BYTES)}_${owner}.tmp`);
  const fd = fs.openNew(temporary, FILE_MODE);
  try {
    let filled: T;
    try {
      let at = 0;
      filled = await fill((bytes) => {
        fs.write(fd, bytes, at);
        at += bytes.length;
      });
      fs.sync(fd);
    } finally {
      fs.close(fd);
    }
    if (replace) fs.rename(temporary, path);
    else linkAs(fs, temporary, path);
    syncFolder(fs, containingFolder(path));
    return filled;
  } finally {
    discard(fs, temporary);
  }
}

/** Removes temporary files of dead processes. A failure is harmless: they stay. */
function removeAbandoned(ports: Pick<Ports, 'fs' | 'processes'>, folder: DiskPath): void {
  try {
    for (const name of ports.fs.list(folder)) {
      const owner = parseProcessName(TEMPORARY.exec(name)?.[1] ?? '');
      if (owner !== null && ownerState(ports, owner) === 'dead') discard(ports.fs, diskChild(folder, name));
    }
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
  }
}

function linkAs(fs: Fs, temporary: DiskPath, path: DiskPath): void {
  try {
    fs.hardLink(temporary, path);
  } catch (error) {
    if (isFsError(error, 'EEXIST')) throw existsError(path);
    if (!isFsError(error, ...NO_HARD_LINKS)) throw error;
    // Take the name with an empty file first: if two processes come at the same time, one is refused.
    try {
      fs.close(fs.openNew(path, FILE_MODE));
    } catch (second) {
      throw isFsError(second, 'EEXIST') ? existsError(path) : second;
    }
    fs.rename(temporary, path);
  }
}

function existsError(path: DiskPath): SavepointError {
  return new SavepointError(
    'CONFLICT',
    `${showName(path)} already exists.`,
    { paths: [{ path: nameToJson(path), why: 'already exists' }] },
    { hint: 'Nothing was changed. Use a file that does not exist yet, or --overwrite.' },
  );
}

function discard(fs: Fs, path: DiskPath): void {
  try {
    fs.unlink(path);
  } catch (error) {
    if (!(error instanceof FsError)) throw error;
  }
}
