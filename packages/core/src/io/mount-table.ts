/** Reads the mount table of Linux: proc(5), /proc/self/mountinfo. Paths have one character per byte. */

import type { DiskPath } from '../model/names.ts';

export interface Mount {
  /** Of the file system: `major:minor`. */
  readonly device: string;
  /** The folder or file of the file system that is mounted. */
  readonly top: DiskPath;
  /** Where it is mounted. */
  readonly point: DiskPath;
}

/** In the order in which they were mounted: a later one may cover earlier ones. */
export function parseMountTable(table: string): readonly Mount[] {
  return table.split('\n').flatMap((line) => {
    const [, , device, top, point] = line.split(' ');
    if (device === undefined || top === undefined || point === undefined) return [];
    return [{ device, top: unescapeMountField(top) as DiskPath, point: unescapeMountField(point) as DiskPath }];
  });
}

/** Blanks and the like are escaped in octal. */
export function unescapeMountField(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, octal) => String.fromCharCode(Number.parseInt(octal, 8)));
}
