/** Where, on the way to what a transaction changes, another file system begins. */

import { kindOf, type Stat } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { type DiskPath, isWithin, onDisk, parentPath, type TreePath } from '../model/names.ts';
import { identityOf, stillSameFolder } from '../store/folder-identity.ts';
import type { Journal, Mount, Transition } from './transition.ts';

/** Paths inside the workspace at which something is mounted, a single file perhaps; null where the platform does not tell. */
export function mountPointsIn(ports: Ports, root: DiskPath): ReadonlySet<TreePath> | null {
  const above = root === '/' ? '/' : `${root}/`;
  const inside = ports.fs.mountPoints()?.filter((point) => point.startsWith(above));
  return inside === undefined ? null : new Set(inside.map((point) => point.slice(above.length) as TreePath));
}

/** The mounts that something is to be changed in, in byte order. */
export function affectedMounts(
  ports: Ports,
  root: DiskPath,
  points: ReadonlySet<TreePath> | null,
  transitions: readonly Transition[],
): readonly Mount[] {
  if (points?.size === 0) return [];
  const holding = new Set<TreePath>();
  for (const { path } of transitions) {
    for (let at = parentPath(path); at !== '' && !holding.has(at); at = parentPath(at)) holding.add(at);
  }
  const found = points === null ? byDevice(ports, root, holding) : [...points].filter((path) => holding.has(path));
  return found.sort().flatMap((path): Mount[] => {
    const stat = folderAt(ports, root, path);
    return stat === null ? [] : [{ path, identity: identityOf(stat) }];
  });
}

/** Those that are not there any more, or in whose place another folder is. */
export function missingMounts(ports: Ports, { root, mounts }: Journal): readonly Mount[] {
  return mounts.filter(({ path, identity }) => {
    const stat = folderAt(ports, root, path);
    return stat === null || !stillSameFolder(identity, identityOf(stat));
  });
}

/** Whether what is at the path is mounted there. */
export function isMounted(ports: Ports, root: DiskPath, path: TreePath): boolean {
  const points = mountPointsIn(ports, root);
  if (points !== null) return points.has(path);
  const stat = folderAt(ports, root, path);
  return stat !== null && stat.dev !== folderAt(ports, root, parentPath(path))?.dev;
}

export function isInMount(path: TreePath, mounts: readonly Mount[]): boolean {
  return mounts.some((mount) => isWithin(path, mount.path));
}

function byDevice(ports: Ports, root: DiskPath, holding: ReadonlySet<TreePath>): TreePath[] {
  const devices = new Map<TreePath, number | null>();
  const deviceOf = (path: TreePath): number | null => {
    if (!devices.has(path)) devices.set(path, folderAt(ports, root, path)?.dev ?? null);
    return devices.get(path) ?? null;
  };
  return [...holding].filter((path) => deviceOf(path) !== null && deviceOf(path) !== deviceOf(parentPath(path)));
}

function folderAt({ fs }: Ports, root: DiskPath, path: TreePath): Stat | null {
  const stat = fs.lstat(onDisk(root, path));
  return stat !== null && kindOf(stat) === 'folder' ? stat : null;
}
