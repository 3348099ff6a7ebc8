/**
 * The permissions of files and folders that an edit creates: what any program would give them, which is everything
 * without the bits of the umask. The containing folder decides in two cases:
 * - A private folder (no permission for group and others) keeps what is in it private.
 * - A folder with the set-group-id bit and write permission for its group is shared by that group. What is created in it
 *   gets the folder's group permissions, unless the umask withholds all of them.
 */

/** @param folder the permissions of the containing folder */
export function modeOfNewFile(folder: number, umask: number): number {
  return modeOfNew(0o666, folder, umask);
}

/** The owner can always use the folder. */
export function modeOfNewFolder(folder: number, umask: number): number {
  return modeOfNew(0o777, folder, umask) | 0o700 | (folder & SET_GROUP_ID);
}

const SET_GROUP_ID = 0o2000;
const GROUP = 0o070;
const GROUP_AND_OTHERS = 0o077;

function modeOfNew(all: number, folder: number, umask: number): number {
  const mode = all & ~umask;
  if ((folder & GROUP_AND_OTHERS) === 0) return mode & ~GROUP_AND_OTHERS;
  const isShared = (folder & SET_GROUP_ID) !== 0 && (folder & 0o020) !== 0 && (umask & GROUP) !== GROUP;
  return isShared ? mode | (all & folder & GROUP) : mode;
}
