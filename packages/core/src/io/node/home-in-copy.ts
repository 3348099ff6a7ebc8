/** The home of a copy, for the processes in it. The environment is not asked: commands of an agent could change it. */
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { bytesFromText, type DiskPath } from '../../model/names.ts';
import { unescapeMountField } from '../mount-table.ts';
import { nativePath } from './path.ts';

/** What `copy/overlay/script.ts` calls the source of a mount. */
const SOURCE = /^savepoint:(copy_[0-9a-f]{8}):(\/.*\/copies\/\1)$/s;
const PLACE = /\/copies\/copy_[0-9a-f]{8}(?=\/tree(?:\/|$))/g;

/**
 * @param home returns the home that the environment names
 * @returns null outside of copies
 */
export function homeInCopy(home: () => DiskPath): DiskPath | null {
  if (process.platform === 'win32') return null;
  const place = placeOfMount() ?? placeOfFolder(home);
  return place === null ? null : (`${place}/home` as DiskPath);
}

/** In a copy that is an overlay: every process that sees its mount is in it. The last one is the innermost. */
function placeOfMount(): string | null {
  if (process.platform !== 'linux') return null;
  let place: string | null = null;
  for (const line of readMounts().split('\n')) {
    const [type, source] = line.split(' - ')[1]?.split(' ') ?? [];
    if (type !== 'overlay' || source === undefined) continue;
    place = SOURCE.exec(unescapeMountField(source))?.[2] ?? place;
  }
  return place;
}

/**
 * In a copy that is a folder: by the working folder. Only a copy in the home that the environment names counts, or in one
 * around that. A repository may contain folders that look like a copy, with settings and trusted commands in its home.
 */
function placeOfFolder(home: () => DiskPath): string | null {
  let folder: string;
  try {
    folder = bytesFromText(process.cwd());
  } catch {
    return null; // it no longer exists
  }
  const around = [...folder.matchAll(PLACE)].map(({ 0: { length }, index }) => [index, index + length] as const);
  if (around.length === 0) return null;
  const named = home();
  const homes = [named, realPath(named)];
  for (const [start, end] of around.reverse()) {
    const [outer, place] = [folder.slice(0, start), folder.slice(0, end)];
    const isOurs = homes.some((one) => one === outer || one.startsWith(`${outer}/copies/copy_`));
    if (isOurs && existsSync(nativePath(`${place}/copy.json`))) return place;
  }
  return null;
}

function realPath(path: DiskPath): string {
  try {
    return realpathSync.native(nativePath(path), 'latin1');
  } catch {
    return path;
  }
}

function readMounts(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'latin1');
  } catch {
    return '';
  }
}
