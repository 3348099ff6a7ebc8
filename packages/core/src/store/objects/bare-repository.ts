/** The bare git repository around the objects: what `git --git-dir` needs to accept it, and nothing that it would run. */

import { containingFolder, durableWrite, syncFolder } from '../../io/durable-write.ts';
import { type Fs, isFsError } from '../../io/fs.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Each after the one that it lies in. */
const FOLDERS = ['objects', 'objects/pack', 'objects/info', 'refs', 'refs/heads', 'info'] as const;

/**
 * git packs and prunes only when told to, and then keeps what no ref reaches: journals lead to objects, too. What it
 * writes stays private. Large blobs are never made into deltas, so that they can be read piece by piece.
 */
const CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tlogAllRefUpdates = false
\tautocrlf = false
\tsharedRepository = 0600
\tbigFileThreshold = 16m
[gc]
\tauto = 0
\tpruneExpire = never
[maintenance]
\tauto = false
`;

/**
 * Blobs are raw bytes, and this file wins over every .gitattributes in a tree: git neither converts them (line ends,
 * keywords, filters, encodings) nor leaves them out of an archive or fills in its placeholders. `!diff` is git's own
 * choice: texts show as texts, and no tree picks a program to show them.
 */
const ATTRIBUTES =
  '* -text -eol -crlf -ident -filter -working-tree-encoding -merge -export-ignore -export-subst ' + '!diff\n';

/** The branch of the derived history; it does not exist until that is written. */
const HEAD = 'ref: refs/heads/timeline\n';

const FILES: readonly (readonly [name: string, text: string])[] = [
  ['info/attributes', ATTRIBUTES],
  ['config', CONFIG],
  // git takes a folder for a repository by its HEAD, so that is written last.
  ['HEAD', HEAD],
];

/**
 * Makes a bare repository, or what is missing of one. Durable when it returns; nothing that exists is changed.
 * The folder that `folder` lies in must exist.
 */
export function createBareRepository(fs: Fs, folder: DiskPath): void {
  makeFolder(fs, folder);
  for (const name of FOLDERS) makeFolder(fs, diskChild(folder, name));
  for (const [name, text] of FILES) {
    const path = diskChild(folder, name);
    if (fs.lstat(path) === null) durableWrite(fs, path, Buffer.from(text), FILE_MODE);
  }
  // Also what was there already: who made it may have died before it was durable.
  for (const name of FOLDERS) syncFolder(fs, diskChild(folder, name));
  syncFolder(fs, folder);
  syncFolder(fs, containingFolder(folder));
}

function makeFolder(fs: Fs, path: DiskPath): void {
  try {
    fs.makeFolder(path, FOLDER_MODE);
    fs.chmod(path, FOLDER_MODE); // whatever the umask took away
  } catch (error) {
    if (!isFsError(error, 'EEXIST')) throw error;
  }
}
