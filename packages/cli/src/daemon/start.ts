/** Starts a daemon for the next hooks, after this one has been answered. */
import { spawn } from 'node:child_process';
import { closeSync, openSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { buildOnDisk } from './build.ts';
import { runtimeFolder } from './runtime-folder.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Minimum milliseconds between attempts, so that many hooks start only one daemon, and a failing daemon is not
 * restarted immediately.
 */
const PAUSE_MS = 5_000;
/** With an eighth of the usual space for young objects, the daemon needs a tenth less memory and is not slower. */
const NODE_OPTIONS = ['--max-semi-space-size=2'];
/**
 * For glibc, in bytes: memory that is freed goes back to the system. Otherwise, these limits grow with the largest block
 * that was ever freed, and a daemon that has read a large repository keeps 20 MB more.
 */
const ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };

/**
 * @param home the folder of the stores
 * @param script the program that this process runs
 */
export function startDaemon(home: string, script: string, env: Environment): void {
  if (process.platform === 'win32' || script === '' || env['SAVEPOINT_DAEMON'] === 'off') return;
  if (buildOnDisk() === null || 'why' in runtimeFolder(home, env) || wasTriedRecently(home)) return;
  const child = spawn(process.execPath, [...NODE_OPTIONS, script, 'daemon', 'run'], {
    cwd: '/',
    detached: true,
    stdio: 'ignore',
    env: { ...ALLOCATOR, ...env },
  });
  child.on('error', () => undefined);
  child.unref();
}

function wasTriedRecently(home: string): boolean {
  const file = join(home, 'daemon.tried');
  try {
    const age = Date.now() - statSync(file).mtimeMs;
    if (Math.abs(age) < PAUSE_MS) return true;
    utimesSync(file, new Date(), new Date());
    return false;
  } catch {
    try {
      closeSync(openSync(file, 'wx', 0o600));
      return false;
    } catch {
      // Another hook has just created the file, or the home does not exist.
      return true;
    }
  }
}
