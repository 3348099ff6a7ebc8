import { textFromBytes } from '../model/names.ts';
import type { Ports } from './ports.ts';

type Platform = Ports['platform'];

/** Why a name is refused. Completes the sentence "the name …". */
export type NameRefusal =
  | 'is empty'
  | 'is . or ..'
  | 'contains a slash or a NUL'
  | 'is too long'
  | 'is equivalent to .git for git or some file systems'
  | 'is not UTF-8, which this platform requires'
  | 'has a character that Windows does not allow'
  | 'ends in a dot or a space, which Windows drops'
  | 'is the name of a device on Windows';

const MAX_NAME_LENGTH = 255;
/** In bytes; PATH_MAX on Linux. As every component takes at least two bytes, this limits the depth, too. */
const MAX_PATH_BYTES = 4096;

/** Names that need no other check: ASCII, no dot or `g` first, no backslash. Nearly all names match this. */
const PLAIN_NAME = /^[!-\-0-FH-[\]-fh-~][ -.0-[\]-~]{0,254}$/;

/**
 * Names that git treats as `.git` because of NTFS: short names, trailing dots and spaces, streams. Git on Linux refuses
 * them, too (core.protectNTFS), so no git can use a tree with such a name.
 */
const DOT_GIT = /^(?:\.git|git~[0-9]+)[. ]*(?::|$)/i;
/** Characters that HFS+ ignores when it compares names. */
export const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

const FORBIDDEN_ON_WINDOWS = /[\x00-\x1f"*:<>?|\\]/;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)$/i;

/**
 * Checks whether a name is allowed in a checkpoint and on this machine's disk. Capture, import and restore use the same
 * rules. With `win32`, checks whether a name is portable.
 * @returns null, or why the name is refused
 */
export function checkName(name: string, platform: Platform): NameRefusal | null {
  if (platform === 'linux' && PLAIN_NAME.test(name)) return null;
  if (name === '') return 'is empty';
  if (name === '.' || name === '..') return 'is . or ..';
  if (/[/\0]/.test(name)) return 'contains a slash or a NUL';
  const text = textFromBytes(name);
  if (platform !== 'linux' && text === null) return 'is not UTF-8, which this platform requires';
  // Linux counts bytes, other platforms UTF-16 units.
  if ((platform === 'linux' ? name : (text ?? name)).length > MAX_NAME_LENGTH) return 'is too long';
  if (meansDotGit(name, text)) return 'is equivalent to .git for git or some file systems';
  return platform === 'win32' ? checkWindowsName(text ?? name) : null;
}

export interface PathRefusal {
  /** The refused component; the whole path if that is too long. */
  readonly component: string;
  readonly why: NameRefusal;
}

/** Calls {@link checkName} for every component of a path in a workspace; `''`, the workspace itself, is valid. */
export function checkTreePath(path: string, platform: Platform): PathRefusal | null {
  if (path === '') return null;
  if (path.length > MAX_PATH_BYTES) return { component: path, why: 'is too long' };
  for (const component of path.split('/')) {
    const why = checkName(component, platform);
    if (why !== null) return { component, why };
  }
  return null;
}

function meansDotGit(name: string, text: string | null): boolean {
  // NTFS treats a backslash as a separator, so every part of the name may become a component.
  if (name.split('\\').some((part) => DOT_GIT.test(part))) return true;
  if (text === null || text === name) return false;
  const seen = text.replace(IGNORED_BY_HFS, '').normalize('NFKC');
  return seen.split('\\').some((part) => DOT_GIT.test(part));
}

function checkWindowsName(text: string): NameRefusal | null {
  if (FORBIDDEN_ON_WINDOWS.test(text)) return 'has a character that Windows does not allow';
  if (/[. ]$/.test(text)) return 'ends in a dot or a space, which Windows drops';
  const stem = text.replace(/\..*$/s, '').trimEnd();
  return WINDOWS_DEVICE.test(stem) ? 'is the name of a device on Windows' : null;
}
