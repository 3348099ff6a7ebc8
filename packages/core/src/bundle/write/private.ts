/**
 * Private paths, which leave the machine only on request: files whose names suggest secrets, and paths that an ignore
 * rule matches. Ignored paths are captured only so that they can be restored.
 */

import type { Snapshot } from '../../model/entries.ts';
import { type Name, pathComponents, type TreePath } from '../../model/names.ts';
import { type FolderContents, type FolderReader, rootOf } from '../../store/snapshot/snapshot.ts';

/** Keys, and settings files that hold passwords and tokens. Case is ignored. */
const BY_NAME =
  /^(?:\.env.*|\.netrc|_netrc|\.pgpass|\.my\.cnf|\.git-credentials|\.htpasswd|id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|key|p12|pfx|jks|keystore|kdbx))$/is;

export function isPrivateName(name: Name): boolean {
  return BY_NAME.test(name);
}

export function isPrivate(name: Name, { note }: FolderContents): boolean {
  return note.ignored.has(name) || isPrivateName(name);
}

/**
 * Returns whether a path or one of its parent folders is private. Without a snapshot the ignore rules are unknown, so
 * every path counts as private.
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
