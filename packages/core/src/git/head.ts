/** Reads the current branch and commit of a repository from HEAD, loose refs and packed-refs. */
import { type Fs, kindOf } from '../io/fs.ts';
import { type DiskPath, diskChild } from '../model/names.ts';
import { readGitFile, trimTrailing, unusableGitFile } from './file.ts';

export interface Head {
  /** Short name of a branch (`main`, one character per byte), full name of any other ref. Null if detached. */
  readonly branch: string | null;
  /** Hex, 40 or 64 digits. Null if unborn. */
  readonly commit: string | null;
  readonly detached: boolean;
  /** The branch has no commit yet. */
  readonly unborn: boolean;
}

const REF_BYTES = 8 * 1024;
const PACKED_BYTES = 256 * 1024 * 1024;
/** git's own limit on chains of symbolic refs. */
const SYMBOLIC_DEPTH = 5;
const BLANKS = ' \t\n\r\v\f';
const BRANCHES = 'refs/heads/';

/**
 * Reads HEAD and resolves it to a commit. Throws rather than guesses.
 * @param gitDir folder with HEAD and the per-worktree refs
 * @param commonDir folder with all other refs
 * @param idDigits hex digits of an object id
 * @throws UnusableGitFile, FsError if HEAD cannot be read or resolved
 */
export function readHead(fs: Fs, gitDir: DiskPath, commonDir: DiskPath, idDigits: number): Head {
  const head = readRef(fs, gitDir, 'HEAD', idDigits);
  if (head === null) throw unusableGitFile(diskChild(gitDir, 'HEAD'), 'damaged', 'there is no HEAD');
  if ('id' in head) return { branch: null, commit: head.id, detached: true, unborn: false };
  const commit = resolveRef(fs, gitDir, commonDir, head.symbolic, idDigits);
  const branch = head.symbolic.startsWith(BRANCHES) ? head.symbolic.slice(BRANCHES.length) : head.symbolic;
  return { branch, commit, detached: false, unborn: commit === null };
}

/**
 * Returns the commit that a branch points at, or null if the branch does not exist.
 * @throws UnusableGitFile, FsError if the ref cannot be read, or is symbolic
 */
export function readBranch(fs: Fs, commonDir: DiskPath, ref: string, idDigits: number): string | null {
  const found = readRef(fs, commonDir, ref, idDigits) ?? readPacked(fs, commonDir, ref, idDigits);
  if (found === null) return null;
  if ('id' in found) return found.id;
  throw unusableGitFile(diskChild(commonDir, ref), 'unsupported', 'is a symbolic ref to another ref');
}

function resolveRef(fs: Fs, gitDir: DiskPath, commonDir: DiskPath, ref: string, idDigits: number): string | null {
  let name = ref;
  for (let depth = 0; depth < SYMBOLIC_DEPTH; depth++) {
    const folder = /^refs\/(?:worktree|bisect|rewritten)\//.test(name) ? gitDir : commonDir;
    // Loose refs first: git deletes a loose ref only after adding it to packed-refs.
    const found = readRef(fs, folder, name, idDigits) ?? readPacked(fs, commonDir, name, idDigits);
    if (found === null) return null;
    if ('id' in found) return found.id;
    name = found.symbolic;
  }
  throw unusableGitFile(diskChild(gitDir, 'HEAD'), 'damaged', 'too many levels of symbolic refs');
}

type RefValue = { readonly id: string } | { readonly symbolic: string };

function readRef(fs: Fs, folder: DiskPath, name: string, idDigits: number): RefValue | null {
  const path = diskChild(folder, name);
  const stat = fs.lstat(path);
  // A folder holds refs with longer names.
  if (stat === null || (kindOf(stat) === 'folder' && name !== 'HEAD')) return null;
  if (kindOf(stat) === 'link') return symbolicRef(path, fs.readLink(path));
  const text = readGitFile(fs, path, REF_BYTES)?.toString('latin1');
  if (text === undefined) return null;
  const pointer = /^ref:[ \t\n\r\v\f]*/.exec(text);
  if (pointer !== null) return symbolicRef(path, trimTrailing(text.slice(pointer[0].length), BLANKS));
  const id = text.slice(0, idDigits);
  if (!isId(id, idDigits) || !BLANKS.includes(text.charAt(idDigits))) {
    throw unusableGitFile(path, 'damaged', 'neither an object id nor the name of a ref');
  }
  return { id };
}

function symbolicRef(path: DiskPath, name: string): RefValue {
  if (!isRefName(name)) throw unusableGitFile(path, 'damaged', 'points to something that is not a ref');
  return { symbolic: name };
}

/** Lines are `<id> <name>`. Searches for the raw name, so a file with a million refs costs a single search. */
function readPacked(fs: Fs, commonDir: DiskPath, name: string, idDigits: number): RefValue | null {
  const path = diskChild(commonDir, 'packed-refs');
  const bytes = readGitFile(fs, path, PACKED_BYTES);
  if (bytes === null) return null;
  const wanted = Buffer.from(` ${name}`, 'latin1');
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + 1)) {
    const lineStart = at - idDigits;
    const end = at + wanted.length;
    if (lineStart < 0 || (lineStart > 0 && bytes[lineStart - 1] !== 0x0a)) continue;
    if (end < bytes.length && bytes[end] !== 0x0a) continue;
    const id = bytes.toString('latin1', lineStart, at);
    if (!isId(id, idDigits)) throw unusableGitFile(path, 'damaged', 'a line does not begin with an object id');
    return { id };
  }
  return null;
}

function isId(text: string, digits: number): boolean {
  return text.length === digits && /^[0-9a-f]+$/.test(text);
}

/** Checks git's rules for ref names. They exclude `..` and empty components, so the path never leaves its folder. */
function isRefName(name: string): boolean {
  return (
    name.length <= 4096 &&
    name.startsWith('refs/') &&
    !/[\x00-\x20\x7f~^:?*[\\]|\.\.|@\{|\/\/|\/\.|\.lock(?:\/|$)|[./]$/.test(name)
  );
}
