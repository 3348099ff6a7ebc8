/** The paths that an operation would change, in the form of a diff. */
import { nameKey } from '../data/names.ts';
import { type DiffFile, diffFiles } from '../diff/diff-file.ts';
import type { Preview } from './requests.ts';

type Previewed = Pick<Preview, 'plan' | 'detail'>;

/** Without folders, except for those that change alone. */
export function pathFiles({ plan, detail }: Previewed): readonly DiffFile[] {
  const names = plan.paths.map(({ path }) => nameKey(path));
  const changes = plan.paths
    .filter(({ path, before, after }) => {
      const isFolder = (before ?? after)?.kind === 'folder' && (after ?? before)?.kind === 'folder';
      return !isFolder || !names.some((name) => name.startsWith(`${nameKey(path)}/`));
    })
    .map(({ path, operation, before, after }) => ({ ...UNCOUNTED, path, operation, before, after }));
  return diffFiles(changes, detail?.patch ?? null).map(counted);
}

/** What a preview does not say about a change. */
export const UNCOUNTED = {
  from: null,
  beforeUncaptured: null,
  afterUncaptured: null,
  beforeSize: null,
  afterSize: null,
  added: null,
  removed: null,
} as const;

function counted(file: DiffFile): DiffFile {
  const lines = file.hunks.flatMap((hunk) => hunk.lines);
  if (lines.length === 0) return file;
  const count = (wanted: string): number => lines.filter(({ kind }) => kind === wanted).length;
  return { ...file, change: { ...file.change, added: count('added'), removed: count('removed') } };
}
