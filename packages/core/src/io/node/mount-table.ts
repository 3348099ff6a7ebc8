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
    return point === undefined ? [] : [point.replace(/\\([0-7]{3})/g, (_, octal) => fromOctal(octal)) as DiskPath];
  });
}

function fromOctal(digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 8));
}
