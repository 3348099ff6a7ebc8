/** Checks everything for which a transaction can be refused, before it changes anything. */

import { foldName, probeFolding } from '../io/folding.ts';
import { kindOf, permissions } from '../io/fs.ts';
import type { Ports } from '../io/ports.ts';
import { checkTreePath } from '../io/safe-path.ts';
import { SavepointError } from '../model/errors.ts';
import { baseName, nameToJson, parentPath, type TreePath } from '../model/names.ts';
import { diskPathAt, type Site, type StagingFolder } from './site.ts';
import { isLeaf, isModeChangeOnly } from './steps.ts';
import type { ClosedFolder, Transition } from './transition.ts';

/** Bytes that must stay free on the disk, for folders and for other programs. */
const SPARE_BYTES = 1024 * 1024;

const LOST = 'the store lacks its content';
const LOST_HINT =
  'Nothing was changed. All other paths can be restored: `savepoint restore CP -- PATHS`. `savepoint repair` looks for what is ' +
  'lost, with `--from BUNDLE` also in a bundle.';

/**
 * @throws SavepointError PATH_REFUSED with every refused path, NAME_COLLISION, NO_SPACE
 */
export function checkTransitions(
  ports: Ports,
  site: Site,
  mountPoints: ReadonlySet<TreePath> | null,
  transitions: readonly Transition[],
): void {
  const refused: { path: TreePath; why: string }[] = [];
  for (const transition of transitions) {
    const { path, from, to } = transition;
    const name = path === '' ? null : checkTreePath(path, ports.platform);
    if (name !== null) refused.push({ path, why: `the name ${name.why}` });
    // A rename cannot replace or remove it.
    if (mountPoints?.has(path) && from !== null && !isModeChangeOnly(transition)) {
      refused.push({ path, why: 'it is a mount point' });
    }
    // D2: old and new contents must be in the store.
    for (const entry of [from, to]) {
      if (isLeaf(entry) && !site.objects.has(entry.id)) refused.push({ path, why: LOST });
    }
  }
  const [first] = refused;
  if (first !== undefined) {
    const isLost = refused.every(({ why }) => why === LOST);
    const paths = refused.length === 1 ? '1 path' : `${refused.length} paths`;
    throw new SavepointError(
      'PATH_REFUSED',
      `${paths} cannot be written: ${isLost && refused.length > 1 ? 'the store lacks their contents' : first.why}.`,
      {
        path: nameToJson(first.path),
        why: first.why,
        paths: refused.map(({ path, why }) => ({ path: nameToJson(path), why })),
      },
      isLost ? { hint: LOST_HINT } : {},
    );
  }
  checkCollisions(ports, site, transitions);
  checkSpace(ports, site, transitions);
}

/** Returns folders that stay, in which something changes, and that their owner cannot currently write or enter. */
export function closedFolders(site: Site, transitions: readonly Transition[]): readonly ClosedFolder[] {
  const parents = new Set<TreePath>();
  for (const transition of transitions) {
    const { path } = transition;
    if (path !== '' && !isModeChangeOnly(transition)) parents.add(parentPath(path));
  }
  const closed: ClosedFolder[] = [];
  for (const path of parents) {
    const disk = diskPathAt(site, path);
    const stat = disk === null ? null : site.fs.lstat(disk);
    if (stat !== null && kindOf(stat) === 'folder' && (stat.mode & 0o700) !== 0o700) {
      closed.push({ path, mode: permissions(stat) });
    }
  }
  return closed;
}

/** Two new names in one folder would overwrite each other if they are the same name on this file system. */
function checkCollisions(ports: Ports, site: Site, transitions: readonly Transition[]): void {
  const created = new Map<string, number[]>();
  for (const [slot, { path, to }] of transitions.entries()) {
    if (to === null || path === '') continue;
    const key = `${parentPath(path)}/${foldName(baseName(path))}`;
    const same = created.get(key);
    if (same === undefined) created.set(key, [slot]);
    else same.push(slot);
  }
  const folds = memoize(({ staged }: StagingFolder): boolean => {
    const { letterCase, normalisation } = probeFolding(ports.fs, ports.random, staged);
    return letterCase || normalisation;
  });
  const suspects = [...created.values()].filter((slots) => slots.length > 1 && folds(stageOf(site, slots[0]!)));
  if (suspects.length === 0) return;
  throw new SavepointError('NAME_COLLISION', 'Several names in the checkpoint are the same name on this file system.', {
    names: suspects.map((slots) => slots.map((slot) => nameToJson(transitions[slot]!.path))),
  });
}

function stageOf({ stages }: Site, slot: number): StagingFolder {
  return stages[slot]!;
}

function memoize<Key, Value>(find: (key: Key) => Value): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const value = known.has(key) ? (known.get(key) as Value) : find(key);
    known.set(key, value);
    return value;
  };
}

function checkSpace(ports: Ports, site: Site, transitions: readonly Transition[]): void {
  const needed = new Map<StagingFolder, number>();
  for (const [slot, transition] of transitions.entries()) {
    const { to } = transition;
    if (to?.kind !== 'file' || isModeChangeOnly(transition)) continue;
    const stage = stageOf(site, slot);
    needed.set(stage, (needed.get(stage) ?? 0) + (site.objects.info(to.id)?.size ?? 0));
  }
  for (const [{ at, staged }, bytes] of needed) {
    const free = ports.fs.freeSpace(staged);
    if (free === null || free >= bytes + SPARE_BYTES) continue;
    throw new SavepointError(
      'NO_SPACE',
      `The files need ${bytes} bytes, another ${SPARE_BYTES} must stay free, and the disk has ${free} left.`,
      {
        path: nameToJson(at),
        code: 'ENOSPC',
        needed: bytes,
        free,
      },
    );
  }
}
