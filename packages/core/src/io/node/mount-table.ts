/** The mount points of Linux. */

import { readFileSync } from 'node:fs';
import type { DiskPath } from '../../model/names.ts';

/** proc(5): the fifth field of each line is the mount point, with blanks and the like escaped in octal. */
const MOUNT_TABLE = '/proc/self/mountinfo';
const MOUNT_POINT = 4;

/** Returns null if the system has no such table. */
export function mountTable(): readonly DiskPath[] | null {
  let table: string;
  try {
    table = readFileSync(MOUNT_TABLE, 'latin1');
  } catch {
    return null;
  }
  return table.split('\n').flatMap((line) => {
    const point = line.split(' ')[MOUNT_POINT];
    return point === undefined ? [] : [unescapeMountField(point) as DiskPath];
  });
}

/** @returns one character per byte */
export function unescapeMountField(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
}
