/** Finds mounts on the way to what a transaction changes. */

import { kindOf, type Stat } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { type DiskPath, isWithin, onDisk, parentPath, type TreePath } from '../model/names.ts';
import { identityOf, stillSameFolder } from '../store/folder-identity.ts';
import type { Journal, Mount, Transition } from './transition.ts';

/** Returns the paths inside the workspace at which something is mounted, possibly a single file; null if unknown. */
export function mountPointsIn(ports: Ports, root: DiskPath): ReadonlySet<TreePath> | null {
  const above = root === '/' ? '/' : `${root}/`;
  const inside = ports.fs.mountPoints()?.filter((point) => point.startsWith(above));
  return inside === undefined ? null : new Set(inside.map((point) => point.slice(above.length) as TreePath));
}

/** Returns the mounts in which something changes, in byte order. */
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

/** Returns the mounts that are gone or replaced by another folder. */
export function missingMounts(ports: Ports, { root, mounts }: Journal): readonly Mount[] {
  return mounts.filter(({ path, identity }) => {
    const stat = folderAt(ports, root, path);
    return stat === null || !stillSameFolder(identity, identityOf(stat));
  });
}

/** Returns whether something is mounted at the path. */
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
