/** The folder in which a session continues. */

import { isAbsolute, join } from 'node:path';
import { bytesFromText } from '@savepoint/core';
import { type DiskPath, type Fs, isFsError, kindOf } from '@savepoint/core/ports';

/**
 * Agents may be started below the workspace, and look for their sessions by that folder.
 * @param recorded the folder as the agent recorded it, as text; untrusted
 * @returns the recorded folder if it exists in the workspace; the workspace otherwise
 */
export function sessionFolder(fs: Fs, recorded: string | null, workspace: DiskPath): DiskPath {
  if (recorded === null || !isAbsolute(recorded) || recorded.includes('\0')) return workspace;
  const folder = join(bytesFromText(recorded)) as DiskPath;
  if (!folder.startsWith(join(workspace, '/'))) return workspace;
  try {
    const stat = fs.lstat(folder);
    return stat !== null && kindOf(stat) === 'folder' ? folder : workspace;
  } catch (error) {
    if (isFsError(error)) return workspace;
    throw error;
  }
}
