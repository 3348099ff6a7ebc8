/**
 * What stays on the machine unless somebody asks for it: files that by their names hold secrets, and what an ignore rule
 * covers (it is captured only so that it can be put back).
 */

import type { Snapshot } from '../../model/entries.ts';
import { type Name, pathComponents, type TreePath } from '../../model/names.ts';
import { type FolderContents, type FolderReader, rootOf } from '../../store/snapshot/snapshot.ts';

/** Settings of programs with passwords and tokens in them, and keys; whatever the case. */
const BY_NAME =
  /^(?:\.env.*|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.htpasswd|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx))$/is;

export function isPrivateName(name: Name): boolean {
  return BY_NAME.test(name);
}

export function isPrivate(name: Name, { note }: FolderContents): boolean {
  return note.ignored.has(name) || isPrivateName(name);
}

/**
 * Whether a path, or a folder that it lies in, is private. Where the snapshot is not known, a name alone tells nothing of
 * ignore rules: then everything is.
 */
export function isPrivatePath(read: FolderReader, snapshot: Snapshot | null, path: TreePath): boolean {
  if (snapshot === null) return true;
  let folder = rootOf(snapshot);
  for (const name of pathComponents(path)) {
    const contents = read(folder);
    if (isPrivate(name, contents)) return true;
    const next = contents.entries.get(name);
    if (next?.kind !== 'folder') return pathComponents(path).some(isPrivateName);
    folder = next;
  }
  return false;
}
