/**
 * Absolute links into the real folder lead into the copy instead, and back again when the copy's links are captured.
 * Otherwise a command in the copy would write into the real folder through them.
 */

import type { DiskPath } from '../../model/names.ts';

/** @param target as readlink returns it, one character per byte */
export function linkTargetInCopy(target: string, root: DiskPath, files: DiskPath): string {
  return moved(target, root, files);
}

/** The inverse: what the link means in the real folder. */
export function linkTargetInWorkspace(target: string, root: DiskPath, files: DiskPath): string {
  return moved(target, files, root);
}

function moved(target: string, from: DiskPath, to: DiskPath): string {
  const isInside = target === from || target.startsWith(`${from}/`);
  return isInside ? `${to}${target.slice(from.length)}` : target;
}
