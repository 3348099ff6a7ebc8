/**
 * Creates the bare git repository for the objects: what `git --git-dir` requires, and nothing that git would execute.
 */

import { containingFolder, durableWrite, syncFolder } from '../../io/durable-write.ts';
import { type Fs, isFsError } from '../../io/fs.ts';
import { type DiskPath, diskChild } from '../../model/names.ts';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

/** Parents before children. */
const FOLDERS = ['objects', 'objects/pack', 'objects/info', 'refs', 'refs/heads', 'info'] as const;

/**
 * git packs and prunes only on request. Even then it keeps unreachable objects, because journals also refer to objects.
 * Files that git writes stay private. Large blobs never become deltas, so that they can be read piece by piece.
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
 * Blobs are raw bytes, and this file overrides every .gitattributes in a tree. So git does not convert blobs (line
 * endings, keywords, filters, encodings). It also neither omits them from archives nor expands placeholders. `!diff` is
 * git's default: texts are shown as text, and no tree selects a program to show them.
 */
const ATTRIBUTES =
  '* -text -eol -crlf -ident -filter -working-tree-encoding -merge -export-ignore -export-subst ' + '!diff\n';

/** The branch of the derived history; it does not exist until that history is written. */
const HEAD = 'ref: refs/heads/timeline\n';

const FILES: readonly (readonly [name: string, text: string])[] = [
  ['info/attributes', ATTRIBUTES],
  ['config', CONFIG],
  // git recognizes a repository by its HEAD, so HEAD is written last.
  ['HEAD', HEAD],
];

/**
 * Creates a bare repository, or the missing parts of one. Durable on return; existing files are not changed. The parent
 * of `folder` must exist.
 */
export function createBareRepository(fs: Fs, folder: DiskPath): void {
  makeFolder(fs, folder);
  for (const name of FOLDERS) makeFolder(fs, diskChild(folder, name));
  for (const [name, text] of FILES) {
    const path = diskChild(folder, name);
    if (fs.lstat(path) === null) durableWrite(fs, path, Buffer.from(text), FILE_MODE);
  }
  // Also syncs existing folders: the process that created them may have died before they were durable.
  for (const name of FOLDERS) syncFolder(fs, diskChild(folder, name));
  syncFolder(fs, folder);
  syncFolder(fs, containingFolder(folder));
}

function makeFolder(fs: Fs, path: DiskPath): void {
  try {
    fs.makeFolder(path, FOLDER_MODE);
    fs.chmod(path, FOLDER_MODE); // adds the bits that the umask removed
  } catch (error) {
    if (!isFsError(error, 'EEXIST')) throw error;
  }
}
