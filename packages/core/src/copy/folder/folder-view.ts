import type { Ports, ProcessIdentity } from '../../io/ports.ts';
import { type DiskPath, onDisk, textFromBytes, WORKSPACE_ITSELF } from '../../model/names.ts';
import type { CopyRecord, OpenCopy } from '../copy.ts';
import { endProcesses } from '../end-processes.ts';
import { COPY_VARIABLE, processesWith } from '../processes-in.ts';
import { treeIn } from './folder-copy.ts';

/** A copy without its record. */
export type CopyView = Omit<OpenCopy, 'record' | 'drop'>;

const NOT_ISOLATED = ['files outside of the copy (also the real folder by its absolute path)', 'the network'];

const LINKED = 'the packages in node_modules that are links: what is written into them changes the real folder';

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

/** The copy whose working folder is `tree/` in `place`. */
export function folderView(
  ports: Ports,
  copy: Pick<CopyRecord, 'id' | 'place' | 'created' | 'hasLinkedPackages'>,
): CopyView {
  const { id, place, hasLinkedPackages } = copy;
  const files = treeIn(place);
  const processes = (): readonly ProcessIdentity[] => processesWith(ports, COPY_VARIABLE, copy);
  return {
    files,
    seenAs: files,
    find: (path) => path,
    access: null,
    notIsolated: hasLinkedPackages ? [...NOT_ISOLATED, LINKED] : NOT_ISOLATED,
    command: ({ file, args, cwd = WORKSPACE_ITSELF, env }) => ({
      file,
      args,
      cwd: onDisk(files, cwd),
      env: { ...withoutRepository(env, place), [COPY_VARIABLE]: id },
    }),
    processes,
    touched: () => null,
    close: async () => void (await endProcesses(ports, processes)),
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
