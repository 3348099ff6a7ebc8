/** The files of commands of an installation. A repository may contain something else under their names. */

import { lstatSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { type PlainFile, readPlainFile } from './plain-file.ts';

/** A file of ours, and what is there under its name. */
export interface FoundCommand {
  readonly path: string;
  /** Its content as `install` writes it. */
  readonly content: string;
  readonly found: PlainFile;
}

/**
 * @param files below the folder
 * @param project the folder that must contain the files; null if they may be anywhere
 */
export function findCommands(
  folder: string,
  files: readonly { readonly name: string; readonly content: string }[],
  project: string | null,
): readonly FoundCommand[] {
  return files.map(({ name, content }) => {
    const path = join(folder, ...name.split('/'));
    return { path, content, found: findFile(path, project) };
  });
}

function findFile(path: string, project: string | null): PlainFile {
  try {
    const why = project === null ? null : whyOutside(project, dirname(path));
    return why === null ? readPlainFile(path, { followsLinks: false }) : { kind: 'other', why };
  } catch (error) {
    return { kind: 'other', why: `it cannot be read (${(error as NodeJS.ErrnoException).code ?? 'EIO'})` };
  }
}

/** Says why a file in the folder would not be in the project; null if it would be. */
function whyOutside(project: string, folder: string): string | null {
  for (let at = folder; at !== project && at !== dirname(at); at = dirname(at)) {
    if (!isThere(at)) continue;
    const [real, root] = [realOf(at), realOf(project)];
    if (real === null) return 'its folder is a link to nothing';
    return root !== null && `${real}${sep}`.startsWith(`${root}${sep}`)
      ? null
      : 'its folder is a link that leads out of the project';
  }
  return null;
}

function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}

/** @returns null for a link to nothing, or to itself */
function realOf(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return null;
    throw error;
  }
}
