/** The home of a copy, for the processes in it. The environment is not asked: commands of an agent could change it. */
import { existsSync, readFileSync } from 'node:fs';
import { bytesFromText, type DiskPath } from '../../model/names.ts';
import { unescapeMountField } from './mount-table.ts';
import { nativePath } from './path.ts';

/** What `copy/overlay/script.ts` calls the source of a mount. */
const SOURCE = /^savepoint:(copy_[0-9a-f]{8}):(\/.*\/copies\/\1)$/s;
const FOLDER = /^(\/.*\/copies\/copy_[0-9a-f]{8})\/tree(?:\/|$)/s;

/** @returns null outside of copies */
export function homeInCopy(): DiskPath | null {
  if (process.platform === 'win32') return null;
  const place = placeOfMount() ?? placeOfFolder();
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

/** In a copy that is a folder: by the working folder. */
function placeOfFolder(): string | null {
  let folder: string;
  try {
    folder = bytesFromText(process.cwd());
  } catch {
    return null; // it no longer exists
  }
  const place = FOLDER.exec(folder)?.[1];
  return place !== undefined && existsSync(nativePath(`${place}/copy.json`)) ? place : null;
}

function readMounts(): string {
  try {
    return readFileSync('/proc/self/mountinfo', 'latin1');
  } catch {
    return '';
  }
}
