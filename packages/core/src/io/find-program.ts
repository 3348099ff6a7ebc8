import { bytesFromText, type DiskPath, textFromBytes } from '../model/names.ts';
import { FsError, kindOf } from './fs.ts';
import type { Ports } from './ports.ts';

/**
 * Finds a program on the search path.
 * @param within the workspace: a program inside it is never used, because anyone who can write there could have planted it
 * @returns its absolute path; null if there is none
 */
export function findProgram(
  { fs, platform }: Pick<Ports, 'fs' | 'platform'>,
  name: string,
  searchPath: string,
  within: DiskPath,
): string | null {
  for (const folder of searchPath.split(platform === 'win32' ? ';' : ':')) {
    const bytes = bytesFromText(folder.replaceAll('\\', '/'));
    if (!/^(?:\/|[A-Za-z]:\/)/.test(bytes)) continue;
    const path = `${bytes.replace(/\/+$/, '')}/${name}` as DiskPath;
    try {
      const stat = fs.lstat(path);
      if (stat === null || kindOf(stat) === 'folder') continue;
      const inside = [path, fs.realpath(path)].some((one) => one.startsWith(`${within}/`));
      if (!inside) return textFromBytes(path);
    } catch (error) {
      if (!(error instanceof FsError)) throw error;
    }
  }
  return null;
}
