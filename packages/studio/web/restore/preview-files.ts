/** The files that a restore changes, in the form of a diff. */

import type { Output } from '../api/call.ts';
import { nameKey } from '../data/names.ts';
import { type DiffFile, diffFiles } from '../diff/diff-file.ts';

export type RestorePreview = Output<'restore'>;

/** Without folders, except for those that change alone. */
export function previewFiles({ plan, detail }: RestorePreview): readonly DiffFile[] {
  const names = plan.paths.map(({ path }) => nameKey(path));
  const changes = plan.paths
    .filter(({ path, before, after }) => {
      const isFolder = (before ?? after)?.kind === 'folder' && (after ?? before)?.kind === 'folder';
      return !isFolder || !names.some((name) => name.startsWith(`${nameKey(path)}/`));
    })
    .map(({ path, operation, before, after }) => ({
      path,
      operation,
      before,
      after,
      from: null,
      beforeUncaptured: null,
      afterUncaptured: null,
      beforeSize: null,
      afterSize: null,
      added: null,
      removed: null,
    }));
  return diffFiles(changes, detail?.patch ?? null).map(counted);
}

/**
 * What is restored if some files stay: also folders, unless such a file is in them.
 * @param except the keys of the files that stay
 */
export function chosenPaths({ plan }: RestorePreview, except: ReadonlySet<string>): readonly string[] {
  const left = [...except];
  return plan.paths
    .map(({ path }) => nameKey(path))
    .filter((key) => !left.some((one) => one === key || one.startsWith(`${key}/`)));
}

function counted(file: DiffFile): DiffFile {
  const lines = file.hunks.flatMap((hunk) => hunk.lines);
  if (lines.length === 0) return file;
  const count = (wanted: string): number => lines.filter(({ kind }) => kind === wanted).length;
  return { ...file, change: { ...file.change, added: count('added'), removed: count('removed') } };
}
