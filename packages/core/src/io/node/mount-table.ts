/** The mount points of Linux. */

import { readFileSync } from 'node:fs';
import type { DiskPath } from '../../model/names.ts';
import { parseMountTable } from '../mount-table.ts';

const MOUNT_TABLE = '/proc/self/mountinfo';

/** Returns null if the system has no such table. */
export function mountTable(): readonly DiskPath[] | null {
  let table: string;
  try {
    table = readFileSync(MOUNT_TABLE, 'latin1');
  } catch {
    return null;
  }
  return parseMountTable(table).map(({ point }) => point);
}
