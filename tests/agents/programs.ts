import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const pinned = fileURLToPath(new URL('./programs/', import.meta.url));
const cache = fileURLToPath(new URL('../../.cache/agents/', import.meta.url));

/**
 * Installs one of `programs/` exactly as its lock file says, unless it is already installed. Install scripts do not
 * run: they would only put the platform's binary in place, and callers name that binary themselves.
 * @returns the folder that contains its `node_modules`
 */
export function installProgram(name: string): string {
  const lock = readFileSync(join(pinned, name, 'package-lock.json'));
  const folder = join(cache, `${name}-${createHash('sha256').update(lock).digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const making = mkdtempSync(join(cache, '.making-'));
  try {
    cpSync(join(pinned, name), making, { recursive: true });
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    execFileSync('npm', args, { cwd: making, stdio: 'pipe', timeout: 10 * 60_000 });
    // Rename only when complete, so that a partial installation is never used.
    renameSync(making, folder);
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
  return folder;
}
