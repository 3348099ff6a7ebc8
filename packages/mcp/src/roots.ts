/** The folder that the tools work in. It comes from the command line or from the client, never from a model. */
import { fileURLToPath } from 'node:url';
import {
  bytesFromText,
  type DiskPath,
  type ErrorData,
  nameToJson,
  SavepointError,
  showName,
  type WorkspaceCache,
} from '@savepoint/core';
import type { Exporter, SettingsSource } from '@savepoint/core/frontend';
import { isFsError, kindOf, type LoadOwnEntries, type Places, type Ports } from '@savepoint/core/ports';

/** How the server opens workspaces on this machine: options of `open`. */
export interface Machine {
  readonly ports: Ports;
  readonly places: Places;
  readonly settings: SettingsSource;
  readonly exporter?: Exporter;
  readonly ownEntries?: LoadOwnEntries;
  /** State that is kept between calls. */
  readonly watch: WorkspaceCache;
}

/** Whether an agent, by the name of its client, runs its commands in a sandbox, in which this server does not run. */
export type SandboxesShell = (client: string) => Promise<boolean>;

const MAX_ROOTS = 100;
const MAX_URI_LENGTH = 32_768;

const HINT =
  "Start the server with `savepoint mcp --root DIR`, where DIR is the project's folder, or let the client offer it " +
  'as a root. Tools do not take a folder as an argument.';

/**
 * Returns the first usable folder.
 * @throws SavepointError USAGE if there is no folder, ROOT_REFUSED if none is usable
 */
export function chooseRoot(machine: Machine, folders: readonly DiskPath[]): DiskPath {
  let firstProblem: SavepointError | null = null;
  for (const folder of folders) {
    const problem = problemOf(machine, folder);
    if (problem === null) return folder;
    firstProblem ??= problem;
  }
  throw (
    firstProblem ??
    new SavepointError(
      'USAGE',
      'This server has no folder to work in.',
      { argument: '--root' },
      { hint: `Nothing was changed. ${HINT}` },
    )
  );
}

/** Returns the first usable folder; null if there is none. */
export function usableRoot(machine: Machine, folders: readonly DiskPath[]): DiskPath | null {
  return folders.find((folder) => problemOf(machine, folder) === null) ?? null;
}

/** Returns the folders among the roots of a client. Roots that are not local folders are skipped. */
export function foldersOfRoots(answer: unknown): readonly DiskPath[] {
  const roots = (answer as { readonly roots?: unknown } | null | undefined)?.roots;
  if (!Array.isArray(roots)) return [];
  return roots.slice(0, MAX_ROOTS).flatMap((root: { readonly uri?: unknown } | null) => {
    const path = pathOfUri(root?.uri);
    return path === null ? [] : [path];
  });
}

/** Returns why tools must not work in a folder; null if they may. */
function problemOf({ ports, places }: Machine, folder: DiskPath): SavepointError | null {
  let real: DiskPath;
  try {
    real = ports.fs.realpath(folder);
    const stat = ports.fs.lstat(real);
    if (stat === null || kindOf(stat) !== 'folder') return rootRefused(folder, 'not-a-folder', 'is not a folder');
  } catch (error) {
    if (isFsError(error, 'ENOENT') || isFsError(error, 'ENOTDIR'))
      return rootRefused(folder, 'not-a-folder', 'does not exist');
    throw error;
  }
  if (/^(?:\/|[A-Za-z]:[\\/]?)$/.test(real)) {
    return rootRefused(folder, 'filesystem-root', 'is the root of the file system');
  }
  const home = places.userHome === null ? null : realHome(ports, places.userHome);
  if (home === real) return rootRefused(folder, 'home', 'is a home folder');
  if (home?.startsWith(`${real}/`) || home?.startsWith(`${real}\\`))
    return rootRefused(folder, 'home', 'contains a home folder');
  return null;
}

function realHome(ports: Ports, home: DiskPath): DiskPath {
  try {
    return ports.fs.realpath(home);
  } catch {
    return home;
  }
}

function rootRefused(folder: DiskPath, why: ErrorData<'ROOT_REFUSED'>['why'], text: string): SavepointError {
  return new SavepointError(
    'ROOT_REFUSED',
    `${showName(folder)} ${text} and cannot be used as a workspace.`,
    { folder: nameToJson(folder), why },
    { hint: HINT },
  );
}

function pathOfUri(uri: unknown): DiskPath | null {
  if (typeof uri !== 'string' || uri.length > MAX_URI_LENGTH) return null;
  try {
    const path = fileURLToPath(uri);
    if (path.includes('\0')) return null;
    // Removes slashes at the end, but not those of `/` and `C:/`.
    return bytesFromText(path.replace(/(?<=[^:/\\])[/\\]+$/, '')) as DiskPath;
  } catch {
    return null;
  }
}
