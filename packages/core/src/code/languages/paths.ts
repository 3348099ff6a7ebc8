import type { TreePath } from '../../model/names.ts';

/** Joins a folder and a relative path with `.` and `..`; null: it leads out of the workspace. */
export function joined(folder: TreePath, relative: string): TreePath | null {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/') as TreePath;
}
