/**
 * The port for entries that a front end keeps in files of the user, for example hooks in the settings of an agent. The
 * engine does not know what they are. It only keeps them, when an operation replaces such a file.
 */

import type { TreePath } from '../model/names.ts';

export interface OwnEntries {
  /** Whether the file at this path may contain such entries. Asked for every path that an operation changes. */
  mayBeIn(path: TreePath): boolean;
  /**
   * Puts the entries of one content into another. Both come from anywhere, so both may be invalid.
   * @param current the content with the entries to keep; null: no file, so there are none
   * @param target the content to change; null: no file; `unusable`: not a file, or too large to be read
   */
  merge(path: TreePath, current: Buffer | null, target: Buffer | null | 'unusable'): MergedEntries;
}

/** Loads the entries on demand, because most calls do not need them. */
export type LoadOwnEntries = () => Promise<OwnEntries>;

export interface MergedEntries {
  /**
   * The target with exactly the entries of `current`; null: no file. `target`: the target as it is. `current`: the file
   * stays as it is, with its permissions.
   */
  readonly content: Buffer | null | 'target' | 'current';
  /** For the preview, after the name of the file, if the content is not that of the target or the entries are lost. */
  readonly note: string | null;
}
