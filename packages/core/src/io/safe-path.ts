import { textFromBytes } from '../model/names.ts';
import type { Ports } from './ports.ts';

type Platform = Ports['platform'];

/** Why a name is refused; reads as the end of the sentence "the name …". */
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
/** Bytes; Linux's PATH_MAX. As every component takes two of them, this bounds the depth, too. */
const MAX_PATH_BYTES = 4096;

/** Nothing to look at more closely: ASCII, no dot or `g` first, no backslash. Nearly all names, so this comes first. */
const PLAIN_NAME = /^[!-\-0-FH-[\]-fh-~][ -.0-[\]-~]{0,254}$/;

/**
 * What git takes for `.git` because NTFS does: short names, dots and spaces at the end, streams. Git on Linux refuses
 * them, too (core.protectNTFS), so a tree that has one cannot be used with git anywhere.
 */
const DOT_GIT = /^(?:\.git|git~[0-9]+)[. ]*(?::|$)/i;
/** Characters that HFS+ passes over when it compares names. */
export const IGNORED_BY_HFS = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

const FORBIDDEN_ON_WINDOWS = /[\x00-\x1f"*:<>?|\\]/;
const WINDOWS_DEVICE = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)$/i;

/**
 * Whether a name may stand in a checkpoint and on this machine's disk: null, or why it is refused. The same rules hold
 * for capture, import and restore. Ask for `win32` to learn whether a name is portable.
 */
export function checkName(name: string, platform: Platform): NameRefusal | null {
  if (platform === 'linux' && PLAIN_NAME.test(name)) return null;
  if (name === '') return 'is empty';
  if (name === '.' || name === '..') return 'is . or ..';
  if (/[/\0]/.test(name)) return 'contains a slash or a NUL';
  const text = textFromBytes(name);
  if (platform !== 'linux' && text === null) return 'is not UTF-8, which this platform requires';
  // Linux counts bytes, the others UTF-16 units.
  if ((platform === 'linux' ? name : (text ?? name)).length > MAX_NAME_LENGTH) return 'is too long';
  if (meansDotGit(name, text)) return 'is equivalent to .git for git or some file systems';
  return platform === 'win32' ? checkWindowsName(text ?? name) : null;
}

export interface PathRefusal {
  /** The component that is refused; the whole path where it is too long. */
  readonly component: string;
  readonly why: NameRefusal;
}

/** {@link checkName} for every component of a path inside a workspace; `''` is the workspace itself and fine. */
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
  // A backslash separates components where NTFS is, so every part of the name may become a component.
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
