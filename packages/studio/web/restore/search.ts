/** What is restored, as the address of the view says. */

import type { Input } from '../api/call.ts';
import { nameFromKey } from '../data/names.ts';
import { searchTexts } from '../data/search-texts.ts';

export interface RestoreSearch {
  /** A checkpoint, as the commands name it. */
  readonly to?: string;
  /** Absent: only the files. */
  readonly what?: 'both' | 'conversation';
  /** The session whose conversation goes back. */
  readonly session?: string;
  /** Only this repository; `.` is the folder of the workspace. */
  readonly root?: string;
  readonly mode?: 'exact' | 'keep-outside';
  /** Also branch, HEAD and index. */
  readonly git?: 'yes';
  /** The files that stay. */
  readonly except?: readonly string[];
  /** The file to begin with. */
  readonly file?: string;
}

export function restoreSearch(given: Readonly<Record<string, unknown>>): RestoreSearch {
  const { what, mode, git, except } = given;
  const stays = Array.isArray(except) ? except.filter((one) => typeof one === 'string') : [];
  return {
    ...searchTexts(given, ['to', 'session', 'root', 'file']),
    ...(what === 'both' || what === 'conversation' ? { what } : {}),
    ...(mode === 'exact' || mode === 'keep-outside' ? { mode } : {}),
    ...(git === 'yes' ? { git } : {}),
    ...(stays.length > 0 ? { except: stays } : {}),
  };
}

/** @param chosen the keys of the files that are restored; null: all */
export function restoreInput(
  { to = 'last', what, session, root, mode, git }: RestoreSearch,
  chosen: readonly string[] | null,
): Input<'restore'> {
  if (what === 'conversation') {
    return { checkpoint: to, conversation: 'only', ...(session === undefined ? {} : { session }) };
  }
  const part =
    chosen !== null
      ? { paths: chosen.map(nameFromKey) }
      : root === undefined
        ? { all: true }
        : { root: nameFromKey(root) };
  return {
    checkpoint: to,
    ...part,
    ...(mode === undefined ? {} : { mode }),
    ...(git === undefined ? {} : { git: true }),
    ...(what === 'both' ? { conversation: true } : {}),
    ...(what === 'both' && session !== undefined ? { session } : {}),
  };
}
