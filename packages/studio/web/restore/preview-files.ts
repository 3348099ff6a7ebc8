/** The files that a restore changes, in the form of a diff. */

import type { Output } from '../api/call.ts';
import { nameKey, shownText } from '../data/names.ts';
import { type DiffFile, diffFiles } from '../diff/diff-file.ts';
import { pathFiles, UNCOUNTED } from '../take-back/path-files.ts';

export type RestorePreview = Output<'restore'>;

/** Also the files in conflict, which can be chosen or left out as any other. */
export function previewFiles(preview: RestorePreview): readonly DiffFile[] {
  const { plan } = preview;
  const conflicts = conflictsAlone(plan).map(({ path, why, sides }): DiffFile => {
    const before = sides?.ours ?? null;
    const after = sides?.theirs ?? null;
    const operation = before === null ? 'create' : after === null ? 'delete' : 'write';
    const [file] = diffFiles([{ ...UNCOUNTED, path, operation, before, after }], null) as [DiffFile];
    return { ...file, notes: [`In conflict: ${shownText(why)}`] };
  });
  return [...pathFiles(preview), ...conflicts];
}

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
