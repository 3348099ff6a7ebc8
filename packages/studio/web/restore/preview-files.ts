/** The files that a restore changes, in the form of a diff. */

import type { Output } from '../api/call.ts';
import { nameKey, shownText } from '../data/names.ts';
import { type DiffFile, diffFiles } from '../diff/diff-file.ts';

export type RestorePreview = Output<'restore'>;

/** Also the files in conflict, which can be chosen or left out as any other. Without folders, except for those that change alone. */
export function previewFiles({ plan, detail }: RestorePreview): readonly DiffFile[] {
  const names = plan.paths.map(({ path }) => nameKey(path));
  const changes = plan.paths
    .filter(({ path, before, after }) => {
      const isFolder = (before ?? after)?.kind === 'folder' && (after ?? before)?.kind === 'folder';
      return !isFolder || !names.some((name) => name.startsWith(`${nameKey(path)}/`));
    })
    .map(({ path, operation, before, after }) => ({ ...UNCOUNTED, path, operation, before, after }));
  const conflicts = conflictsAlone(plan).map(({ path, why, sides }): DiffFile => {
    const before = sides?.ours ?? null;
    const after = sides?.theirs ?? null;
    const operation = before === null ? 'create' : after === null ? 'delete' : 'write';
    const [file] = diffFiles([{ ...UNCOUNTED, path, operation, before, after }], null) as [DiffFile];
    return { ...file, notes: [`In conflict: ${shownText(why)}`] };
  });
  return [...diffFiles(changes, detail?.patch ?? null).map(counted), ...conflicts];
}

const UNCOUNTED = {
  from: null,
  beforeUncaptured: null,
  afterUncaptured: null,
  beforeSize: null,
  afterSize: null,
  added: null,
  removed: null,
} as const;

/**
 * What is restored if some files stay: also folders, unless such a file is in them.
 * @param except the keys of the files that stay
 */
export function chosenPaths({ plan }: RestorePreview, except: ReadonlySet<string>): readonly string[] {
  const left = [...except];
  return [...plan.paths, ...conflictsAlone(plan)]
    .map(({ path }) => nameKey(path))
    .filter((key) => !left.some((one) => one === key || one.startsWith(`${key}/`)));
}

/** The conflicts in paths that the plan does not list otherwise. */
function conflictsAlone({ paths, conflicts }: RestorePreview['plan']): RestorePreview['plan']['conflicts'] {
  const listed = new Set(paths.map(({ path }) => nameKey(path)));
  return conflicts.filter(({ path }) => !listed.has(nameKey(path)));
}

function counted(file: DiffFile): DiffFile {
  const lines = file.hunks.flatMap((hunk) => hunk.lines);
  if (lines.length === 0) return file;
  const count = (wanted: string): number => lines.filter(({ kind }) => kind === wanted).length;
  return { ...file, change: { ...file.change, added: count('added'), removed: count('removed') } };
}
