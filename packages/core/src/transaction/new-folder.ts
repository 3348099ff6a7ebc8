/** Creates a folder with files in it, for data taken out of the store. Existing files are never touched. */

import { showName } from '../content/show-name.ts';
import { type Fs, FsError, isFsError } from '../io/fs.ts';
import type { Pace } from '../io/pace.ts';
import { SavepointError } from '../model/errors.ts';
import { type DiskPath, diskChild, nameToJson } from '../model/names.ts';

/** Only the owner may read them: contents may be secret, whatever their own modes are. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/**
 * Creates the folder and all files, or nothing: if something fails, it removes what it has created.
 * @param folder absolute; its parent must exist, and the folder itself must not
 * @param files paths of the form `name` or `folder/name`
 * @throws SavepointError CONFLICT if something exists at the path, CANCELLED; FsError
 */
export async function makeFolderWithFiles(
  fs: Fs,
  folder: DiskPath,
  files: Iterable<{ readonly path: string; readonly bytes: Buffer }>,
  pace: Pace,
): Promise<void> {
  try {
    fs.makeFolder(folder, FOLDER_MODE);
  } catch (error) {
    if (!isFsError(error, 'EEXIST')) throw error;
    throw new SavepointError(
      'CONFLICT',
      `${showName(folder)} already exists.`,
      { paths: [{ path: nameToJson(folder), why: 'already exists' }] },
      { hint: 'Nothing was changed. Use a folder that does not exist yet.' },
    );
  }
  const createdFiles: DiskPath[] = [];
  const createdFolders: DiskPath[] = [folder];
  try {
    for (const { path, bytes } of files) {
      await pace.yieldNow();
      const file = diskChild(folder, path);
      const parent = file.slice(0, file.lastIndexOf('/')) as DiskPath;
      if (!createdFolders.includes(parent)) {
        fs.makeFolder(parent, FOLDER_MODE);
        createdFolders.push(parent);
      }
      createdFiles.push(file);
      writeNew(fs, file, bytes);
    }
  } catch (error) {
    removeCreated(fs, createdFiles, createdFolders);
    throw error;
  }
}

function writeNew(fs: Fs, path: DiskPath, bytes: Buffer): void {
  const fd = fs.openNew(path, FILE_MODE);
  try {
    fs.write(fd, bytes, 0);
  } finally {
    fs.close(fd);
  }
}

/**
 * Removes only what was created here. Files of other programs stay, and so does the folder that contains them. Errors are
 * ignored, because the caller reports the first one.
 */
function removeCreated(fs: Fs, files: readonly DiskPath[], folders: readonly DiskPath[]): void {
  for (const remove of [
    ...files.map((file) => () => fs.unlink(file)),
    ...[...folders].reverse().map((folder) => () => fs.removeFolder(folder)),
  ]) {
    try {
      remove();
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
    }
  }
}
