/**
 * Lists the folder structure of a root, to orient people and models. Ignored files and dependency folders are omitted.
 */
import { FsError, kindOf } from '../../io/fs.ts';
import type { Ports } from '../../io/ports.ts';
import { childPath, type DiskPath, type Name, onDisk, type TreePath } from '../../model/names.ts';
import { dependencySkip } from '../rules/capture-rules.ts';
import { enterFolder } from '../scan/position.ts';
import type { SurveyedRoot } from './survey.ts';

export interface StructureLine {
  /** 0 for the root's direct children. */
  readonly depth: number;
  readonly name: Name;
  /** `root`: a nested root, not descended into. `more`: `count` names were omitted; `name` is ''. */
  readonly kind: 'file' | 'folder' | 'root' | 'unreadable' | 'more';
  readonly count?: number;
}

const MAX_NAMES = 40;
const MAX_LINES = 1_000;

/**
 * @param folder the workspace's folder
 * @param root the root to list
 * @param depth number of levels: 1 lists only the root's direct children
 * @param isRoot whether a folder is itself a root
 */
export function structureOf(
  { fs }: Ports,
  folder: DiskPath,
  { root, position }: SurveyedRoot,
  depth: number,
  isRoot: (path: TreePath) => boolean,
): readonly StructureLine[] {
  const lines: StructureLine[] = [];
  const visit = (path: TreePath, at: typeof position, level: number): void => {
    const names = listOrNull(fs, onDisk(folder, path));
    if (names === null) {
      lines.push({ depth: level, name: '' as Name, kind: 'unreadable' });
      return;
    }
    let shown = 0;
    for (const [place, name] of names.entries()) {
      if (shown >= MAX_NAMES || lines.length >= MAX_LINES) {
        lines.push({ depth: level, name: '' as Name, kind: 'more', count: names.length - place });
        return;
      }
      const child = childPath(path, name);
      const kind = kindAt(fs, onDisk(folder, child));
      if (name === '.git' || kind === null) continue;
      const nested = kind === 'folder' && isRoot(child);
      const ignored =
        at.chain.isIgnored(name, kind === 'folder') && !at.tracked.hasBelow(child) && !at.tracked.has(child);
      if (!nested && (ignored || isDependency(fs, folder, child, kind))) continue;
      shown += 1;
      lines.push({ depth: level, name, kind: nested ? 'root' : kind });
      if (kind !== 'folder' || nested || level + 1 >= depth) continue;
      const disk = onDisk(folder, child);
      const inside = { path: child, disk, names: listOrNull(fs, disk) ?? [], isChosen: false };
      visit(child, enterFolder(fs, at, inside).position, level + 1);
    }
  };
  visit(root.path, position, 0);
  return lines;
}

function isDependency(fs: Ports['fs'], folder: DiskPath, path: TreePath, kind: 'file' | 'folder'): boolean {
  return kind === 'folder' && dependencySkip(fs, path, onDisk(folder, path), null, false) !== null;
}

/** Null if nothing exists at the path. Anything that is not a folder counts as a file. */
function kindAt(fs: Ports['fs'], disk: DiskPath): 'file' | 'folder' | null {
  try {
    const stat = fs.lstat(disk);
    return stat === null ? null : kindOf(stat) === 'folder' ? 'folder' : 'file';
  } catch (error) {
    if (error instanceof FsError) return 'file';
    throw error;
  }
}

function listOrNull(fs: Ports['fs'], disk: DiskPath): Name[] | null {
  try {
    return fs.list(disk).sort();
  } catch (error) {
    if (error instanceof FsError) return null;
    throw error;
  }
}
