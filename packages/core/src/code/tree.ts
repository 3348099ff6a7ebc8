import { parentPath, type TreePath } from '../model/names.ts';
import type { CodeTree } from './language.ts';

/**
 * Makes a tree of the files of a state.
 * @param files all files, with what identifies their contents
 * @param read returns the contents of one of them; null: they cannot be read
 */
export function codeTree(files: ReadonlyMap<TreePath, string>, read: (path: TreePath) => Uint8Array | null): CodeTree {
  let folders: ReadonlySet<string> | null = null;
  return {
    files,
    hasFolder(path) {
      folders ??= foldersOf(files);
      return folders.has(path);
    },
    read: (path) => (files.has(path) ? read(path) : null),
  };
}

function foldersOf(files: ReadonlyMap<TreePath, string>): ReadonlySet<string> {
  const folders = new Set<string>(['']);
  for (const path of files.keys()) {
    for (let at = parentPath(path); !folders.has(at); at = parentPath(at)) folders.add(at);
  }
  return folders;
}
