/** Everything about a transaction that can be refused before anything is touched. */

import { foldName, probeFolding } from '../io/folding.ts';
import { kindOf, permissions } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { checkTreePath } from '../io/safe-path.ts';
import { SavepointError } from '../model/errors.ts';
import type { ObjectId } from '../model/ids.ts';
import { type DiskPath, lastName, nameToJson, parentPath, type TreePath } from '../model/names.ts';
import { type Site, where } from './site.ts';
import { isLeaf, onlyMode } from './steps.ts';
import type { ClosedFolder, Transition } from './transition.ts';

/** Room that must stay on the disk for folders and for others' work, bytes. */
const SPARE_BYTES = 1024 * 1024;

/**
 * @throws SavepointError PATH_REFUSED with every refused path, NAME_COLLISION, NO_SPACE
 */
export function checkTransitions(ports: Ports, site: Site, transitions: readonly Transition[]): void {
  const refused: { path: TreePath; why: string }[] = [];
  for (const { path, from, to } of transitions) {
    const name = path === '' ? null : checkTreePath(path, ports.platform);
    if (name !== null) refused.push({ path, why: `the name ${name.why}` });
    // D2: what goes and what comes must be in the store.
    for (const entry of [from, to]) {
      if (isLeaf(entry) && !site.objects.has(entry.id)) refused.push({ path, why: 'its content is not in the store' });
    }
  }
  if (refused.length > 0) {
    const first = refused[0] as { path: TreePath; why: string };
    throw new SavepointError('PATH_REFUSED', `${refused.length} path(s) cannot be written: ${first.why}.`, {
      path: nameToJson(first.path),
      why: first.why,
      paths: refused.map(({ path, why }) => ({ path: nameToJson(path), why })),
    });
  }
  checkCollisions(ports, site, transitions);
  checkSpace(ports, site, transitions);
}

/** Two names that come into one folder and are one name on this file system would overwrite each other. */
function checkCollisions(ports: Ports, site: Site, transitions: readonly Transition[]): void {
  const coming = new Map<string, TreePath[]>();
  for (const { path, to } of transitions) {
    if (to === null || path === '') continue;
    const key = `${parentPath(path)}/${foldName(lastName(path))}`;
    const same = coming.get(key);
    if (same === undefined) coming.set(key, [path]);
    else same.push(path);
  }
  const suspects = [...coming.values()].filter((paths) => paths.length > 1);
  if (suspects.length === 0) return;
  const folding = probeFolding(ports.fs, ports.random, site.staged);
  if (!folding.letterCase && !folding.normalisation) return;
  throw new SavepointError('NAME_COLLISION', 'Names of the checkpoint are one and the same on this file system.', {
    names: suspects.map((paths) => paths.map(nameToJson)),
  });
}

function checkSpace(ports: Ports, site: Site, transitions: readonly Transition[]): void {
  let bytes = 0;
  for (const { from, to } of transitions) {
    if (to?.kind === 'file' && !onlyMode(from, to)) bytes += site.objects.info(to.id as ObjectId)?.size ?? 0;
  }
  const free = ports.fs.freeSpace(site.staged);
  if (free !== null && free < bytes + SPARE_BYTES) {
    throw new SavepointError('NO_SPACE', `The files need ${bytes} bytes and the disk has ${free} left.`, {
      path: nameToJson('' as DiskPath),
      code: 'ENOSPC',
      needed: bytes,
      free,
    });
  }
}

/** Folders that stay, in which something changes, and that their owner cannot write or enter as they are. */
export function closedFolders(site: Site, transitions: readonly Transition[]): readonly ClosedFolder[] {
  const parents = new Set<TreePath>();
  for (const { path, from, to } of transitions) if (path !== '' && !onlyMode(from, to)) parents.add(parentPath(path));
  const closed: ClosedFolder[] = [];
  for (const path of parents) {
    const disk = where(site, path);
    const stat = disk === null ? null : site.fs.lstat(disk);
    if (stat !== null && kindOf(stat) === 'folder' && (stat.mode & 0o700) !== 0o700) {
      closed.push({ path, mode: permissions(stat) });
    }
  }
  return closed;
}
