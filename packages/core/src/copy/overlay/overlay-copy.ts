import { showName } from '../../content/show-name.ts';
import type { Ports, ProcessIdentity } from '../../io/ports.ts';
import { type DiskPath, diskChild, onDisk, type TreePath } from '../../model/names.ts';
import { PathSet } from '../../model/path-set.ts';
import type { OpenCopy } from '../copy.ts';
import { type OverlayRequest, sourceOf } from './launch.ts';
import { openOverlay } from './open-overlay.ts';
import type { OuterRepository } from './outer-repositories.ts';
import { type Overlay, useOverlay } from './overlay.ts';
import { findTools } from './tools.ts';
import { touchedPaths } from './touched.ts';

/** All of a copy but its record, which its maker writes, and the removal of its files. */
export type OverlayCopy = Omit<OpenCopy, 'record' | 'drop'> & { readonly holder: ProcessIdentity };

const NOT_ISOLATED = ['files outside of the folder', 'the network', 'services of this machine'] as const;

/**
 * Makes a copy that is an overlay, if that works here.
 * @param copies the folder of all copies
 * @returns or why it does not, for display
 */
export async function openOverlayCopy(
  ports: Ports,
  searchPath: string,
  copies: DiskPath,
  request: OverlayRequest,
): Promise<OverlayCopy | { readonly why: string }> {
  const opened = await openOverlay(ports, searchPath, copies, request);
  if ('why' in opened) return opened;
  return copyOf(ports, opened.overlay, request, [...NOT_ISOLATED, ...opened.notes]);
}

/**
 * Uses a copy that another process has opened and that is still mounted.
 * @returns null if it is not mounted anymore; `openOverlayCopy` with the same place then mounts what it contains
 */
export function reopenOverlayCopy(
  ports: Ports,
  searchPath: string,
  request: OverlayRequest,
  holder: ProcessIdentity,
): OverlayCopy | null {
  const tools = findTools(ports, searchPath, request.root);
  if (ports.processes.state(holder) !== 'alive' || 'missing' in tools) return null;
  const overlay = useOverlay(ports, tools, { source: sourceOf(request), root: request.root, holder, held: null });
  return copyOf(ports, overlay, request, NOT_ISOLATED);
}

function copyOf(
  ports: Ports,
  overlay: Overlay,
  { root, place, layers = [], repositories = [], access = null, alone }: OverlayRequest,
  notIsolated: readonly string[],
): OverlayCopy {
  const { holder, files, enter, processes, close } = overlay;
  const folders = {
    upper: diskChild(place, 'upper'),
    lower: alone === undefined ? [...layers, root] : layers,
    merged: files,
  };
  return {
    holder,
    files,
    seenAs: root,
    access,
    notIsolated: [...notIsolated, ...repositoryNotes(repositories)],
    // The working folder is one that no overlay covers: a process keeps the one it was started in.
    find: (path) => onDisk(`/proc/${holder.pid}/root` as DiskPath, path.slice(1) as string as TreePath),
    command: ({ file, args, cwd = '' as TreePath, env }) => ({
      ...enter(onDisk(root, cwd), { file, args }),
      cwd: '/' as DiskPath,
      env,
    }),
    processes,
    touched: () => (access === null ? touchedPaths(ports.fs, folders) : PathSet.EMPTY),
    close,
  };
}

function repositoryNotes(repositories: readonly OuterRepository[]): readonly string[] {
  return repositories
    .filter(({ access }) => access === 'read')
    .map(
      ({ path }) =>
        `files beside the workspace in its repository, ${showName(path)}, which git in the copy neither finds nor changes`,
    );
}
