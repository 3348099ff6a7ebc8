import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import type { Environment } from '../agent.ts';

/** The user's home folder, where agents keep their settings. */
export function homeFolder(env: Environment): string {
  const home = env['HOME'] ?? env['USERPROFILE'];
  return home !== undefined && isAbsolute(home) ? home : homedir();
}
