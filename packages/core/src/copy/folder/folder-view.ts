import { type DiskPath, onDisk, textFromBytes, WORKSPACE_ITSELF } from '../../model/names.ts';
import type { OpenCopy } from '../copy.ts';
import { treeIn } from './folder-copy.ts';

/** A copy without its record. */
export type CopyView = Omit<OpenCopy, 'record' | 'drop'>;

const NOT_ISOLATED = ['the home folder, /tmp, the network, and the real folder under its absolute path'];

/** Git's variables that lead to a repository, as git sets them for its hooks: here they would lead out of the copy. */
const LEADS_TO_REPOSITORY: ReadonlySet<string> = new Set([
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_PREFIX',
]);

/** The copy whose working folder is `tree/` in `place`, without the processes that run in it. */
export function folderView(place: DiskPath): CopyView {
  const files = treeIn(place);
  return {
    files,
    seenAs: files,
    find: (path) => path,
    access: null,
    notIsolated: NOT_ISOLATED,
    command: ({ file, args, cwd = WORKSPACE_ITSELF, env }) => ({
      file,
      args,
      cwd: onDisk(files, cwd),
      env: withoutRepository(env, place),
    }),
    processes: () => [],
    touched: () => null,
    close: async () => undefined,
  };
}

function withoutRepository(env: Readonly<Record<string, string>>, place: DiskPath): Readonly<Record<string, string>> {
  const kept = Object.entries(env).filter(([name]) => !LEADS_TO_REPOSITORY.has(name));
  // Without this, git in a copy that has no repository would use one around Savepoint's home.
  const ceiling = textFromBytes(place);
  const above = env['GIT_CEILING_DIRECTORIES'];
  const ceilings = [ceiling, above].filter((one) => one !== null && one !== undefined && one !== '');
  return { ...Object.fromEntries(kept), ...(ceiling === null ? {} : { GIT_CEILING_DIRECTORIES: ceilings.join(':') }) };
}
