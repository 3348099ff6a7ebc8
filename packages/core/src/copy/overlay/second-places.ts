/**
 * Finds where folders that an overlay covers can be reached as well, because their file system, or a part of it, is mounted
 * a second time. Through such a place, commands in the overlay would change the real files.
 */

import { readEntireFile } from '../../io/durable-write.ts';
import { type Fs, FsError } from '../../io/fs.ts';
import { type Mount, parseMountTable } from '../../io/mount-table.ts';
import { type DiskPath, isInside } from '../../model/names.ts';

export interface SecondPlace {
  /** A covered folder, or what is in it. */
  readonly covered: DiskPath;
  /** Another path of the same folder or file. */
  readonly place: DiskPath;
}

/**
 * @param folders resolved: there are no links on their way
 * @returns outer places first, which cover inner ones
 */
export function secondPlaces(fs: Fs, folders: readonly DiskPath[]): readonly SecondPlace[] {
  const mounts = mountsOf(fs);
  const found = folders
    .flatMap((folder) => placesOf(folder, mounts))
    // What covers a folder shows nothing that is mounted in it.
    .filter((one) => isSame(fs, one) && !folders.some((folder) => isInside(one.place, folder)));
  const byPlace = new Map(found.map((one) => [one.place, one]));
  return [...byPlace.values()].sort((a, b) => a.place.length - b.place.length);
}

const TABLE = '/proc/self/mountinfo' as DiskPath;
const TABLE_BYTES = 1 << 24;

function mountsOf(fs: Fs): readonly Mount[] {
  try {
    return parseMountTable(readEntireFile(fs, TABLE, TABLE_BYTES).toString('latin1'));
  } catch (error) {
    // Without a table, no overlay can be mounted either.
    if (error instanceof FsError) return [];
    throw error;
  }
}

/** Also places that another mount hides. */
function placesOf(folder: DiskPath, mounts: readonly Mount[]): readonly SecondPlace[] {
  const around = mounts.filter(({ point }) => isInside(folder, point));
  return around.flatMap(({ device, top, point }) => {
    const inner = joined(top, below(folder, point));
    return mounts.flatMap((other): readonly SecondPlace[] => {
      if (other.device !== device) return [];
      const isOuter = isInside(inner, other.top);
      if (!isOuter && !isInside(other.top, inner)) return [];
      const covered = isOuter ? folder : joined(folder, below(other.top, inner));
      const place = isOuter ? joined(other.point, below(inner, other.top)) : other.point;
      return [{ covered, place }];
    });
  });
}

function isSame(fs: Fs, { covered, place }: SecondPlace): boolean {
  try {
    const [one, other] = [fs.lstat(covered), fs.lstat(place)];
    return one !== null && one.dev === other?.dev && one.ino === other.ino;
  } catch (error) {
    // What this user cannot reach, their commands cannot reach either.
    if (error instanceof FsError) return false;
    throw error;
  }
}

/** @returns empty, or with a slash in front */
function below(path: DiskPath, folder: DiskPath): string {
  return folder === '/' ? (path === '/' ? '' : path) : path.slice(folder.length);
}

function joined(folder: DiskPath, rest: string): DiskPath {
  return (folder === '/' && rest !== '' ? rest : `${folder}${rest}`) as DiskPath;
}
